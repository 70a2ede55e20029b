// A connection after its opening handshake, as a value: it composes the reader with the answers that the protocol
// demands (RFC 6455, sections 5.5 and 7). The driver owns the socket and carries out the steps.
//
//     var connection = WebSocketConnection(.client)
//     connection.receive(bytes, maskingKey: { random.next() }) { step in
//         switch step {
//         case .send(let frame): write(frame)
//         case .received(let event): …
//         case .failed(let error): …
//         }
//     }
//
// Laws:
// - A Ping is answered by one Pong with its payload, and a Close by one Close, as long as this side has sent no Close.
// - This side sends at most one Close, and nothing after it.
// - The last step is `received(.closed)` or `failed`; the connection is closed then, and nothing follows.
// - Sent bytes are legal: whole unfragmented frames, masked by a client only, control frames of at most 125 bytes,
//   text that is UTF-8, codes that are legal on the wire.
//
// Duties of the driver: it takes a masking key that the peer cannot predict for each frame (section 10.3). It reads
// nothing more while too much is unsent, since a peer that pings without reading would fill the memory. It closes the
// socket after the last step: a server at once, a client when the server has, or some seconds later (section 7.1.1).

import ChatDomain

/// A step for the driver, to carry out or to pass on.
public enum WebSocketStep: PlainValue {
    /// Send these bytes: a whole frame.
    case send([UInt8])
    /// The peer has sent this.
    case received(WebSocketEvent)
    /// The peer has violated the protocol or a limit.
    case failed(WebSocketError)
}

/// An open connection.
public struct WebSocketConnection: PlainValue {
    /// The state of the closing handshake (RFC 6455, section 7.1).
    public enum Phase: PlainValue {
        /// Both sides may send.
        case open
        /// This side has sent a Close; messages of the peer still arrive.
        case closing
        /// The peer's Close has arrived, or the connection has failed. The end of the socket is no loss then.
        case closed
    }

    /// The state of the closing handshake.
    public private(set) var phase = Phase.open

    private var reader: WebSocketReader

    /// Creates a connection whose opening handshake is complete.
    public init(_ role: WebSocketRole, _ policy: WebSocketPolicy = WebSocketPolicy()) {
        reader = WebSocketReader(role, policy)
    }

    // MARK: Sending

    /// The frame of a text; nil when this side may not send. O(n).
    public func text(_ text: ExactText, maskingKey: UInt32) -> [UInt8]? {
        frame(.text, text.utf8, maskingKey)
    }

    /// The frame of a message of bytes; nil when this side may not send. O(n).
    package func binary(_ bytes: [UInt8], maskingKey: UInt32) -> [UInt8]? {
        frame(.binary, bytes, maskingKey)
    }

    /// A Ping frame; nil when this side may not send. A payload is cut at 125 bytes.
    package func ping(_ payload: [UInt8] = [], maskingKey: UInt32) -> [UInt8]? {
        frame(.ping, [UInt8](payload.prefix(Int(WebSocketFrame.shortLimit))), maskingKey)
    }

    /// Begins the closing handshake (section 7.1.2); nil when this side has already sent a Close, or the connection has
    /// failed.
    ///
    /// A code that is not legal on the wire is left out, with its reason. A reason is cut at 123 bytes.
    public mutating func close(
        code: Int64 = WebSocketCloseCode.normal, reason: ExactText = "", maskingKey: UInt32
    ) -> [UInt8]? {
        let bytes = frame(.close, WebSocketFrame.closing(code: code, reason: reason), maskingKey)
        if phase == .open { phase = .closing }
        return bytes
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], _ maskingKey: UInt32) -> [UInt8]? {
        phase == .open ? reader.role.frame(opcode, payload, maskingKey) : nil
    }

    // MARK: Receiving

    /// Reads bytes in any split, and hands out the steps that they cause. O(n).
    ///
    /// A client's answers each take a masking key; a server's take none.
    public mutating func receive(
        _ bytes: [UInt8], maskingKey: () -> UInt32, _ body: (WebSocketStep) -> Void
    ) {
        bytes.withUnsafeBufferPointer { receive($0, maskingKey: maskingKey, body) }
    }

    /// Reads bytes in any split, and hands out the steps that they cause. O(n).
    ///
    /// A client's answers each take a masking key; a server's take none.
    public mutating func receive(
        _ bytes: UnsafeBufferPointer<UInt8>, maskingKey: () -> UInt32, _ body: (WebSocketStep) -> Void
    ) {
        guard phase != .closed else { return }
        // A copy, since the reader's closure cannot change this value. It is captured by no local function, which would
        // put it on the heap and check each access.
        var phase = phase
        let role = reader.role
        do throws(WebSocketError) {
            try reader.read(bytes) { event in
                if phase == .open, let (opcode, payload) = Self.answer(to: event) {
                    body(.send(role.frame(opcode, payload, role == .client ? maskingKey() : 0)))
                }
                if case .closed = event { phase = .closed }
                body(.received(event))
            }
        } catch {
            if phase == .open {
                let reason = ExactText(error.description)
                let payload = WebSocketFrame.closing(code: error.closeCode, reason: reason)
                body(.send(role.frame(.close, payload, role == .client ? maskingKey() : 0)))
            }
            phase = .closed
            body(.failed(error))
        }
        self.phase = phase
    }

    /// The frame that the protocol demands for an event.
    private static func answer(to event: WebSocketEvent) -> (opcode: WebSocketOpcode, payload: [UInt8])? {
        switch event {
        case .ping(let payload): (.pong, payload)
        case .closed(let code, _): (.close, WebSocketFrame.closing(code: code, reason: ""))  // section 5.5.1
        case .text, .binary, .skipped, .pong: nil
        }
    }
}

extension WebSocketRole {
    /// A frame of this side, masked if it is the client's.
    fileprivate func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8], _ key: UInt32) -> [UInt8] {
        WebSocketFrame.bytes(opcode, payload, maskedBy: self == .client ? key : nil)
    }
}
