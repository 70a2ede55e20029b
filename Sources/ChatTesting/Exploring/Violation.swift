// A broken law as a person reads it, and as a test that can be pasted.

import ChatDomain

/// The steps that lead to a broken law.
public struct Violation<Subject: World>: Error {
    /// The name of the law.
    public let law: String
    /// How it is broken.
    public let complaint: String
    /// The steps from the start, as few as were found.
    public internal(set) var steps: [Subject.Step]
    /// The seed of the run, if one was drawn.
    public internal(set) var seed: UInt64?
    /// The steps that are gone round for ever, for a broken promise; otherwise empty.
    public internal(set) var loop: [Subject.Step] = []
    /// When each step was over, since the start; empty where a world has no clock.
    var times: [Interval] = []

    init(_ law: String, _ complaint: String, _ steps: [Subject.Step]) {
        (self.law, self.complaint, self.steps) = (law, complaint, steps)
    }
}

extension Violation: CustomStringConvertible {
    /// The law, the steps with their times, and the call that repeats them.
    public var description: String {
        let seed = seed.map { " (seed \($0))" } ?? ""
        var lines = ["“\(law)” \(complaint)\(seed)"]
        for (index, step) in (steps + loop).enumerated() {
            if index == steps.count { lines.append("and for ever round:") }
            let time = times.indices.contains(index) ? "  at \(times[index])" : ""
            lines.append("\(index + 1). \(Rendering.source(of: step))\(time)")
        }
        return (lines + ["", "as a test:", "", test]).joined(separator: "\n")
    }

    /// A test that repeats the steps. It names the exploration `exploration`, which the test's author puts in.
    public var test: String {
        let list = (steps + loop).map { "            \(Rendering.source(of: $0)),\n" }.joined()
        return """
                @Test("\(law.replacing("\"", with: "'"))")
                func counterexample() throws {
                    try exploration.replay([
            \(list)        ])
                }
            """
    }
}
