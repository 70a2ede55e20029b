// Visits every reachable state, breadth first, so that a broken law is found on a shortest way. A state is known by the
// fingerprint of its normal form; the ways to states are kept as links, and the states themselves only until their
// steps are taken.
//
// A layer is processed in batches (`Batch`), each on all processors. The states that a batch finds are entered in
// order, and the laws are checked for the entered states. So each state is checked once, and the result does not depend
// on the distribution of the work. The laws of steps are checked where a step is taken.

/// An exhaustive search.
struct Search<Subject: World>: Sendable {
    var start: Subject
    var laws: [Law<Subject>]
    var promises: [Promise<Subject>] = []
    var greatestDepth = Int.max
    /// Five million states take 2 to 4 GB.
    var greatestCount = 5_000_000
    var processors = 2
    /// Names the phase of a world and the step that leaves it, for a diagram; `nil` without a diagram.
    var drawing: StateDiagram.Drawing<Subject>?
    /// Asked at every state; `true` ends the search with its results so far.
    var isCancelled: @Sendable () -> Bool = { false }
    /// Gets the progress now and then.
    var progress: @Sendable (SearchReport<Subject>) -> Void = { _ in }

    /// The step that has found a state.
    private typealias Link = (parent: UInt32, choice: UInt32)

    /// The knowledge of a search while it runs.
    private struct Knowledge {
        var report = SearchReport<Subject>()
        var seen = SeenStates()
        var links: [Link] = [(0, 0)]
        var graph: StateGraph
    }

    func run() -> SearchReport<Subject> {
        let clock = ContinuousClock()
        let began = clock.now
        var knowledge = Knowledge(graph: StateGraph(promises: promises.count))
        let fingerprint = Fingerprint(start)
        knowledge.seen.insert(fingerprint)
        knowledge.graph.add()
        knowledge.report.states = 1
        if let (law, complaint) = Trap.reporting({ lastWords(SearchReport(), []) }, { broken(start) }) {
            knowledge.report.violation = Violation(law, complaint, [])
            knowledge.report.extent = .violated
        }
        // In batches, the next one last.
        var layer: [[Standing<Subject>]] = [
            [Standing(number: 0, fingerprint: fingerprint, world: Kept(start))]
        ]
        while !layer.isEmpty, knowledge.report.extent == .running {
            if knowledge.report.depth >= greatestDepth {
                knowledge.report.extent = .cutByDepth(greatestDepth)
                break
            }
            var next: [[Standing<Subject>]] = []
            while knowledge.report.extent == .running, let worlds = layer.popLast() {
                visit(worlds, &knowledge, &next)
                knowledge.report.duration = clock.now - began
                progress(knowledge.report)
            }
            if !next.isEmpty { knowledge.report.depth += 1 }
            if knowledge.report.extent == .running {
                knowledge.report.completeDepth = knowledge.report.depth
                layer = next.reversed()
            }
        }
        var report = knowledge.report
        if report.extent == .running { report.extent = .closed }
        if report.violation == nil {
            report.violation = brokenPromise(report, knowledge.graph, knowledge.links)
        }
        if report.violation != nil { report.extent = .violated }
        report.duration = clock.now - began
        progress(report)
        return report
    }

