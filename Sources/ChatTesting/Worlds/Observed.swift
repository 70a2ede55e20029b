// A feature alone in a machine, seen from within. `Observed` is the feature with the effects of its latest actions beside
// its state; `Uncoded` is a backend without bytes, since a world answers in the feature's own terms. Together they run
// any feature in the machine that ships.

import ChatDomain
import ChatEffects

/// A feature whose effects can be read.
public struct Observed<Inner: Feature>: Feature {
    public typealias Action = Inner.Action
    public typealias Call = Inner.Call
    public typealias Request = Inner.Request
    public typealias Frame = Inner.Frame
    public typealias Event = Inner.Event
    public typealias Key = Inner.Key
    public typealias Record = Inner.Record
    public typealias Timer = Inner.Timer

    /// The feature.
    public var inner: Inner

    /// Observes a feature.
    @inlinable public init(_ inner: Inner) { self.inner = inner }

    /// The feature's state, and the effects since they were last taken.
    public struct State: Sendable {
        /// The feature's own state.
        public var inner: Inner.State
        /// The effects since they were last taken, in order. They take no part in a comparison.
        public var effects: [Inner.Effect] = []

        /// Begins with a state.
        @inlinable public init(_ inner: Inner.State) { self.inner = inner }
    }

    /// Reduces, and writes the effects down.
    @inlinable
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Inner.Effect] {
        let effects = inner.reduce(&state.inner, action, in: &context)
        state.effects.append(contentsOf: effects)
        return effects
    }
}

extension Observed.State: Hashable {
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.inner == right.inner }

    @inlinable public func hash(into hasher: inout Hasher) { inner.hash(into: &hasher) }
}

extension Observed.State: Codable {
    public init(from decoder: any Decoder) throws { inner = try Inner.State(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
}

/// A backend that encodes nothing: calls are open, and what they bring is delivered as events.
public struct Uncoded<Inner: Feature>: Backend
where Inner.Key: RecordKey, Inner.Record: StoredRecord, Inner.Record.Key == Inner.Key {
    /// The feature and its effects.
    public typealias Subject = Observed<Inner>

    /// Nothing is remembered of a call.
    public struct Progress: DomainValue {
        @inlinable init() {}
    }

    /// Creates the backend.
    @inlinable public init() {}

    @inlinable
    public func open(_ request: Inner.Request) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: ""), Progress())
    }

    @inlinable
    public func send(
        _ frame: Inner.Frame, progress: inout Progress, reaction: inout Reaction<Inner.Event>
    ) {}

    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Inner.Event>
    ) {}
}
