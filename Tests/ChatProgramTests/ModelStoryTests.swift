// Somebody at the program with a model that refuses: how long it is to be left alone, and what can be done.

import ChatDomain
import ChatEffects
import Testing

@testable import chat

/// A chat with a model on virtual time, and all that the program says.
private struct ModelDesk {
    var loop:
        Loop<
            RealSetup.Codec<ClawlinePairing, ChatCarriages<NoCarriage, NamedStreams>>,
            SignedInStore<MemoryStore>, LocalServer
        >
    var narrator: Narrator

    /// Days and minutes of universal time.
    static var almanac: Almanac {
        Almanac(
            utcOffset: .zero, date: { "day \($0.millisecondsSince1970 / 86_400_000)" },
            timeOfDay: { "minute \($0.millisecondsSince1970 / 60_000)" })
    }

    /// The answers to the first questions have this fault.
    init(_ fault: LocalServer.Fault, times: UInt64 = 1, wording: Wording = .neutral) {
        let model = ModelBackend(OpenAIChat(), ModelServer(path: "/v1", model: "m", key: .none))
        var server = LocalServer()
        server.behaviour.rules = [.init(.coach(0), fault, times: times)]
        loop = Loop(
            RealSetup(wall: Desk.noon).machine(.openAI(model)),
            store: SignedInStore(MemoryStore(), key: nil, wall: Desk.noon), server: server)
        narrator = Narrator(wording: wording, almanac: Self.almanac)
        loop.send(.launched)
        loop.send(.chat(.shown))
        _ = wait(.seconds(1))
    }

    var wall: WallTime { loop.moment.wall }

    /// Lets time pass, and returns what is said at its end.
    mutating func wait(_ interval: Interval) -> [String] {
        loop.advance(by: interval)
        return narrator.news(loop.state, at: wall).map { $0.text }
    }

    /// Types a line, and returns what is said until 5 s later.
    mutating func type(_ line: String) -> [String] {
        let situation = Situation(
            state: loop.state, numbers: narrator.numbers, wording: narrator.wording,
            waitTime: narrator.waitTime(wall))
        var said: [String] = []
        for step in situation.steps(for: Input(line)) {
            switch step {
            case .act(let actions): for action in actions { loop.send(action) }
            case .say(let lines): said += lines.map { $0.text }
            case .refuse(let sentence): said.append(sentence)
            default: break
            }
        }
        said += narrator.news(loop.state, at: wall).map { $0.text }
        return said + wait(.seconds(5))
    }
}

@Suite("Program: a model that refuses")
struct ModelStoryTests {
    @Test(
        "S9: a refused question, the line of the connection, the prompt, /retry and /reconnect say until when",
        arguments: [Interval.minutes(10), .hours(10)])
    func wait(_ interval: Interval) throws {
        var desk = ModelDesk(.status(429, retryAfter: interval))
        let said = desk.type("Hello")
        let row = try #require(Chat.rows(desk.loop.state.chat, newest: 1, .neutral).last)
        let end = try #require(row.waitUntil)
        let minute = ModelDesk.almanac.timeOfDay(end)
        // The time of another day has its day.
        let time = interval < .hours(1) ? minute : "\(ModelDesk.almanac.date(end)) \(minute)"
        let sentence = "\(Wording.neutral.serverAskedToWait.string) (until \(time))"
        #expect(said.contains("* \(sentence)"))
        #expect(said.contains("   ! \(sentence) (/retry 1 or /delete 1)"))
        let reminder = "The server wants to be left alone until \(time)"
        #expect(desk.type("/retry") == ["* \(reminder); message 1 waits for that."])
        // The question has lost the time with its refusal.
        #expect(desk.narrator.prompt(desk.loop.state, at: desk.wall) == "Chat (wait until \(time))> ")
        #expect(desk.type("/reconnect") == ["\(reminder)."])
        #expect(desk.wait(interval).contains("2. assistant: You said: Hello"))
        #expect(desk.narrator.prompt(desk.loop.state, at: desk.wall) == "Chat> ")
    }

    @Test("S9: a refused key is told for each question, and nothing connects between two of them")
    func refusedKey() {
        var wording = Wording.neutral
        wording.signInAgain = "Another key, please."
        var desk = ModelDesk(.status(401), times: 2, wording: wording)
        let first = desk.type("Hello")
        #expect(first.contains("* Another key, please."))
        #expect(first.contains("   ! Another key, please. (/retry 1 or /delete 1)"))
        #expect(desk.type("/retry") == ["   ! Another key, please. (/retry 1 or /delete 1)"])
        let last = desk.type("/retry")
        #expect(last.contains("2. assistant: You said: Hello"))
        #expect(!last.contains { $0.hasPrefix("* ") })
    }
}
