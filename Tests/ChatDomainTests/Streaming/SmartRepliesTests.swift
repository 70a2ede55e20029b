@testable import ChatDomain
import Testing

@Suite("Smart replies")
struct SmartRepliesTests {
    @Test(
        "S14: every kind is asked for with the message and selected when finished",
        arguments: [.short, .friendly, .professional, .funny, .own("pirate")] as [SmartReplies.Kind])
    func kinds(kind: SmartReplies.Kind) {
        var driver = SmartRepliesDriver.asked(kind)
        #expect(driver.askedKind == kind)
        driver.hear(.token("Sure"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.panel.bubble?.text == LongText("Sure") && driver.selected == nil)
        driver.hear(.token("!"))
        driver.hear(.done(nil, nil))
        #expect(driver.selected == "Sure!" && driver.panel.selected == LongText("Sure!"))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S14: while one runs no button can be tapped; the one that runs is marked")
    func buttons() {
        var driver = SmartRepliesDriver.ready { $0.ownKinds = ["pirate"] }
        #expect(driver.panel.buttons.map(\.kind) == SmartReplies.Kind.shipped + [.own("pirate")])
        #expect(driver.enabled == 5 && driver.current.isEmpty)
        driver.send(.requested(.funny, SmartRepliesDriver.target))
        #expect(driver.enabled == 0)
        #expect(driver.current == [.funny])
        driver.hear(.token("x"))
        driver.hear(.done(nil, nil))
        #expect(driver.enabled == 5)
    }

    @Test("S14, L4: another kind replaces the one that runs, and nothing of that arrives")
    func replace() throws {
        var driver = SmartRepliesDriver.asked(.short)
        driver.hear(.token("old"))
        let old = try #require(driver.calls.last?.call)
        driver.send(.requested(.funny, SmartRepliesDriver.target))
        #expect(driver.calls.count == 1 && driver.askedKind == .funny)
        #expect(driver.send(.received(.done(nil, nil), on: old)).isEmpty)
        driver.hear(.token("new"))
        driver.hear(.done(nil, nil))
        #expect(driver.selected == "new" && driver.state.cache.count == 1)
    }

    @Test("S14: the selection stays until it is taken or dismissed, also when the view is left")
    func selection() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        driver.send(.left)
        driver.send(.backgrounded)
        driver.advance(by: .hours(30))
        #expect(driver.selected == "Sure")
        driver.send(.taken)
        #expect(driver.selected == nil && driver.state.phase == .idle)
        driver.suggest("Sure", .funny)
        driver.send(.dismissed)
        #expect(driver.selected == nil && driver.state.reply.phase == .idle)
    }

    @Test("S14: taking does nothing while nothing is selected")
    func nothingToTake() {
        var driver = SmartRepliesDriver.asked()
        #expect(driver.send(.taken).isEmpty && driver.calls.count == 1)
        driver.hear(.token("Sure"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.panel.bubble?.text == LongText("Sure") && driver.current == [.short])
        driver.hear(.done(nil, nil))
        #expect(driver.selected == "Sure")
    }

    @Test("S14: the same wish within 24 h comes from the cache without a call, at 24 h it is asked anew")
    func cache() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        driver.send(.taken)
        driver.advance(by: .hours(24) - Interval(nanoseconds: 1))
        #expect(driver.send(.requested(.short, SmartRepliesDriver.target)).isEmpty)
        #expect(driver.selected == "Sure" && driver.calls.isEmpty)
        driver.advance(by: Interval(nanoseconds: 1))
        driver.send(.requested(.short, SmartRepliesDriver.target))
        #expect(driver.selected == nil && driver.calls.count == 1)
    }

    @Test("S14: another kind, message or conversation is another wish")
    func otherWishes() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        let others: [(SmartReplies.Kind, SmartReplies.Target)] = [
            (.funny, SmartRepliesDriver.target),
            (.short, SmartReplies.Target(conversation: "talk", message: "m2", text: "Dinner?")),
            (.short, SmartReplies.Target(conversation: "other", message: "m1", text: "Dinner?")),
            (.own("short"), SmartRepliesDriver.target),
        ]
        for (kind, target) in others {
            driver.send(.requested(kind, target))
            #expect(driver.calls.count == 1 && driver.selected == nil)
        }
    }

