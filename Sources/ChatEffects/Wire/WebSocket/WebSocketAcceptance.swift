// The server's opening handshake (RFC 6455, section 4.2): the answer to a request as bytes, or the reason of a refusal.
// No extension and no subprotocol is negotiated.

import ChatDomain

/// The reason why a server refuses to open a WebSocket.
package enum WebSocketRefusal: Error, PlainValue {
    /// The request does not ask for a WebSocket; see `wantsWebSocket`.
    case notWanted
    /// The method is not GET.
    case wrongMethod
    /// The request is older than HTTP/1.1.
    case oldHTTP
    /// The request names no host, or several.
    case wrongHost
    /// The client speaks another version of the protocol.
    case wrongVersion
    /// The key is not 16 bytes in Base64, or there are several.
    case wrongKey
    /// The request has a body, which could pass for frames.
    case unexpectedBody

    /// The answer to send before the connection is closed.
    package var answer: [UInt8] {
        switch self {
        case .notWanted, .wrongVersion:
            Self.answer("426 Upgrade Required", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
        case .wrongMethod: Self.answer("405 Method Not Allowed", "Allow: GET\r\n")
        case .oldHTTP, .wrongHost, .wrongKey, .unexpectedBody: Self.answer("400 Bad Request", "")
        }
    }

    private static func answer(_ status: ExactText, _ headers: ExactText) -> [UInt8] {
        var answer: ExactText = "HTTP/1.1 "
        answer.append(status)
        answer.append("\r\nConnection: close\r\nContent-Length: 0\r\n")
        answer.append(headers)
        answer.append("\r\n")
        return answer.utf8
    }
}

extension HTTPRequestHead {
    /// Whether the request asks for a WebSocket.
    package var wantsWebSocket: Bool {
        headers.list("upgrade", has: "websocket") && headers.list("connection", has: "upgrade")
    }

    /// The answer that opens a WebSocket.
    ///
    /// Any web page may ask a server on loopback: the caller decides whether its `origin` is welcome (section
    /// 10.2).
    ///
    /// - Throws: The reason of a refusal.
    package func acceptWebSocket() throws(WebSocketRefusal) -> [UInt8] {
        guard wantsWebSocket else { throw .notWanted }
        guard method == "GET" else { throw .wrongMethod }
        guard isCurrent else { throw .oldHTTP }
        guard headers.only("host") != nil else { throw .wrongHost }
        guard headers.values("transfer-encoding").isEmpty,
            headers.values("content-length").allSatisfy({ $0 == "0" })
        else { throw .unexpectedBody }
        guard headers.only("sec-websocket-version") == "13" else { throw .wrongVersion }
        guard let key = headers.only("sec-websocket-key"), Base64.decode(key)?.count == 16 else {
            throw .wrongKey
        }
        var answer: ExactText =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        answer.append(WebSocketRequest.proof(key))
        answer.append("\r\n\r\n")
        return answer.utf8
    }
}