    /// Takes every step from some states, and notes the new ones.
    private func visit(
        _ worlds: [Standing<Subject>], _ knowledge: inout Knowledge, _ next: inout [[Standing<Subject>]]
    ) {
        let parts = batch(knowledge) { $0.leave(worlds, knowledge.seen) }
        var (fresh, isFull): ([Standing<Subject>], Bool) = ([], false)
        var brokenStep: Batch<Subject>.BrokenStep?
        for part in parts {
            brokenStep = brokenStep ?? part.broken
            knowledge.report.transitions += part.transitions
            knowledge.report.arrows.formUnion(part.arrows)
            for find in part.found where !isFull {
                guard knowledge.seen.number(of: find.fingerprint) == nil else { continue }
                isFull = knowledge.seen.count >= greatestCount
                if isFull { break }
                let number = knowledge.seen.insert(find.fingerprint)
                knowledge.links.append((find.parent, find.choice))
                knowledge.graph.add()
                fresh.append(Standing(number: number, fingerprint: find.fingerprint, world: find.world))
            }
            for bad in part.bad {
                knowledge.graph.note(bad.state, breaking: bad.promise, isEnd: bad.isEnd)
            }
            for edge in part.edges {
                // Already entered, except for the states beyond the limit.
                guard let to = knowledge.seen.number(of: edge.to) else { continue }
                knowledge.graph.connect(edge.from, edge.choice, to)
            }
            if part.isCut { knowledge.report.extent = .stopped }
        }
        knowledge.report.states = knowledge.seen.count
        if isFull { knowledge.report.extent = .cutByStates(knowledge.seen.count) }
        let (broken, isCut) = batch(knowledge) { $0.judge(fresh) }
        if isCut { knowledge.report.extent = .stopped }
        if let brokenStep {
            let path = taken(steps(to: brokenStep.from, knowledge.links) + [brokenStep.choice])
            knowledge.report.violation = Violation(brokenStep.law, brokenStep.complaint, path)
            knowledge.report.extent = .violated
        } else if let broken {
            let path = taken(steps(to: broken.number, knowledge.links))
            knowledge.report.violation = Violation(broken.law, broken.complaint, path)
            knowledge.report.extent = .violated
        }
        // Batches of one size, so that the memory of a batch is free as soon as its steps are taken.
        for state in fresh {
            if next.last.map({ $0.count < Batch<Subject>.size }) ?? false {
                next[next.count - 1].append(state)
            } else {
                next.append([state])
            }
        }
    }

    /// Works on a batch, which finds the way to a state for its last words.
    private func batch<Result>(_ knowledge: Knowledge, _ work: (Batch<Subject>) -> Result) -> Result {
        // The batch is gone before the next link is appended, so no list of links is copied.
        let (report, links) = (knowledge.report, knowledge.links)
        return work(Batch(self) { lastWords(report, steps(to: $0, links) + $1) })
    }

    /// The first law that a world breaks.
    func broken(_ world: Subject) -> (law: String, complaint: String)? {
        for law in laws { if let complaint = law.complaint(world) { return (law.name, complaint) } }
        return nil
    }

    // MARK: The way to a state

    private func steps(to number: UInt32, _ links: [Link]) -> [UInt32] {
        var (path, place): ([UInt32], UInt32) = ([], number)
        while place != 0 {
            path.append(links[Int(place)].choice)
            place = links[Int(place)].parent
        }
        return path.reversed()
    }

    /// The words for a trap on this way.
    private func lastWords(_ report: SearchReport<Subject>, _ choices: [UInt32]) -> String {
        Violation<Subject>(trap: taken(choices), after: "\(report)").description
    }

    /// The steps for a list of choices. The last is not taken, because it may trap.
    private func taken(_ choices: [UInt32]) -> [Subject.Step] {
        var world = start
        var taken: [Subject.Step] = []
        for choice in choices {
            var steps: [Subject.Step] = []
            world.steps(into: &steps)
            guard steps.indices.contains(Int(choice)) else { break }
            taken.append(steps[Int(choice)])
            if taken.count < choices.count { world.take(steps[Int(choice)]) }
        }
        return taken
    }

    private func brokenPromise(
        _ report: SearchReport<Subject>, _ graph: StateGraph, _ links: [Link]
    ) -> Violation<Subject>? {
        for (index, promise) in promises.enumerated() {
            guard
                let lasso = graph.lasso(
                    avoiding: index,
                    isFair: { from, choice in
                        let path = steps(to: from, links) + [choice]
                        return Trap.reporting({ lastWords(report, path) }) {
                            taken(path).last.map(promise.isFair) ?? false
                        }
                    })
            else { continue }
            let run = taken(lasso.way + lasso.loop)
            let way = Array(run.prefix(lasso.way.count))
            return Violation(promise: promise.name, way, forever: Array(run.dropFirst(way.count)))
        }
        return nil
    }
}
