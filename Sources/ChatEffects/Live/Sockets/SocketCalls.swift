// WebSocket calls over plain sockets, for systems whose Foundation has none. The protocol is a value
// (`Wire/WebSocket`); this file has only the socket and the clock of the closing handshake. There is no encryption: a
// call to an address that needs it ends with a reason that says so.

#if !canImport(Darwin)
    import ChatDomain
    import Dispatch
    import Foundation

    /// The WebSocket calls that are under way. Methods may be called on any thread; everything happens on one queue.
    final class SocketCalls: @unchecked Sendable {
        private let arrivals: Arrivals
        private let queue = DispatchQueue(label: "chat.sockets")
        /// The calls that may tell something.
        private let open = Locked<Set<CallNumber>>([])
        /// Used on the queue alone.
        private var calls: [CallNumber: SocketCall] = [:]

        init(_ arrivals: Arrivals) { self.arrivals = arrivals }

        /// Begins a call.
        func open(_ call: CallNumber, _ address: ServerAddress, path: ExactText) {
            open.withLock { _ = $0.insert(call) }
            queue.async { [self] in
                guard !address.isEncrypted else { return end(call, .failed(.insecure)) }
                let nonce = Array(0..<16).map { _ in UInt8.random(in: .min ... .max) }
                let request = WebSocketRequest(
                    host: ExactText(address.authority), path: ExactText(address.path(path)), nonce: nonce)
                guard let request else { return end(call, .failed(.malformed)) }
                calls[call] = SocketCall(request)
                SystemSocket.connect(host: address.host, port: address.port ?? 80) { [self] result in
                    queue.async { [self] in connected(call, result) }
                }
            }
        }

        /// Sends a text.
        func send(_ call: CallNumber, _ text: [UInt8]) {
            queue.async { [self] in
                guard let frame = calls[call]?.frame(text) else { return }
                calls[call]?.socket?.write(frame)
            }
        }

        /// Ends a call; nothing of it arrives from now on. The peer gets a Close frame, and has some seconds for its
        /// answer.
        func close(_ call: CallNumber) {
            open.withLock { _ = $0.remove(call) }
            queue.async { [self] in
                guard var ended = calls.removeValue(forKey: call), let socket = ended.socket else { return }
                if let frame = ended.closingFrame() { socket.write(frame) }
                socket.finish()
            }
        }

        /// Ends all calls.
        func closeAll() {
            open.withLock { $0 = [] }
            queue.async { [self] in
                for call in calls.values { call.socket?.close() }
                calls = [:]
            }
        }

        // MARK: On the queue

        private func connected(_ call: CallNumber, _ result: Result<Int32, SystemSocket.Failure>) {
            switch result {
            case .failure(let failure):
                if calls[call] != nil { end(call, .failed(failure == .offline ? .offline : .unreachable)) }
            case .success(let descriptor):
                // The call was closed meanwhile.
                guard let request = calls[call]?.request else { return SystemSocket.close(descriptor) }
                let socket = StreamSocket(descriptor, on: queue)
                calls[call]?.socket = socket
                socket.start { [weak self] event in self?.take(event, call) }
                socket.write(request.bytes)
            }
        }

        private func take(_ event: StreamSocket.Event, _ call: CallNumber) {
            // The entry leaves the table, so that its buffers grow in place.
            guard var entry = calls.removeValue(forKey: call) else { return }
            var ended: CallEnd?
            switch event {
            case .bytes(let bytes):
                ended = entry.receive(bytes) { [self] in tell(call, $0) }
            case .ended: ended = entry.interruption
            }
            calls[call] = entry
            if let ended { end(call, ended) }
        }

        private func end(_ call: CallNumber, _ reason: CallEnd) {
            calls.removeValue(forKey: call)?.socket?.finish()
            _ = tell(call, .ended(reason))
            open.withLock { _ = $0.remove(call) }
        }

        /// Adds an arrival, unless the call is closed: within the lock, so nothing arrives once it is. Returns false if
        /// too much waits.
        private func tell(_ call: CallNumber, _ arrival: Arrival) -> Bool {
            open.withLock { $0.contains(call) ? arrivals.add(.arrived(call, arrival)) : true }
        }
    }

    /// One call: its handshake, then its connection.
    private struct SocketCall {
        let request: WebSocketRequest
        var socket: StreamSocket?
        private var phase: Phase

        private enum Phase {
            case opening(WebSocketAnswerReader)
            case open(WebSocketConnection)
        }

        /// A message over the limit is skipped; otherwise it would end every later connection too.
        private static let policy = WebSocketPolicy(oversizedMessage: .skip)

        init(_ request: WebSocketRequest) {
            self.request = request
            phase = .opening(WebSocketAnswerReader(to: request))
        }

        /// The frame of a text; nil before the handshake is complete and after the end.
        func frame(_ text: [UInt8]) -> [UInt8]? {
            guard case .open(let connection) = phase else { return nil }
            return connection.text(ExactText(decoding: text), maskingKey: .random(in: .min ... .max))
        }

        /// The frame that begins the closing handshake, if there is one to send.
        mutating func closingFrame() -> [UInt8]? {
            guard case .open(var connection) = phase else { return nil }
            let frame = connection.close(maskingKey: .random(in: .min ... .max))
            phase = .open(connection)
            return frame
        }

        /// Reads bytes; returns the end of the call, if they bring it.
        mutating func receive(_ bytes: [UInt8], _ tell: (Arrival) -> Bool) -> CallEnd? {
            switch phase {
            case .opening(var reader):
                do throws(WebSocketHandshakeError) {
                    guard let rest = try reader.read(bytes) else {
                        phase = .opening(reader)
                        return nil
                    }
                    phase = .open(WebSocketConnection(.client, Self.policy))
                    _ = tell(.opened)
                    return rest.isEmpty ? nil : receive(rest, tell)
                } catch {
                    return error.end
                }
            case .open(var connection):
                // So that the reader's buffer is not shared while it grows.
                phase = .opening(WebSocketAnswerReader(to: request))
                let socket = socket
                var end: CallEnd?
                connection.receive(bytes, maskingKey: { .random(in: .min ... .max) }) { step in
                    guard end == nil else { return }
                    switch step {
                    case .send(let frame): socket?.write(frame)
                    case .received(.text(let text)): if !tell(.text(text)) { end = .failed(.tooLarge) }
                    case .received(.closed(let code, let reason)): end = .closed(code: code, reason: reason)
                    case .received(.skipped): if !tell(.tooLong) { end = .failed(.tooLarge) }
                    case .received: _ = tell(.signOfLife)
                    case .failed(let error): end = error.end
                    }
                }
                phase = .open(connection)
                return end
            }
        }

        /// The end of a call whose socket has ended by itself.
        var interruption: CallEnd {
            switch phase {
            case .opening(let reader): reader.interruption.end
            case .open: .failed(.lost)
            }
        }
    }

    extension WebSocketError {
        /// The end of the call.
        fileprivate var end: CallEnd {
            switch self {
            case .messageTooLong, .frameTooLong: .failed(.tooLarge)
            default: .failed(.malformed)
            }
        }
    }

    extension WebSocketHandshakeError {
        /// The end of the call.
        fileprivate var end: CallEnd {
            switch self {
            case .refused(let status, let retryAfter, let body):
                .refused(status: status, retryAfter: retryAfter, message: ExactText(refusal: body))
            case .redirected(let status, let location):
                .redirected(status, to: URL.shown(location, from: nil))
            case .notHTTP, .wrongUpgrade, .wrongConnection, .wrongProof, .unrequestedExtension:
                .failed(.malformed)
            case .cutOff: .failed(.lost)
            }
        }
    }
#endif
