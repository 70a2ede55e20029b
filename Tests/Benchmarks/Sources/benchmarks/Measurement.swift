// How a figure is made. A workload is prepared out of the clock's sight and then run as a whole; that is one
// round. Of several rounds the least time is the figure (everything that disturbs a run makes it longer),
// beside the median, which tells how quiet the machine was. A subject and its yardstick take turns, so that
// a noisy minute falls on both; how many times the yardstick it takes is asked in each turn, and the median of
// the answers counts. The least of one divided by the least of the other would rest on two lucky moments.
//
// Each turn runs a workload once before the round that counts. Both are measured as if they were alone then, with
// what they use in the caches: after a turn of the other, which has other memory, the one that needs less of it would
// look dearer than it is.

import AllocationCount

/// Something to be measured: so many operations on something that is prepared anew for each round.
struct Workload {
    /// How many operations one round carries out.
    let operations: Int
    /// Runs one round and says what its operations took together.
    let round: () -> (nanoseconds: Int64, allocations: Int64)

    /// A workload whose `run` carries out all operations on what `prepare` made.
    ///
    /// What `run` leaves behind is torn down after the clock has stopped.
    init<Subject>(
        operations: Int, prepare: @escaping () -> Subject, run: @escaping (inout Subject) -> Void
    ) {
        self.operations = operations
        round = {
            var subject = prepare()
            let allocations = allocation_count()
            let start = monotonic_nanoseconds()
            run(&subject)
            let end = monotonic_nanoseconds()
            let allocated = allocation_count() - allocations
            withExtendedLifetime(subject) {}
            return (end - start, allocated)
        }
    }
}

/// What one operation of a workload costs.
struct Figure {
    /// The least over the rounds.
    let nanoseconds: Double
    /// The median over the rounds.
    let median: Double
    /// The least over the rounds; `nil` where they cannot be counted.
    let allocations: Double?

    init(_ rounds: [(nanoseconds: Int64, allocations: Int64)], operations: Int) {
        let times = rounds.map { Double($0.nanoseconds) / Double(operations) }.sorted()
        nanoseconds = times.first ?? 0
        median = times.isEmpty ? 0 : times[times.count / 2]
        let least = rounds.map { $0.allocations }.min() ?? 0
        allocations = allocation_count() < 0 ? nil : Double(least) / Double(operations)
    }
}

/// Measures a workload.
func measure(_ subject: Workload, rounds: Int = 15) -> Figure {
    Figure((0..<rounds).map { _ in subject.round() }, operations: subject.operations)
}

/// Measures a workload and its yardstick, turn by turn, and how many times the yardstick the workload takes.
func measure(
    _ subject: Workload, beside yardstick: Workload, rounds: Int = 15
) -> (Figure, Figure, ratio: Double) {
    var times: [(nanoseconds: Int64, allocations: Int64)] = []
    var yardstickTimes = times
    for _ in 0..<rounds {
        _ = yardstick.round()
        yardstickTimes.append(yardstick.round())
        _ = subject.round()
        times.append(subject.round())
    }
    let ratios = zip(times, yardstickTimes).map { time, unit in
        Double(time.nanoseconds) * Double(yardstick.operations)
            / (Double(unit.nanoseconds) * Double(subject.operations))
    }
    return (
        Figure(times, operations: subject.operations),
        Figure(yardstickTimes, operations: yardstick.operations),
        ratios.sorted()[rounds / 2]
    )
}
