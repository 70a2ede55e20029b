// A feature whose events carry a time, and which draws a number; a search knows its states by a complete normal form.

import ChatDomain
import ChatEffects
import ChatTesting

/// A pass that is shown until its time, and a stamp on it, one of three. One that is over when it comes stays shown.
struct Pass: Feature, Explorable {
    struct State: DomainValue, Normalizable {
        var asked: Attempt?
        var until: WallTime?
        var stamp: UInt64?

        mutating func normalize(_ form: inout NormalForm) {
            asked.normalize(&form)
            until.normalize(&form)
        }
    }

    enum Call: DomainValue, Normalizable {
        case pass(Attempt)

        mutating func normalize(_ form: inout NormalForm) {
            guard case .pass(let attempt) = self else { return }
            self = .pass(form.normal(attempt))
        }
    }

    enum Timer: DomainValue, Normalizable { case over }

    enum Event: DomainValue { case granted(until: WallTime) }

    enum Action: FeatureAction {
        case asked
        case found(until: WallTime)
        case stamped
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Request = Bool
    typealias Frame = Never
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .asked:
            guard state.asked == nil else { return [] }
            let attempt = context.nextAttempt()
            state.asked = attempt
            return [.open(.pass(attempt), true)]
        case .received(.granted(let until), _), .found(let until):
            state.until = until
            return until > context.wall ? [.start(.over, after: until - context.wall)] : []
        case .stamped: state.stamp = context.entropy.below(3)
        case .ended: state.asked = nil
        case .timerFired(.over): state.until = nil
        }
        return []
    }

    static func exploration(_ happenings: Happening<Pass>...) -> Explore<Uncoded<Pass>> {
        Explore(Pass(), from: State(), happenings + [.clock(.deadline)])
    }
}
