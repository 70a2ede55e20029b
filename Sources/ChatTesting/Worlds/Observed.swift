// A feature with the effects of its latest actions beside its state. Any observed feature runs in the machine that
// ships, and a test reads its effects.

import ChatDomain

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
        if state.effects.isEmpty { state.effects = effects } else { state.effects += effects }
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
