// Two features beside each other, as one: the way to add a feature to the app without routing by hand. Each has its
// own state, calls, records and timers, and neither can see the other's. A feature that must react to the other, for
// example to a sign-in, needs a root that owns a `Beside` and passes the news on (Docs/YourFeature.md).
//
// The laws: an action of one side leaves the other side unchanged, and its effects return to that side alone; an
// action without effects allocates nothing.

/// One of two values.
public enum Either<First, Second> {
    /// A value of the first side.
    case first(First)
    /// A value of the second side.
    case second(Second)
}

extension Either: Equatable where First: Equatable, Second: Equatable {}
extension Either: Hashable where First: Hashable, Second: Hashable {}
extension Either: Sendable where First: Sendable, Second: Sendable {}
#if !hasFeature(Embedded)
    extension Either: Encodable where First: Encodable, Second: Encodable {}
    extension Either: Decodable where First: Decodable, Second: Decodable {}
#endif

/// An action of either of two features. An answer is an action of the side that asked.
public enum BesideAction<First: FeatureAction, Second: FeatureAction>: FeatureAction {
    /// An action of the first feature.
    case first(First)
    /// An action of the second feature.
    case second(Second)

    /// An event on a call of the same side. An event of the other side is malformed, and ends the call.
    @inlinable
    public static func received(
        _ event: Either<First.Event, Second.Event>, on call: Either<First.Call, Second.Call>
    ) -> BesideAction {
        switch (event, call) {
        case (.first(let event), .first(let call)): .first(.received(event, on: call))
        case (.second(let event), .second(let call)): .second(.received(event, on: call))
        case (_, let call): ended(call, .failed(.malformed))
        }
    }

    /// The end of a call of either side.
    @inlinable
    public static func ended(_ call: Either<First.Call, Second.Call>, _ end: CallEnd) -> BesideAction {
        switch call {
        case .first(let call): .first(.ended(call, end))
        case .second(let call): .second(.ended(call, end))
        }
    }

    /// An answer of the store to the side of the key. A record of the other side counts as damaged.
    @inlinable
    public static func stored(
        _ answer: StorageAnswer<Either<First.Record, Second.Record>>,
        under key: Either<First.Key, Second.Key>, _ attempt: Attempt
    ) -> BesideAction {
        switch key {
        case .first(let key):
            let own = answer.compactMap { if case .first(let record) = $0 { record } else { nil } }
            return .first(.stored(own, under: key, attempt))
        case .second(let key):
            let own = answer.compactMap { if case .second(let record) = $0 { record } else { nil } }
            return .second(.stored(own, under: key, attempt))
        }
    }

    /// A deadline of either side.
    @inlinable
    public static func timerFired(_ timer: Either<First.Timer, Second.Timer>) -> BesideAction {
        switch timer {
        case .first(let timer): .first(.timerFired(timer))
        case .second(let timer): .second(.timerFired(timer))
        }
    }
}

/// Two features as one.
public struct Beside<First: Feature, Second: Feature>: Feature {
    /// The first feature.
    public var first: First
    /// The second feature.
    public var second: Second

    /// Puts two features beside each other.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// The states of both.
    public struct State: DomainValue {
        /// The state of the first feature.
        public var first: First.State
        /// The state of the second feature.
        public var second: Second.State

        /// Puts two states beside each other.
        @inlinable
        public init(_ first: First.State, _ second: Second.State) {
            self.first = first
            self.second = second
        }
    }

    /// An action of either side.
    public typealias Action = BesideAction<First.Action, Second.Action>
    /// A call of either side.
    public typealias Call = Either<First.Call, Second.Call>
    /// A request of either side.
    public typealias Request = Either<First.Request, Second.Request>
    /// A frame of either side.
    public typealias Frame = Either<First.Frame, Second.Frame>
    /// An event of either side.
    public typealias Event = Either<First.Event, Second.Event>
    /// A key of either side.
    public typealias Key = Either<First.Key, Second.Key>
    /// A record of either side.
    public typealias Record = Either<First.Record, Second.Record>
    /// A timer of either side.
    public typealias Timer = Either<First.Timer, Second.Timer>

    /// Applies an action to its side.
    @inlinable
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .first(let action):
            first.reduce(&state.first, action, in: &context).map { effect in
                effect.map(
                    call: { .first($0) }, request: { .first($0) }, frame: { .first($0) },
                    key: { .first($0) }, record: { .first($0) }, timer: { .first($0) })
            }
        case .second(let action):
            second.reduce(&state.second, action, in: &context).map { effect in
                effect.map(
                    call: { .second($0) }, request: { .second($0) }, frame: { .second($0) },
                    key: { .second($0) }, record: { .second($0) }, timer: { .second($0) })
            }
        }
    }
}
