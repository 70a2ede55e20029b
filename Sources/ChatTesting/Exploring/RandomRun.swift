// One run with drawn or spelled choices, and the shrinking of a run that breaks a law: of its steps and of the times
// between them.

import ChatDomain

/// Runs a world with choices.
struct RandomRun<Subject: World>: Sendable {
    var start: Subject
    var laws: [Law<Subject>]
    /// Draws a step that no list holds, such as one with a text or a time among endless ones.
    var draw: @Sendable (Subject, inout Choices) -> Subject.Step?
    /// Whether a list holds a step in a world, or it can be drawn.
    var isPossible: @Sendable (Subject, Subject.Step) -> Bool
    /// Simpler steps in place of one, the simplest first.
    var simpler: @Sendable (Subject.Step) -> [Subject.Step]

    /// Runs at most that many steps, or until the choices end. Returns the violation, shrunk.
    func run(
        _ choices: Choices, steps count: Int, seed: UInt64? = nil
    ) -> (steps: Int, violation: Violation<Subject>?) {
        var taken: [Subject.Step] = []
        return Trap.reporting({ Violation<Subject>(trap: taken, seed: seed).description }) {
            var (world, choices, list): (Subject, Choices, [Subject.Step]) = (start, choices, [])
            for number in 0..<count {
                list.removeAll(keepingCapacity: true)
                world.steps(into: &list)
                // One more than the list: a drawn step counts as one alternative among many, but at least as a fifth.
                let share = max(list.count / 4, 1)
                guard let choice = choices.below(list.count + share) else { return (number, nil) }
                let step = choice < list.count ? list[choice] : draw(world, &choices) ?? choices.pick(list)
                guard let step else { return (number, nil) }
                taken.append(step)
                world.take(step)
                for law in laws {
                    guard let complaint = law.complaint(world) else { continue }
                    return (number + 1, shrunk(Violation(law.name, complaint, taken), law))
                }
            }
            return (count, nil)
        }
    }

    /// The first breach of a law by a list of steps, and the number of steps before it; `nil` if there is none.
    func complaint(_ steps: [Subject.Step], _ law: Law<Subject>) -> (complaint: String, after: Int)? {
        var world = start
        if let complaint = law.complaint(world) { return (complaint, 0) }
        for (index, step) in steps.enumerated() {
            world.take(step)
            if let complaint = law.complaint(world) { return (complaint, index + 1) }
        }
        return nil
    }

    /// The steps up to the first breach of a law, without those that are not possible where they come: what nobody can do
    /// breaks no law. `nil` if there is no breach.
    private func breach(_ steps: [Subject.Step], _ law: Law<Subject>) -> [Subject.Step]? {
        var taken: [Subject.Step] = []
        return Trap.reporting({ Violation<Subject>(trap: taken).description }) {
            var world = start
            if law.complaint(world) != nil { return taken }
            for step in steps where isPossible(world, step) {
                taken.append(step)
                world.take(step)
                if law.complaint(world) != nil { return taken }
            }
            return nil
        }
    }

    /// A violation with fewer and simpler steps that breaks the same law. First whole stretches are removed, then
    /// single steps; then each step is replaced by a simpler one, until no change is possible. Each replay ends at the
    /// first breach.
    func shrunk(_ violation: Violation<Subject>, _ law: Law<Subject>) -> Violation<Subject> {
        var best = violation.steps
        func takes(_ candidate: [Subject.Step]) -> Bool {
            guard let run = breach(candidate, law) else { return false }
            best = run
            return true
        }
        _ = takes(best)
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var length = (best.count + 1) / 2
            while length >= 1 {
                var position = 0
                while position < best.count {
                    var candidate = best
                    candidate.removeSubrange(position..<min(position + length, best.count))
                    // Stretches overlap by half, so that two steps which depend on each other go together.
                    if takes(candidate) { hasChanged = true } else { position += max(length / 2, 1) }
                }
                // Rounded up, so that every list comes to pairs.
                length = length > 1 ? (length + 1) / 2 : 0
            }
            for position in best.indices {
                guard position < best.count else { break }
                for simpler in simpler(best[position]) where simpler != best[position] {
                    var candidate = best
                    candidate[position] = simpler
                    guard takes(candidate) else { continue }
                    hasChanged = true
                    break
                }
            }
        }
        let found = complaint(best, law)?.complaint ?? violation.complaint
        return Violation(law.name, found, best)
    }
}
