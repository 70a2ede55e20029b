// The address of a server. An address that would send text over a network in the clear is refused, unless the app
// allows it: a stranger who reads a token can use it.

import ChatDomain
import Foundation

/// The address of a server; the paths of all calls are below it.
public struct ServerAddress: Hashable, Sendable {
    /// Why a text is not the address of a server.
    public enum Problem: Error, Hashable, CustomStringConvertible {
        /// It is no URL of HTTP or WebSocket with a host, its host escapes a character that no host has, its port is none,
        /// or something follows its path.
        case notAnAddress
        /// It holds a name or a password, which a log would show.
        case holdsCredentials
        /// It is not encrypted, and not on this device.
        case notEncrypted

        /// A sentence for the person who gave the address.
        public var description: String {
            switch self {
            case .notAnAddress:
                "The address of the server must begin with http://, https://, ws:// or wss:// and name a host, "
                    + "with a port up to 65535 if any, and nothing behind ? or #."
            case .holdsCredentials: "The address of the server must hold no name and no password."
            case .notEncrypted:
                "The address of the server is not encrypted: use https:// or wss:// (for a WebSocket on Linux, "
                    + "ws:// to a proxy for TLS on this device), or allow it for a network that you trust."
            }
        }
    }

    /// The host's name or number, without brackets.
    public let host: String
    /// The port; nil for the one of the scheme.
    public let port: Int?
    /// Whether the connection is encrypted.
    public let isEncrypted: Bool
    /// The path before the paths of all calls; it does not end with a slash.
    let base: String

    /// Reads an address. Throws for an invalid one, and for one that would send in the clear to another device than
    /// this.
    public init(_ text: String, allowsUnencrypted: Bool = false) throws(Problem) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.query == nil, parts.fragment == nil
        else { throw .notAnAddress }
        switch parts.scheme?.lowercased() {
        case "http", "ws": isEncrypted = false
        case "https", "wss": isEncrypted = true
        default: throw .notAnAddress
        }
        guard parts.user == nil, parts.password == nil else { throw .holdsCredentials }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
        if let port = parts.port, !(1...65_535).contains(port) { throw .notAnAddress }
        port = parts.port
        var base = parts.percentEncodedPath
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        // An escaped “/”, “#” or “@” would name another host in the URL of a call than the one judged here.
        guard URLComponents(string: "http://\(authority)")?.host == host else { throw .notAnAddress }
        guard isEncrypted || allowsUnencrypted || isLoopback else { throw .notEncrypted }
    }

    /// Whether the host is this device (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
    public var isLoopback: Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// The host in the form of a URL and of a `Host` header, with a port that is not the scheme's own.
    var authority: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }

    /// The path of a call below the address; an empty one is the address itself.
    func path(_ path: ExactText) -> String {
        if path.isEmpty, !base.isEmpty { return base }
        return base + (path.string.hasPrefix("/") ? path.string : "/" + path.string)
    }

    /// The URL of a call; nil if the path does not fit into one.
    func url(_ path: ExactText, isSocket: Bool = false) -> URL? {
        let scheme = (isSocket ? "ws" : "http") + (isEncrypted ? "s" : "")
        return URL(string: "\(scheme)://\(authority)\(self.path(path))")
    }
}
