import ChatDomain
import ChatEffects
import Foundation
import Testing

@testable import ChatTesting

@Suite("Recording and replay")
struct ReplayTests {
    private static func divergence(_ lines: [String]) throws -> Divergence? {
        var replay = try Replay(chat: Recording(Array(lines.joined().utf8)))
        return try replay.run()
    }

    @Test("a recorded run takes the same course again, and the state at each step is the one of the run")
    func roundTrip() throws {
        var chat = RecordedChat.answered()
        let states = chat.states
        let recording = try Recording(chat.finish())
        #expect(recording.problem == nil && recording.steps.count == states.count - 1 && states.count > 40)
        var replay = try Replay(chat: recording)
        for step in states.indices {
            #expect(try replay.run(to: Int64(step)) == nil)
            #expect(replay.machine.state == states[step], "step \(step)")
        }
        #expect(replay.isAtEnd && replay.machine.state == chat.loop.state)
    }

    @Test("a loop that is recorded does what one does that is not")
    func silent() {
        var chat = RecordedChat.paired()
        var loop = Loop(
            RecordedChat.setup.machine(moment: RecordedChat.start, entropy: .seeded(7)),
            store: MemoryStore(), server: LocalServer())
        for action in [
            ChatApp.Action.launched, .chat(.shown), .pairing(.nameEdited("Ada")), .pairing(.submitted),
        ] {
            loop.send(action)
        }
        loop.advance(by: .seconds(5))
        _ = chat.finish()
        #expect(
            loop.machine == chat.loop.machine && loop.store == chat.loop.store
                && loop.server == chat.loop.server)
        #expect(loop.state.pairing.session != nil && loop.takeJournal().isEmpty)
    }

    @Test("another configuration is named at step 0, with its path")
    func configuration() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        lines[0] = lines[0].replacing(#""model":"Phone""#, with: #""model":"Tablet""#)
        let divergence = try #require(try Self.divergence(lines))
        #expect(divergence.step == 0 && divergence.line == 2)
        #expect(divergence.place == "configuration.pairing.configuration.device.model")
        #expect(divergence.recorded == "Phone" && divergence.replayed == "Tablet")
        #expect(divergence.description.contains("device.model was Phone in the recording and is Tablet here"))
    }

    @Test("another generator is named at step 0")
    func entropy() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        lines[0] = lines[0].replacing(#"{"seeded":"7"}"#, with: #"{"seeded":"8"}"#)
        #expect(try Self.divergence(lines)?.place == "entropy.seeded")
    }

    @Test("an effect that differs is named with its step, also behind a field that differs")
    func effect() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        #expect(lines[2].contains(#""operation":"load","ticket":"2""#))
        lines[2] = lines[2].replacing(
            #""operation":"load","ticket":"2""#, with: #""operation":"erase","ticket":"2""#)
        let divergence = try #require(try Self.divergence(lines))
        #expect(divergence.step == 1 && divergence.line == 3 && divergence.place == "operation 2")
        #expect(divergence.recorded?.string.contains("erase") == true)

        lines[1] = lines[1].replacing(#"["chat.current","0"]"#, with: #"["chat.current","1"]"#)
        var replay = try Replay(chat: Recording(Array(lines.joined().utf8)))
        #expect(try replay.run()?.place == "chat.current")
        #expect(try replay.run()?.place == "operation 2")
        #expect(try replay.run() == nil && replay.isAtEnd)
    }

    @Test("behind an effect that differs no field is named, such as a timer that its step has started")
    func effectFirst() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        #expect(lines[2].contains(#"["timers[pairing.restoring]","#))
        lines[2] = lines[2].replacing(
            #""operation":"load","ticket":"2""#, with: #""operation":"erase","ticket":"2""#)
        var replay = try Replay(chat: Recording(Array(lines.joined().utf8)))
        #expect(try replay.run()?.place == "operation 2")
        #expect(try replay.run() == nil && replay.isAtEnd)
    }

    @Test("an effect that is missing, and one too many, is named")
    func number() throws {
        var chat = RecordedChat.paired()
        let lines = RecordedChat.lines(chat.finish())
        let operation = #"{"operation":"load","ticket":"1","path":{"plain":["device"]}}"#
        let fewer = lines.map { $0.replacing(operation + ",", with: "") }
        let more = lines.map { $0.replacing(operation, with: operation + #",{"operation":"haptic"}"#) }
        #expect(try Self.divergence(fewer)?.place == "operation 1")
        #expect(try Self.divergence(more)?.place == "operation 2")
        let last = lines.map {
            $0.replacing(#"["request"]}}]"#, with: #"["request"]}},{"operation":"haptic"}]"#)
        }
        let divergence = try #require(try Self.divergence(last))
        #expect(divergence.place == "operation 4" && divergence.replayed == nil)
    }

    @Test("a field that differs is named with its path and both values")
    func field() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        let index = try #require(lines.firstIndex { $0.contains(#"["chat.shared.wish.isShown","true"]"#) })
        lines[index] = lines[index].replacing(#"isShown","true""#, with: #"isShown","false""#)
        let divergence = try #require(try Self.divergence(lines))
        #expect(divergence.line == Int64(index + 1) && divergence.place == "chat.shared.wish.isShown")
        #expect(divergence.recorded == "false" && divergence.replayed == "true" && divergence.further == 0)
    }

    @Test("a digest of other fields is noticed")
    func digest() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        lines[4] = lines[4].replacing(/"digest":"[0-9a-f]{16}"/, with: #""digest":"0000000000000000""#)
        #expect(try Self.divergence(lines)?.place == "digest")
    }

    @Test("an action that this build does not know, or that was not recorded, is a problem of its line")
    func unknown() throws {
        var chat = RecordedChat.paired()
        let lines = RecordedChat.lines(chat.finish())
        let later = lines.map { $0.replacing(#""intent":"chat.shown""#, with: #""intent":"chat.seen""#) }
        let line = try #require(lines.firstIndex { $0.contains("chat.shown") })
        let problem = #expect(throws: RecordingProblem.self) { try Self.divergence(later) }
        #expect(problem?.line == Int64(line + 1) && problem?.reason.contains("chat.seen") == true)

        chat = RecordedChat()
        chat.send(.launched, .chat(.signedOut))
        var replay = try Replay(chat: Recording(chat.finish()))
        let second = #expect(throws: RecordingProblem.self) { _ = try replay.run() }
        #expect(
            replay.step == Int64((second?.line ?? 0) - 3) && second?.reason.contains("not recorded") == true)
    }

    @Test("timers that fired behind a stall fire at the same time in a replay")
    func stall() throws {
        var chat = RecordedChat.paired()
        chat.send(.chat(.draftEdited("Hello")), .chat(.sent))
        let behind = chat.loop.moment + .hours(1)
        chat.loop.catchUp(to: behind)
        #expect(chat.loop.moment == behind)
        var replay = try Replay(chat: Recording(chat.finish()))
        #expect(try replay.run() == nil)
        #expect(replay.isAtEnd && replay.machine.state == chat.loop.state)
    }

    @Test("the loop of the system's clock is recorded as the one of virtual time")
    func live() async throws {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let loop = Loop(
            RecordedChat.setup.machine(moment: RecordedChat.start, entropy: .seeded(7)),
            store: MemoryStore(), server: LocalServer())
        let live = SystemLoop(recording: loop, setup: RecordedChat.setup.encoded) { continuation.yield($0) }
        await live.send(.launched)
        await live.send(.pairing(.nameEdited("Ada")))
        await live.send(.pairing(.submitted))
        await live.endRecording()
        continuation.finish()
        var bytes: [UInt8] = []
        for await part in stream { bytes += part }
        let recording = try Recording(bytes)
        var replay = try Replay(chat: recording)
        #expect(recording.problem == nil && recording.steps.count > 5)
        #expect(try replay.run() == nil)
        #expect(await replay.machine.state == live.state)
    }
}
