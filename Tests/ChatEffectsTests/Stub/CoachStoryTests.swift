@testable import ChatDomain
@testable import ChatEffects
import Testing

/// The coach through everything: streaming, codec of server-sent events, server within the process. A reply to
/// “Hello there” begins after 1.5 s and has four words, one every 50 ms; its end is the fifth event.
@Suite("The coach, from question to reply")
struct CoachStoryTests {
    private static let reply = "You said: Hello there"

    @Test("S1: the typing indicator shows until text is in view, the progress mark until the end")
    func indicators() {
        var loop = CoachLoop.ready()
        loop.ask()
        #expect(loop.bubble?.isTyping == true && loop.bubble?.isRunning == true)
        loop.advance(by: .milliseconds(1_624))
        #expect(loop.bubble?.isTyping == true && loop.text.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(loop.bubble?.isTyping == false && loop.bubble?.isRunning == true && loop.text == "You said:")
        loop.advance(by: .seconds(1))
        #expect(loop.bubble?.isRunning == false && loop.text == Self.reply && loop.isQuiet)
    }

    @Test("S2, L9: words at 50 ms show in batches of 75 ms, each as one update")
    func batches() {
        var loop = CoachLoop.ready()
        loop.ask("a b c d e f g h i j k l m n o p")
        var texts: [String] = []
        while loop.runToNextDeadline() {
            if loop.text != texts.last ?? "" { texts.append(loop.text) }
        }
        #expect(texts.first == "You said:" && texts.last == "You said: a b c d e f g h i j k l m n o p")
        #expect(loop.state.measures.tokens == 18 && texts.count == 9)
        #expect(Int64(texts.count) == loop.state.measures.visibleUpdates)
    }

    @Test("S3: done shows what is pending and brings id and usage; nothing is applied after it")
    func done() {
        var loop = CoachLoop.ready { $0.wordInterval = .milliseconds(10) }
        loop.ask()
        loop.advance(by: .milliseconds(1_549))
        #expect(loop.text.isEmpty && loop.state.measures.tokens == 4)
        loop.advance(by: .milliseconds(1))
        #expect(loop.finished?.text.string == Self.reply && loop.finished?.id == "s_1000001")
        #expect(loop.finished?.usage == Usage(prompt: 2, completion: 4, total: 6))
        let after = loop.state
        loop.advance(by: .minutes(10))
        #expect(loop.state == after && loop.isQuiet)
    }

    @Test("S4: an end without done keeps the text, or fails without any, and offers retry")
    func earlyEnd() {
        var loop = CoachLoop.ready(rules: [.init(.coach(3), .close(code: 1000, reason: ""))])
        loop.ask()
        loop.advance(by: .seconds(3))
        #expect(loop.isInterrupted && loop.text == "You said:" && loop.note == Wording.coach.lostAfterText)
        #expect(loop.bubble?.retry != nil && loop.isQuiet)

        loop = .ready(rules: [.init(.coach(1), .close(code: 1000, reason: ""))])
        loop.ask()
        loop.advance(by: .seconds(3))
        #expect(loop.isFailed && loop.text.isEmpty && loop.note == Wording.coach.lostBeforeText)
        #expect(loop.bubble?.retry != nil && loop.isQuiet)
    }

    @Test("S5: an error in the stream keeps the text, shows the server's sentence and offers retry")
    func reported() {
        var loop = CoachLoop.ready(rules: [.init(.coach(4), .refuse(code: "", message: "I need a pause."))])
        loop.ask()
        loop.advance(by: .seconds(3))
        #expect(loop.isInterrupted && loop.text == "You said: Hello" && loop.note == "I need a pause.")
        #expect(loop.bubble?.retry != nil && loop.isQuiet)
    }

