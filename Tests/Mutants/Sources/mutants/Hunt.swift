// The search for each bug with one detector after the other, two bugs at a time, for the machines have two processors.
// Start at `Hunt.run`.

import Foundation

struct Finding: Sendable {
    let mutant: Mutant
    /// What caught the bug, and how; nothing for a gap.
    let caught: String?
    /// The processor's seconds of all detectors that were asked.
    let seconds: Double
}

struct Hunt: Sendable {
    let workshop: Workshop
    private let limits: Limits

    init(_ workshop: Workshop) { (self.workshop, limits) = (workshop, Limits(workshop)) }

    /// Looks for each bug. Throws when a detector finds something where no bug is.
    func run(_ mutants: [Mutant]) async throws -> [Finding] {
        try await withThrowingTaskGroup(of: Finding.self) { group in
            var (findings, rest): ([Finding], ArraySlice<Mutant>) = ([], mutants[...])
            for mutant in rest.prefix(2) { group.addTask { try await find(mutant) } }
            rest = rest.dropFirst(2)
            while let finding = try await group.next() {
                findings.append(finding)
                say(line(finding))
                if let next = rest.popFirst() { group.addTask { try await find(next) } }
            }
            return findings
        }
    }

    private func find(_ mutant: Mutant) async throws -> Finding {
        var seconds = 0.0
        for detector in Detector.all where detector.isFor(mutant) {
            let limit = try await limits.limit(of: detector)
            let run = try await detector.look(for: mutant.number, in: workshop, limit: limit)
            seconds += run.seconds
            guard run.end == .quiet else {
                let caught = detector.name + run.end.remark
                return Finding(mutant: mutant, caught: caught, seconds: seconds)
            }
        }
        return Finding(mutant: mutant, caught: nil, seconds: seconds)
    }

    private func line(_ finding: Finding) -> String {
        String(format: "%3d %6.2f s  ", finding.mutant.number, finding.seconds)
            + (finding.caught ?? "NOTHING")
    }
}

/// How long each detector may take: measured without a bug, before it is used for the first time.
private actor Limits {
    private let workshop: Workshop
    private var measured: [String: Task<Double, any Error>] = [:]

    init(_ workshop: Workshop) { self.workshop = workshop }

    func limit(of detector: Detector) async throws -> Double {
        let task = measured[detector.name] ?? Task { try await measure(detector) }
        measured[detector.name] = task
        return try await task.value
    }

    private nonisolated func measure(_ detector: Detector) async throws -> Double {
        // A detector that takes minutes is no use here.
        let run = try await detector.look(for: 0, in: workshop, limit: 300)
        guard run.end == .quiet else {
            throw Problem("“\(detector.name)” finds a bug where none is: \(run.end)")
        }
        say(String(format: "  0 %6.2f s  ", run.seconds) + detector.name)
        // Other work may make a run slower. Five seconds are more than the start of a process takes.
        return 5 * max(run.passed, 1)
    }
}