    @Test("S14: a wish from the cache ends the one that runs")
    func cacheReplaces() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        driver.send(.requested(.funny, SmartRepliesDriver.target))
        driver.send(.requested(.short, SmartRepliesDriver.target))
        #expect(driver.selected == "Sure" && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test("S14: only what is finished is cached")
    func unfinished() {
        for end in 0..<3 {
            var driver = SmartRepliesDriver.asked { $0.streaming.hasFallback = false }
            driver.hear(.token("Su"))
            switch end {
            case 0: driver.lose()
            case 1: driver.send(.dismissed)
            default: driver.hear(.failed("no"))
            }
            #expect(driver.state.cache.count == 0 && driver.selected == nil && driver.timers.isEmpty)
        }
    }

    @Test("S14: each visible update asks for one tap; none when it is off, or when it is dismissed")
    func haptics() {
        var driver = SmartRepliesDriver.asked()
        for _ in 0..<3 {
            for _ in 0..<10 { driver.hear(.token("x")) }
            driver.advance(by: .milliseconds(100))
        }
        #expect(driver.haptics == 3)
        driver.hear(.token("x"))
        driver.send(.dismissed)
        #expect(driver.haptics == 3)
        driver = .asked { $0.hasHaptics = false }
        driver.hear(.token("x"))
        driver.advance(by: .milliseconds(100))
        driver.hear(.done(nil, nil))
        #expect(driver.haptics == 0 && driver.selected == "x")
    }

    @Test("S13, S14: a stream that breaks is asked for whole; that reply is selected and cached")
    func fallback() {
        var driver = SmartRepliesDriver.asked(.friendly)
        driver.hear(.token("Su"))
        driver.lose()
        #expect(driver.askedKind == .friendly && driver.isRunning(.fallback))
        #expect(driver.enabled == 0)
        driver.hear(.whole("Sure thing", nil, nil))
        #expect(driver.selected == "Sure thing" && driver.state.cache.count == 1 && driver.timers.isEmpty)
    }

    @Test("S14: when both fail the reason is shown, and retry asks again")
    func retry() {
        var driver = SmartRepliesDriver.asked()
        driver.lose()
        driver.lose()
        #expect(driver.panel.bubble?.note == Wording.neutral.lostBeforeText)
        #expect(driver.enabled == 4)
        driver.send(.retried)
        driver.hear(.token("Sure"))
        driver.hear(.done(nil, nil))
        #expect(driver.selected == "Sure" && driver.askedKind == nil)
    }

    @Test("S11: leaving and the background end the one that runs without a trace")
    func leave() {
        for action in [.left, .backgrounded] as [SmartReplies.Action] {
            var driver = SmartRepliesDriver.asked()
            driver.hear(.token("x"))
            driver.send(action)
            #expect(driver.state.phase == .idle && driver.panel.bubble == nil)
            #expect(driver.calls.isEmpty && driver.timers.isEmpty && driver.haptics == 0)
        }
    }

    @Test("S11: another conversation shows nothing of it")
    func otherConversation() {
        var driver = SmartRepliesDriver.asked()
        let other = driver.feature.panel(driver.state, in: "other", .neutral)
        let marked = other.buttons.count { $0.isCurrent }
        #expect(other.bubble == nil && marked == 0)
        driver.hear(.token("x"))
        driver.hear(.done(nil, nil))
        #expect(driver.feature.panel(driver.state, in: "other", .neutral).selected == nil)
    }

