// A part of a state behind one reference. A front end that holds earlier states copies a state with each
// action, and copying what did not change costs as much as copying what did: each byte is written, each text
// retained. What changes seldom therefore stands in a box, and counts as one reference.

/// A value behind one reference: copying it costs the same however large it is. Changing it costs a copy of it
/// when an earlier value is held, and nothing more than before when none is.
@propertyWrapper public struct Boxed<Value> {
    /// Exactly one value. An array, because it brings the check for unique references, sendability and an `==`
    /// that stops at a shared buffer.
    @usableFromInline var storage: [Value]

    /// Puts a value into a box.
    @inlinable public init(wrappedValue: Value) { storage = [wrappedValue] }

    /// The value. It is read and changed where it lies. O(1), or a copy of it when it is changed while shared.
    @inlinable public var wrappedValue: Value {
        get { storage[0] }
        _modify { yield &storage[0] }
    }

    private init(storage: [Value]) { self.storage = storage }

    /// A box without a value. It stands where a box was while that one's value changes, so that the value is not
    /// shared and changes in place; nothing may look into it. Allocates nothing.
    static var vacant: Boxed<Value> { Boxed(storage: []) }

    /// Whether both are one box, so that their values are equal without a look at them. Two boxes with equal values
    /// need not be one. O(1).
    @inline(__always) func isIdentical(to other: Boxed<Value>) -> Bool {
        // Both boxes are alive here, so no address is used twice. Only empty arrays share one buffer.
        storage.withUnsafeBufferPointer { mine in
            other.storage.withUnsafeBufferPointer { theirs in mine.baseAddress == theirs.baseAddress }
        }
    }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}

#if !hasFeature(Embedded)
    extension Boxed: Codable where Value: Codable {
        /// Reads the value itself.
        public init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

        /// Writes the value itself.
        public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
    }
#endif
