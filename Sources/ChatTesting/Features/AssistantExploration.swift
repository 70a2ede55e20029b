// The assistant, explored: questions that queue, wait for a slot, are answered, fail and are asked again, while the
// view closes, the network goes and people sign in and out.

import ChatDomain
import ChatEffects

extension Assistant: Explorable {}

extension Explore where Codec == Uncoded<Assistant> {
    /// Two questions at a time, and two a window, while people sign in and out and the network changes. The disk
    /// answers at once.
    static var questions: Explore { questions([.person { $0.likely }, .promptStorage()], shown: 2) }

    /// One question at a time, while the disk answers in any order, fails or is silent.
    static var questionsOnDisk: Explore {
        questions(
            [
                .person { state in state.likely.filter { !$0.isOfTheRoot } },
                .storage(.answered, .failed(.unavailable)),
            ], shown: 1
        )
        .after(.person(.signedIn(Assistant.State.kay)))
    }

    private static func questions(_ happenings: [Happening<Assistant>], shown: Int64) -> Explore {
        var configuration = Assistant.Configuration()
        // All durations are multiples of 5 s, so that few distances of time are reached; a pause outlasts a window.
        configuration.noticeDelay = .seconds(5)
        configuration.answerLimit = .seconds(10)
        configuration.restoringLimit = .seconds(5)
        configuration.asking = Throttle.Configuration(limit: 2, window: .seconds(15))
        configuration.defaultPause = .seconds(20)
        configuration.deferralLimit = 1
        configuration.queueLimit = 2
        configuration.exchangeLimit = shown
        return Explore(
            Assistant(configuration: configuration), from: Assistant.State(configuration: configuration),
            happenings + [
                .drawn { $0.drawn(&$1) }, .time(upTo: .seconds(30)), .calls { _ in Assistant.answers },
                .ends(.failed(.offline)), .clock(.deadline),
            ]
        )
        .agesUpTo(.zero)  // nothing compares the age of a message
        .always(.everySpinnerHasALimit { assistantSpinner($0, $1) })
        .always(.bounded(calls: 1, operations: 8))
        .always(.idempotent(.closed), .startsNothing(.closed), .idempotent(.signedOut))
        .always("A3: one request is in flight, that of the head") { place in
            guard case .asking(let asking) = place.state.conversation?.queue.head?.stage else {
                return place.openCalls.isEmpty
            }
            return place.openCalls == [.ask(asking.attempt)]
        }
        .always("A4: each question is in one place, and what is finished stands in the order of writing") {
            guard let conversation = $0.state.conversation else { return true }
            let finished = conversation.finished.map { $0.question.id }
            return finished == finished.sorted() && !conversation.hasTwice
        }
        .always("A5: behind a closed view nothing is under way") { place in
            place.state.conversation != nil
                || place.openCalls.isEmpty
                    && place.machine.runningTimers.allSatisfy { $0.timer == .restoring }
        }
        .always("A6: nothing is asked for nobody") { $0.state.account != nil || $0.openCalls.isEmpty }
        .always("L8: the queue and the conversation are bounded") { place in
            guard let conversation = place.state.conversation else { return true }
            return conversation.queue.count <= 2
                && Int64(conversation.finished.count) + conversation.queue.count <= max(shown, 2)
        }
        .always(.everyTimerHasAPurpose())
        .noGhosts()
        .leftAlone("A3: it comes to rest") { !$0.hasDeadline && $0.openCalls.isEmpty }
    }
}

extension Assistant {
    fileprivate static var answers: [Event] {
        [.answered("b", conversation: "c", time: nil, tokens: nil), .failed(.exhausted(retryAfter: nil))]
    }

    /// The possible answers of a server, for drawn runs.
    fileprivate static var allAnswers: [Event] {
        answers + [
            .answered("", conversation: "c", time: nil, tokens: -1),
            .answered("b", conversation: nil, time: nil, tokens: nil),
            .answered(
                "b", conversation: "error-saving", time: WallTime(nanosecondsSince1970: .max), tokens: .max),
            .failed(.unauthenticated), .failed(.deadlineExceeded), .failed(.unavailable),
            .failed(.other("e\u{301}\u{0}")), .failed(.exhausted(retryAfter: Interval(nanoseconds: .max))),
            .failed(.exhausted(retryAfter: Interval(nanoseconds: .min))),
        ]
    }
}

extension Assistant.State {
    static var kay: Account { Account(user: "kay", secret: SecretHandle("s"), device: "d") }

    /// The actions that make sense on the visible screen.
    fileprivate var likely: [Assistant.Action] {
        let root: [Assistant.Action] = [
            account == nil ? .signedIn(Self.kay) : .signedOut, .networkChanged(isUp: !isNetworkUp),
        ]
        guard conversation != nil else { return root + [.opened] }
        return root + [.closed, draft.isEmpty ? .draftEdited("a") : .sent] + questions.map { .retried($0) }
    }

    /// The questions that can be retried.
    private var questions: [QuestionID] {
        guard let conversation else { return [] }
        return conversation.finished.filter { if case .failed = $0.ending { true } else { false } }
            .map { $0.question.id } + (conversation.queue.head.map { [$0.question.id] } ?? [])
    }

    /// Any action, with a preference for visible items and for odd texts.
    fileprivate func drawn(_ choices: inout Choices) -> Assistant.Action? {
        let stale = Assistant.Call.ask(Attempt(number: .max))
        let text = choices.pick(Choices.texts) ?? ""
        let answer = choices.pick(Assistant.allAnswers)
        let isUp = choices.below(2) == 0
        let question = choices.pick(questions + [QuestionID(number: .max)])
        let actions: [Assistant.Action?] = [
            .opened, .closed, .draftEdited(text), .exampleTapped(text), .sent, .sent,
            question.map { .retried($0) }, .logInDismissed, .signedIn(Self.kay),
            .signedIn(Account(user: "bo", secret: SecretHandle("t"), device: "d")), .signedOut,
            .networkChanged(isUp: isUp), answer.map { .received($0, on: stale) },
            .ended(stale, .completed), .stored(.saved, under: .pacing("kay"), Attempt(number: .max)),
        ]
        return choices.pick(actions) ?? nil
    }
}

extension Assistant.Action {
    /// Whether it comes from the root: an account or the network.
    fileprivate var isOfTheRoot: Bool {
        switch self {
        case .signedIn, .signedOut, .networkChanged: true
        default: false
        }
    }
}

extension Assistant.Conversation {
    /// Whether a question is in two places.
    fileprivate var hasTwice: Bool {
        var ids = finished.map { $0.question.id }
        if case .busy(let head, let behind) = queue { ids += [head.question.id] + behind.map { $0.id } }
        return Set(ids).count != ids.count
    }
}
