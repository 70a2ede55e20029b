// Two features beside each other, as one: the way to add a feature to the app without routing by hand. Each keeps its
// own state, calls, records and timers; neither can see the other's. A feature that must react to the other, such as one
// that follows who is signed in, is told so by a root that owns a `Beside` (Docs/YourFeature.md).
//
// The laws: an action of one side leaves the other side as it is, and its effects come back to that side alone; an
// action that has no effect allocates nothing.

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

/// An action of either of two features, or an answer to either.
public enum BesideAction<First: FeatureAction, Second: FeatureAction>: FeatureAction {
    case first(First)
    case second(Second)
    case received(Either<First.Event, Second.Event>, on: Either<First.Call, Second.Call>)
    case ended(Either<First.Call, Second.Call>, CallEnd)
    case stored(
        StorageAnswer<Either<First.Record, Second.Record>>, under: Either<First.Key, Second.Key>, Attempt)
    case timerFired(Either<First.Timer, Second.Timer>)
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
        /// What the first feature knows.
        public var first: First.State
        /// What the second feature knows.
        public var second: Second.State

        /// Puts two states beside each other.
        @inlinable
        public init(_ first: First.State, _ second: Second.State) {
            self.first = first
            self.second = second
        }
    }

    /// An action of either side, or an answer to either side.
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

    /// Applies an action to its side. An event on a call of the other side is dropped, and a record of the other
    /// side counts as damaged.
    @inlinable
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .first(let action): return toFirst(&state, action, &context)
        case .second(let action): return toSecond(&state, action, &context)
        case .received(.first(let event), on: .first(let call)):
            return toFirst(&state, .received(event, on: call), &context)
        case .received(.second(let event), on: .second(let call)):
            return toSecond(&state, .received(event, on: call), &context)
        case .received: return []
        case .ended(.first(let call), let end): return toFirst(&state, .ended(call, end), &context)
        case .ended(.second(let call), let end): return toSecond(&state, .ended(call, end), &context)
        case .stored(let answer, under: .first(let key), let attempt):
            let own = answer.compactMap { if case .first(let record) = $0 { record } else { nil } }
            return toFirst(&state, .stored(own, under: key, attempt), &context)
        case .stored(let answer, under: .second(let key), let attempt):
            let own = answer.compactMap { if case .second(let record) = $0 { record } else { nil } }
            return toSecond(&state, .stored(own, under: key, attempt), &context)
        case .timerFired(.first(let timer)): return toFirst(&state, .timerFired(timer), &context)
        case .timerFired(.second(let timer)): return toSecond(&state, .timerFired(timer), &context)
        }
    }

    @inlinable
    func toFirst(_ state: inout State, _ action: First.Action, _ context: inout Context) -> [Effect] {
        let effects = first.reduce(&state.first, action, in: &context)
        if effects.isEmpty { return [] }
        return effects.map { effect in
            effect.map(
                call: { .first($0) }, request: { .first($0) }, frame: { .first($0) }, key: { .first($0) },
                record: { .first($0) }, timer: { .first($0) })
        }
    }

    @inlinable
    func toSecond(_ state: inout State, _ action: Second.Action, _ context: inout Context) -> [Effect] {
        let effects = second.reduce(&state.second, action, in: &context)
        if effects.isEmpty { return [] }
        return effects.map { effect in
            effect.map(
                call: { .second($0) }, request: { .second($0) }, frame: { .second($0) }, key: { .second($0) },
                record: { .second($0) }, timer: { .second($0) })
        }
    }
}