    @Test(
        "S6: a retry asks under a new id what was taken and failed, and keeps the old text until new is shown"
    )
    func retry() {
        var loop = CoachLoop.ready(rules: [.init(.coach(3), .refuse(code: "", message: "Oh."), times: 1)])
        loop.ask()
        loop.advance(by: .seconds(3))
        loop.send(.retried)
        #expect(loop.text == "You said:" && loop.state.question?.key != "c1")
        loop.advance(by: .milliseconds(1_624))
        #expect(loop.text == "You said:" && loop.bubble?.isTyping == true)
        loop.advance(by: .seconds(1))
        #expect(loop.finished?.text.string == Self.reply)

        loop = .ready(rules: [.init(.coach(0), .refuse(code: "unavailable", message: ""), times: 1)])
        loop.ask()
        loop.advance(by: .seconds(3))
        loop.send(.retried)
        #expect(loop.state.question?.key == "c1")
    }

    @Test("S7: no text in 30 s, 30 s of silence, and 300 s in all end a stream, and nothing sooner does")
    func limits() {
        var loop = CoachLoop.ready(rules: [.init(.coach(1), .silence)])
        loop.ask()
        loop.advance(by: .milliseconds(29_999))
        #expect(loop.state.isRunning)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isFailed && loop.isQuiet)

        loop = .ready(rules: [.init(.coach(3), .silence)])  // the second word comes after 1.6 s
        loop.ask()
        loop.advance(by: .milliseconds(31_599))
        #expect(loop.state.isRunning)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isInterrupted && loop.text == "You said:" && loop.isQuiet)

        loop = .ready { $0.wordInterval = .seconds(20) }
        loop.ask("a b c d e f g h i j k l m n o p")
        loop.advance(by: .milliseconds(299_999))
        #expect(loop.state.isRunning)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isInterrupted && loop.state.measures.tokens == 14 && loop.isQuiet)
    }

    @Test("S8: a connection lost before the first text is tried again once, after 400 ms; later it is not")
    func lost() {
        var loop = CoachLoop.ready(rules: [.init(.coach(1), .drop, times: 1)])
        loop.ask()
        loop.advance(by: .milliseconds(1_550))
        #expect(loop.state.isRunning && loop.machine.openCalls.isEmpty)
        loop.advance(by: .milliseconds(399))
        #expect(loop.machine.openCalls.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(loop.machine.openCalls.count == 1)
        loop.advance(by: .seconds(3))
        #expect(loop.finished?.text.string == Self.reply)

        loop = .ready(rules: [.init(.coach(0), .drop, times: 9)])
        loop.ask()
        loop.advance(by: .minutes(5))
        #expect(loop.isFailed && loop.applied(of: 9) == 2 && loop.isQuiet)

        loop = .ready(rules: [.init(.coach(2), .drop, times: 9)])
        loop.ask()
        loop.advance(by: .minutes(5))
        #expect(loop.isInterrupted && loop.applied(of: 9) == 1 && loop.text == "You")

        loop = .ready()
        loop.server.goOffline()
        loop.ask()
        loop.advance(by: .milliseconds(200))
        loop.server.goOnline()
        loop.advance(by: .seconds(3))
        #expect(loop.finished?.text.string == Self.reply)
    }

    @Test("S10, L4, L7: stop is silent and at once at every step, and the next question is untouched by it")
    func stop() {
        for milliseconds in stride(from: Int64(0), through: 1_750, by: 25) {
            var loop = CoachLoop.ready()
            loop.ask()
            loop.advance(by: .milliseconds(milliseconds))
            let isOver = loop.finished != nil
            loop.send(.stopped)
            #expect(!loop.state.isRunning && loop.note == nil && loop.machine.openCalls.isEmpty)
            #expect(isOver || loop.isInterrupted)
            #expect(Self.reply.hasPrefix(loop.text))

            loop.ask("Again", client: "c2")
            loop.advance(by: .seconds(3))
            #expect(loop.finished?.text.string == "You said: Again" && loop.isQuiet)
        }
    }

