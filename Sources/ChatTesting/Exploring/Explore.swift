// The entry: a machine, its possible steps, and its laws; then one of the ways of driving it.
//
//     try Explore(Pairing(configuration: numbers), from: start, [
//         .person(.launched, .nameEdited("Kay"), .submitted, .cancelled),
//         .calls { _ in [.pending(code: "1"), .granted(Secret("t"), "kay", isAdmin: false)] },
//         .ends(.completed, .failed(.lost)),
//         .storage(.answered, .failed(.full)),
//         .clock(.beforeDeadline, .deadline),
//     ])
//     .always("one question at a time") { $0.openCalls.count <= 1 }
//     .random(seeds: 1...300, steps: 60)

import ChatDomain
import ChatEffects

/// A machine, its possible steps, and the laws that must hold.
public struct Explore<Codec: Backend>: Sendable where Codec.Subject: Explorable {
    /// The feature that is explored.
    public typealias Subject = Codec.Subject
    /// The machine with its disk.
    public typealias Place = MachineWorld<Codec>
    /// One step.
    public typealias Step = MachineStep<Subject>

    private var fresh: Place { didSet { begin() } }
    /// The steps before the first that is driven.
    private var beginning: [Step] = [] { didSet { begin() } }
    /// The world where driving begins.
    private(set) var world: Place
    /// The first of the steps before it that names nothing, so that driving would begin elsewhere.
    private var gap: NothingHappens?
    var laws: [Law<Place>] = [.everyTimerEnds()]
    var promises: [Promise<Place>] = []
    var isCancelled: @Sendable () -> Bool = { false }
    var progress: @Sendable (SearchReport<Place>) -> Void = { _ in }

    /// Explores a feature alone, without a backend.
    public init<Alone: Explorable>(
        _ feature: Alone, from state: Alone.State, _ happenings: [Happening<Alone>]
    ) where Codec == Uncoded<Alone> {
        self.init(feature, Uncoded<Alone>(), from: state, happenings)
    }

    /// Explores a feature with its backend, so that bytes are encoded and decoded.
    public init(
        _ feature: Subject, _ backend: Codec, from state: Subject.State,
        _ happenings: [Happening<Subject>]
    ) {
        // Late enough that no time of the past is before the origin of a clock.
        let moment = Moment(
            now: .origin + .hours(24), wall: WallTime(millisecondsSince1970: 1_700_000_000_000))
        let machine = Machine(
            feature, state: state, backend: backend, moment: moment, entropy: .least(1))
        fresh = MachineWorld(machine, happenings)
        world = fresh
    }

    /// Takes the first steps anew, so it does not matter which modifier comes first.
    private mutating func begin() {
        world = fresh
        gap = world.takeAll(beginning).map { NothingHappens(description: "after, " + $0) }
    }

    /// Takes these steps first. They spend what `atMost` allows. Each way of driving reports one that names nothing where
    /// it comes, such as the end of a call that is not open.
    public func after(_ steps: Step...) -> Self {
        var copy = self
        copy.beginning += steps
        return copy
    }

    /// Distinguishes times of the past up to this age. It must be longer than each age that the feature compares, or
    /// the search misses what happens only beyond it; the report names it. The search of a feature that keeps times,
    /// such as those of its messages, closes only with such an age.
    public func agesUpTo(_ horizon: Interval) -> Self {
        var copy = self
        copy.fresh.horizon = horizon
        return copy
    }

    // MARK: Laws

    /// Adds a law.
    public func always(_ laws: Law<Place>...) -> Self {
        var copy = self
        copy.laws += laws
        return copy
    }

    /// Adds a law that holds in every state.
    public func always(_ name: String, _ holds: @escaping @Sendable (Place) -> Bool) -> Self {
        always(Law(name, holds: holds))
    }

    /// Adds a law that holds if no state has this property.
    public func never(_ name: String, _ happens: @escaping @Sendable (Place) -> Bool) -> Self {
        always(Law(name) { happens($0) ? "happens" : nil })
    }

