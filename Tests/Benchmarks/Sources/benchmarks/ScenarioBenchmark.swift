// What a scenario test adds to a step: the machine, and the comparison of state and effects, beside the bare reducer of
// the same feature.

import AllocationCount
import ChatDomain
import ChatEffects
import ChatTesting

/// A feature with a call, so that its effects name attempts.
private struct Asking: Feature {
    struct State: DomainValue {
        var question: Attempt?
        var drafts: [ExactText] = ["Hello"]
        var count: UInt64 = 0
    }

    enum Action: FeatureAction {
        /// Counts, and asks for nothing.
        case count
        /// Closes the open call, opens another, and starts a timer.
        case ask

        case received(Never, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<CountRecord>, under: CountKey, Attempt)
        case timerFired(BenchmarkTimer)
    }

    enum Call: DomainValue, Normalizable {
        case ask(Attempt)

        mutating func normalize(_ form: inout NormalForm) {
            switch self {
            case .ask(var attempt):
                form.rename(&attempt)
                self = .ask(attempt)
            }
        }
    }

    typealias Request = ExactText
    typealias Frame = Never
    typealias Event = Never
    typealias Key = CountKey
    typealias Record = CountRecord
    typealias Timer = BenchmarkTimer

    @inline(never)
    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .count:
            state.count &+= 1
            return []
        case .ask:
            let former = state.question
            let attempt = context.nextAttempt()
            state.question = attempt
            let opening: [Effect] = [.open(.ask(attempt), "Why?"), .start(.retry, after: .seconds(1))]
            return former.map { [.close(.ask($0))] + opening } ?? opening
        case .received, .ended, .stored, .timerFired:
            return []
        }
    }
}

/// As many steps as a long test has.
private let steps = 100

/// The actions alone, a hundred scenarios one after the other.
private func bare(_ action: Asking.Action) -> Workload {
    Workload(
        operations: 100 * steps, prepare: { Asking.State() },
        run: { (state: inout Asking.State) in
            for _ in 0..<100 {
                var context = Context(moment: .start, entropy: .seeded(1))
                state = Asking.State()
                for _ in 0..<steps { black_hole(UInt64(Asking().reduce(&state, action, in: &context).count)) }
            }
        })
}

/// The same in scenarios.
private func scenarios(_ step: @escaping (inout Scenario<Asking>, UInt64) throws -> Void) -> Workload {
    Workload(
        operations: 100 * steps,
        prepare: { (0..<100).map { _ in Scenario(Asking(), state: Asking.State()) } },
        run: { scenarios in
            for index in scenarios.indices {
                for number in 1...UInt64(steps) {
                    do { try step(&scenarios[index], number) } catch { print(error) }
                }
            }
        })
}

/// Figures of scenario tests.
func benchmarkScenario(_ report: inout Report) {
    report.add(
        "scenario, step", scenarios { scenario, _ in try scenario.send(.count) { $0.count &+= 1 } },
        beside: ("bare reducer, step", bare(.count)), limits: [.nanoseconds(1_000, yardstick: 10)])
    report.add(
        "scenario, step with effects and attempts",
        scenarios { scenario, number in
            let (former, name) = (Attempt(number: number - 1), Attempt(number: number))
            let effects: [Asking.Effect] =
                number == 1
                ? [.open(.ask(name), "Why?"), .start(.retry, after: .seconds(1))]
                : [.close(.ask(former)), .open(.ask(name), "Why?"), .start(.retry, after: .seconds(1))]
            try scenario.send(.ask, effects: effects) { $0.question = $0[name] }
        },
        beside: ("bare reducer, step with effects", bare(.ask)), limits: [.nanoseconds(1_000, yardstick: 100)]
    )
}
