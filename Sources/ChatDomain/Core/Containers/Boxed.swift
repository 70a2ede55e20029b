// A part of a state behind one reference. A front end that holds earlier states copies a state with each
// action, and an unchanged part costs as much to copy as a changed one: each byte is written, each text
// retained. A part that seldom changes is therefore boxed, and costs one reference.

/// A value behind one reference: a copy costs the same at any size. A change copies the value while an earlier copy
/// is held, and otherwise happens in place.
@propertyWrapper public struct Boxed<Value> {
    /// Exactly one value. An array, because it brings the check for unique references, sendability and an `==`
    /// that stops at a shared buffer.
    @usableFromInline var storage: [Value]

    /// Boxes a value.
    @inlinable public init(wrappedValue: Value) { storage = [wrappedValue] }

    /// The value, read and changed in place. O(1), or a copy of it when it is changed while shared.
    @inlinable public var wrappedValue: Value {
        get { storage[0] }
        _modify { yield &storage[0] }
    }

    private init(storage: [Value]) { self.storage = storage }

    /// A box without a value. It takes the place of a box while that one's value changes, so that the value is not
    /// shared and changes in place; it must not be read. Allocates nothing.
    static var vacant: Boxed<Value> { Boxed(storage: []) }

    /// Whether both are the same box; then their values are equal without a comparison. Different boxes may also have
    /// equal values. O(1).
    @inline(__always) func isIdentical(to other: Boxed<Value>) -> Bool {
        // Both boxes are alive, so no address is reused. Only empty arrays share one buffer.
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
