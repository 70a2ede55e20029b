// A feature with the effects of its latest actions beside its state. Any observed feature runs in the machine that
// ships, and a test reads its effects.

import ChatDomain

/// A feature whose effects can be read.
@usableFromInline package struct Observed<Inner: Feature>: Feature {
    @usableFromInline package typealias Action = Inner.Action
    @usableFromInline package typealias Call = Inner.Call
    @usableFromInline package typealias Request = Inner.Request
    @usableFromInline package typealias Frame = Inner.Frame
    @usableFromInline package typealias Event = Inner.Event
    @usableFromInline package typealias Key = Inner.Key
    @usableFromInline package typealias Record = Inner.Record
    @usableFromInline package typealias Timer = Inner.Timer

    /// The feature.
    @usableFromInline package var inner: Inner

    /// Observes a feature.
    @inlinable package init(_ inner: Inner) { self.inner = inner }

    /// The feature's state, and the effects since they were last taken.
    @usableFromInline package struct State: Sendable {
        /// The feature's own state.
        @usableFromInline package var inner: Inner.State
        /// The effects since they were last taken, in order. They take no part in a comparison.
        @usableFromInline package var effects: [Inner.Effect] = []

        /// Begins with a state.
        @inlinable package init(_ inner: Inner.State) { self.inner = inner }
    }

    /// Reduces, and writes the effects down.
    @inlinable
    package func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Inner.Effect] {
        let effects = inner.reduce(&state.inner, action, in: &context)
        if state.effects.isEmpty { state.effects = effects } else { state.effects += effects }
        return effects
    }
}

extension Observed.State: Hashable {
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.inner == right.inner }

    @inlinable package func hash(into hasher: inout Hasher) { inner.hash(into: &hasher) }
}

extension Observed.State: Codable {
    @usableFromInline package init(from decoder: any Decoder) throws {
        inner = try Inner.State(from: decoder)
    }

    @usableFromInline package func encode(to encoder: any Encoder) throws { try inner.encode(to: encoder) }
}
