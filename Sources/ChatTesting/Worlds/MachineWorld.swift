// The world around one machine: the machine itself, its disk, and its possible events. Every event goes through the
// machine that ships. MachineWorldNormalForm.swift says by what a search knows it.

import ChatDomain
import ChatEffects

/// A machine with its disk, as a value.
public struct MachineWorld<Codec: Backend>: World where Codec.Subject: Explorable {
    /// The feature that is explored.
    public typealias Subject = Codec.Subject
    /// One event.
    public typealias Step = MachineStep<Subject>

    /// The machine.
    public internal(set) var machine: Machine<Codec>
    var disk = WorldDisk<Subject.Key, Subject.Record>()
    let records = WorldRecords<Subject.Key, Subject.Record>()
    let happenings: [Happening<Subject>]
    /// How often each limited event may still happen.
    var budgets: [UInt8]
    /// The requests of open calls, for bytes that answer them; empty unless the world has such events.
    private(set) var exchanges: [CallNumber: Exchange] = [:]
    private let keepsExchanges: Bool
    let isPrompt: Bool
    /// The age beyond which times are not distinguished.
    var horizon = Interval.max
    /// Whether `ghosts` is kept, for the law of ghosts.
    var remembersGhosts = false
    /// The latest calls and operations that have ended. They take no part in the normal form: no machine depends on
    /// them.
    var ghosts = Ghosts<Subject>()
    /// The ways in which a ghost of a call ends late.
    let lateEnds: [CallEnd]

    init(_ machine: Machine<Codec>, _ happenings: [Happening<Subject>]) {
        self.machine = machine
        var (relaunches, budgets): (Int, [UInt8]) = (0, [])
        self.happenings = happenings.map { happening in
            var numbered = happening
            if let limit = happening.limit {
                numbered.budget = budgets.count
                budgets.append(limit)
            }
            guard case .relaunch(var relaunch) = happening.kind else { return numbered }
            relaunch.position = relaunches
            relaunches += 1
            numbered.kind = .relaunch(relaunch)
            return numbered
        }
        self.budgets = budgets
        lateEnds = happenings.reduce(into: [.failed(.lost), .completed]) { ends, happening in
            guard case .ends(let possible) = happening.kind else { return }
            for end in possible where !ends.contains(end) { ends.append(end) }
        }
        keepsExchanges = happenings.contains { if case .arrivals = $0.kind { true } else { false } }
        isPrompt = happenings.contains { if case .promptStorage = $0.kind { true } else { false } }
        settle()
    }

    /// The state of the feature.
    public var state: Subject.State { machine.state }

    /// The names of the open calls, oldest first.
    public var openCalls: [Subject.Call] { machine.openCalls.map { $0.call } }

    /// Whether a timer runs that will fire.
    public var hasDeadline: Bool { machine.nextDeadline != nil }

    /// The number of storage operations that have not ended.
    public var pendingOperations: Int { machine.pendingStorage.count }

    // MARK: Possible steps

    public func steps(into list: inout [Step]) {
        forEachAllowed { steps(of: $0, into: &list) }
    }

    /// Visits the kinds of events that may still happen by their limits, in order.
    @inline(__always) func forEachAllowed(_ visit: (Happening<Subject>) -> Void) {
        for happening in happenings where isAllowed(happening) { visit(happening) }
    }

    @inline(__always) private func isAllowed(_ happening: Happening<Subject>) -> Bool {
        happening.budget.map { budgets[$0] > 0 } ?? true
    }

