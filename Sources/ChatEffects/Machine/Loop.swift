// A loop owns a machine, a store, a network and a clock. Time passes only when its owner advances it. With a store in
// memory the loop is a value, the `VirtualLoop`: a day of chat runs in an instant, two equal loops with equal input
// stay equal, and a copy is a checkpoint. `SystemLoop` drives the same loop with the system's clock.
//
// The order at one instant: due timers, then answers of the store, then due answers of the server, each followed by all
// its consequences. Storage answers at once. Answers wait in a queue, so nothing recurses.

import ChatDomain

/// A loop that is a value, on virtual time.
public typealias VirtualLoop<Codec: Backend, Server: SimulatedServer> = Loop<
    Codec, MemoryStore, Server
>

/// Drives a machine against a store and a network, on a clock that only its owner moves.
public struct Loop<Codec: Backend, Store: RecordStore, Server: NetworkDriver> {
    /// The store. Its replacement simulates a change of the disk.
    public var store: Store
    /// The network, or a simulated server. A change takes effect at the next step.
    public var server: Server

    /// The feature that is driven.
    public typealias Subject = Codec.Subject

    @usableFromInline var engine: Machine<Codec>
    @usableFromInline var clock: Moment
    @usableFromInline var taps = Counter()
    /// Answers not yet given to the machine; empty between two calls of the owner.
    @usableFromInline var answers: [Outcome] = []
    /// Operations being carried out; empty between two calls of the owner, kept for its capacity.
    @usableFromInline var operations: [DriverOperation] = []
    /// The credentials that are being renewed.
    @usableFromInline var renewals = Renewals()
    /// The inputs of the machine, for a recorder; nil when nobody records.
    @usableFromInline var journal: Journal<Codec>?

    /// Creates a loop at the machine's moment.
    public init(_ machine: Machine<Codec>, store: Store, server: Server) {
        engine = machine
        self.store = store
        self.server = server
        clock = machine.moment
    }

    /// Resumes a machine that was stored by another process; `wall` is the wall time now (R4). What the store answers
    /// at once comes before the deadlines that have passed since; a store that answers by arrivals is late for them.
    /// Whatever is started has its time from now, or it would time out before any server could answer.
    public init(resuming machine: Machine<Codec>, store: Store, server: Server, wall: WallTime) {
        self.init(machine, store: store, server: server)
        clock = Moment(now: clock.now + max(wall - clock.wall, .zero), wall: wall)
        engine.resume(at: clock)
        while engine.hasOperations {
            carryOutOperations()
            for answer in answers { engine.receiveBeforeDeadlines(answer) }
            answers = []
        }
        advance(to: clock)
    }

    /// The machine.
    @inlinable
    public var machine: Machine<Codec> { engine }

    /// The state of the feature.
    @inlinable
    public var state: Subject.State { engine.state }

    /// Whether a storage operation has not ended: of the machine, or the save of a renewed secret.
    var isStoring: Bool { !engine.pendingStorage.isEmpty || renewals.isSaving }

    /// The current moment.
    @inlinable
    public var moment: Moment { clock }

    /// The number of requested haptic taps.
    public var haptics: Counter { taps }

    /// The earliest deadline of the machine or the server; nil if neither has one.
    @inlinable
    public var nextDeadline: Instant? {
        switch (engine.nextDeadline, server.nextDeadline) {
        case (let timer?, let answer?): min(timer, answer)
        case (let timer, let answer): timer ?? answer
        }
    }

    // MARK: Driving

    /// Handles an action of the person or the front end at the current moment.
    @inlinable
    public mutating func send(_ action: Subject.Action) {
        engine.send(action, at: clock)
        note(.sent(action))
        settle()
    }

    /// Handles the outcomes of drivers that work by themselves, in order, at the current moment.
    @inlinable
    public mutating func receive(_ outcomes: [Outcome]) {
        answers += outcomes
        settle()
    }

    /// Advances the clock by an interval, with a stop at every deadline. A negative interval counts as zero.
    @inlinable
    public mutating func advance(by interval: Interval) {
        advance(to: clock + max(interval, .zero))
    }

    /// Advances the clock to a moment, with a stop at every deadline before it. For a moment in the past, the clock
    /// stays and only takes the wall time.
    @inlinable
    public mutating func advance(to moment: Moment) {
        let target = Moment(now: max(moment.now, clock.now), wall: moment.wall)
        while let deadline = nextDeadline, deadline <= target.now { step(to: deadline) }
        clock = target
        advanceEngine()
        settle()
    }

    /// Advances the clock to the present. A deadline that passed a second or more ago shows a stall, in which nothing
    /// could be done. So all that have passed fire at the present, each once; what they start has its time from there,
    /// or each attempt of a night's sleep would be made at once (C2). What a server in this process has to say before the
    /// first of them comes first.
    @inlinable
    package mutating func catchUp(to present: Moment) {
        while let due = server.nextDeadline, due <= present.now, engine.nextDeadline.map({ due < $0 }) ?? true
        {
            step(to: due)
        }
        if let deadline = engine.nextDeadline, present.now - deadline >= .seconds(1) {
            clock = present
            engine.wake(at: present)
        }
        advance(to: present)
    }

    /// Advances to the next deadline and handles all that is due. Returns whether there was a deadline.
    @inlinable
    public mutating func runToNextDeadline() -> Bool {
        guard let deadline = nextDeadline else { return false }
        step(to: deadline)
        return true
    }

