// The shape of every feature. Start here.
//
// A feature is a value (its configuration), a `State`, an `Action` enum and `reduce`, which is pure: what it
// answers depends on the configuration, the state, the action and the context, and on nothing else. It does
// nothing itself; it returns `Effect` values that say what the world should do. What the world then answers
// comes back as further actions, through the enum cases that `FeatureAction` asks for:
//
//     what a person does ──┐                        ┌──▶ open, send, close      (network)
//     received, ended    ──┼──▶ reduce(&state, …) ──┼──▶ load, save, erase      (storage)
//     stored, timerFired ──┘                        └──▶ start, cancel          (timer)
//
// Rules that hold for every feature (Docs/Rules.md): a reducer accepts every action in every state; an
// action that makes no sense there changes nothing but counters and yields no effect; an answer that carries
// another attempt than the one the state waits for is such an action.

/// A view model as a value: configuration, state, actions and a pure reducer.
public protocol Feature: DomainValue {
    /// Everything the feature knows.
    associatedtype State: DomainValue
    /// What a person did and what the world answered.
    associatedtype Action: FeatureAction
    /// Names the calls that the feature may have open, each with its attempt.
    associatedtype Call: DomainValue where Call == Action.Call
    /// What may be asked of the network when a call is opened.
    associatedtype Request: PlainValue
    /// What may be sent on an open call.
    associatedtype Frame: PlainValue
    /// What an open call may bring.
    associatedtype Event: PlainValue where Event == Action.Event
    /// Names the records that the feature stores.
    associatedtype Key: DomainValue where Key == Action.Key
    /// What is stored under a key.
    associatedtype Record: PlainValue where Record == Action.Record
    /// Names the deadlines that the feature may set.
    associatedtype Timer: DomainValue where Timer == Action.Timer

    /// What the world should do, in the feature's own terms.
    typealias Effect = FeatureEffect<Call, Request, Frame, Key, Record, Timer>

    /// Applies an action to a state and says what the world should do, in order.
    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect]
}

/// The cases by which the world's answers reach a feature.
public protocol FeatureAction: PlainValue {
    /// The feature's calls.
    associatedtype Call: DomainValue
    /// What its calls bring.
    associatedtype Event: PlainValue
    /// The keys of its records.
    associatedtype Key: DomainValue
    /// Its records.
    associatedtype Record: PlainValue
    /// Its deadlines.
    associatedtype Timer: DomainValue

    /// An open call brought something.
    static func received(_ event: Event, on call: Call) -> Self
    /// A call ended; nothing more comes from it.
    static func ended(_ call: Call, _ end: CallEnd) -> Self
    /// A storage operation ended.
    static func stored(_ answer: StorageAnswer<Record>, under key: Key, _ attempt: Attempt) -> Self
    /// A deadline came.
    static func timerFired(_ timer: Timer) -> Self
}

/// What a pure function must not fetch: the time, randomness, and attempt numbers.
public struct Context: DomainValue {
    /// What the clocks say.
    public var moment: Moment
    /// The generator for identifiers and jitter.
    public var entropy: Entropy
    /// The attempts minted so far.
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

    /// Mints the identity of one more attempt, greater than all before it.
    public mutating func nextAttempt() -> Attempt {
        attempts &+= 1  // one a nanosecond would last 584 years
        return Attempt(number: attempts)
    }
}
