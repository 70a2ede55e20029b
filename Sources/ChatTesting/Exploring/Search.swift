// Visits every state that can be reached, breadth first, so that a broken law is found on a shortest way. A state is known
// by the fingerprint of its normal form; the ways to states are kept as links, and the states themselves only as long as
// they are to be left.
//
// A layer is worked off on all processors: each takes a part of it and asks the table of seen states, which nobody changes
// meanwhile; then the finds are entered in order. So the result does not depend on how the work was shared out.

import Dispatch

/// An exhaustive search.
struct Search<Subject: World>: Sendable {
    var start: Subject
    var laws: [Law<Subject>]
    var promises: [Promise<Subject>] = []
    var greatestDepth = Int.max
    /// Five million states take 2 to 4 GB.
    var greatestCount = 5_000_000
    var processors = 2
    /// Names the phase of a world and the step that leaves it, for a diagram; `nil` when none is drawn.
    var drawing: StateDiagram.Drawing<Subject>?
    /// Asked now and then; `true` ends the search with what was found.
    var isCancelled: @Sendable () -> Bool = { false }
    /// Told now and then.
    var progress: @Sendable (SearchReport<Subject>) -> Void = { _ in }

    private struct Found {
        let fingerprint: Fingerprint
        let world: Subject
        let parent: UInt32
        let choice: UInt16
    }

    private struct Edge {
        let from: UInt32
        let choice: UInt16
        let to: Fingerprint
    }

    /// What one processor has found in its part of a layer.
    private struct Part {
        var found: [Found] = []
        var edges: [Edge] = []
        var transitions = 0
        var arrows: Set<StateDiagram.Arrow> = []
        var violation: (law: String, complaint: String, parent: UInt32, choice: UInt16)?
    }

    func run() -> SearchReport<Subject> {
        let clock = ContinuousClock()
        let began = clock.now
        var report = SearchReport<Subject>()
        var seen = SeenStates()
        var links: [(parent: UInt32, choice: UInt16)] = [(0, 0)]
        var graph = StateGraph(keepsEdges: !promises.isEmpty)
        var layer: [(number: UInt32, world: Subject)] = [(0, start)]
        _ = seen.insert(Fingerprint(start))
        graph.add(start, promises)
        report.states = 1
        defer { progress(report) }
        if let (law, complaint) = broken(start) {
            report.violation = Violation(law, complaint, [])
            report.extent = .violated
            return report
        }
        while !layer.isEmpty {
            if isCancelled() { report.extent = .stopped }
            if report.depth >= greatestDepth { report.extent = .cutByDepth(greatestDepth) }
            guard report.extent == .closed else { break }
            let parts = expand(layer, seen)
            layer = []
            for part in parts {
                report.transitions += part.transitions
                report.arrows.formUnion(part.arrows)
                if report.violation == nil, let violation = part.violation {
                    let path = steps(to: violation.parent, links) + [violation.choice]
                    report.violation = Violation(violation.law, violation.complaint, taken(path))
                }
                for find in part.found {
                    let (number, isNew) = seen.insert(find.fingerprint)
                    guard isNew else { continue }
                    links.append((find.parent, find.choice))
                    graph.add(find.world, promises)
                    layer.append((number, find.world))
                }
                for edge in part.edges {
                    // Entered already, except what a violation or a limit has cut off.
                    if let to = seen.number(of: edge.to) { graph.connect(edge.from, edge.choice, to) }
                }
            }
            report.states = seen.count
            report.depth += layer.isEmpty ? 0 : 1
            report.duration = clock.now - began
            if report.violation != nil {
                report.extent = .violated
            } else if report.states > greatestCount, !layer.isEmpty {
                report.extent = .cutByStates(report.states)
            }
            progress(report)
        }
        if report.violation == nil { report.violation = brokenPromise(graph, links) }
        if report.violation != nil { report.extent = .violated }
        report.duration = clock.now - began
        return report
    }

