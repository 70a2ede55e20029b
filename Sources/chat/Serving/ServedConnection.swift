// One connection of a client: an HTTP request with its answer, or a WebSocket. It turns bytes into operations on the
// in-process server, and the server's outcomes into bytes, with the network's faults. It has no clock and no
// socket of its own, so that tests act as a client by bytes.

import ChatDomain
import ChatEffects

/// A connection as a value.
struct ServedConnection {
    /// A step for the owner of the connection.
    enum Step: Equatable {
        /// Sends bytes.
        case send([UInt8])
        /// Passes an operation to the server.
        case operate(DriverOperation)
        /// Writes a line about the request.
        case log(String)
        /// Closes when everything is sent.
        case finish
        /// Breaks the connection.
        case reset
    }

    private enum Phase {
        case head(HTTPRequestReader)
        case body(HTTPRequestHead, [UInt8], length: Int)
        case answering
        case socket(WebSocketConnection)
        /// No more bytes are sent.
        case muted
    }

    private let call: CallNumber
    private var phase = Phase.head(HTTPRequestReader())
    private var fault: NetworkFault?
    /// The number of sent bytes of the answer.
    private var sent = 0
    private var line = ""

    /// The greatest upload, 100 MiB, with its form.
    private static let bodyLimit = 105_906_176

    init(_ call: CallNumber, _ fault: NetworkFault? = nil) {
        self.call = call
        self.fault = fault
    }

    // MARK: From the client

    /// Takes bytes of the client.
    mutating func take(_ bytes: [UInt8]) -> [Step] {
        switch phase {
        case .head(var reader):
            do throws(HTTPHeadError) {
                guard let (head, rest) = try reader.read(bytes) else {
                    phase = .head(reader)
                    return []
                }
                return begin(head, rest)
            } catch {
                return refuse(error == .malformed ? 400 : 431)
            }
        case .body(let head, var body, let length):
            phase = .muted
            body += bytes
            return ask(head, body, length)
        case .socket(var connection):
            var steps: [Step] = []
            connection.receive(bytes, maskingKey: { 0 }) { step in
                switch step {
                case .send(let frame): steps.append(.send(frame))
                case .received(.text(let text)):
                    steps.append(.operate(.send(call, Payload(bytes: text))))
                case .received(.closed): steps += [.operate(.close(call)), .finish]
                case .received: break
                case .failed: steps += [.operate(.close(call)), .finish]
                }
            }
            phase = .socket(connection)
            return steps
        case .answering, .muted: return []
        }
    }

    /// Ends the connection, because the client has ended it.
    func ended() -> [Step] {
        switch phase {
        case .head, .body: []
        case .answering, .socket, .muted: [.operate(.close(call))]
        }
    }

