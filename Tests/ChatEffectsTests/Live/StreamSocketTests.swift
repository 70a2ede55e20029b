// A plain socket on real time, because what is tested is what the system tells of it.

import Dispatch
import Foundation
import Testing

@testable import ChatEffects

#if !canImport(Darwin)
    @Suite("Stream sockets")
    struct StreamSocketTests {
        /// What a socket has told, on its queue.
        private final class Heard: Sendable {
            private let events = Locked<(bytes: [UInt8], isEnded: Bool)>(([], false))
            let end = DispatchSemaphore(value: 0)

            var bytes: [UInt8] { events.withLock { $0.bytes } }

            func take(_ event: StreamSocket.Event) {
                switch event {
                case .bytes(let bytes): events.withLock { $0.bytes += bytes }
                case .ended: end.signal()
                }
            }
        }

        private static let text = Array("the last words".utf8)

        /// Both ends of a connection.
        private static func connection() throws -> (client: Int32, peer: Int32) {
            let listener = try #require(SystemSocket.listen(address: "127.0.0.1", port: 0))
            defer { SystemSocket.close(listener) }
            let client = try SystemSocket.connect(host: "127.0.0.1", port: SystemSocket.port(of: listener))
            var accepted: Int32?
            while accepted == nil { accepted = SystemSocket.accept(listener) }
            return (client, try #require(accepted))
        }

        /// The peer sends the text and breaks the connection while the queue is busy, so the system has told of both before
        /// anything is read. A loopback takes microseconds; 20 ms are for a machine that does other things.
        private static func speakAndBreak(_ peer: Int32, isReset: Bool, on queue: DispatchQueue) {
            queue.async {
                _ = SystemSocket.send(peer, text[...])
                if isReset { SystemSocket.resetOnClose(peer) }
                Thread.sleep(forTimeInterval: 0.02)
                SystemSocket.close(peer)
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        @Test(
            "bytes and the break behind them are both told, though the system tells of them at once",
            arguments: [false, true])
        func breakBehindBytes(isReset: Bool) throws {
            let (client, peer) = try Self.connection()
            let queue = DispatchQueue(label: "test")
            let heard = Heard()
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue)
                socket.start { heard.take($0) }
                return socket
            }
            Self.speakAndBreak(peer, isReset: isReset, on: queue)
            #expect(heard.end.wait(timeout: .now() + 5) == .success)
            #expect(heard.bytes == Self.text)
            queue.sync { socket.close() }
        }

        @Test("what the peer has said before it broke the connection is told, though a write finds the break")
        func breakFoundByWriting() throws {
            let (client, peer) = try Self.connection()
            let queue = DispatchQueue(label: "test")
            let heard = Heard()
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue)
                socket.start { heard.take($0) }
                return socket
            }
            Self.speakAndBreak(peer, isReset: true, on: queue)
            // Its turn comes before that of the bytes, which have not come yet.
            queue.async(execute: DispatchWorkItem { socket.write(Self.text) })
            #expect(heard.end.wait(timeout: .now() + 5) == .success)
            #expect(heard.bytes == Self.text)
            queue.sync { socket.close() }
        }

        @Test("a break that an answer to bytes finds is told once the bytes are taken")
        func breakWhileAnswering() throws {
            let (client, peer) = try Self.connection()
            let queue = DispatchQueue(label: "test")
            let told = Locked<[String]>([])
            let end = DispatchSemaphore(value: 0)
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue)
                socket.start { [unowned socket] event in
                    guard case .bytes = event else {
                        told.withLock { $0.append("ended") }
                        end.signal()
                        return
                    }
                    told.withLock { $0.append("taking") }
                    // The system tells of the break at the first write or at the second.
                    socket.write(Self.text)
                    socket.write(Self.text)
                    told.withLock { $0.append("taken") }
                }
                return socket
            }
            Self.speakAndBreak(peer, isReset: true, on: queue)
            #expect(end.wait(timeout: .now() + 5) == .success)
            #expect(told.withLock { $0 } == ["taking", "taken", "ended"])
            queue.sync { socket.close() }
        }

        /// More than a socket and its system hold together, so that reading has stopped.
        private static let much = [UInt8](repeating: 7, count: 32 << 20)

        /// A socket that has something to send, is left to itself, and is finished within the limit, if there is one.
        private static func leave(
            _ descriptor: Int32, writing bytes: [UInt8] = much, finishing limit: DispatchTimeInterval?
        ) -> () -> Bool {
            let queue = DispatchQueue(label: "test")
            weak var left: StreamSocket?
            queue.sync {
                let socket = StreamSocket(descriptor, on: queue)
                socket.start { _ in }
                socket.write(bytes)
                if let limit { socket.finish(within: limit) }
                left = socket
            }
            return { queue.sync { left == nil } }
        }

        /// Reads to the end of a connection.
        private static func rest(_ peer: Int32) -> Int {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var sum = 0
            while let count = SystemSocket.receive(peer, into: &bytes), count > 0 { sum += count }
            return sum
        }

        @Test(
            "L8: a finished socket that nobody keeps sends what was written, though its peer floods or ends",
            arguments: [false, true])
        func finishing(hasEnded: Bool) throws {
            let (client, peer) = try Self.connection()
            _ = Self.leave(client, finishing: .seconds(60))
            if hasEnded { shutdown(peer, Int32(SHUT_WR)) }
            if !hasEnded { _ = SystemSocket.send(peer, Self.text[...]) }
            #expect(Self.rest(peer) == Self.much.count)
            SystemSocket.close(peer)
        }

        @Test("the last words of a finished socket, and a clean end, reach a peer of which much is unread")
        func lastWords() throws {
            let (client, peer) = try Self.connection()
            _ = SystemSocket.send(peer, Self.much.prefix(16_384))
            _ = Self.leave(client, writing: Self.text, finishing: .seconds(60))
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let words = SystemSocket.receive(peer, into: &bytes)
            let end = SystemSocket.receive(peer, into: &bytes)
            #expect(words == Self.text.count && end == 0)
            SystemSocket.close(peer)
        }

        @Test("L8: a peer that goes on and on is cut off by a finished socket before its time is over")
        func flood() throws {
            let (client, peer) = try Self.connection()
            _ = Self.leave(client, writing: Self.text, finishing: .seconds(60))
            var sent = 0
            // The system holds some MiB on either side.
            while sent < 64 << 20, let count = SystemSocket.send(peer, Self.much[...]) { sent += count }
            #expect(sent < 64 << 20)
            SystemSocket.close(peer)
        }

        @Test("L8: a peer that leaves too much waiting has broken the connection, which is told")
        func waitingLimit() throws {
            let (client, peer) = try Self.connection()
            defer { SystemSocket.close(peer) }
            let queue = DispatchQueue(label: "test")
            let heard = Heard()
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue, waitingLimit: Self.much.count)
                socket.start { heard.take($0) }
                for _ in 0..<2 { socket.write(Self.much) }
                return socket
            }
            #expect(heard.end.wait(timeout: .now() + 5) == .success)
            queue.sync { #expect(!socket.write(Self.text)) }
        }

        @Test("L8: a reader that has paused goes on when less waits, though never all has left")
        func resumes() throws {
            let (client, peer) = try Self.connection()
            // The system holds little, so that what is left waits in the socket.
            var small: Int32 = 65_536
            setsockopt(client, SOL_SOCKET, SO_SNDBUF, &small, socklen_t(MemoryLayout<Int32>.size))
            setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
            let queue = DispatchQueue(label: "test")
            let heard = Heard()
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue)
                socket.start { heard.take($0) }
                socket.write(Self.much)
                return socket
            }
            _ = SystemSocket.send(peer, Self.text[...])
            // All but a part that is below the limit.
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var left = Self.much.count - (7 << 19)
            while left > 0, let count = SystemSocket.receive(peer, into: &bytes), count > 0 { left -= count }
            for _ in 0..<500 where heard.bytes.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
            #expect(heard.bytes == Self.text)
            queue.sync { socket.close() }
            SystemSocket.close(peer)
        }

        @Test("a reset of a socket that is closed changes no descriptor that came after it")
        func resetAfterClose() throws {
            let (low, peer) = try Self.connection()
            // A number that nobody else has.
            let client = fcntl(low, F_DUPFD, 5_000)
            SystemSocket.close(low)
            let queue = DispatchQueue(label: "test")
            let socket = queue.sync {
                let socket = StreamSocket(client, on: queue)
                socket.start { _ in }
                socket.close()
                return socket
            }
            // The end of the connection shows that the number is free.
            #expect(Self.rest(peer) == 0)
            let (next, other) = try Self.connection()
            try #require(fcntl(next, F_DUPFD, client) == client)
            queue.sync { socket.reset() }
            var setting = linger()
            var size = socklen_t(MemoryLayout<linger>.size)
            #expect(getsockopt(next, SOL_SOCKET, SO_LINGER, &setting, &size) == 0 && setting.l_onoff == 0)
            for descriptor in [client, next, other, peer] { SystemSocket.close(descriptor) }
        }

        @Test("connections that come and go on many queues at once are each told their bytes and their end")
        func manyQueues() throws {
            let rounds = 40
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<rounds {
                    guard let (client, peer) = try? Self.connection() else { continue }
                    let queue = DispatchQueue(label: "test")
                    let heard = Heard()
                    let socket = queue.sync {
                        let socket = StreamSocket(client, on: queue)
                        socket.start { heard.take($0) }
                        return socket
                    }
                    _ = SystemSocket.send(peer, Self.text[...])
                    SystemSocket.close(peer)
                    #expect(heard.end.wait(timeout: .now() + 5) == .success)
                    #expect(heard.bytes == Self.text)
                    queue.sync { socket.close() }
                }
            }
        }

        @Test(
            "L8: a finished socket whose peer reads nothing or never ends goes at its limit; a dropped one at once"
        )
        func limits() throws {
            let soon = DispatchTimeInterval.milliseconds(20)
            for (bytes, limit) in [(Self.much, soon), (Self.text, soon), (Self.much, nil)] {
                let (client, peer) = try Self.connection()
                let isGone = Self.leave(client, writing: bytes, finishing: limit)
                // 5 s are for a machine that does other things.
                for _ in 0..<500 where !isGone() { Thread.sleep(forTimeInterval: 0.01) }
                #expect(isGone())
                #expect(Self.rest(peer) < Self.much.count)
                SystemSocket.close(peer)
            }
        }
    }
#endif