    /// Adds a law of each step that driving takes: of the state before it, of the step, and of the state after it. A
    /// search asks it of every step from every state that it visits, also of one that changes nothing.
    public func eachStep(
        _ name: String, _ holds: @escaping @Sendable (_ before: Place, Step, _ after: Place) -> Bool
    ) -> Self {
        always(Law(ofSteps: name, { holds($0, $1, $2) ? nil : "does not hold" }))
    }

    /// Adds a promise: every run reaches such a state, as long as one of the fair steps is taken again and again. By
    /// default the fair steps are those of the clock, because nothing stops time. Where none is possible, a run may wait
    /// for ever. Only an exhaustive search can break a promise.
    public func eventually(
        _ name: String,
        whenever isFair: @escaping @Sendable (Step) -> Bool = { step in
            if case .clock = step { true } else { false }
        }, _ isKept: @escaping @Sendable (Place) -> Bool
    ) -> Self {
        var copy = self
        copy.promises.append(Promise(name: name, isKept: isKept, isFair: isFair))
        return copy
    }

    /// Adds a law about a state that is left alone, without a step and without an answer: within that time it must
    /// hold, and a timer that is due later does not count.
    public func leftAlone(
        _ name: String, within limit: Interval = .minutes(10),
        _ holds: @escaping @Sendable (Place) -> Bool
    ) -> Self {
        always(
            Law(name) { place in
                var rest = place
                guard rest.leaveAlone(for: limit) else {
                    return "cannot be told: a timer restarts itself without end"
                }
                return holds(rest) ? nil : "does not hold after \(limit) of silence"
            })
    }

    /// Adds the law of ghosts (L4): a late event of a call or operation that has ended changes nothing.
    ///
    /// The machine keeps ghosts from a reducer; this law shows that the reducer does not need the machine for that. It
    /// is asked of every new state about the latest ghosts, and after every step about those that the step has made. The
    /// late events are those of `.calls` and `.ends`; bytes (`.wire`) are not asked.
    public func noGhosts() -> Self {
        var copy = self
        let name = "L4: a ghost changes nothing"
        copy.fresh.remembersGhosts = true
        copy.laws.append(
            Law(
                ofSteps: name, { before, _, after in after.complaintOfGhosts(since: before.ghosts) },
                complaint: { $0.complaintOfGhosts() }))
        return copy
    }

    // MARK: Driving

    /// Sets a function that is asked now and then whether to stop.
    public func stopping(when isCancelled: @escaping @Sendable () -> Bool) -> Self {
        var copy = self
        copy.isCancelled = isCancelled
        return copy
    }

    /// Sets a function that gets the progress of a search now and then.
    public func telling(_ progress: @escaping @Sendable (SearchReport<Place>) -> Void) -> Self {
        var copy = self
        copy.progress = progress
        return copy
    }

    /// Visits every reachable state, in every order of events, with real deadlines. Throws the shortest way
    /// to a broken law, and `NothingHappens` when no step is possible.
    ///
    /// No order is left out: independent events are taken in both orders, and meet in one state.
    @discardableResult
    public func everyOrder(
        depth: Int = .max, states: Int = 5_000_000, processors: Int = 2
    ) throws -> SearchReport<Place> {
        let report = search(depth: depth, states: states, processors: processors)
        if let nothing = report.nothing { throw nothing }
        if let violation = report.violation { throw violation }
        return report
    }

    /// The same, but a violation is part of the report, and so is the reason why nothing was checked.
    public func search(
        depth: Int = .max, states: Int = 5_000_000, processors: Int = 2
    ) -> SearchReport<Place> {
        if let gap { return SearchReport(nothing: gap) }
        var search = Search(start: world, laws: laws)
        search.promises = promises
        search.greatestDepth = depth
        search.greatestCount = states
        search.processors = processors
        search.isCancelled = isCancelled
        search.progress = progress
        var report = search.run()
        report.grid = world.grid
        if report.extent == .closed, report.transitions == 0 { report.nothing = .impossible }
        if let violation = report.violation { report.violation = timed(violation) }
        return report
    }