    // MARK: One layer

    private func expand(_ layer: [(number: UInt32, world: Subject)], _ seen: SeenStates) -> [Part] {
        // Parts small enough that no processor waits long for the other, large enough that few finds are made twice.
        let size = max(min(layer.count / (processors * 4), 4_096), 64)
        let count = (layer.count + size - 1) / size
        var parts = Array(repeating: Part(), count: count)
        parts.withUnsafeMutableBufferPointer { parts in
            // Each index is written by one iteration alone.
            nonisolated(unsafe) let parts = parts
            let work: @Sendable (Int) -> Void = { index in
                parts[index] = expand(layer[index * size..<min((index + 1) * size, layer.count)], seen)
            }
            if processors > 1, count > 1 {
                DispatchQueue.concurrentPerform(iterations: count, execute: work)
            } else {
                for index in 0..<count { work(index) }
            }
        }
        return parts
    }

    private func expand(
        _ worlds: ArraySlice<(number: UInt32, world: Subject)>, _ seen: SeenStates
    ) -> Part {
        var part = Part()
        var local: Set<Fingerprint> = []
        var steps: [Subject.Step] = []
        let keepsEdges = !promises.isEmpty
        for (number, world) in worlds {
            steps.removeAll(keepingCapacity: true)
            world.steps(into: &steps)
            for (choice, step) in steps.enumerated() {
                var next = world
                next.take(step)
                part.transitions += 1
                if let drawing { part.arrows.formUnion(drawing.arrow(world, step, next)) }
                let fingerprint = Fingerprint(next)
                let choice = UInt16(truncatingIfNeeded: choice)
                if keepsEdges { part.edges.append(Edge(from: number, choice: choice, to: fingerprint)) }
                guard seen.number(of: fingerprint) == nil, local.insert(fingerprint).inserted else {
                    continue
                }
                if part.violation == nil, let (law, complaint) = broken(next) {
                    part.violation = (law, complaint, number, choice)
                    return part
                }
                part.found.append(
                    Found(fingerprint: fingerprint, world: next, parent: number, choice: choice))
            }
        }
        return part
    }

    private func broken(_ world: Subject) -> (String, String)? {
        for law in laws { if let complaint = law.complaint(world) { return (law.name, complaint) } }
        return nil
    }

    // MARK: The way to a state

    private func steps(to number: UInt32, _ links: [(parent: UInt32, choice: UInt16)]) -> [UInt16] {
        var (path, place): ([UInt16], UInt32) = ([], number)
        while place != 0 {
            path.append(links[Int(place)].choice)
            place = links[Int(place)].parent
        }
        return path.reversed()
    }

    /// The steps that a list of choices stands for.
    private func taken(_ choices: [UInt16]) -> [Subject.Step] {
        var world = start
        var taken: [Subject.Step] = []
        for choice in choices {
            var steps: [Subject.Step] = []
            world.steps(into: &steps)
            guard steps.indices.contains(Int(choice)) else { break }
            taken.append(steps[Int(choice)])
            world.take(steps[Int(choice)])
        }
        return taken
    }

    private func brokenPromise(
        _ graph: StateGraph, _ links: [(parent: UInt32, choice: UInt16)]
    ) -> Violation<Subject>? {
        for (index, promise) in promises.enumerated() {
            guard
                let lasso = graph.lasso(
                    avoiding: index,
                    isFair: { from, choice in
                        let path = steps(to: from, links) + [choice]
                        return taken(path).last.map(promise.isFair) ?? false
                    })
            else { continue }
            let path = steps(to: lasso.entry, links)
            var violation = Violation<Subject>(
                promise.name, lasso.loop.isEmpty ? "nothing can happen any more" : "never comes",
                taken(path))
            violation.loop = Array(taken(path + lasso.loop).dropFirst(path.count))
            return violation
        }
        return nil
    }
}
