// What the machine adds to an action: a feature that only counts, beside the bare reducer that does the same.

import AllocationCount
import ChatDomain
import ChatEffects

/// A feature whose actions cost as little as those of the bare reducer.
struct Counting: Feature {
    typealias State = UInt64

    enum Action: FeatureAction {
        /// Counts, and asks for nothing.
        case count
        /// Counts, and starts a timer anew, as each key in a composer does.
        case edit

        case received(Never, on: UInt64)
        case ended(UInt64, CallEnd)
        case stored(StorageAnswer<CountRecord>, under: CountKey, Attempt)
        case timerFired(BenchmarkTimer)
    }

    typealias Call = UInt64
    typealias Request = UInt64
    typealias Frame = UInt64
    typealias Event = Never
    typealias Key = CountKey
    typealias Record = CountRecord
    typealias Timer = BenchmarkTimer

    // Reducers are not generic, so no client has their code to inline.
    @inline(never)
    func reduce(_ state: inout UInt64, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .count:
            state &+= 1
            return []
        case .edit:
            state &+= 1
            return [.start(.retry, after: .seconds(1))]
        case .received, .ended, .stored, .timerFired:
            return []
        }
    }
}

struct CountKey: RecordKey {
    var path: RecordPath { RecordPath(["count"]) }
}

struct CountRecord: StoredRecord {
    typealias Key = CountKey

    func content(written: WallTime) -> RecordContent { .bytes([]) }

    static func read(_ bytes: [UInt8], under key: CountKey) -> RecordReading<CountRecord> { .damaged }
}

/// A backend that understands nothing, since nothing is sent or arrives.
struct SilentBackend<Subject: Feature>: Backend
where Subject.Key: RecordKey, Subject.Record: StoredRecord, Subject.Record.Key == Subject.Key {
    typealias Progress = UInt64

    func open(_ request: Subject.Request) -> (exchange: Exchange, progress: UInt64) {
        (.socket(path: ""), 0)
    }

    func send(
        _ frame: Subject.Frame, progress: inout UInt64, reaction: inout Reaction<Subject.Event>
    ) {}

    func receive(
        _ arrival: Arrival, progress: inout UInt64, reaction: inout Reaction<Subject.Event>
    ) {}
}

extension Moment {
    /// When benchmarks begin.
    static let start = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
}

/// The same action through one layer of composition, without effect.
private func composed() -> Workload {
    typealias Both = Beside<Counting, Counting>
    // One action for all: copying it out of an array is no part of a layer.
    let action = Both.Action.first(.count)
    return Workload(
        operations: 10_000,
        prepare: {
            Machine(
                Both(Counting(), Counting()), state: Both.State(0, 0), backend: SilentBackend<Both>(),
                moment: .start, entropy: .seeded(1))
        },
        run: { machine in
            var moment = Moment.start
            for _ in 0..<10_000 {
                moment = moment + Interval(nanoseconds: 1_000)
                machine.send(action, at: moment)
            }
            black_hole(machine.state.first)
        })
}

/// The same action over and over, a microsecond apart.
private func actions(_ action: Counting.Action) -> Workload {
    let actions = Array(repeating: action, count: 10_000)
    return Workload(
        operations: actions.count,
        prepare: {
            var machine = Machine(
                Counting(), state: 0, backend: SilentBackend<Counting>(), moment: .start, entropy: .seeded(1))
            machine.send(action, at: .start)
            return machine
        },
        run: { machine in
            var moment = Moment.start
            for action in actions {
                moment = moment + Interval(nanoseconds: 1_000)
                machine.send(action, at: moment)
            }
            black_hole(machine.state)
        })
}

/// Figures of the machine.
func benchmarkMachine(_ report: inout Report) {
    report.add(
        "machine, action", actions(.count), beside: ("bare reducer, action", Bare.action()),
        limits: [.ratio(3), .allocations(0)])
    report.add(
        "machine, action, one layer deeper", composed(), beside: ("machine, action", actions(.count)),
        limits: [.ratio(1.9), .allocations(0)])  // ten nanoseconds more
    // The one allocation is the array that holds the effect.
    report.add("machine, action that starts a timer", actions(.edit), limits: [.allocations(1)])
}
