// A loop that owns everything: machine, store, server and clock. It has no time of its own to spend. With a store
// in memory it is a value, the `VirtualLoop`: a day of chat passes in a blink, two equal loops given equal input
// stay equal, and a copy is a place to come back to. `SystemLoop` tells the same loop what the system's clock says.
//
// The order at one instant: timers that are due, then what is waiting from the store, then what is due from the
// server, each followed by all that it leads to. Storage answers at once. Nothing recurs; answers wait in a queue.

import ChatDomain

/// A loop that is a value, on virtual time.
public typealias VirtualLoop<Codec: Backend, Server: SimulatedServer> = Loop<
    Codec, MemoryStore, Server
>

/// Drives a machine against a store and a server, on a clock that moves when it is told to.
public struct Loop<Codec: Backend, Store: RecordStore, Server: SimulatedServer> {
    /// What is stored. Replacing it is what happens to a disk.
    public var store: Store
    /// The server. What is changed here shows at the next step.
    public var server: Server

    /// The feature that is driven.
    public typealias Subject = Codec.Subject

    @usableFromInline var engine: Machine<Codec>
    @usableFromInline var clock: Moment
    @usableFromInline var taps = Counter()
    /// What was answered and not handed over yet; empty between two calls of the owner.
    @usableFromInline var answers: [Outcome] = []
    /// Operations being carried out; empty between two calls of the owner, kept for its capacity.
    @usableFromInline var operations: [DriverOperation] = []

    /// Creates a loop at the machine's moment.
    public init(_ machine: Machine<Codec>, store: Store, server: Server) {
        engine = machine
        self.store = store
        self.server = server
        clock = machine.moment
    }

    /// Goes on with a machine that was stored by another process, when the wall clock says this (R4).
    public init(resuming machine: Machine<Codec>, store: Store, server: Server, wall: WallTime) {
        self.init(machine, store: store, server: server)
        engine.resume()
        let passed = max(wall - clock.wall, .zero)
        settle()
        advance(to: Moment(now: clock.now + passed, wall: wall))
    }

    /// The machine.
    @inlinable
    public var machine: Machine<Codec> { engine }

    /// What the feature knows.
    @inlinable
    public var state: Subject.State { engine.state }

    /// What the clocks say.
    @inlinable
    public var moment: Moment { clock }

    /// How many light taps were asked for.
    public var haptics: Counter { taps }

    /// When something happens next.
    @inlinable
    public var nextDeadline: Instant? {
        switch (engine.nextDeadline, server.nextDeadline) {
        case (let timer?, let answer?): min(timer, answer)
        case (let timer, let answer): timer ?? answer
        }
    }

    // MARK: Driving

    /// Handles what a person or the front end did, now.
    @inlinable
    public mutating func send(_ action: Subject.Action) {
        engine.send(action, at: clock)
        settle()
    }

    /// Lets an interval pass, stopping at every deadline in it.
    @inlinable
    public mutating func advance(by interval: Interval) {
        advance(to: clock + max(interval, .zero))
    }

    /// Goes to a moment, stopping at every deadline before it. A moment that has passed is taken as now, with
    /// the wall time that it says.
    @inlinable
    public mutating func advance(to moment: Moment) {
        let target = Moment(now: max(moment.now, clock.now), wall: moment.wall)
        while let deadline = nextDeadline, deadline <= target.now { step(to: deadline) }
        clock = target
        engine.advance(to: clock)
        settle()
    }

    /// Goes to the next deadline and does what is due there. Returns whether there was one.
    @inlinable
    public mutating func runToNextDeadline() -> Bool {
        guard let deadline = nextDeadline else { return false }
        step(to: deadline)
        return true
    }

    /// Goes from deadline to deadline until there is none left, or none within the limit. The clock stops at the
    /// last one. Returns whether there is none left.
    @inlinable
    public mutating func runUntilIdle(limit: Interval) -> Bool {
        let end = clock.now + limit
        while let deadline = nextDeadline {
            guard deadline <= end else { return false }
            step(to: deadline)
        }
        return true
    }

    /// Sets the wall clock, as a person or the network does; deadlines do not move.
    @inlinable
    public mutating func setWallClock(to wall: WallTime) {
        clock.wall = wall
    }

    // MARK: One instant

    @inlinable
    mutating func step(to deadline: Instant) {
        if deadline > clock.now { clock = clock + (deadline - clock.now) }
        engine.advance(to: clock)
        settle()
    }

    /// Carries out operations and hands over answers until neither is left at this instant.
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
                engine.receive(outcome, at: clock)
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
            if let answer = store.carryOut(operation) { answers.append(answer) }
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
        case .close:
            server.carryOut(operation, at: clock)
        case .haptic:
            taps.increment()
        }
    }

    // MARK: Filling in

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

    /// Loads a secret that the store has not given out in this process: a machine that goes on in another process
    /// names the secrets of the one before (R4).
    private mutating func loadSecret(_ handle: SecretHandle) throws(MissingPart) {
        guard secret(handle) == nil else { return }
        // The machine waits for no such ticket: this is between the owner of the loop and its store.
        let answer = store.carryOut(.load(StorageTicket(0), .secret(handle)))
        switch answer {
        case nil, .failed: throw .unreadableSecret
        default: break
        }
    }

    private func secret(_ handle: SecretHandle) -> Secret? {
        store.secret(at: .secret(handle))
    }

    private func record(_ path: RecordPath) -> [UInt8]? {
        path.protection == .plain ? store.bytes(at: path) : nil
    }
}

extension Loop: Equatable where Store: Equatable {}
extension Loop: Hashable where Store: Hashable {}
extension Loop: Sendable where Store: Sendable {}
