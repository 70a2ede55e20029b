// What a redirect takes along and where it may lead, as values: every transport asks them.

@testable import ChatEffects
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Redirects")
struct RedirectTests {
    private static let headers = [
        "Authorization": "Bearer top", "X-Project": "p", "Accept": "text/plain", "Content-Type": "text/css",
    ]

    /// A request to an address with some of the headers.
    private static func request(_ url: String, _ names: String...) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        for name in names { request.setValue(headers[name], forHTTPHeaderField: name) }
        return request
    }

    @Test("L10: a redirect within a host keeps every header, also one that the system leaves out")
    func sameHost() throws {
        let origin = try Self.request(
            "https://a.example/chat", "Authorization", "X-Project", "Accept", "Content-Type")
        var next = try Self.request("https://a.example/chat/", "Accept", "Content-Type")
        next.httpMethod = "POST"
        let redirected = next.redirected(from: origin)
        #expect(redirected.allHTTPHeaderFields == Self.headers)
        #expect(redirected.url == next.url && redirected.httpMethod == "POST")
    }

    @Test(
        "L10: a redirect to another host or port carries no header but what it accepts and its content's type",
        arguments: ["https://b.example/", "https://a.example:8443/", "https://x.a.example/"])
    func otherHost(url: String) throws {
        let origin = try Self.request(
            "https://a.example/", "Authorization", "X-Project", "Accept", "Content-Type")
        // The system of Linux leaves everything in, and that of Apple leaves the token out.
        let all = try Self.request(url, "Authorization", "X-Project", "Accept", "Content-Type")
        let some = try Self.request(url, "X-Project", "Accept", "Content-Type")
        let kept = ["Accept": "text/plain", "Content-Type": "text/css"]
        for next in [all, some] {
            let redirected = next.redirected(from: origin)
            #expect(redirected.allHTTPHeaderFields == kept)
            // Nor do they come back behind it, whatever the system makes the next request of.
            for next in [url + "c", "https://a.example/c"] {
                let again = try Self.request(next, "Authorization", "X-Project", "Accept", "Content-Type")
                #expect(again.redirected(from: redirected).allHTTPHeaderFields == kept)
            }
        }
    }

    @Test(
        "L10: a redirect leads into the clear only from there, and not from this device to a network",
        arguments: [
            ("https://a.example/", "https://b.example:8443/b?c", true),
            ("http://a.example/", "https://a.example/", true),
            ("http://localhost:80/", "https://a.example/", true),
            ("https://a.example/", "http://a.example/", false),
            ("https://localhost/", "http://localhost/", false),
            ("http://a.example/", "http://b.example/", true),
            ("http://a.example/", "http://localhost/", true),
            ("http://localhost/", "http://a.localhost:8080/", true),
            ("http://127.0.0.1/", "http://[::1]:8080/", true),
            ("http://[::1]/", "http://127.0.0.2/", true),
            ("http://127.0.0.1/", "http://192.0.2.1/b", false),
            ("http://[::1]/", "http://a.example/", false),
            ("http://localhost/", "http://localhost.a.example/", false),
            ("http://a.example/", "ftp://a.example/", false),
            ("https://a.example/", "wss://a.example/", false),
            ("http://a.example/", "mailto:me", false), ("http://a.example/", "http://", false),
        ])
    func mayLead(from: String, to: String, isAllowed: Bool) throws {
        let origin = try #require(URL(string: from))
        // What is no address of the system leads nowhere.
        let target = URL(string: to)
        #expect(target.map(origin.mayRedirect) ?? false == isAllowed)
    }
}
