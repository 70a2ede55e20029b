// A feature whose normal form leaves out too much, or too little, when it is asked to: by it the property is seen to fail.

import ChatDomain
import ChatEffects

/// Counts taps, and asks once when there were three.
struct Taps: NormalFeature {
    enum Mistake: DomainValue {
        /// The count is left out, although the question depends on it.
        case leavesOutTheCount
        /// The attempt is left in, although it is only compared.
        case leavesInTheAttempt
        /// The instant is left out, although a later tap depends on it.
        case leavesOutTheInstant
    }

    var mistake: Mistake?

    struct State: DomainValue {
        var count: Int64 = 0
        var tapped: Instant?
        var asked: Attempt?
        var mistake: Mistake?
    }

    enum Call: DomainValue { case ask(Attempt) }
    enum Timer: DomainValue { case rest }

    enum Action: FeatureAction {
        case tapped
        case received(Bool, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Request = Int64
    typealias Frame = Never
    typealias Event = Bool
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .tapped:
            // Taps within a second of the last do not count.
            if let last = state.tapped, context.now - last < .seconds(1) { return [] }
            state.tapped = context.now
            state.count += 1
            guard state.count == 3 else { return [.start(.rest, after: .seconds(5))] }
            let attempt = context.nextAttempt()
            (state.count, state.asked) = (0, attempt)
            return [.open(.ask(attempt), 3)]
        case .ended(.ask(let attempt), _):
            if state.asked == attempt { state.asked = nil }
            return []
        case .received, .stored, .timerFired: return []
        }
    }

    static func story(_ mistake: Mistake?) -> Story<Taps> {
        Story(
            feature: Taps(mistake: mistake), state: State(mistake: mistake), person: { _, _, _ in .tapped },
            event: { _, _, _, _, _ in true },
            waits: [.milliseconds(400), .seconds(1), .seconds(5)])
    }
}

extension Taps.State: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        if mistake == .leavesOutTheCount { count = 0 }
        // A tap that no longer matters is forgotten.
        if let last = tapped, form.moment.now - last >= .seconds(1) { tapped = nil }
        if mistake == .leavesOutTheInstant { tapped = nil }
        tapped.normalize(&form)
        if mistake != .leavesInTheAttempt { asked.normalize(&form) }
    }
}

extension Taps.Call: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        guard case .ask(var attempt) = self else { return }
        form.rename(&attempt)
        self = .ask(attempt)
    }
}

extension Taps.Timer: Normalizable {}
extension Int64: Normalizable {}
