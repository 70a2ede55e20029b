// A broken law in words, and as the source text of a test.

import ChatDomain

/// The steps that lead to a broken law.
public struct Violation<Subject: World>: Error {
    /// The name of the law.
    public let law: String
    /// The breach.
    public let complaint: String
    /// The steps from the start, shrunk as far as possible.
    public internal(set) var steps: [Subject.Step]
    /// The seed of the run, if one was drawn.
    public internal(set) var seed: UInt64?
    /// The steps that are repeated for ever, for a broken promise; empty where nothing has to happen any more. `nil` for
    /// a broken law.
    public internal(set) var loop: [Subject.Step]?
    /// The time of each step since the start; empty where a world has no clock.
    var times: [Interval] = []

    init(_ law: String, _ complaint: String, _ steps: [Subject.Step]) {
        (self.law, self.complaint, self.steps) = (law, complaint, steps)
    }

    /// A run whose last step, or a law about its end, traps.
    init(trap steps: [Subject.Step], seed: UInt64? = nil, after extent: String? = nil) {
        let extent = extent.map { ", after \($0)" } ?? ""
        self.init("nothing traps", "is broken by the last step or by a law behind it" + extent, steps)
        self.seed = seed
    }

    /// A run on which a promise is never kept.
    init(promise: String, _ steps: [Subject.Step], forever loop: [Subject.Step]) {
        let complaint = loop.isEmpty ? "need not come: nothing has to happen any more" : "never comes"
        self.init(promise, complaint, steps)
        self.loop = loop
    }
}

extension Violation: CustomStringConvertible {
    /// The law, the steps with their times, and the call that repeats them.
    public var description: String {
        let seed = seed.map { " (seed \($0))" } ?? ""
        var lines = ["“\(law)” \(complaint)\(seed)"]
        for (index, step) in (steps + (loop ?? [])).enumerated() {
            if index == steps.count { lines.append("then, repeated for ever:") }
            let time = times.indices.contains(index) ? "  at \(times[index])" : ""
            lines.append("\(index + 1). \(Rendering.source(of: step))\(time)")
        }
        return (lines + ["", "as a test:", "", test]).joined(separator: "\n")
    }

    /// A test that repeats the steps. It names the exploration `exploration`, which the author of the test replaces.
    public var test: String {
        func list(_ steps: [Subject.Step]) -> String {
            let lines = steps.map { "            \(Rendering.source(of: $0)),\n" }.joined()
            return "[\n\(lines)        ]"
        }
        let arguments = [list(steps)] + (loop.map { ["forever: " + list($0)] } ?? [])
        return """
                @Test(\(law.quoted))
                func counterexample() throws {
                    try exploration.replay(\(arguments.joined(separator: ", ")))
                }
            """
    }
}