    private mutating func begin(_ head: HTTPRequestHead, _ rest: [UInt8]) -> [Step] {
        line = "\(head.method.string) \(String(head.path.string.prefix { $0 != "?" }))"
        if let wish = head.headers.first(where: { $0.name.string == NetworkFault.header })?.value.string {
            guard let asked = try? NetworkFault(wish) else { return refuse(400) }
            fault = asked
        }
        if head.wantsWebSocket {
            do throws(WebSocketRefusal) {
                let answer = try head.acceptWebSocket()
                phase = .socket(WebSocketConnection(.server, WebSocketPolicy(oversizedMessage: .fail)))
                handshake = answer
                let path = ExactText(String(head.path.string.prefix { $0 != "?" }))
                return [.log("\(line) WebSocket"), .operate(.open(call, .socket(path: path)))] + take(rest)
            } catch {
                phase = .muted
                return [.log("\(line) refused"), .send(error.answer), .finish]
            }
        }
        if head.method == "OPTIONS" {  // a page of another origin asks first (Fetch standard, CORS)
            return answer(
                204,
                [
                    Header("access-control-allow-methods", "*"),
                    Header("access-control-allow-headers", "*, authorization"),
                ])
        }
        guard head.headers.allSatisfy({ $0.name != "transfer-encoding" }) else { return refuse(411) }
        let lengths = head.headers.filter { $0.name == "content-length" }
            .map { HTTPBytes.number($0.value.utf8[...]) }
        guard lengths.allSatisfy({ $0 != nil && $0 == lengths.first }) else { return refuse(400) }
        let length = Int(clamping: (lengths.first ?? 0) ?? 0)
        guard length <= Self.bodyLimit else { return refuse(413) }
        let waits = head.headers.contains { $0.name == "expect" } && rest.count < length
        return (waits ? [.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))] : []) + ask(head, rest, length)
    }

    private mutating func ask(_ head: HTTPRequestHead, _ body: [UInt8], _ length: Int) -> [Step] {
        guard body.count >= length else {
            phase = .body(head, body, length: length)
            return []
        }
        phase = .answering
        let path = ExactText(String(head.path.string.prefix { $0 != "?" }))
        return [
            .operate(
                .open(
                    call,
                    .http(
                        method: head.method, path: path, headers: head.headers,
                        body: Payload(bytes: Array(body.prefix(length))), credential: nil)))
        ]
    }

    private mutating func refuse(_ status: Int64) -> [Step] { answer(status, []) }

    private mutating func answer(_ status: Int64, _ headers: [Header]) -> [Step] {
        phase = .muted
        return [
            .log("\(line.isEmpty ? "-" : line) \(status)"),
            .send(ServedAnswer.empty(status: status, headers)), .finish,
        ]
    }

    // MARK: From the server

    /// The answer to the handshake, until the server opens the socket.
    private var handshake: [UInt8]?

    /// Takes an outcome of the server.
    mutating func take(_ arrival: Arrival) -> [Step] {
        switch (arrival, phase) {
        case (.opened, .socket):
            defer { handshake = nil }
            return out(handshake ?? [])
        case (.text(let text), .socket(let connection)):
            return out(connection.text(ExactText(decoding: text), maskingKey: 0) ?? [])
        case (.head(let status, let headers), .answering):
            return [.log("\(line) \(status)")] + out(ServedAnswer.head(status: status, headers: headers))
        case (.body(let bytes), .answering): return out(ServedAnswer.chunk(bytes))
        case (.ended(let end), _): return close(end)
        default: return []
        }
    }

    private mutating func close(_ end: CallEnd) -> [Step] {
        if case .muted = phase { return [] }  // a stalled connection stays until the client leaves
        switch (end, phase) {
        case (.completed, .answering):
            let last = out(ServedAnswer.end)
            if case .muted = phase { return last }
            phase = .muted
            return last + [.finish]
        case (.closed(let code, let reason), .socket(var connection)):
            let frame = connection.close(code: code, reason: reason, maskingKey: 0) ?? []
            // A frame is none before the handshake is answered.
            let last = out((handshake ?? []) + frame)
            if case .muted = phase { return last }
            phase = .muted
            return last + [.finish]
        case (.refused(let status, _, _), .socket): return answer(status, [])
        default:
            phase = .muted
            return [.reset]
        }
    }

    /// Sends bytes of the answer, as far as the network's fault lets them pass.
    private mutating func out(_ bytes: [UInt8]) -> [Step] {
        guard !bytes.isEmpty else { return [] }
        switch fault {
        case nil: return [.send(bytes)]
        case .drip: return bytes.map { .send([$0]) }
        case .cut(let limit), .reset(let limit), .stall(let limit):
            let passed = Array(bytes.prefix(max(0, limit - sent)))
            sent += passed.count
            let isOver = passed.count < bytes.count
            if isOver { phase = .muted }
            let steps: [Step] = passed.isEmpty ? [] : [.send(passed)]
            guard isOver else { return steps }
            switch fault {
            case .cut: return steps + [.operate(.close(call)), .finish]
            case .reset: return steps + [.operate(.close(call)), .reset]
            default: return steps
            }
        }
    }
}
