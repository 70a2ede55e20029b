// The parts of a machine's world, beside its steps, that the ways of driving need: a drawn step, simpler steps,
// silence, and the grid of times.

import ChatDomain
import ChatEffects

extension MachineWorld: ShrinkableWorld {
    /// A step that no list holds: a drawn action, or a time.
    func drawn(_ choices: inout Choices) -> Step? {
        var draws: [(inout Choices) -> Step?] = []
        forEachAllowed { happening in
            switch happening.kind {
            case .drawn(let action): draws.append { action(self.state, &$0).map { .person($0) } }
            case .time(let longest): draws.append { self.time(upTo: longest, &$0).map { .clock(.by($0)) } }
            default: break
            }
        }
        guard let index = choices.below(draws.count) else { return nil }
        return draws[index](&choices)
    }

    /// A time with a preference for the edges: nothing, a nanosecond, a deadline and its neighbours, round times.
    private func time(upTo longest: Interval, _ choices: inout Choices) -> Interval? {
        let rounds: [Interval] = [
            .zero, Interval(nanoseconds: 1), .milliseconds(1), .milliseconds(75), .seconds(1), .seconds(5),
            .seconds(30), .minutes(5), longest,
        ]
        guard let kind = choices.below(4) else { return nil }
        switch kind {
        case 0:
            guard let deadline = machine.nextDeadline, let offset = choices.below(3) else { return .zero }
            return max(deadline - machine.moment.now + Interval(nanoseconds: Int64(offset) - 1), .zero)
        case 1:
            guard let high = choices.below(256), let low = choices.below(256) else { return nil }
            // The share of the longest time; the product needs more than 64 bits.
            let product = max(longest.milliseconds, 1).multipliedFullWidth(by: Int64(high << 8 | low))
            return .milliseconds((0xFFFF as Int64).dividingFullWidth(product).quotient)
        default: return choices.pick(rounds.filter { $0 <= longest })
        }
    }

    /// Simpler steps in place of one: a deadline in place of a time, shorter times, and positions before it.
    func simpler(_ step: Step) -> [Step] {
        switch step {
        case .clock(.by(let interval)):
            // Less and less shorter: by deadlines comes to the one that breaks a law, by parts close to any other time.
            let deadlines = deadlines(within: interval)
            let due = sequence(first: deadlines.count / 2) { $0 > 0 ? $0 / 2 : nil }
                .compactMap { deadlines.dropLast($0).last }
            let round = Interval.seconds(interval.seconds)
            let shorter = (1...5).map { interval - Interval(nanoseconds: interval.nanoseconds >> $0) }
            let times = (due + [round] + shorter).filter { $0 < interval && $0 > .zero }
            return [.clock(.deadline), .clock(.by(.zero))] + times.map { .clock(.by($0)) }
        case .clock(.beforeDeadline), .clock(.afterDeadline): return [.clock(.deadline)]
        case .relaunch(let writes, let beginning) where writes > 0:
            return [.relaunch(writesDone: writes - 1, beginning: beginning)]
        case .storage(.failed, let operation):
            return [.storage(.answered, operation: operation)] + sooner(step)
        default: return sooner(step)
        }
    }

    /// The times until the deadlines within an interval, soonest first: of endless ones a thousand, and none behind
    /// those that the machine postpones.
    private func deadlines(within interval: Interval) -> [Interval] {
        var (passing, deadlines): (Machine<Codec>, [Interval]) = (machine, [])
        let postponed = machine.diagnostics.postponedTimers
        while deadlines.count < 1_000, passing.diagnostics.postponedTimers == postponed,
            let deadline = passing.nextDeadline, deadline - machine.moment.now < interval
        {
            deadlines.append(deadline - machine.moment.now)
            passing.advance(to: passing.moment + (deadline - passing.moment.now))
        }
        return deadlines
    }

    /// The step with the position before its own.
    private func sooner(_ step: Step) -> [Step] {
        step.moved { $1 > 0 ? $1 - 1 : nil }.map { [$0] } ?? []
    }

    func numbers(_ kind: Positioned) -> [UInt64] {
        switch kind {
        case .call: machine.openCalls.map { $0.number.value }
        case .operation: machine.pendingStorage.map { $0.ticket.value }
        }
    }

    static func moved(_ step: Step, _ position: (Positioned, Int) -> Int?) -> Step? { step.moved(position) }

    static func beginsProcess(_ step: Step) -> Bool {
        if case .relaunch = step { true } else { false }
    }

