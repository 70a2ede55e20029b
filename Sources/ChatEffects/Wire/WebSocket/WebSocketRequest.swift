// The client's opening handshake (RFC 6455, section 4.1): the request as bytes, and the proof that the answer must
// hold.

import ChatDomain

/// A request to open a WebSocket.
public struct WebSocketRequest: PlainValue {
    /// The bytes to send on the socket.
    public let bytes: [UInt8]

    /// The expected value of the answer's `Sec-WebSocket-Accept`.
    let proof: ExactText

    /// Creates a request; nil when a part is not legal in a request, or when a header is one that the handshake sets.
    ///
    /// - Parameters:
    ///   - host: The host, with the port unless it is the default one (RFC 9110, section 7.2).
    ///   - path: The path with the query, from its slash on.
    ///   - headers: Further headers, such as `authorization` and `origin`.
    ///   - nonce: 16 bytes that nobody can predict.
    public init?(host: ExactText, path: ExactText, headers: [Header] = [], nonce: [UInt8]) {
        guard nonce.count == 16 else { return nil }
        let key = Base64.encode(nonce)
        let own = [
            Header("Upgrade", "websocket"), Header("Connection", "Upgrade"),
            Header("Sec-WebSocket-Version", "13"), Header("Sec-WebSocket-Key", key),
        ]
        guard let head = HTTPRequestHead.bytes("GET", path, host: host, own, headers) else { return nil }
        bytes = head
        proof = Self.proof(key)
    }

    /// The proof that a server has read the key (section 4.2.2, item 5.4).
    static func proof(_ key: ExactText) -> ExactText {
        Base64.encode(SHA1.digest(key.utf8 + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    }
}
