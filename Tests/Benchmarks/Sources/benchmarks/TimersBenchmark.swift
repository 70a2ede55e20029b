// What a virtual timer costs, from its start to its firing, when half of the timers are cancelled.

import AllocationCount
import ChatDomain
import ChatEffects

enum BenchmarkTimer: DomainValue {
    case retry
    case row(UInt64)
}

/// Deadlines within an hour, the same in each run.
func randomDeadlines(_ count: Int) -> [Int64] {
    var entropy = Entropy.seeded(1)
    return (0..<count).map { _ in Int64(entropy.below(3_600_000_000_000)) }
}

/// Starts all timers, cancels every second one and fires the rest; one operation is one timer.
///
/// Each repeat has deadlines of its own: branches of a short run would be learned by heart otherwise.
private func timers(_ count: Int, repeats: Int = 1) -> Workload {
    let deadlines = randomDeadlines(count * repeats).map { Instant(nanoseconds: $0) }
    var table = TimerTable<BenchmarkTimer>()
    return Workload(operations: count * repeats, prepare: {}) { _ in
        for turn in 0..<repeats { run(&table, deadlines[turn * count..<(turn + 1) * count]) }
    }
}

/// Handed in, as a machine hands in its table: each use of a captured variable would be checked at run time.
private func run(_ table: inout TimerTable<BenchmarkTimer>, _ deadlines: ArraySlice<Instant>) {
    for (number, deadline) in deadlines.enumerated() { table.start(.row(UInt64(number)), at: deadline) }
    for number in stride(from: 0, to: deadlines.count, by: 2) { table.cancel(.row(UInt64(number))) }
    while let next = table.nextDeadline, let fired = table.popFirst(dueBy: next) {
        black_hole(UInt64(bitPattern: fired.deadline.nanoseconds))
    }
}

/// Restarts one timer over and over while a few others run: what a debounce or a watchdog does.
private func restarts(others: Int) -> Workload {
    let operations = 10_000
    var table = TimerTable<BenchmarkTimer>()
    for number in 0..<others { table.start(.row(UInt64(number)), at: .origin + .hours(1)) }
    return Workload(operations: operations, prepare: {}) { _ in restart(&table, times: operations) }
}

private func restart(_ table: inout TimerTable<BenchmarkTimer>, times: Int) {
    for number in 0..<times {
        table.start(.retry, at: Instant(nanoseconds: Int64(number)))
        black_hole(UInt64(bitPattern: table.nextDeadline?.nanoseconds ?? 0))
    }
}

/// Figures of the timer table; the limits are those of the design. However many timers run, the yardstick is a
/// heap of 10,000, as it was when the limit was set; that of 100,000 is told before.
func benchmarkTimers(_ report: inout Report) {
    let heap = (name: "bare heap of 10,000, push and pop", workload: Bare.heap(timers: 10_000))
    let limit = Limit.nanoseconds(200, yardstick: 106)
    report.add("bare heap of 100,000, push and pop", Bare.heap(timers: 100_000))
    report.add(
        "timer, 100,000 started, half cancelled", timers(100_000), beside: heap,
        limits: [limit, .allocations(0)])
    report.add(
        "timer, 10,000 started, half cancelled", timers(10_000, repeats: 10), beside: heap,
        limits: [limit, .allocations(0)])
    report.add(
        "timer, 1,000 started, half cancelled", timers(1_000, repeats: 100), beside: heap,
        limits: [limit, .allocations(0)])
    report.add(
        "timer, 6 started, half cancelled", timers(6, repeats: 10_000), beside: heap,
        limits: [limit, .allocations(0)])
    report.add(
        "timer restarted, 5 others run", restarts(others: 5), beside: heap,
        limits: [limit, .allocations(0)])
    report.add(
        "timer restarted, 10,000 others run", restarts(others: 10_000), beside: heap,
        limits: [limit, .allocations(0)])
}
