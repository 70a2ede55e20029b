// What the end of a WebSocket of the system means for its call: by the server's code, by its answer to the handshake, or by
// the system's error, in this order.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The end of a WebSocket of the system")
struct WebSocketEndTests {
    private static func answer(_ status: Int, _ headers: [String: String] = [:]) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "wss://example.com/ws"))
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
    }

    @Test("the server's code and reason count, also those of a library or an app")
    func codes() throws {
        let upgrade = try Self.answer(101)
        for code: Int64 in [1000, 1001, 1005, 1008, 1012, 3000, 4001] {
            let end = CallEnd(
                closeCode: code, reason: Data("bye".utf8), upgrade, error: URLError(.networkConnectionLost))
            #expect(end == .closed(code: code, reason: "bye"))
        }
    }

    @Test(
        "a code that is never on a wire is a connection that is gone", arguments: [0, 999, 1004, 1006, 1015])
    func noCode(code: Int64) throws {
        let end = CallEnd(closeCode: code, reason: Data(), try Self.answer(101), error: nil)
        #expect(end == .failed(.lost))
    }

    @Test("a handshake that is refused says so, with the status, the wait and where else the server is")
    func refused() throws {
        let error = URLError(.badServerResponse)
        let busy = try Self.answer(503, ["Retry-After": "3"])
        #expect(
            CallEnd(closeCode: 0, reason: Data(), busy, error: error)
                == .refused(status: 503, retryAfter: .seconds(3), message: ""))
        let moved = try Self.answer(302, ["Location": "https://other.example.com/ws"])
        #expect(
            CallEnd(closeCode: 0, reason: Data(), moved, error: nil)
                == .refused(
                    status: 302, retryAfter: nil,
                    message:
                        "The server redirects to https://other.example.com/ws, which is not followed. Check its address."
                ))
    }

    @Test(
        "an error of the system has its reason",
        arguments: [
            (URLError(.notConnectedToInternet) as any Error, CallFailure.offline),
            (URLError(.cannotFindHost), .unreachable), (URLError(.timedOut), .timedOut),
            (URLError(.serverCertificateUntrusted), .insecure), (URLError(.networkConnectionLost), .lost),
            (URLError(.badServerResponse), .malformed), (POSIXError(.EMSGSIZE), .tooLarge),
            (POSIXError(.ENOTCONN), .lost),
        ])
    func errors(error: any Error, failure: CallFailure) throws {
        #expect(
            CallEnd(closeCode: 0, reason: Data(), try Self.answer(101), error: error) == .failed(failure))
        #expect(CallEnd(closeCode: 0, reason: Data(), nil, error: error) == .failed(failure))
    }
}