    private func steps(of happening: Happening<Subject>, into list: inout [Step]) {
        switch happening.kind {
        case .person(let actions):
            for action in actions(machine.state, machine.moment) { list.append(.person(action)) }
        case .events(let events):
            for (position, open) in machine.openCalls.enumerated() {
                for event in events(open.call, machine.moment) {
                    list.append(.event(event, call: position))
                }
            }
        case .arrivals(let arrivals):
            for (position, open) in machine.openCalls.enumerated() {
                guard let exchange = exchanges[open.number] else { continue }
                for arrival in arrivals(open.call, exchange, machine.moment) {
                    list.append(.arrival(arrival, call: position))
                }
            }
        case .ends(let ends):
            for position in machine.openCalls.indices {
                for end in ends { list.append(.end(end, call: position)) }
            }
        case .storage(let turns):
            for (position, operation) in machine.pendingStorage.enumerated() where operation.isStarted {
                for turn in turns where turn.suits(isSave: operation.isSave, isLoad: operation.isLoad) {
                    list.append(.storage(turn, operation: position))
                }
            }
        case .clock(let ticks):
            guard let deadline = machine.nextDeadline else { return }
            // A step to where the clock stands would be a loop in which time stands still.
            let isBeside = deadline - machine.moment.now <= Interval(nanoseconds: 1)
            for tick in ticks where tick != .beforeDeadline || !isBeside { list.append(.clock(tick)) }
        case .relaunch(let relaunch):
            let writes = machine.pendingStorage.count { $0.isStarted && !$0.isLoad }
            for count in 0...writes {
                list.append(.relaunch(writesDone: count, beginning: relaunch.position))
            }
        case .jitter: list.append(.draws(greatest: !machine.drawsGreatest))
        case .drawn, .time, .promptStorage: break
        }
    }

    func possible(_ step: Step, isDrawn: Bool) -> Step? {
        if isDrawn, happenings.contains(where: { isAllowed($0) && offers($0, step, .drawn) }) { return step }
        if happenings.contains(where: { isAllowed($0) && offers($0, step, .listed) }) { return step }
        guard !isDrawn else { return nil }
        var list: [Step] = []
        forEachAllowed { if $0.isOfMoment { steps(of: $0, into: &list) } }
        return list.first { Difference.isAlike($0, step) }
    }

    // MARK: Taking a step

    public mutating func take(_ step: Step) {
        spend(step)
        happens(step)
        guard isPrompt else { return }
        // A feature that repeats a request for ever has an operation under way at the end, which the laws see.
        for _ in 0..<100 {
            guard let first = machine.pendingStorage.firstIndex(where: { $0.isStarted }) else { return }
            happens(.storage(.answered, operation: first))
        }
    }

    private mutating func happens(_ step: Step) {
        let (calls, pending) = remembersGhosts ? (machine.openCalls, machine.pendingStorage) : ([], [])
        switch step {
        case .person(let action): machine.send(action, at: machine.moment)
        case .event(let event, let position):
            guard let call = call(at: position) else { return }
            machine.deliver(event, on: call, at: machine.moment)
        case .arrival(let arrival, let position):
            guard machine.openCalls.indices.contains(position) else { return }
            machine.receive(.arrived(machine.openCalls[position].number, arrival), at: machine.moment)
        case .end(let end, let position):
            guard let call = call(at: position) else { return }
            machine.end(call, end, at: machine.moment)
        case .storage(let turn, let position): answer(turn, position)
        case .clock(let tick): pass(tick)
        case .draws(let greatest): machine.draws(greatest: greatest)
        case .relaunch(let writes, let beginning):
            relaunch(writes, beginning)
            return settle()
        }
        settle()
        guard remembersGhosts else { return }
        let entries = disk.entries
        ghosts.note(calls, pending, machine, happenings) { key in
            entries.first { $0.key == key }?.record
        }
    }

    private func call(at position: Int) -> Subject.Call? {
        let calls = machine.openCalls
        return calls.indices.contains(position) ? calls[position].call : nil
    }

    private mutating func answer(_ turn: StorageTurn, _ position: Int) {
        let pending = machine.pendingStorage
        guard pending.indices.contains(position), pending[position].isStarted else { return }
        let operation = pending[position]
        switch turn {
        case .answered: machine.receive(disk.carryOut(operation, records), at: machine.moment)
        case .failed(let failure):
            guard turn.suits(isSave: operation.isSave, isLoad: operation.isLoad) else { return }
            machine.receive(.failed(operation.ticket, failure), at: machine.moment)
        }
    }

