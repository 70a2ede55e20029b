@testable import ChatDomain
@testable import ChatEffects
import Testing

/// The right to ask the coach: made new in time, refused, missing, used up (S9).
@Suite("The coach's credentials")
struct CoachCredentialTests {
    private static let reply = "You said: Hello there"
    private static let now = WallTime(millisecondsSince1970: 1_000_000)

    @Test(
        "S9: credentials that end within 60 s are made new before the stream, and told until when they are good"
    )
    func expiring() {
        var loop = CoachLoop.ready(canRefresh: true, expires: Self.now + .seconds(60))
        loop.ask()
        #expect(loop.state.access?.expires == Self.now + .hours(1))
        #expect(loop.state.access?.secret == CoachLoop.secret)
        loop.advance(by: .seconds(3))
        #expect(loop.finished?.text.string == Self.reply)

        loop = .ready(canRefresh: true, expires: Self.now + .seconds(61))
        loop.ask()
        #expect(loop.state.access?.expires == Self.now + .seconds(61))
    }

    @Test("S9: when nothing new comes for 10 s, or is refused, the old credentials have their try")
    func refreshFails() {
        for fault in [.silence, .drop, .refuse(code: "unavailable", message: "")] as [LocalServer.Fault] {
            var loop = CoachLoop.ready(
                rules: [.init(.refresh, fault)], canRefresh: true, expires: Self.now)
            loop.ask()
            loop.advance(by: .milliseconds(9_999))
            #expect(loop.state.isRunning == (fault == .silence))
            loop.advance(by: .seconds(3))
            #expect(loop.finished?.text.string == Self.reply && loop.isQuiet)
        }
    }

    @Test(
        "S9: 401 makes the credentials new and asks again once; a second 401 says to sign in, and keeps them")
    func refused() {
        for times in [1, 2] as [UInt64] {
            let rule = LocalServer.Rule(.coach(0), .refuse(code: "unauthorized", message: ""), times: times)
            var loop = CoachLoop.ready(rules: [rule], canRefresh: true)
            loop.ask()
            loop.advance(by: .minutes(2))
            #expect(loop.server.behaviour.rules.first?.times == 0)
            #expect(loop.finished?.text.string == (times == 1 ? Self.reply : nil))
            #expect(loop.note == (times == 1 ? nil : Wording.coach.signInAgain))
            #expect(loop.state.access != nil && loop.isQuiet)
        }
    }

    @Test("S9: 401 without a way to make credentials new says to sign in")
    func refusedForGood() {
        var loop = CoachLoop.ready(rules: [
            .init(.coach(0), .refuse(code: "unauthorized", message: ""), times: 9)
        ])
        loop.ask()
        loop.advance(by: .minutes(2))
        #expect(loop.isFailed && loop.note == Wording.coach.signInAgain && loop.applied(of: 9) == 1)
    }

    @Test(
        "S9: without credentials, or without their secret, the person is asked to sign in and no server hears it"
    )
    func missing() {
        var loop = CoachLoop.ready(rules: [.init(.coach(0), .drop, times: 9)])
        loop.send(.accessChanged(nil))
        loop.ask()
        #expect(loop.isFailed && loop.note == Wording.coach.signInFirst && loop.isQuiet)

        loop.store = MemoryStore()
        loop.send(.accessChanged(Streaming.Access(secret: CoachLoop.secret)))
        loop.ask()
        #expect(loop.isFailed && loop.note == Wording.coach.signInFirst && loop.isQuiet)
        #expect(loop.applied(of: 9) == 0)
    }

    @Test(
        "S9, S13: 429 shows when the server takes the next question, and nothing is asked before the person does"
    )
    func limited() {
        for hasFallback in [false, true] {
            let rule = LocalServer.Rule(.coach(0), .refuse(code: "rate_limited", message: ""), times: 9)
            var loop = CoachLoop.ready(rules: [rule], hasFallback: hasFallback)
            loop.ask()
            loop.advance(by: .minutes(5))
            #expect(loop.isFailed && loop.note == Wording.coach.serverAskedToWait && loop.applied(of: 9) == 1)
            // It was refused after 1.5 s.
            #expect(loop.bubble?.waitUntil == Self.now + .milliseconds(1_500) + .hours(1))
            #expect(loop.bubble?.retry != nil && loop.isQuiet)
        }
    }

    @Test(
        "S9: other refusals give the server's sentence, and one that says nothing to a person the general one",
        arguments: [
            ("bad_request", true), ("subscription_required", true), ("not_found", true),
            ("unavailable", false),
            ("internal", false),
        ] as [(ExactText, Bool)])
    func other(_ code: ExactText, isTold: Bool) {
        var loop = CoachLoop.ready(rules: [.init(.coach(0), .refuse(code: code, message: "no"), times: 9)])
        loop.ask()
        loop.advance(by: .minutes(5))
        #expect(loop.isFailed && loop.note == (isTold ? "no" : Wording.coach.replyFailed))
        #expect(
            loop.applied(of: 9) == 1 && loop.bubble?.waitUntil == nil && loop.bubble?.retry != nil
                && loop.isQuiet)
    }

    @Test("S13: a refusal of the person or the credentials is not asked for in the whole form")
    func noFallback() {
        for code in ["unauthorized", "subscription_required", "rate_limited"] as [ExactText] {
            var loop = CoachLoop.ready(
                rules: [
                    .init(.coachWhole, .noise, times: 9),
                    .init(.coach(0), .refuse(code: code, message: "")),
                ], hasFallback: true)
            loop.ask()
            loop.advance(by: .minutes(5))
            #expect(loop.isFailed && loop.applied(of: 9) == 0)
        }
    }

    @Test("S9, L10: a stream under way keeps its credentials, the next has the new; no state shows a token")
    func changed() {
        var loop = CoachLoop.ready(canRefresh: true, expires: Self.now)
        loop.ask()
        loop.advance(by: .milliseconds(1_600))
        loop.send(.accessChanged(Streaming.Access(secret: SecretHandle("grace"))))
        loop.advance(by: .seconds(1))
        #expect(loop.finished?.text.string == Self.reply)
        loop.ask("More", client: "c2")
        #expect(loop.isFailed && loop.note == Wording.coach.signInFirst)  // that secret is not here
        #expect(!"\(loop.machine)".contains("token of ada"))
    }
}
