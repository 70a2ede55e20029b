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

    /// Runs a seed, with the safety phase for that long.
    package init(seed: UInt64, for duration: Interval) {
        var run = Simulation(seed: seed)
        run.run(for: duration)
        (self.seed, steps, passed, digest) = (seed, run.stepCount, run.passed, run.digest)
        guard run.complaint != nil else {
            (violation, trail) = (nil, [])
            return
        }
        // Writing steps down takes time, so only a failed run is repeated with it.
        var again = Simulation(seed: seed, isTraced: true)
        again.run(for: duration)
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

    /// Runs that many seeds from the first on, until a law is broken or `mayContinue` returns `false`.
    package static func of(
        _ count: Int, from first: UInt64, for duration: Interval,
        mayContinue: @escaping @Sendable (SimulationSummary) -> Bool
    ) -> SimulationSummary {
        var summary = SimulationSummary()
        // A batch is long enough to keep both cores busy, and short enough to stop within seconds.
        let batch = 16
        var done = 0
        while done < count, summary.violation == nil, mayContinue(summary) {
            let (start, size) = (first &+ UInt64(done), min(batch, count - done))
            let reports = Locked([SimulationReport?](repeating: nil, count: size))
            DispatchQueue.concurrentPerform(iterations: size) { index in
                let report = SimulationReport(seed: start &+ UInt64(index), for: duration)
                reports.withLock { $0[index] = report }
            }
            for case let report? in reports.withLock({ $0 }) where summary.violation == nil {
                summary.add(report)
            }
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