    private mutating func pass(_ tick: Tick) {
        let now = machine.moment.now
        let interval: Interval
        switch tick {
        case .by(let length): interval = max(length, .zero)
        case .beforeDeadline, .deadline, .afterDeadline:
            guard let deadline = machine.nextDeadline else { return }
            let offset: Int64 = tick == .deadline ? 0 : tick == .afterDeadline ? 1 : -1
            interval = max(deadline - now + Interval(nanoseconds: offset), .zero)
        }
        machine.advance(to: machine.moment + interval)
    }

    private mutating func relaunch(_ writes: Int, _ beginning: Int) {
        var relaunch: Relaunch<Subject>?
        for happening in happenings {
            if case .relaunch(let found) = happening.kind, found.position == beginning { relaunch = found }
        }
        guard let relaunch else { return }
        for operation in machine.pendingStorage.filter({ $0.isStarted && !$0.isLoad }).prefix(writes) {
            _ = disk.carryOut(operation, records)
        }
        machine = machine.relaunched(with: relaunch.state(machine.feature))
        exchanges = [:]
        ghosts = Ghosts()
        for action in relaunch.actions { machine.send(action, at: machine.moment) }
    }

    /// Notes the operations of the machine, and forgets the exchanges of calls that have ended.
    private mutating func settle() {
        if machine.hasOperations { noteOperations() }
        guard !exchanges.isEmpty else { return }
        let open = Set(machine.openCalls.map { $0.number })
        exchanges = exchanges.filter { open.contains($0.key) }
    }

    private mutating func noteOperations() {
        var damaged: [RecordPath] = []
        var opened: [(CallNumber, Exchange)] = []
        let keepsExchanges = keepsExchanges
        machine.drain { operation in
            switch operation {
            case .setAside(let path): damaged.append(path)
            case .open(let number, let exchange) where keepsExchanges: opened.append((number, exchange))
            case .open, .send, .close, .load, .save, .erase, .haptic: break
            }
        }
        for path in damaged { disk.setAside(path) }
        for (number, exchange) in opened { exchanges[number] = exchange }
    }

    /// Counts a step against the limit of the event that offers it: a list goes before a draw, and an event without a
    /// limit before one with a limit, so that what is possible anyway spends nothing.
    private mutating func spend(_ step: Step) {
        // No list is made for a step of a kind without a limit.
        guard happenings.contains(where: { $0.budget != nil && $0.origin(of: step) != nil }) else { return }
        let taker =
            offer(of: step, .listed, isLimited: false) ?? offer(of: step, .listed, isLimited: true)
            ?? offer(of: step, .drawn, isLimited: false) ?? offer(of: step, .drawn, isLimited: true)
        if let budget = taker?.budget { budgets[budget] -= 1 }
    }

    /// The first event that offers a step in this way.
    private func offer(
        of step: Step, _ origin: Happening<Subject>.Origin, isLimited: Bool
    ) -> Happening<Subject>? {
        happenings.first { happening in
            (happening.budget != nil) == isLimited && isAllowed(happening) && offers(happening, step, origin)
        }
    }

    private func offers(
        _ happening: Happening<Subject>, _ step: Step, _ origin: Happening<Subject>.Origin
    ) -> Bool {
        guard happening.origin(of: step) == origin else { return false }
        guard origin == .listed else { return true }
        var list: [Step] = []
        steps(of: happening, into: &list)
        return list.contains(step)
    }
}

extension Happening {
    /// Whether only drawn runs take it.
    var isDrawn: Bool {
        switch kind {
        case .drawn, .time: true
        default: false
        }
    }

    /// Whether it is the relaunch at that position.
    func relaunches(at position: Int) -> Bool {
        if case .relaunch(let relaunch) = kind { relaunch.position == position } else { false }
    }

    /// The origin of a step: the list of an event, or a draw.
    enum Origin { case listed, drawn }

    /// The origin of a step that is of this kind; whether a list has it depends on the world.
    func origin(of step: MachineStep<Subject>) -> Origin? {
        switch (kind, step) {
        case (.person, .person), (.events, .event), (.arrivals, .arrival), (.ends, .end),
            (.storage, .storage), (.clock, .clock), (.jitter, .draws), (.relaunch, .relaunch):
            .listed
        case (.drawn, .person), (.time, .clock): .drawn
        default: nil
        }
    }
}