    /// The diagram of a search: the visited phases, and the steps between them.
    public func diagram(
        _ title: String, depth: Int = .max, states: Int = 5_000_000,
        phase: @escaping @Sendable (Subject.State) -> String
    ) -> StateDiagram {
        var start = world
        start.remembersGhosts = false  // they are for a law, and a diagram has none
        var search = Search(start: start, laws: [])
        search.greatestDepth = depth
        search.greatestCount = states
        search.isCancelled = isCancelled
        search.drawing = StateDiagram.Drawing(phase: { phase($0.state) }, label: { $0.label(of: $1) })
        return StateDiagram(title, start: phase(start.state), arrows: search.run().arrows)
    }

    /// Runs once for each seed. Throws the first broken law, with few and simple steps, and `NothingHappens` when no run
    /// has taken a step.
    @discardableResult
    public func random(seeds: ClosedRange<UInt64>, steps: Int) throws -> Int {
        if let gap { throw gap }
        guard steps > 0 else {
            throw NothingHappens(description: "No step was taken: each run has \(steps) steps.")
        }
        var taken = 0
        for seed in seeds {
            if isCancelled() { break }
            let (count, violation) = randomRun.run(Choices(seed: seed), steps: steps, seed: seed)
            taken += count
            guard var violation else { continue }
            violation.seed = seed
            throw timed(violation)
        }
        guard taken > 0 || isCancelled() else {
            throw NothingHappens.impossible
        }
        return taken
    }

    /// Runs the choices that bytes spell, as a fuzzer does. Throws a broken law.
    public func run(bytes: [UInt8], steps: Int = 10_000) throws {
        if let gap { throw gap }
        if let violation = randomRun.run(Choices(bytes: bytes), steps: steps).violation {
            throw timed(violation)
        }
    }

    /// Takes these steps. Throws a broken law, and otherwise `NothingHappens` for a step that names nothing where it
    /// comes, because the test of a failure would pass without it. The report of a failure contains such a call.
    @discardableResult
    public func replay(_ steps: [Step]) throws -> Place {
        if let gap { throw gap }
        for law in laws {
            if let (complaint, after) = randomRun.complaint(steps, law) {
                throw timed(Violation(law.name, complaint, Array(steps.prefix(after))))
            }
        }
        var end = world
        if let gap = end.takeAll(steps) { throw NothingHappens(description: gap) }
        return end
    }

    /// Takes these steps, and then those of a loop, which stand for a run that repeats them for ever. Throws a broken law,
    /// and a promise that such a run never keeps; without a loop, that is one that stays where the steps lead.
    @discardableResult
    public func replay(_ steps: [Step], forever loop: [Step]) throws -> Place {
        let end = try replay(steps + loop)
        var (place, visited) = (world, [world])
        for step in steps + loop {
            place.take(step)
            visited.append(place)
        }
        // Otherwise the run goes on elsewhere.
        guard Fingerprint(visited[steps.count]) == Fingerprint(end) else { return end }
        var next = loop
        if loop.isEmpty { end.steps(into: &next) }
        for promise in promises where !visited.contains(where: promise.isKept) {
            guard next.contains(where: promise.isFair) != loop.isEmpty else { continue }
            throw timed(Violation(promise: promise.name, steps, forever: loop))
        }
        return end
    }

    private var randomRun: RandomRun<Place> { RandomRun(start: world, laws: laws) }

    /// The violation with the time of each step.
    private func timed(_ violation: Violation<Place>) -> Violation<Place> {
        var (timed, place) = (violation, world)
        let start = place.machine.moment.now
        timed.times = (violation.steps + (violation.loop ?? [])).map { step in
            place.take(step)
            return place.machine.moment.now - start
        }
        return timed
    }
}
