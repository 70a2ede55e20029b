// Smart replies, explored: suggestions of two kinds. One at a time grows, is selected, taken or dismissed, and is found
// again in the cache until it is too old or has no room.

import ChatDomain
import ChatEffects

extension SmartReplies: Explorable {}

extension Explore where Codec == Uncoded<SmartReplies> {
    /// Two kinds of suggestion, and a cache with room for one.
    static var suggestions: Explore {
        var configuration = SmartReplies.Configuration()
        configuration.streaming = .brief(hasFallback: true, canRefresh: false)
        configuration.streaming.replyTextLimit = 1
        configuration.cacheLimit = 1
        configuration.cacheLifetime = .milliseconds(600)
        return Explore(
            SmartReplies(configuration: configuration),
            from: SmartReplies.State(configuration: configuration, access: Streaming.fresh),
            [
                .person(
                    .requested(.short, SmartReplies.last), .requested(.funny, SmartReplies.last), .retried,
                    .taken, .dismissed, .left, .memoryWarned, .accessChanged(nil),
                    .accessChanged(Streaming.fresh)),
                .drawn { SmartReplies.drawn(&$1) }, .time(upTo: .seconds(1)),
                .calls { Streaming.likely(on: $0) },
                .ends(.completed, .failed(.lost)),
                .clock(.deadline),
            ]
        )
        .agesUpTo(.seconds(1))
        .always(.everySpinnerHasALimit { replySpinner($0.reply, $1) })
        .always(.bounded(calls: 1, operations: 0))
        .always(.idempotent(.dismissed), .idempotent(.left), .idempotent(.taken))
        .always(.startsNothing(.dismissed), .startsNothing(.left), .startsNothing(.accessChanged(nil)))
        .always("S14: a reply grows only for a kind that was asked for") { place in
            guard place.state.reply.isRunning else { return place.openCalls.isEmpty && !place.hasDeadline }
            return if case .asked = place.state.phase { true } else { false }
        }
        .always("S14: what is selected has text, and none grows beside it") { place in
            guard let text = place.state.selected else { return true }
            return !text.isEmpty && !place.state.reply.isRunning
        }
        .always("S14: dismissing clears it") { place in
            let dismissed = place.reduced(.dismissed).state
            return dismissed.phase == .idle && !dismissed.reply.isRunning
        }
        .always(.everyTimerHasAPurpose())
        .noGhosts()
        .leftAlone("S7: it comes to rest") { !$0.state.reply.isRunning && !$0.hasDeadline }
    }
}

extension SmartReplies {
    fileprivate static var last: Target { Target(conversation: "c", message: "m", text: "hello") }

    fileprivate static func drawn(_ choices: inout Choices) -> Action? {
        let kinds: [Kind] = Kind.shipped + [.own("kind")]
        let stale: [Call] = [.stream(Attempt(number: .max)), .fallback(Attempt(number: .max))]
        let text = choices.pick(Choices.texts) ?? ""
        guard let kind = choices.pick(kinds), let call = choices.pick(stale),
            let event = choices.pick(Streaming.events)
        else { return nil }
        let target = Target(conversation: "c", message: choices.below(2) == 0 ? "m" : "n", text: text)
        let actions: [Action] = [
            .requested(kind, target), .requested(kind, last), .retried, .taken, .dismissed, .left,
            .backgrounded, .memoryWarned, .accessChanged(nil), .accessChanged(Streaming.fresh),
            .accessChanged(Streaming.expired), .received(event, on: call), .ended(call, .completed),
        ]
        return choices.pick(actions)
    }
}