    /// Advances from deadline to deadline until none is left within the limit. The clock stops at the last one. Returns
    /// whether no deadline is left at all.
    @inlinable
    public mutating func runUntilIdle(limit: Interval) -> Bool {
        let end = clock.now + limit
        while let deadline = nextDeadline {
            guard deadline <= end else { return false }
            step(to: deadline)
        }
        return true
    }

    /// Sets the wall clock; deadlines do not move.
    @inlinable
    public mutating func setWallClock(to wall: WallTime) {
        clock.wall = wall
    }

    // MARK: One instant

    @inlinable
    mutating func step(to deadline: Instant) {
        if deadline > clock.now { clock = clock + (deadline - clock.now) }
        advanceEngine()
        settle()
    }

    /// An advance without a due timer changes nothing, so no journal needs it.
    @inlinable
    mutating func advanceEngine() {
        let isDue = engine.nextDeadline.map { $0 <= clock.now } ?? false
        engine.advance(to: clock)
        if isDue { note(.advanced) }
    }

    /// Carries out operations and delivers answers until neither is left at this instant.
    @inlinable
    mutating func settle() {
        while true {
            carryOutOperations()
            if answers.isEmpty, let due = server.nextDeadline, due <= clock.now {
                answers = server.advance(to: clock)
                if answers.isEmpty { continue }
            }
            guard !answers.isEmpty else { return }
            let taken = answers
            answers.removeAll(keepingCapacity: true)
            for outcome in taken {
                guard !outcome.isOfRenewal else {
                    takeForRenewal(outcome)
                    continue
                }
                engine.receive(outcome, at: clock)
                note(.received(outcome))
                carryOutOperations()
            }
        }
    }

    @inlinable
    mutating func carryOutOperations() {
        guard engine.hasOperations else { return }
        var batch: [DriverOperation] = []
        swap(&batch, &operations)
        engine.drain { batch.append($0) }
        for operation in batch { carryOut(operation) }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &operations)
    }

    @inlinable
    mutating func carryOut(_ operation: DriverOperation) {
        switch operation {
        case .load, .save, .erase, .setAside:
            if !renewals.isEmpty { giveUpRenewals(before: operation) }
            if let answer = store.carryOut(operation) { answers.append(answer) }
        case .open(let call, .renewal(let path, let headers, let secret)):
            renew(secret, at: path, headers, for: call)
        case .open(let call, let exchange):
            do throws(MissingPart) {
                server.carryOut(.open(call, try filled(exchange)), at: clock)
            } catch {
                answers.append(.arrived(call, .ended(error.end)))
            }
        case .send(let call, let payload):
            do throws(MissingPart) {
                server.carryOut(.send(call, Payload(bytes: try filled(payload))), at: clock)
            } catch {
                server.carryOut(.close(call), at: clock)
                answers.append(.arrived(call, .ended(error.end)))
            }
        case .close(let call):
            if !renewals.isEmpty, leavesRenewal(call) { return }
            server.carryOut(operation, at: clock)
        case .haptic:
            taps.increment()
        }
    }

    // MARK: Recording

    /// Keeps a journal from now on.
    package mutating func startJournal() { journal = Journal() }

    /// The entries of the journal since they were last taken; none without a journal.
    package mutating func takeJournal() -> [Journal<Codec>.Entry] { journal?.take() ?? [] }

    @inlinable
    mutating func note(_ input: Journal<Codec>.Input) {
        if journal != nil { journal?.append(input, at: clock, engine) }
    }

    // MARK: Inserting secrets and records

    @usableFromInline
    mutating func filled(_ payload: Payload) throws(MissingPart) -> [UInt8] {
        try loadSecrets(of: payload)
        return try payload.filled(secret: secret, record: record)
    }

    @usableFromInline
    mutating func filled(_ exchange: Exchange) throws(MissingPart) -> Exchange {
        if case .http(_, _, _, let body, let credential) = exchange {
            if let credential { try loadSecret(credential) }
            try loadSecrets(of: body)
        }
        return try exchange.filled(secret: secret, record: record)
    }

    private mutating func loadSecrets(of payload: Payload) throws(MissingPart) {
        for case .secret(let handle) in payload.parts { try loadSecret(handle) }
    }

    /// Loads a secret that this process has not yet loaded: a resumed machine refers to the secrets of the process
    /// before (R4). Throws when the store fails.
    private mutating func loadSecret(_ handle: SecretHandle) throws(MissingPart) {
        guard secret(handle) == nil else { return }
        // The machine waits for no such ticket: the answer is for the loop alone.
        let answer = store.carryOut(.load(StorageTicket(0), .secret(handle)))
        switch answer {
        case nil, .failed: throw .unreadableSecret
        default: break
        }
    }

    private func secret(_ handle: SecretHandle) -> Secret? {
        store.secret(at: .secret(handle))
    }

    private func record(_ path: RecordPath) throws(MissingPart) -> [UInt8]? {
        guard path.protection == .plain else { return nil }
        do throws(StorageFailure) { return try store.bytes(at: path) } catch { throw .unreadableRecord }
    }
}

extension Loop: Equatable where Store: Equatable, Server: Equatable {}
extension Loop: Hashable where Store: Hashable, Server: Hashable {}
extension Loop: Sendable where Store: Sendable, Server: Sendable {}