    @Test("S12: an event that is not of the protocol is skipped and counted, in any place")
    func noise() {
        let steps = (0...4).map { LocalServer.Rule(.coach($0), .noise) }
        var loop = CoachLoop.ready(rules: steps)
        loop.ask()
        loop.advance(by: .seconds(3))
        #expect(loop.finished?.text.string == Self.reply)
        #expect(loop.state.skipped.value == 10 && loop.machine.diagnostics.skippedEvents.value == 10)
    }

    @Test(
        "S13: where there is a whole form, a stream that fails is asked for once in it, and its text replaces all",
        arguments: [
            .init(.coach(3), .drop), .init(.coach(3), .refuse(code: "", message: "broken")),
            .init(.coach(3), .close(code: 1000, reason: "")), .init(.coach(3), .silence),
            .init(.coach(0), .silence), .init(.coach(0), .drop),
            .init(.coach(0), .refuse(code: "not_found", message: "")),
            .init(.coach(0), .refuse(code: "unavailable", message: "")),
        ] as [LocalServer.Rule])
    func fallsBack(_ rule: LocalServer.Rule) {
        var loop = CoachLoop.ready(rules: [rule], hasFallback: true)
        loop.ask()
        loop.advance(by: .seconds(40))
        #expect(loop.finished?.text.string == Self.reply && loop.finished?.id == "s_1000001")
        #expect(loop.finished?.usage == Usage(prompt: 2, completion: 4, total: 6) && loop.isQuiet)
    }

    @Test("S13: when the whole form fails or is silent for 30 s, the partial stays")
    func fallbackFails() {
        for fault in [.drop, .silence, .refuse(code: "unavailable", message: "")] as [LocalServer.Fault] {
            var loop = CoachLoop.ready(
                rules: [.init(.coach(3), .drop), .init(.coachWhole, fault)], hasFallback: true)
            loop.ask()
            loop.advance(by: .seconds(4))
            #expect(fault == .silence ? loop.state.isRunning : loop.isInterrupted)
            loop.advance(by: .seconds(30))
            #expect(loop.isInterrupted && loop.text == "You said:" && loop.bubble?.retry != nil)
            #expect(loop.isQuiet)
        }
    }

    @Test("R4, S13: the whole form that a resumed machine asks for has its time from the present")
    func fallbackResumed() {
        var loop = CoachLoop.ready(rules: [.init(.coach(0), .silence)], hasFallback: true)
        loop.ask()
        loop.advance(by: .seconds(1))
        var server = loop.server
        server.dropConnections()
        loop = CoachLoop(
            resuming: loop.machine, store: loop.store.restarted(), server: server,
            wall: loop.moment.wall + .minutes(1))
        #expect(loop.state.isRunning && loop.machine.openCalls.count == 1)
        loop.advance(by: .seconds(4))
        #expect(loop.finished?.text.string == Self.reply && loop.isQuiet)
    }

    @Test("S16: the time to the first text, tokens, updates and duration are those of the server")
    func measures() {
        var loop = CoachLoop.ready()
        loop.ask()
        loop.advance(by: .seconds(3))
        let measures = loop.state.measures
        #expect(measures.timeToFirstToken == .milliseconds(1_550) && measures.tokens == 4)
        #expect(measures.duration == .milliseconds(1_750) && measures.visibleUpdates == 2)
        let feature = loop.machine.feature
        #expect(feature.missedFirstTokenTarget(loop.state, at: loop.moment.now) == true)

        loop = .ready { $0.answerDelay = .milliseconds(450) }
        loop.ask()
        loop.advance(by: .seconds(3))
        #expect(feature.missedFirstTokenTarget(loop.state, at: loop.moment.now) == false)
    }

    @Test("L9: the reply is the same in one step and in steps of a millisecond, and equal loops stay equal")
    func steps() {
        var (one, other) = (CoachLoop.ready(), CoachLoop.ready())
        one.ask()
        other.ask()
        one.advance(by: .seconds(2))
        for _ in 0..<2_000 { other.advance(by: .milliseconds(1)) }
        #expect(one == other)
    }
}
