// What may happen to each feature in the sessions of the normal forms: biased to what waits, fails and comes back.

@testable import ChatDomain
import ChatEffects

private func pick<Element>(_ dice: inout Entropy, _ elements: [Element]) -> Element {
    elements[Int(dice.next() % UInt64(elements.count))]
}

/// A name that nothing in the session has yet. What is minted elsewhere is either new, or what the state holds: a name that
/// one machine knows and an equal one does not would tell them apart, as no world can.
func fresh(_ dice: inout Entropy) -> ExactText { ExactText("n\(dice.next())") }

func access(_ dice: inout Entropy, expires: WallTime? = nil) -> Streaming.Access {
    Streaming.Access(secret: SecretHandle(fresh(&dice)), expires: expires)
}

extension Story where F == Pairing {
    static var pairing: Story {
        var configuration = Pairing.Configuration(device: DeviceInfo(platform: "iOS", model: "iPhone"))
        configuration.requests = Throttle.Configuration(limit: 2, window: .seconds(20))
        configuration.renewalInterval = .seconds(15)
        configuration.requestLifetime = .seconds(60)
        return Story(
            feature: Pairing(configuration: configuration),
            state: Pairing.State(configuration: configuration),
            person: { state, tag, dice in
                let link = Attempt(number: UInt64(9_000 + tag))
                return pick(
                    &dice,
                    [
                        .launched, .nameEdited("Kay"), .submitted, .submitted, .cancelled, .retried,
                        .signedOut,
                        .signedOutForGood, .noticeDismissed, .networkReturned, .linkOpened(link),
                        .linkClosed(link), .approved("other", as: "bo"), .denied("other", reason: nil),
                        .credentialsRefused(.tokenExpired),
                        state.erasing.data.first?.attempt.map { .dataErased($0) } ?? .launched,
                    ])
            },
            event: { call, _, _, _, dice in
                pick(
                    &dice,
                    [
                        .pending(code: "1"), .granted(Secret("top"), "kay", isAdmin: true),
                        .refused(.denied(reason: "no")), .resolved("other"),
                    ])
            },
            waits: [Interval(nanoseconds: 1), .seconds(1), .seconds(5), .seconds(21), .seconds(70)])
    }
}

extension Story where F == Assistant {
    static var assistant: Story {
        var configuration = Assistant.Configuration()
        configuration.asking = Throttle.Configuration(limit: 2, window: .seconds(20))
        configuration.queueLimit = 3
        configuration.exchangeLimit = 3
        return Story(
            feature: Assistant(configuration: configuration),
            state: Assistant.State(configuration: configuration),
            person: { state, tag, dice in
                let account = Account(
                    user: pick(&dice, ["kay", "kay", "bo"]), secret: SecretHandle(fresh(&dice)),
                    device: DeviceID("d\(tag)"))
                let questions = state.conversation?.finished.map { $0.question.id } ?? []
                return pick(
                    &dice,
                    [
                        .opened, .opened, .closed, .draftEdited("why"), .draftEdited("how"), .sent, .sent,
                        .sent,
                        .signedIn(account), .signedIn(account), .signedOut, .networkChanged(isUp: true),
                        .networkChanged(isUp: false), .logInDismissed,
                        questions.isEmpty ? .opened : .retried(pick(&dice, questions)),
                    ])
            },
            event: { _, _, now, _, dice in
                pick(
                    &dice,
                    [
                        .answered("so", conversation: "c_1", time: now.wall, tokens: 3),
                        .failed(.exhausted(retryAfter: .seconds(7))), .failed(.unavailable),
                        .failed(.unauthenticated),
                    ])
            },
            waits: [Interval(nanoseconds: 1), .seconds(1), .seconds(7), .seconds(21), .seconds(70)])
    }
}

private func streamed(_ now: Moment, _ dice: inout Entropy) -> Streaming.Event {
    pick(
        &dice,
        [
            .began("m_1"), .token("a"), .token("b"), .token("a"), .flagged(["x"]), .done("m_1", nil),
            .failed("sorry"), .limited(until: now.wall + .seconds(9)), .whole("all", "m_1", nil), .skipped,
            .refreshed(access(&dice, expires: now.wall + .seconds(100))),
        ])
}

extension Story where F == Streaming {
    static func streaming(hasFallback: Bool) -> Story {
        Story(
            feature: Streaming(configuration: .init(hasFallback: hasFallback, canRefresh: true)),
            state: Streaming.State(),
            person: { state, _, dice in
                let question = Streaming.Question(
                    conversation: "c_1", client: ClientID(fresh(&dice)), text: pick(&dice, ["why", "how"]))
                return pick(
                    &dice,
                    [
                        .asked(question), .asked(question, keeping: LongText("old")), .retried, .retried,
                        .stopped,
                        .left, .dismissed,
                        .accessChanged(state.access ?? access(&dice)),
                        .accessChanged(access(&dice)),
                        dice.next() % 4 == 0 ? .accessChanged(nil) : .retried,
                    ])
            },
            event: { _, _, now, _, dice in streamed(now, &dice) },
            waits: [Interval(nanoseconds: 1), .milliseconds(75), .seconds(1), .seconds(31), .seconds(70)])
    }
}

extension Story where F == SmartReplies {
    static var smartReplies: Story {
        var configuration = SmartReplies.Configuration()
        configuration.cacheLimit = 2
        configuration.cacheLifetime = .seconds(60)
        return Story(
            feature: SmartReplies(configuration: configuration),
            state: SmartReplies.State(configuration: configuration),
            person: { state, _, dice in
                let target = SmartReplies.Target(
                    conversation: "c_1", message: pick(&dice, ["m_1", "m_2"]), text: "hello")
                return pick(
                    &dice,
                    [
                        .requested(.short, target), .requested(.funny, target), .retried, .taken,
                        .dismissed,
                        .left, .memoryWarned,
                        .accessChanged(state.reply.access ?? access(&dice)),
                        .accessChanged(access(&dice)),
                    ])
            },
            event: { _, _, now, _, dice in streamed(now, &dice) },
            waits: [Interval(nanoseconds: 1), .milliseconds(75), .seconds(1), .seconds(31), .seconds(70)])
    }
}
