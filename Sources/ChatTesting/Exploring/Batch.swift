// Some states of one layer of a search, processed on all processors: first every step is taken from each of them, later
// the laws are checked for the new states. Each processor takes a part and reads the table of seen states, which does
// not change meanwhile.

import Dispatch

/// A state whose steps are not taken yet.
struct Standing<Subject: World>: Sendable {
    let number: UInt32
    let fingerprint: Fingerprint
    let world: Kept<Subject>
}

/// A world behind a reference: a world is a kilobyte wide, and a found one moves through several lists.
final class Kept<Subject: World>: Sendable {
    let world: Subject

    init(_ world: Subject) { self.world = world }
}

/// The work on a part of a layer.
struct Batch<Subject: World> {
    /// The number of states of a batch. It takes some hundredths of a second, so that progress is reported and memory
    /// is freed often, and the processors seldom wait for each other.
    static var size: Int { 4_096 }
    /// The number of states that a processor takes at once. So few are found twice, and no processor waits long at the
    /// end. Below sixteen, the distribution of the work costs as much as it saves.
    private func share(of count: Int) -> Int { min(max(count / (search.processors * 4), 16), 256) }

    struct Found {
        let fingerprint: Fingerprint
        let world: Kept<Subject>
        let parent: UInt32
        let choice: UInt32
    }

    struct Edge {
        let from: UInt32
        let choice: UInt32
        let to: Fingerprint
    }

    /// The results of one processor.
    struct Part {
        var found: [Found] = []
        var edges: [Edge] = []
        /// The states where a promise is not kept, with its number; only kept for promises, as the edges are.
        var bad: [(state: UInt32, promise: Int, isEnd: Bool)] = []
        var transitions = 0
        var arrows: Set<StateDiagram.Arrow> = []
        /// The first step that breaks a law of steps.
        var broken: BrokenStep?
        /// Whether the search was stopped before the steps of its last state were taken.
        var isCut = false
    }

    /// The state whose steps are taken, and the one that is under way.
    private final class Standpoint {
        var state: UInt32 = 0
        var choice: UInt32?
    }

    /// A state that breaks a law.
    struct Broken {
        let number: UInt32
        let law: String
        let complaint: String
    }

    /// A step that breaks a law of steps.
    struct BrokenStep {
        let from: UInt32
        let choice: UInt32
        let law: String
        let complaint: String
    }

    private let search: Search<Subject>
    /// The words for a trap, by the state where it happens and the choices that are taken from it.
    private let lastWords: @Sendable (_ from: UInt32, _ choices: [UInt32]) -> String

    init(
        _ search: Search<Subject>,
        lastWords: @escaping @Sendable (_ from: UInt32, _ choices: [UInt32]) -> String
    ) {
        (self.search, self.lastWords) = (search, lastWords)
    }

    /// Takes every step from each of these states.
    func leave(_ worlds: [Standing<Subject>], _ seen: SeenStates) -> [Part] {
        inParts(of: worlds) { part in
            let place = Standpoint()
            return Trap.reporting({ lastWords(place.state, place.choice.map { [$0] } ?? []) }) {
                leave(part, seen, noting: place)
            }
        }
    }

    /// Checks the laws for these states. Returns the first that breaks one, and whether the search was stopped.
    func judge(_ worlds: [Standing<Subject>]) -> (broken: Broken?, isCut: Bool) {
        let parts = inParts(of: worlds) { part -> (Broken?, Bool) in
            var number: UInt32 = 0
            return Trap.reporting({ lastWords(number, []) }) {
                for state in part {
                    if search.isCancelled() { return (nil, true) }
                    number = state.number
                    guard let (law, complaint) = search.broken(state.world.world) else { continue }
                    return (Broken(number: number, law: law, complaint: complaint), false)
                }
                return (nil, false)
            }
        }
        return (parts.first { $0.0 != nil }?.0, parts.contains { $0.1 })
    }

    /// Works on all parts, and returns their results, in order.
    private func inParts<Result>(
        of worlds: [Standing<Subject>], _ work: @Sendable (ArraySlice<Standing<Subject>>) -> Result
    ) -> [Result] {
        let share = share(of: worlds.count)
        let count = (worlds.count + share - 1) / share
        let part: @Sendable (Int) -> ArraySlice<Standing<Subject>> = { index in
            worlds[index * share..<min((index + 1) * share, worlds.count)]
        }
        guard search.processors > 1, count > 1 else { return (0..<count).map { work(part($0)) } }
        var results: [Result?] = Array(repeating: nil, count: count)
        results.withUnsafeMutableBufferPointer { results in
            // Each index is written by one iteration alone.
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: count) { results[$0] = work(part($0)) }
        }
        return results.compactMap { $0 }
    }

    private func leave(
        _ worlds: ArraySlice<Standing<Subject>>, _ seen: SeenStates,
        noting place: Standpoint
    ) -> Part {
        var part = Part()
        var local: Set<Fingerprint> = []
        var steps: [Subject.Step] = []
        let keepsEdges = !search.promises.isEmpty
        let stepLaws = search.laws.filter { $0.stepComplaint != nil }
        for state in worlds {
            if search.isCancelled() {
                part.isCut = true
                break
            }
            // One copy for all its steps: each call with a value behind a reference would make its own.
            let world = state.world.world
            (place.state, place.choice) = (state.number, nil)
            steps.removeAll(keepingCapacity: true)
            world.steps(into: &steps)
            for (index, promise) in search.promises.enumerated() where !promise.isKept(world) {
                part.bad.append((state.number, index, !steps.contains(where: promise.isFair)))
            }
            part.transitions += steps.count
            let phase = search.drawing?.phase(world)
            var next = world
            for (choice, step) in steps.enumerated() {
                let choice = UInt32(truncatingIfNeeded: choice)
                place.choice = choice
                next.take(step)
                let hasChanged = next != world
                let fingerprint = hasChanged ? Fingerprint(next) : state.fingerprint
                if hasChanged, let phase, let arrow = search.drawing?.arrow(phase, world, step, next) {
                    part.arrows.insert(arrow)
                }
                if keepsEdges {
                    part.edges.append(Edge(from: state.number, choice: choice, to: fingerprint))
                }
                // Also where the step changes nothing, or leads to a known state: a law may say that it must not.
                for law in stepLaws where part.broken == nil {
                    guard let complaint = law.stepComplaint?(world, step, next) else { continue }
                    part.broken = BrokenStep(
                        from: state.number, choice: choice, law: law.name, complaint: complaint)
                }
                // Most steps change nothing; the copy, which equals the state, then takes the next step as well.
                guard hasChanged else { continue }
                if seen.number(of: fingerprint) == nil, local.insert(fingerprint).inserted {
                    part.found.append(
                        Found(
                            fingerprint: fingerprint, world: Kept(consume next), parent: state.number,
                            choice: choice))
                }
                next = world
            }
        }
        return part
    }
}
