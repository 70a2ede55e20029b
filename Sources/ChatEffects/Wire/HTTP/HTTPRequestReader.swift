// The head of a request: written by a client, and read by a server from bytes in any split (RFC 9112, section 3). A
// server that speaks HTTP and WebSocket on one port reads the head first, and checks whether it asks for a WebSocket.

import ChatDomain

/// The head of a request.
package struct HTTPRequestHead: PlainValue {
    /// The method, with case.
    package let method: ExactText
    /// The path with the query, from its slash on.
    package let path: ExactText
    /// The headers, with names in lower case.
    package let headers: [Header]
    /// Whether the request is of HTTP/1.1 and not of HTTP/1.0.
    let isCurrent: Bool

    /// The bytes of a client's head; nil when a part is not legal in one, or when a given header is one that the client
    /// sets itself.
    ///
    /// - Parameters:
    ///   - host: The host, with the port unless it is the default one (RFC 9110, section 7.2).
    ///   - own: The headers that the client sets.
    ///   - given: Those that an app sets.
    package static func bytes(
        _ method: ExactText, _ path: ExactText, host: ExactText, _ own: [Header], _ given: [Header]
    ) -> [UInt8]? {
        guard HTTPBytes.isToken(method.utf8[...]), HTTPBytes.isPath(path.utf8[...]), !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }),
            given.allSatisfy(mayBeGiven)
        else { return nil }
        var bytes = method.utf8 + [0x20] + path.utf8 + " HTTP/1.1\r\n".utf8
        for header in [Header("Host", host)] + own + given {
            bytes += header.name.utf8 + ": ".utf8 + header.value.utf8 + "\r\n".utf8
        }
        return bytes + "\r\n".utf8
    }

    /// Whether an app may set the header: it is one line, and the client does not set it, because it would promise
    /// another body or connection.
    static func mayBeGiven(_ header: Header) -> Bool {
        let own: [ExactText] = [
            "host", "upgrade", "connection", "content-length", "transfer-encoding", "accept-encoding",
        ]
        let name = HTTPBytes.lowercased(header.name.utf8[...])
        return HTTPBytes.isToken(name[...]) && HTTPBytes.isFieldValue(header.value.utf8[...])
            && !own.contains { $0.utf8 == name } && !name.starts(with: "sec-websocket-".utf8)
    }
}

/// Parses the head of one request.
package struct HTTPRequestReader: PlainValue {
    private var head: HTTPHeadReader
    private var failure: HTTPHeadError?

    /// Creates a reader of one request; the limit is that of its head, in bytes.
    package init(limit: Int64 = 16 * 1024) {
        head = HTTPHeadReader(limit: limit)
    }

    /// Reads bytes in any split. Returns the head once it is complete, and the bytes after it; nil before. O(n).
    ///
    /// A reader that has returned the head is not used again.
    ///
    /// - Throws: The reason why it is no request; every later call throws the same.
    package mutating func read(
        _ bytes: [UInt8]
    ) throws(HTTPHeadError) -> (head: HTTPRequestHead, rest: [UInt8])? {
        if let failure { throw failure }
        var index = 0
        do throws(HTTPHeadError) {
            let isComplete = try bytes.withUnsafeBufferPointer { (bytes) throws(HTTPHeadError) in
                try head.read(bytes, from: &index) { Self.request($0, []) != nil }
            }
            guard isComplete, let request = head.startLine.flatMap({ Self.request($0, head.headers) }) else {
                return nil
            }
            return (request, [UInt8](bytes[index...]))
        } catch {
            failure = error
            throw error
        }
    }

    private static func request(_ line: [UInt8], _ headers: [Header]) -> HTTPRequestHead? {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, HTTPBytes.isToken(words[0]), HTTPBytes.isPath(words[1]),
            let minor = HTTPBytes.minorVersion(words[2])
        else { return nil }
        return HTTPRequestHead(
            method: ExactText(decoding: [UInt8](words[0])), path: ExactText(decoding: [UInt8](words[1])),
            headers: headers, isCurrent: minor >= 1)
    }
}
