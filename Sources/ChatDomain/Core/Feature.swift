// The shape of every feature. Start here.
//
// A feature is a value (its configuration), a `State`, an `Action` enum and a pure `reduce`: the result depends
// only on the configuration, the state, the action and the context. A feature performs nothing itself; it
// returns `Effect` values, which the interpreter carries out. The answers come back as further actions, through
// the enum cases that `FeatureAction` requires:
//
//     reports of a person ─┐                        ┌──▶ open, send, close      (network)
//     received, ended    ──┼──▶ reduce(&state, …) ──┼──▶ load, save, erase      (storage)
//     stored, timerFired ──┘                        └──▶ start, cancel          (timer)
//
// Rules for every feature (Docs/Rules.md): a reducer accepts every action in every state; an action that makes
// no sense in a state changes only counters and has no effect; an answer with another attempt than the one that
// the state waits for is such an action.

/// A view model as a value: configuration, state, actions and a pure reducer.
public protocol Feature: DomainValue {
    /// The state of the feature.
    associatedtype State: DomainValue
    /// A report of the person, or an answer to an effect.
    associatedtype Action: FeatureAction
    /// The name of a call, with its attempt.
    associatedtype Call: DomainValue where Call == Action.Call
    /// The request that opens a call.
    associatedtype Request: PlainValue
    /// A frame that is sent on an open call.
    associatedtype Frame: PlainValue
    /// An event of an open call.
    associatedtype Event: PlainValue where Event == Action.Event
    /// The key of a record.
    associatedtype Key: DomainValue where Key == Action.Key
    /// A stored record.
    associatedtype Record: PlainValue where Record == Action.Record
    /// The name of a timer.
    associatedtype Timer: DomainValue where Timer == Action.Timer

    /// An effect in the types of the feature.
    typealias Effect = FeatureEffect<Call, Request, Frame, Key, Record, Timer>

    /// Applies an action to a state and returns the effects, in order.
    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect]
}

/// The cases by which answers reach a feature.
public protocol FeatureAction: PlainValue {
    /// The feature's calls.
    associatedtype Call: DomainValue
    /// The events of its calls.
    associatedtype Event: PlainValue
    /// The keys of its records.
    associatedtype Key: DomainValue
    /// Its records.
    associatedtype Record: PlainValue
    /// Its timers.
    associatedtype Timer: DomainValue

    /// An event of an open call.
    static func received(_ event: Event, on call: Call) -> Self
    /// The end of a call; nothing more comes from it.
    static func ended(_ call: Call, _ end: CallEnd) -> Self
    /// The end of a storage operation.
    static func stored(_ answer: StorageAnswer<Record>, under key: Key, _ attempt: Attempt) -> Self
    /// A timer fired.
    static func timerFired(_ timer: Timer) -> Self
}

/// The inputs that a pure function must not fetch: the time, randomness, and attempt numbers.
public struct Context: DomainValue {
    /// The readings of the clocks.
    public var moment: Moment
    /// The generator for identifiers and jitter.
    public var entropy: Entropy
    /// The number of minted attempts.
    private(set) var attempts: UInt64

    /// Creates a context at a moment.
    @inlinable public init(moment: Moment, entropy: Entropy) {
        self.init(moment: moment, entropy: entropy, attempts: 0)
    }

    @usableFromInline init(moment: Moment, entropy: Entropy, attempts: UInt64) {
        (self.moment, self.entropy, self.attempts) = (moment, entropy, attempts)
    }

    /// The monotonic clock, for deadlines.
    @inlinable public var now: Instant { moment.now }

    /// The wall clock, for what is shown and stored.
    @inlinable public var wall: WallTime { moment.wall }

    /// Mints an attempt, greater than all before it.
    public mutating func nextAttempt() -> Attempt {
        attempts &+= 1  // one a nanosecond would last 584 years
        return Attempt(number: attempts)
    }
}