    /// Takes these steps. Returns which is the first that names nothing where it comes; `nil` if there is none.
    mutating func takeAll(_ steps: [Step]) -> String? {
        var gap: String?
        for (index, step) in steps.enumerated() {
            if gap == nil { gap = absence(of: step).map { "step \(index + 1): \($0)" } }
            take(step)
        }
        return gap
    }

    /// The reason why a step names nothing here; `nil` if it names something. Shrinking tries such steps.
    private func absence(of step: Step) -> String? {
        switch step {
        case .event(_, let position), .arrival(_, let position), .end(_, let position):
            return machine.openCalls.indices.contains(position)
                ? nil : "there is no call at position \(position)"
        case .storage(let turn, let position):
            if isPrompt { return nil }  // the disk has answered already
            let pending = machine.pendingStorage
            guard pending.indices.contains(position) else {
                return "there is no storage operation at position \(position)"
            }
            let operation = pending[position]
            if !operation.isStarted { return "the storage operation at position \(position) has not begun" }
            return turn.suits(isSave: operation.isSave, isLoad: operation.isLoad)
                ? nil : "the storage operation at position \(position) has no such answer"
        case .relaunch(let writes, let beginning):
            guard happenings.contains(where: { $0.relaunches(at: beginning) }) else {
                return "there is no relaunch at position \(beginning)"
            }
            let started = machine.pendingStorage.count { $0.isStarted && !$0.isLoad }
            return (0...started).contains(writes) ? nil : "\(started) writes have begun, not \(writes)"
        case .person, .clock, .draws: return nil
        }
    }

    /// Lets that much time pass without any answer, from deadline to deadline. Returns whether it has passed: a timer
    /// that restarts itself without end keeps it where it is.
    mutating func leaveAlone(for limit: Interval) -> Bool {
        let end = machine.moment.now + limit
        let postponed = machine.diagnostics.postponedTimers
        remembersGhosts = false  // no law asks for them any more
        while let deadline = machine.nextDeadline, deadline <= end {
            take(.clock(.deadline))
            // Each round takes 100,000 firings, and the machine allows one a second.
            if machine.diagnostics.postponedTimers != postponed { return false }
        }
        take(.clock(.by(end - machine.moment.now)))
        return true
    }

    /// The name of a step in a diagram: the action, the event, or the timer that is due.
    func label(of step: Step) -> String {
        switch step {
        case .person(let action): Rendering.name(of: action)
        case .event(let event, _): Rendering.name(of: event)
        case .arrival(let arrival, _): Rendering.name(of: arrival)
        case .end(let end, _): "call " + Rendering.name(of: end)
        case .storage(.answered, let position): storageLabel(position, "done")
        case .storage(.failed, let position): storageLabel(position, "failed")
        case .clock: machine.runningTimers.first.map { Rendering.name(of: $0.timer) + " due" } ?? "time"
        case .draws: "draws"
        case .relaunch: "relaunch"
        }
    }

    private func storageLabel(_ position: Int, _ outcome: String) -> String {
        let pending = machine.pendingStorage
        guard pending.indices.contains(position) else { return outcome }
        let work = pending[position].isLoad ? "load" : pending[position].isSave ? "save" : "erase"
        return "\(work) \(outcome)"
    }

    /// What the claim of a search rests on: the instants of answers, the ages that it tells apart, and what it leaves out.
    var grid: String {
        var parts = [instants]
        if horizon != .max { parts.append("ages up to \(horizon)") }
        if happenings.contains(where: { $0.isDrawn }) { parts.append("drawn choices are left out") }
        return parts.joined(separator: "; ")
    }

    private var instants: String {
        let ticks = Set(
            happenings.flatMap { happening -> [Tick] in
                if case .clock(let ticks) = happening.kind { ticks } else { [] }
            })
        guard !ticks.isEmpty else { return "time stands still" }
        var names: [String] = ["at once"]
        if ticks.contains(.beforeDeadline) { names.append("1 ns before each deadline") }
        if ticks.contains(.deadline) { names.append("at each deadline") }
        if ticks.contains(.afterDeadline) { names.append("1 ns after each deadline") }
        let lengths = ticks.compactMap { tick -> Interval? in
            if case .by(let length) = tick { length } else { nil }
        }
        names += lengths.sorted().map { "each \($0) later" }
        return "answers arrive " + names.joined(separator: ", ")
    }
}
