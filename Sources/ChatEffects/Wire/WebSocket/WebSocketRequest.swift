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
        guard nonce.count == 16, HTTPBytes.isPath(path.utf8[...]),
            !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else { return nil }
        let key = Base64.encode(nonce)
        var head: ExactText = "GET "
        head.append(path)
        head.append(" HTTP/1.1\r\nHost: ")
        head.append(host)
        head.append(
            "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        )
        head.append(key)
        for header in headers {
            let name = header.name.utf8[...], value = header.value.utf8[...]
            guard HTTPBytes.isToken(name), HTTPBytes.isFieldValue(value), !Self.isOwn(name) else {
                return nil
            }
            head.append("\r\n")
            head.append(header.name)
            head.append(": ")
            head.append(header.value)
        }
        head.append("\r\n\r\n")
        bytes = head.utf8
        proof = Self.proof(key)
    }

    /// Whether the handshake sets the header, or the header would promise a body.
    private static func isOwn(_ name: ArraySlice<UInt8>) -> Bool {
        let name = HTTPBytes.lowercased(name)
        let own: [ExactText] = ["host", "upgrade", "connection", "content-length", "transfer-encoding"]
        return own.contains { $0.utf8 == name } || name.starts(with: "sec-websocket-".utf8)
    }

    /// The proof that a server has read the key (section 4.2.2, item 5.4).
    static func proof(_ key: ExactText) -> ExactText {
        Base64.encode(SHA1.digest(key.utf8 + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    }
}
