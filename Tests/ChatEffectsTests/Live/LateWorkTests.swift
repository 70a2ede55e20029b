// Work of the live drivers that is tried again or no longer wanted: the second try of an erase, and a call that is
// closed before it has a connection.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Late work")
struct LateWorkTests {
    @Test("P10: a second erase goes on where the first has failed, and is done only once the space is free")
    func erasedAgain() throws {
        let files = FileManager.default
        let directory = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? files.removeItem(at: directory) }
        let store = try FileStore(directory: directory)
        let (user, ticket) = (RecordPath(["user"]), FileStoreTests.ticket)
        #expect(store.save([1], RecordPath(["user", "draft"])) == .saved(ticket))
        // Deeper than any record, so it is not removed.
        let deep = "user.below/" + String(repeating: "a/", count: RecordFiles.depthLimit + 1)
        try files.createDirectory(
            at: directory.appendingPathComponent(deep), withIntermediateDirectories: true)
        for _ in 0..<2 { #expect(store.erase(user) == .failed(ticket, .unavailable)) }
        for name in try files.contentsOfDirectory(atPath: directory.path) where name != "lock" {
            try files.removeItem(at: directory.appendingPathComponent(name + "/a"))
        }
        #expect(store.erase(user) == .erased(ticket))
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["lock"])
    }

    #if !canImport(Darwin)
        /// Asks until there is an answer, for 20 s.
        private func answer<Answer>(_ ask: () -> Answer?) async throws -> Answer? {
            for _ in 0..<4_000 {
                if let answer = ask() { return answer }
                try await Task.sleep(for: .milliseconds(5))
            }
            return nil
        }

        @Test(
            "L4, L7: a call that is closed before its connection is made sends nothing",
            .timeLimit(.minutes(10)))
        func closedBeforeConnection() async throws {
            let listener = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
            defer { SystemSocket.close(listener) }
            let url = try #require(URL(string: "http://127.0.0.1:\(SystemSocket.port(of: listener))/a"))
            let arrivals = Arrivals()
            let call = PlainHTTPCall(CallNumber(1), arrivals, URLRequest(url: url), []) { _, _ in }
            // In this order, because nobody knows how long a connection takes.
            call.abandon()
            call.begin()
            let connection = try #require(try await answer { SystemSocket.accept(listener) })
            defer { SystemSocket.close(connection) }
            SystemSocket.makeNonblocking(connection)
            var bytes = [UInt8](repeating: 0, count: 1_000)
            #expect(try await answer { SystemSocket.receive(connection, into: &bytes) } == 0)
            #expect(arrivals.take().isEmpty)
        }
    #endif
}
