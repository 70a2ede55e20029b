// Streaming, explored: one reply from its question to each of its ends, with credentials that expire and are renewed,
// with a second try after a lost connection, or with a whole reply in place of a stream that failed.

import ChatDomain
import ChatEffects

extension Streaming: Explorable {}

extension Streaming.Configuration {
    /// Durations that are multiples of 100 ms, so that few distances of time are reached, and texts of two bytes at
    /// most.
    static func brief(hasFallback: Bool, canRefresh: Bool) -> Self {
        var configuration = Streaming.Configuration(hasFallback: hasFallback, canRefresh: canRefresh)
        configuration.batchInterval = .milliseconds(100)
        configuration.firstTokenLimit = .milliseconds(300)
        configuration.silenceLimit = .milliseconds(300)
        configuration.totalLimit = .milliseconds(600)
        configuration.retryDelay = .milliseconds(100)
        configuration.fallbackLimit = .milliseconds(300)
        configuration.refreshLimit = .milliseconds(300)
        configuration.replyTextLimit = 2
        return configuration
    }
}

extension Explore where Codec == Uncoded<Streaming> {
    /// A reply whose credentials are renewed, and whose connection is tried a second time.
    static var reply: Explore { reply(hasFallback: false, canRefresh: true) }

    /// A reply that is requested whole when its stream fails.
    static var replyWithFallback: Explore { reply(hasFallback: true, canRefresh: false) }

    private static func reply(hasFallback: Bool, canRefresh: Bool) -> Explore {
        let configuration = Streaming.Configuration.brief(hasFallback: hasFallback, canRefresh: canRefresh)
        return Explore(
            Streaming(configuration: configuration), from: Streaming.State(access: Streaming.expired),
            [
                .person { $0.likely }, .drawn { $0.drawn(&$1) }, .time(upTo: .seconds(1)),
                .calls { Streaming.likely(on: $0) },
                .ends(.completed, .failed(.lost), .refused(status: 401, retryAfter: nil, message: "")),
                .clock(.deadline),
            ]
        )
        .always(.everySpinnerHasALimit { replySpinner($0, $1) })
        .always(.bounded(calls: 1, operations: 0))
        .always(.idempotent(.stopped), .idempotent(.left), .idempotent(.dismissed))
        .always(.startsNothing(.stopped), .startsNothing(.left), .startsNothing(.accessChanged(nil)))
        .always("S3, S10: a reply that has ended has no call and no timer") {
            $0.state.isRunning || $0.openCalls.isEmpty && !$0.hasDeadline
        }
        .always("S8: what is asked in addition is asked once") { place in
            switch place.state.phase {
            case .waiting(let asking, .backingOff), .waiting(let asking, .fallingBack): !asking.mayAskAgain
            default: true
            }
        }
        .always("S10: stop keeps what is shown, and ends it") { place in
            let stopped = place.reduced(.stopped).state
            return !stopped.isRunning && (!place.state.isRunning || stopped.keeps(place.state.shown))
        }
        .always("S9: without credentials nothing is asked") {
            $0.state.access != nil || $0.openCalls.isEmpty
        }
        .always("S6: a retry asks for the same message") { place in
            guard let question = place.state.question else { return true }
            let retried = place.reduced(.retried).state.question
            return retried?.client == question.client && retried?.text == question.text
        }
        .agesUpTo(.minutes(2))
        .always(.everyTimerHasAPurpose())
        .noGhosts()
        .leftAlone("S7: it comes to rest") { !$0.state.isRunning && !$0.hasDeadline }
    }
}

extension Streaming {
    /// Credentials that must be renewed before the question.
    static var expired: Access {
        Access(secret: SecretHandle("a"), expires: WallTime(nanosecondsSince1970: 0))
    }

    static var fresh: Access { Access(secret: SecretHandle("b")) }

    static func question(_ client: ClientID) -> Question {
        Question(conversation: "c", client: client, text: "hello")
    }

    /// The possible events of a call of each kind.
    static func likely(on call: Call) -> [Event] {
        switch call {
        case .stream: [.began("m"), .token("a"), .done("m", nil), .failed("no")]
        case .fallback: [.whole("w", "m", nil), .failed("no")]
        case .refresh: [.refreshed(fresh)]
        }
    }

    /// The possible events of any call, for drawn runs.
    static var events: [Event] {
        [
            .began(nil), .token(""), .token("e\u{301}"), .token("abc"), .flagged(["x", ""]), .done(nil, nil),
            .done("m", Usage(prompt: .max, completion: -1, total: 0)), .failed("\u{0}"), .refused("no"),
            .limited(until: WallTime(nanosecondsSince1970: .max)), .whole("", nil, nil),
            .whole("abc", "m", nil),
            .refreshed(expired), .skipped,
        ]
    }
}

extension Streaming.State {
    fileprivate var likely: [Streaming.Action] {
        [
            .asked(Streaming.question("k")), .retried, .stopped, .left, .dismissed, .accessChanged(nil),
            .accessChanged(Streaming.fresh),
        ]
    }

    fileprivate func drawn(_ choices: inout Choices) -> Streaming.Action? {
        let stale: [Streaming.Call] = [
            .stream(Attempt(number: .max)), .fallback(Attempt(number: .max)), .refresh(Attempt(number: .max)),
        ]
        let (text, kept) = (choices.pick(Choices.texts) ?? "", choices.pick(Choices.texts) ?? "")
        guard let call = choices.pick(stale), let event = choices.pick(Streaming.events) else { return nil }
        let question = Streaming.Question(conversation: "c", client: "l", text: text)
        let actions: [Streaming.Action] = [
            .asked(question), .asked(question, keeping: LongText(kept)), .retried, .stopped, .left,
            .dismissed, .backgrounded, .accessChanged(nil), .accessChanged(Streaming.expired),
            .accessChanged(Streaming.fresh), .received(event, on: call), .ended(call, .failed(.lost)),
        ]
        return choices.pick(actions)
    }

    /// The visible text.
    fileprivate var shown: LongText {
        switch phase {
        case .streaming(_, let reply), .waiting(_, .open(let reply)): reply.growth.shown
        case .interrupted(_, let partial): partial.text
        case .finished(let reply): reply.text
        case .idle, .waiting, .failed: LongText()
        }
    }

    fileprivate func keeps(_ text: LongText) -> Bool {
        text.isEmpty || shown.byteCount >= text.byteCount
    }
}
