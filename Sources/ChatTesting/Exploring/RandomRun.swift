// One run with drawn or spelled choices, and the shrinking of a run that breaks a law: of its steps and of the times
// between them.

import ChatDomain

/// Runs a world with choices.
struct RandomRun<Subject: ShrinkableWorld>: Sendable {
    /// A step of a run, and whether it was drawn: what a list offered must stand in it wherever shrinking moves it.
    struct Taken: Equatable, Sendable {
        var step: Subject.Step
        let isDrawn: Bool
    }

    var start: Subject
    var laws: [Law<Subject>]

    /// Runs at most that many steps, or until the choices end. Returns the violation, shrunk.
    func run(
        _ choices: Choices, steps count: Int, seed: UInt64? = nil
    ) -> (steps: Int, violation: Violation<Subject>?) {
        var taken: [Taken] = []
        return Trap.reporting({ Violation<Subject>(trap: taken.map { $0.step }, seed: seed).description }) {
            var (world, choices, list): (Subject, Choices, [Subject.Step]) = (start, choices, [])
            for number in 0..<max(count, 0) {
                list.removeAll(keepingCapacity: true)
                world.steps(into: &list)
                // One more than the list: a drawn step counts as one alternative among many, but at least as a fifth.
                let share = max(list.count / 4, 1)
                guard let choice = choices.below(list.count + share) else { return (number, nil) }
                let drawn = choice < list.count ? nil : world.drawn(&choices)
                let listed = choice < list.count ? list[choice] : drawn == nil ? choices.pick(list) : nil
                guard let step = drawn ?? listed else { return (number, nil) }
                taken.append(Taken(step: step, isDrawn: drawn != nil))
                let before = world
                world.take(step)
                for law in laws {
                    guard let complaint = law.breach(before, step, world) else { continue }
                    return (number + 1, shrunk(taken, complaint, law))
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
            let before = world
            world.take(step)
            if let complaint = law.breach(before, step, world) { return (complaint, index + 1) }
        }
        return nil
    }

    /// The steps up to the first breach of a law, without those that are not possible where they come: what nobody can do
    /// breaks no law. `nil` if there is no breach.
    private func breach(_ steps: [Taken], _ law: Law<Subject>) -> (steps: [Taken], complaint: String)? {
        var taken: [Taken] = []
        return Trap.reporting({ Violation<Subject>(trap: taken.map { $0.step }).description }) {
            var world = start
            if let complaint = law.complaint(world) { return (taken, complaint) }
            for step in steps {
                guard let possible = world.possible(step.step, isDrawn: step.isDrawn) else { continue }
                taken.append(Taken(step: possible, isDrawn: step.isDrawn))
                let before = world
                world.take(possible)
                if let complaint = law.breach(before, possible, world) { return (taken, complaint) }
            }
            return nil
        }
    }

    /// The worlds before each step, and behind the last.
    private func worlds(_ steps: [Taken]) -> [Subject] {
        var world = start
        return [start]
            + steps.map { taken in
                world.take(taken.step)
                return world
            }
    }

    /// The steps without a stretch, where each later one names what it has named with it, and goes with what the stretch
    /// has begun. What the stretch has ended stands among the others again. `nil` if that moves nothing.
    private func without(_ stretch: Range<Int>, _ steps: [Taken], _ worlds: [Subject]) -> [Taken]? {
        var (ended, begun): ([Positioned: [UInt64]], [Positioned: [UInt64]]) = ([:], [:])
        for kind in Positioned.allCases {
            let before = worlds[stretch.lowerBound].numbers(kind)
            let after = worlds[stretch.upperBound].numbers(kind)
            ended[kind] = before.filter { !after.contains($0) }
            begun[kind] = after.filter { !before.contains($0) }
        }
        guard !ended.values.allSatisfy({ $0.isEmpty }) || !begun.values.allSatisfy({ $0.isEmpty }) else {
            return nil
        }
        let later = steps[stretch.upperBound...]
        let process = later.firstIndex { Subject.beginsProcess($0.step) } ?? steps.endIndex
        let moved = (stretch.upperBound..<process).compactMap { index in
            let step = Subject.moved(steps[index].step) { kind, position in
                let numbers = worlds[index].numbers(kind)
                let (ended, begun) = (ended[kind] ?? [], begun[kind] ?? [])
                guard numbers.indices.contains(position), !begun.contains(numbers[position]) else {
                    return nil
                }
                return position + ended.count { $0 < numbers[position] }
                    - numbers[..<position].count { begun.contains($0) }
            }
            return step.map { Taken(step: $0, isDrawn: steps[index].isDrawn) }
        }
        return moved == Array(later[..<process])
            ? nil : Array(steps[..<stretch.lowerBound]) + moved + Array(steps[process...])
    }

    /// The breach of a law with fewer and simpler steps that break it too. First whole stretches are removed, then
    /// single steps; then each step is replaced by a simpler one, until no change is possible. Each replay ends at the
    /// first breach.
    func shrunk(_ steps: [Taken], _ complaint: String, _ law: Law<Subject>) -> Violation<Subject> {
        var (best, complaint) = (steps, complaint)
        /// The worlds of the best, once they are asked for.
        var known: [Subject]?
        func takes(_ candidate: [Taken]) -> Bool {
            guard let run = breach(candidate, law) else { return false }
            (best, complaint, known) = (run.steps, run.complaint, nil)
            return true
        }
        func worldsOfBest() -> [Subject] {
            let worlds = known ?? worlds(best)
            known = worlds
            return worlds
        }
        func shortens(_ stretch: Range<Int>) -> Bool {
            var candidate = best
            candidate.removeSubrange(stretch)
            if takes(candidate) { return true }
            return without(stretch, best, worldsOfBest()).map { takes($0) } ?? false
        }
        _ = takes(best)
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var length = (best.count + 1) / 2
            while length >= 1 {
                var position = 0
                while position < best.count {
                    let stretch = position..<min(position + length, best.count)
                    // Stretches overlap by half, so that two steps which depend on each other go together.
                    if shortens(stretch) { hasChanged = true } else { position += max(length / 2, 1) }
                }
                // Rounded up, so that every list comes to pairs.
                length = length > 1 ? (length + 1) / 2 : 0
            }
            for position in best.indices {
                guard position < best.count else { break }
                let step = best[position].step
                for simpler in worldsOfBest()[position].simpler(step) where simpler != step {
                    var candidate = best
                    candidate[position].step = simpler
                    guard takes(candidate) else { continue }
                    hasChanged = true
                    break
                }
            }
        }
        return Violation(law.name, complaint, best.map { $0.step })
    }
}
