// The server's answer to an opening handshake, read from bytes in any split (RFC 6455, section 4.1). An answer that is
// no success has a named reason, with the server's own words.

import ChatDomain

/// The reason why a WebSocket does not open.
public enum WebSocketHandshakeError: Error, PlainValue {
    /// The server answers with another status than 101: with the wait that it demands, and the start of the body.
    case refused(status: Int64, retryAfter: Interval?, body: [UInt8])
    /// The server names another address. It is not followed, so that a credential does not reach another host.
    case redirected(status: Int64, location: ExactText)
    /// The bytes are no answer of HTTP/1.1, or a head over the limit.
    case notHTTP(HTTPHeadError)
    /// The answer does not switch to WebSocket.
    case wrongUpgrade
    /// The answer does not switch this connection.
    case wrongConnection
    /// The answer is not to this request.
    case wrongProof
    /// The server uses an extension or a subprotocol that was not offered.
    case unrequestedExtension
    /// The connection has ended within the head.
    case cutOff
}

extension WebSocketHandshakeError: CustomStringConvertible {
    /// The reason as text, for display.
    public var description: String {
        switch self {
        case .refused(let status, _, _): "the server answers with status \(status) and opens no WebSocket"
        case .redirected(let status, let location):
            "the server redirects with status \(status) to \(location.string)"
        case .notHTTP(let error): "the server does not speak HTTP: \(error.description)"
        case .wrongUpgrade: "the server does not upgrade to WebSocket"
        case .wrongConnection: "the server does not upgrade the connection"
        case .wrongProof: "the server's answer is to another request"
        case .unrequestedExtension: "the server uses an extension that was not offered"
        case .cutOff: "the connection has ended before the server's answer"
        }
    }
}

/// Parses the answer to a request.
public struct WebSocketAnswerReader: PlainValue {
    private enum Position: PlainValue {
        case head
        /// Within the body of a refusal.
        case body(status: Int64, retryAfter: Interval?, HTTPAnswerReader)
        case opened
        case failed(WebSocketHandshakeError)
    }

    /// The most bytes that are kept of a body: a usual one has some hundred, and a longer one is a proxy's page.
    private static let bodyLimit = 4_096

    private let proof: ExactText
    private var position = Position.head
    private var head: HTTPHeadReader
    /// The body so far of a refusal.
    private var body: [UInt8] = []

    /// Creates a reader of the answer to a request; the limit is that of the head, in bytes.
    public init(to request: WebSocketRequest, headLimit: Int64 = 16 * 1024) {
        proof = request.proof
        head = HTTPHeadReader(limit: headLimit)
    }

    /// Reads bytes in any split. Returns the bytes after the answer once the WebSocket is open; they are its first.
    /// Nil while the answer is incomplete. O(n).
    ///
    /// - Throws: The reason why it does not open; every later call throws the same.
    public mutating func read(_ bytes: [UInt8]) throws(WebSocketHandshakeError) -> [UInt8]? {
        var index = 0
        do throws(WebSocketHandshakeError) {
            try bytes.withUnsafeBufferPointer { (bytes) throws(WebSocketHandshakeError) in
                try advance(bytes, &index)
            }
        } catch {
            position = .failed(error)
            body = []
            throw error
        }
        if case .opened = position { return [UInt8](bytes[index...]) }
        return nil
    }

    /// The reason when the connection ends, or the driver has waited too long, before the answer is complete.
    public var interruption: WebSocketHandshakeError {
        switch position {
        case .head, .opened: .cutOff
        case .body(let status, let retryAfter, _):
            .refused(status: status, retryAfter: retryAfter, body: body)
        case .failed(let error): error
        }
    }

    private mutating func advance(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) throws(WebSocketHandshakeError) {
        while case .head = position {
            let isComplete: Bool
            do throws(HTTPHeadError) {
                isComplete = try head.read(bytes, from: &index) { HTTPBytes.status($0) != nil }
            } catch {
                throw .notHTTP(error)
            }
            guard isComplete, let (status, minor) = head.startLine.flatMap(HTTPBytes.status) else { return }
            position = try judge(status, minor)
        }
        switch position {
        case .head, .opened: return
        case .body(let status, let retryAfter, var reader):
            for case .body(let part) in reader.read(Array(bytes[index...])) {
                body += part.prefix(Self.bodyLimit - body.count)
            }
            index = bytes.count
            position = .body(status: status, retryAfter: retryAfter, reader)
            if reader.isOver || body.count == Self.bodyLimit { throw interruption }
        case .failed(let error): throw error
        }
    }

    /// The position after a head.
    private mutating func judge(
        _ status: Int64, _ minor: Int64
    ) throws(WebSocketHandshakeError) -> Position {
        let headers = head.headers
        guard status == 101 else {
            if status < 200 {  // an interim answer (RFC 9110, section 15.2)
                head.startAgain()
                return .head
            }
            if (300...399).contains(status), let location = headers.values("location").first {
                throw .redirected(status: status, location: location)
            }
            let retryAfter = HTTPAnswer.retryAfter(headers)
            guard let reader = try? HTTPAnswerReader(behind: headers, status, minor) else {
                throw .refused(status: status, retryAfter: retryAfter, body: [])
            }
            return .body(status: status, retryAfter: retryAfter, reader)
        }
        guard minor >= 1 else { throw .notHTTP(.malformed) }
        guard headers.list("upgrade", has: "websocket") else { throw .wrongUpgrade }
        guard headers.list("connection", has: "upgrade") else { throw .wrongConnection }
        guard headers.only("sec-websocket-accept") == proof else { throw .wrongProof }
        guard headers.values("sec-websocket-extensions").allSatisfy({ $0.isEmpty }),
            headers.values("sec-websocket-protocol").isEmpty
        else { throw .unrequestedExtension }
        return .opened
    }
}
