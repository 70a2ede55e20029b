// The ends of calls in the terms of the machine: a redirect that is not followed, and the errors of the system. And
// which redirect is followed, and what it takes along.

import ChatDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CallEnd {
    /// The end of a call whose server redirects it, with a sentence for the person.
    static func redirected(_ status: Int64, to location: ExactText, isLoop: Bool = false) -> CallEnd {
        let how =
            isLoop
            ? "in a circle, at last to \(location.string)" : "to \(location.string), which is not followed"
        return .refused(
            status: status, retryAfter: nil,
            message: ExactText("The server redirects \(how). Check its address."))
    }
}

extension URL {
    /// Where a redirect leads, as a person may read it. Its location may be relative (RFC 9110, section 10.2.2).
    static func shown(_ location: ExactText, from origin: URL?) -> ExactText {
        let url = URL(string: location.string, relativeTo: origin)?.absoluteURL
        return url?.host == nil ? "another address" : url?.shown ?? "another address"
    }

    /// The server of the address; nil if it names none.
    var server: ServerAddress? {
        guard let parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
        var server = URLComponents()
        (server.scheme, server.percentEncodedHost, server.port) =
            (parts.scheme, parts.percentEncodedHost, parts.port)
        return server.string.flatMap { try? ServerAddress($0, allowsUnencrypted: true) }
    }

    /// Whether a redirect from the address may lead to another: into the clear only from there, and not from this device
    /// to a network, because nobody was asked to trust that.
    func mayRedirect(to target: URL) -> Bool {
        guard let from = server, let to = target.server else { return false }
        switch target.scheme {
        case "https": return true
        case "http": return scheme == "http" && (to.isLoopback || !from.isLoopback)
        default: return false
        }
    }

    /// The address as a person may read it: without a name, a password and a query, which may be secret.
    var shown: ExactText {
        let port = port.map { ":\($0)" } ?? ""
        return ExactText("\(scheme ?? "")://\(host ?? "")\(port)\(path)")
            .withoutControlCharacters.cut(toByteCount: 200)
    }
}

extension URLRequest {
    /// The greatest number of redirects, as in browsers (Fetch standard, HTTP-redirect fetch).
    static let redirectLimit = 20

    /// The request as it goes on from the one before: a token belongs to one host, so another gets no header that the app
    /// has set but what it accepts and the type of its content. What the system makes of the headers does not count:
    /// Apple's leaves out the token also on the same host.
    func redirected(from origin: URLRequest) -> URLRequest {
        let isSameHost = origin.url?.host == url?.host && origin.url?.port == url?.port
        var request = self
        for name in (allHTTPHeaderFields ?? [:]).keys { request.setValue(nil, forHTTPHeaderField: name) }
        for (name, value) in origin.allHTTPHeaderFields ?? [:]
        where isSameHost || ["accept", "content-type"].contains(name.lowercased()) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
}

extension HTTPURLResponse {
    /// The header fields, sorted by name.
    var headers: [Header] {
        var headers: [Header] = []
        for (name, value) in allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            headers.append(Header(ExactText(name.lowercased()), ExactText(value)))
        }
        return headers.sorted { $0.name < $1.name }
    }
}

extension CallFailure {
    /// The failure of a request, by the system's error. An error without a case of its own is a lost connection, as
    /// Linux reports one that breaks in the middle.
    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .notConnectedToInternet?, .dataNotAllowed?, .internationalRoamingOff?: self = .offline
        case .cannotFindHost?, .cannotConnectToHost?, .dnsLookupFailed?: self = .unreachable
        case .badURL?, .unsupportedURL?: self = Self.known(by: error) ?? .unreachable
        case .timedOut?: self = .timedOut
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?, .clientCertificateRejected?,
            .clientCertificateRequired?, .appTransportSecurityRequiresSecureConnection?:
            self = .insecure
        case .dataLengthExceedsMaximum?: self = .tooLarge
        case .badServerResponse?, .cannotParseResponse?, .cannotDecodeContentData?, .cannotDecodeRawData?,
            .httpTooManyRedirects?:
            self = .malformed
        // Apple's systems report a WebSocket message over the limit by this code.
        default:
            self = (error as? POSIXError)?.code == .EMSGSIZE ? .tooLarge : Self.known(by: error) ?? .lost
        }
    }

    /// The failure for which the system has no code of its own, but words.
    private static func known(by error: any Error) -> CallFailure? {
        #if canImport(Darwin)
            return nil
        #else
            // libcurl has no code for an answer against the rules of HTTP.
            let words = error.localizedDescription
            if ["Too large response headers", "Out of memory"].contains(where: words.contains) {
                return .tooLarge
            }
            let isAgainstRules = ["header", "Header", "HTTP", "Content-Length", "hexadecimal", "encoding"]
                .contains(where: words.contains)
            // A broken stream and a proxy that cannot connect are faults that pass.
            return isAgainstRules && !["HTTP/2 stream", "from proxy"].contains(where: words.contains)
                ? .malformed : nil
        #endif
    }
}