    @Test("P10: with the credentials go suggestion and cache")
    func signOut() {
        var driver = SmartRepliesDriver.ready()
        driver.suggest("Sure")
        driver.send(.requested(.funny, SmartRepliesDriver.target))
        driver.send(.accessChanged(nil))
        #expect(driver.state == SmartReplies.State() && driver.calls.isEmpty && driver.timers.isEmpty)
        driver.send(.requested(.short, SmartRepliesDriver.target))
        #expect(driver.calls.isEmpty && driver.panel.bubble?.note == Wording.neutral.signInFirst)
    }

    @Test("S14, S16: a suggestion that comes whole is one visible update, and asks for one tap")
    func wholeAtOnce() {
        var driver = SmartRepliesDriver.asked()
        driver.lose()
        driver.hear(.whole("Sure thing", nil, nil))
        #expect(driver.selected == "Sure thing" && driver.haptics == 1)
        #expect(driver.state.reply.measures.visibleUpdates == 1)
    }
}

@Suite("The cache of smart replies")
struct ReplyCacheTests {
    private func key(_ number: Int) -> ReplyCache.Key {
        ReplyCache.Key(conversation: "talk", message: MessageID("m\(number)"), kind: .short)
    }

    private let start = WallTime(millisecondsSince1970: 1_000_000_000)

    @Test("L8, S14: the 101st reply makes the oldest go")
    func limit() {
        var cache = ReplyCache()
        for number in 0..<101 { cache.store(LongText("x"), for: key(number), at: start) }
        #expect(cache.count == 100 && cache.text(for: key(0), at: start) == nil)
        #expect(cache.text(for: key(1), at: start) != nil && cache.text(for: key(100), at: start) != nil)
    }

    @Test("S14: storing again replaces, makes it young, and takes no further room")
    func again() {
        var cache = ReplyCache(limit: 2)
        cache.store(LongText("a"), for: key(0), at: start)
        cache.store(LongText("b"), for: key(1), at: start)
        cache.store(LongText("c"), for: key(0), at: start + .hours(1))
        cache.store(LongText("d"), for: key(2), at: start + .hours(1))
        #expect(cache.text(for: key(0), at: start + .hours(24)) == LongText("c"))
        #expect(cache.text(for: key(1), at: start + .hours(1)) == nil && cache.count == 2)
        var roomy = ReplyCache()
        for text in ["a", "b"] { roomy.store(LongText(text), for: key(0), at: start) }
        #expect(roomy.text(for: key(0), at: start) == LongText("b") && roomy.count == 1)
    }

    @Test("S14: a clock that was set back leaves replies of the future unused")
    func clock() {
        var cache = ReplyCache()
        cache.store(LongText("a"), for: key(0), at: start)
        #expect(cache.text(for: key(0), at: start - .seconds(1)) == nil)
        #expect(cache.text(for: key(0), at: start) == LongText("a"))
    }

    @Test("L8: a limit of none keeps none")
    func none() {
        for limit in [0, -1] as [Int64] {
            var cache = ReplyCache(limit: limit)
            cache.store(LongText("a"), for: key(0), at: start)
            #expect(cache.count == 0)
        }
    }

    @Test("S9: a wait that a suggestion shows counts a day at most")
    func longWait() {
        var driver = SmartRepliesDriver.asked()
        driver.lose(.refused(status: 429, retryAfter: .hours(24 * 3_650), message: ""))
        #expect(driver.panel.bubble?.waitUntil == driver.context.wall + .hours(24))
    }

    @Test("S14: while a suggestion comes in one conversation, no button of another can be tapped")
    func otherConversation() {
        var driver = SmartRepliesDriver.asked()
        driver.hear(.token("Yes"))
        let other = driver.feature.panel(driver.state, in: "other", .neutral)
        #expect(!other.buttons.isEmpty && other.buttons.allSatisfy { !$0.isEnabled })
        driver.hear(.done(nil, nil))
        #expect(driver.feature.panel(driver.state, in: "other", .neutral).buttons.contains { $0.isEnabled })
    }
}
