// The results of runs: of one, and of a range of seeds that both cores share. The digest of a range is that of its runs
// in the order of their seeds, in any division of the work.

import ChatDomain
import ChatEffects
import Dispatch

/// The result of one run.
package struct SimulationReport: PlainValue {
    package let seed: UInt64
    package let steps: Int
    /// The time that has passed in the run.
    package let passed: Interval
    /// The digest of every byte that was sent or stored.
    package let digest: UInt64
    /// The law that did not hold, with its step; nil for a good run.
    package let violation: String?
    /// The last steps before it.
    package let trail: [String]

    /// Runs a seed, with the safety phase for that long; `nil` when `mayContinue` has stopped the run.
    package init?(seed: UInt64, for duration: Interval, while mayContinue: () -> Bool = { true }) {
        let trapped = { "seed \(seed), “nothing traps” is broken by a step or by a law behind it" }
        let ended = Trap.reporting(trapped) { () -> Simulation? in
            var run = Simulation(seed: seed)
            return run.run(for: duration, while: mayContinue) ? run : nil
        }
        guard let run = ended else { return nil }
        (self.seed, steps, passed, digest) = (seed, run.stepCount, run.passed, run.digest)
        guard let complaint = run.complaint else {
            (violation, trail) = (nil, [])
            return
        }
        // Writing steps down takes time, so only a failed run is repeated with it.
        var again = Simulation(seed: seed, isTraced: true)
        guard again.run(for: duration, while: mayContinue) else {
            (violation, trail) = (complaint, [])
            return
        }
        (violation, trail) = (again.complaint ?? "gone the second time", again.trail)
    }

    /// The description of a violation, with the steps before it.
    package var story: String? {
        violation.map { (["seed \(seed), \($0)"] + trail.map { "  " + $0 }).joined(separator: "\n") }
    }
}

/// The result of a range of seeds.
package struct SimulationSummary: PlainValue {
    package private(set) var runs = 0
    package private(set) var steps = 0
    package private(set) var passed = Interval.zero
    package private(set) var digest = Digest()
    /// The first failed run.
    package private(set) var violation: SimulationReport?

    package init() {}

    /// Runs that many seeds from the first on, until a law is broken or `mayContinue`, which is asked before every step,
    /// returns `false`. Then the summary is that of the seeds before the first run that was stopped, and of a law that
    /// a later one has broken. `progress` gets the summary now and then.
    package static func of(
        _ count: Int, from first: UInt64, for duration: Interval,
        while mayContinue: @escaping @Sendable () -> Bool = { true },
        telling progress: (SimulationSummary) -> Void = { _ in }
    ) -> SimulationSummary {
        var summary = SimulationSummary()
        // A batch is long enough to keep both cores busy, and short enough to report progress often.
        let batch = 16
        var done = 0
        while done < count, summary.violation == nil, mayContinue() {
            progress(summary)
            let (start, size) = (first &+ UInt64(done), min(batch, count - done))
            let written = Locked([SimulationReport?](repeating: nil, count: size))
            DispatchQueue.concurrentPerform(iterations: size) { index in
                let report = SimulationReport(seed: start &+ UInt64(index), for: duration, while: mayContinue)
                written.withLock { $0[index] = report }
            }
            let reports = written.withLock { $0 }
            for case let report? in reports.prefix(while: { $0 != nil }) where summary.violation == nil {
                summary.add(report)
            }
            summary.violation = summary.violation ?? reports.compactMap { $0 }.first { $0.violation != nil }
            done += size
        }
        return summary
    }

    private mutating func add(_ report: SimulationReport) {
        runs += 1
        steps += report.steps
        passed = passed + report.passed
        digest.add(report.digest)
        if report.violation != nil { violation = report }
    }
}
