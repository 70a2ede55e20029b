// Calls that the app closes, on real sockets: what the server still hears of them.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

#if !canImport(Darwin)
    @Suite("Closed calls")
    struct ClosedCallTests {
        private let call = CallNumber(1)
        private let arrivals = Arrivals()

        /// Asks until there is an answer, for 20 s.
        private func answer<Answer>(_ ask: () throws -> Answer?) rethrows -> Answer? {
            for _ in 0..<4_000 {
                if let answer = try ask() { return answer }
                usleep(5_000)
            }
            return nil
        }

        @Test("L4, L7: a call that is closed while it is redirected is not sent to the second server")
        func closedWithinRedirect() throws {
            let second = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
            defer { SystemSocket.close(second) }
            let to = "https://127.0.0.1:\(SystemSocket.port(of: second))/"
            let first = try RawPeer([.bytes("HTTP/1.1 307 x\r\nLocation: \(to)\r\n\r\n")])
            let url = try #require(URL(string: "http://127.0.0.1:\(first.port)/a"))
            let (goOn, closed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isTelling = Locked(false)
            // The call stays where it tells of its upload until it is closed and its redirect is there.
            arrivals.onArrival {
                isTelling.withLock { $0 = true }
                goOn.wait()
            }
            let calls = HTTPCalls(arrivals)
            defer { calls.closeAll() }
            calls.open(call, url, method: "POST", headers: [], body: [7])
            #expect(answer { isTelling.withLock { $0 } ? first.heads.first : nil } != nil)
            // The system tells of the redirect within microseconds.
            usleep(50_000)
            // One of the two removes the call and then waits for it, so the other returns once it is removed.
            for _ in 0..<2 {
                Thread.detachNewThread { [call] in
                    calls.close(call)
                    closed.signal()
                }
            }
            closed.wait()
            goOn.signal()
            closed.wait()
            #expect(arrivals.take() == [.arrived(call, .sent(1, of: 1))])
            for _ in 0..<100 {
                #expect(SystemSocket.accept(second) == nil)
                usleep(5_000)
            }
            #expect(arrivals.take().isEmpty)
        }

        @Test("C4, L7, L9: a socket opens on a split answer, and closes with a Close frame and no arrival")
        func closeFrame() throws {
            let listener = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
            defer { SystemSocket.close(listener) }
            let url = "ws://127.0.0.1:\(SystemSocket.port(of: listener))"
            let calls = SocketCalls(arrivals)
            calls.open(call, try ServerAddress(url), path: "/ws")
            let connection = try #require(answer { SystemSocket.accept(listener) })
            defer { SystemSocket.close(connection) }
            SystemSocket.makeNonblocking(connection)
            /// What the client has sent; nil if nothing has come yet.
            func received() -> [UInt8]? {
                var bytes = [UInt8](repeating: 0, count: 1_000)
                return SystemSocket.receive(connection, into: &bytes).map { Array(bytes.prefix($0)) }
            }
            var reader = HTTPRequestReader()
            let request = try #require(try answer { try received().flatMap { try reader.read($0) } })
            let accepted = try request.head.acceptWebSocket()
            for packet in [accepted[..<20], accepted[20...]] {
                #expect(SystemSocket.send(connection, packet) == packet.count)
                usleep(20_000)
            }
            #expect(answer { arrivals.waiting.first } == .arrived(call, .opened))
            calls.close(call)
            var server = WebSocketConnection(.server)
            var steps: [WebSocketStep] = []
            let end = answer {
                let bytes = received()
                if let bytes { server.receive(bytes, maskingKey: { 0 }) { steps.append($0) } }
                return bytes?.isEmpty == true ? bytes : nil
            }
            #expect(end == [] && steps.contains(.received(.closed(code: 1000, reason: ""))))
            #expect(arrivals.take() == [.arrived(call, .opened)])
        }
    }
#endif
