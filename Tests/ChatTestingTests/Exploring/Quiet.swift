// A feature that stores a time, and says nothing of it to a search: what it does in one state depends on the clock.

import ChatDomain
import ChatEffects
import ChatTesting

/// A search that asks half a second after the last letter, and nothing for a second after a refusal.
struct Quiet: Feature, Explorable {
    struct State: DomainValue {
        var query: ExactText = ""
        var asking: Attempt?
        var quietUntil: Instant?
    }

    enum Call: DomainValue { case search(Attempt) }
    enum Timer: DomainValue { case pause }

    enum Action: FeatureAction {
        case typed(ExactText)
        case received(Never, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Request = ExactText
    typealias Frame = Never
    typealias Event = Never
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .typed(let query):
            state.query = query
            return [.start(.pause, after: .milliseconds(500))]
        case .timerFired(.pause):
            guard state.asking == nil, state.quietUntil ?? .origin <= context.now else { return [] }
            let attempt = context.nextAttempt()
            state.asking = attempt
            return [.open(.search(attempt), state.query)]
        case .ended(_, .refused): (state.asking, state.quietUntil) = (nil, context.now + .seconds(1))
        case .ended: state.asking = nil
        }
        return []
    }

    static var exploration: Explore<Uncoded<Quiet>> {
        Explore(
            Quiet(), from: State(),
            [
                .person(.typed("a")), .ends(.refused(status: 429, retryAfter: nil, message: "")),
                .clock(.deadline),
            ])
    }
}
