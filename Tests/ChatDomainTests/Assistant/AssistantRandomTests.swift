@testable import ChatDomain
import Testing

@Suite("Assistant: random actions")
struct AssistantRandomTests {
    @Test("L1, L3, L7, L8: random actions leave one call and one timer for what is under way, and no more")
    func random() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var driver = AssistantDriver.open {
                $0.asking.limit = 4
                $0.exchangeLimit = 12
                $0.queueLimit = 5
            }
            for step in 0..<300 {
                act(&driver, &entropy, step)
                check(driver)
            }
        }
    }

    @Test("L2: the same seed gives the same state and the same calls")
    func deterministic() {
        func run() -> AssistantDriver {
            var entropy = Entropy.seeded(7)
            var driver = AssistantDriver.open()
            for step in 0..<300 { act(&driver, &entropy, step) }
            return driver
        }
        let (left, right) = (run(), run())
        #expect(left.state == right.state && left.context == right.context)
        #expect(left.calls.map { $0.request } == right.calls.map { $0.request })
    }

    @Test("L4: at any point, answers and ends of calls that are over change nothing")
    func ghosts() {
        var entropy = Entropy.seeded(11)
        var driver = AssistantDriver.open { $0.asking.limit = 1_000 }
        var seen: [Assistant.Call] = []
        for step in 0..<400 {
            act(&driver, &entropy, step)
            for open in driver.calls where !seen.contains(open.call) { seen.append(open.call) }
            let over = seen.filter { call in !driver.calls.contains { $0.call == call } }
            guard let ghost = over.randomElement(&entropy) else { continue }
            let before = driver.state
            let event = Assistant.Event.answered("ghost", conversation: "ghost", time: nil, tokens: 1)
            #expect(driver.send(.received(event, on: ghost)).isEmpty)
            #expect(driver.send(.ended(ghost, .failed(.offline))).isEmpty)
            #expect(driver.state == before)
        }
        #expect(seen.count > 20)
    }

    private func act(_ driver: inout AssistantDriver, _ entropy: inout Entropy, _ step: Int) {
        switch entropy.next() % 24 {
        case 0: driver.send(.opened)
        case 1 where entropy.next() % 4 == 0: driver.send(.closed)
        case 2: driver.send(.signedIn(AssistantDriver.account(entropy.next() % 8 == 0 ? "bo" : "kay")))
        case 3 where entropy.next() % 3 == 0: driver.send(.signedOut)
        case 21: driver.answerStorage(&entropy)
        case 4: driver.send(.networkChanged(isUp: false))
        case 5, 6: driver.send(.networkChanged(isUp: true))
        case 7, 8, 9, 10: driver.ask(ExactText("question \(step)"))
        case 11: driver.ask("")
        case 12: driver.retry(Int(entropy.next() % 12))
        case 13: driver.refuse([400, 401, 429, 500][Int(entropy.next() % 4)])
        case 14: driver.lose(.failed(entropy.next() % 2 == 0 ? .offline : .lost))
        case 15: driver.hear(.failed(.exhausted(retryAfter: .seconds(Int64(entropy.next() % 400)))))
        case 16: driver.answer(conversation: entropy.next() % 2 == 0 ? nil : "error-saving")
        case 17: driver.send(.exampleTapped("Which?"))
        case 18: driver.send(.logInDismissed)
        case 19, 20: driver.answer(conversation: ConversationID("c\(step)"))
        default: driver.advance(by: .milliseconds(Int64(entropy.next() % 12_000)))
        }
    }

    private func check(_ driver: AssistantDriver) {
        let restoring = driver.timers.filter { $0.timer == .restoring }
        if driver.state.isRestoring {
            #expect(restoring.count == 1 && driver.state.account != nil)
        } else {
            #expect(restoring.isEmpty)
        }
        let running = driver.timers.map { $0.timer }.filter { $0 != .restoring }
        let configuration = driver.feature.configuration
        switch driver.state.conversation?.queue.head?.stage {
        case nil, .paused:
            #expect(driver.calls.isEmpty && running.isEmpty)
        case .awaitingSlot:
            #expect(driver.calls.isEmpty && running == (restoring.isEmpty ? [.slot] : []))
            #expect((driver.remaining(.slot) ?? .zero) <= configuration.longestPause)
        case .asking(let asking):
            #expect(driver.calls.map { $0.call } == [.ask(asking.attempt)])
            let expected: [Assistant.Timer] = asking.patience == .thinking ? [.notice, .answer] : [.answer]
            #expect(running == expected)
        }
        guard let conversation = driver.state.conversation else { return }
        #expect(conversation.queue.count <= configuration.queueLimit)
        #expect(Int64(conversation.settled.count) + conversation.queue.count <= configuration.exchangeLimit)
        let ids = driver.rows.map { $0.id }
        #expect(Set(ids).count == ids.count)
        let questions = ids.compactMap { id in
            if case .question(let question) = id { question } else { nil }
        }
        #expect(questions == questions.sorted())
        if driver.state.account == nil { #expect(driver.calls.isEmpty) }
    }
}

extension AssistantDriver {
    /// The disk says something at last, or does not; it may have been somebody else's.
    fileprivate mutating func answerStorage(_ entropy: inout Entropy) {
        guard let operation = storage.randomElement(&entropy) else { return }
        let far = WallTime(millisecondsSince1970: entropy.next() % 2 == 0 ? .max : .min)
        let asked = context.wall - .seconds(Int64(entropy.next() % 100))
        let answers: [StorageAnswer<Assistant.Record>] =
            switch operation.work {
            case .load:
                [
                    .missing, .failed(.damaged), .failed(.unreadable), .failed(.newer(version: 2)),
                    .loaded(.pacing(Pacing(asked: [asked, far], notBefore: far))),
                    .loaded(.pacing(Pacing(asked: [far, far, far, far, asked]))),
                ]
            case .save, .erase: [.saved, .failed(.full)]
            }
        guard let reply = answers.randomElement(&entropy) else { return }
        answer(operation.key, with: reply)
    }
}

extension Array {
    fileprivate func randomElement(_ entropy: inout Entropy) -> Element? {
        isEmpty ? nil : self[Int(entropy.next() % UInt64(count))]
    }
}
