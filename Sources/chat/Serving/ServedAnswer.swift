// The bytes of an HTTP answer (RFC 9112). A body is sent in chunks, so that a client can distinguish a whole answer
// from a cut one.

import ChatDomain
import ChatEffects

/// Makes the bytes of answers.
enum ServedAnswer {
    /// A page from another origin may use this server and read its headers, such as a wait: it is for the developers of
    /// front ends.
    private static let forAnyOrigin =
        "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n"

    /// The head of an answer whose body comes in chunks.
    static func head(status: Int64, headers: [Header]) -> [UInt8] {
        var lines = "HTTP/1.1 \(status) \(phrase(status))\r\n"
        for header in headers { lines += "\(header.name.string): \(header.value.string)\r\n" }
        if !headers.contains(where: { $0.name == "content-type" }) {
            lines += "content-type: application/json\r\n"
        }
        lines += forAnyOrigin
        return Array((lines + "transfer-encoding: chunked\r\nconnection: close\r\n\r\n").utf8)
    }

    /// A piece of the body.
    static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        bytes.isEmpty
            ? [] : Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }

    /// The end of the body.
    static let end = Array("0\r\n\r\n".utf8)

    /// A whole answer without a body.
    static func empty(status: Int64, _ headers: [Header] = []) -> [UInt8] {
        var lines = "HTTP/1.1 \(status) \(phrase(status))\r\n" + forAnyOrigin
        for header in headers { lines += "\(header.name.string): \(header.value.string)\r\n" }
        // RFC 9110, section 8.6: not for this status, which has no body.
        if status != 204 { lines += "content-length: 0\r\n" }
        return Array((lines + "connection: close\r\n\r\n").utf8)
    }

    private static func phrase(_ status: Int64) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Answer"
        }
    }
}
