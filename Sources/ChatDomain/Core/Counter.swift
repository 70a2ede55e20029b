// Diagnostics are counters only (limits). They saturate, and only people read them.

/// A count that stops at its greatest value instead of overflowing.
public struct Counter: DomainValue {
    /// The count so far.
    public private(set) var value: UInt64

    /// Creates a counter.
    @inlinable public init(_ value: UInt64 = 0) { self.init(exactly: value) }

    @usableFromInline init(exactly value: UInt64) { self.value = value }

    /// Adds an amount.
    public mutating func increment(by amount: UInt64 = 1) { value = saturatingSum(value, amount) }
}
