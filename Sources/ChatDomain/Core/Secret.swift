// A `Secret` holds a token only on its way from the answer that brings it to the effect that saves it (L10). From
// then on a handle names it, and only the driver resolves the handle.

/// A token or password on its way to storage. It prints, reflects and encodes as a placeholder.
public struct Secret: Sendable, Hashable, CustomStringConvertible {
    /// The text that is shown in place of a secret.
    package static let placeholder = "<secret>"

    @usableFromInline let text: ExactText

    /// Wraps a secret as soon as it has been read.
    @inlinable public init(_ text: ExactText) { self.text = text }

    /// The secret itself, for the driver that stores it or sends it.
    @inlinable public func reveal() -> ExactText { text }

    /// The placeholder.
    public var description: String { Secret.placeholder }
}

#if !hasFeature(Embedded)
    extension Secret: Codable, CustomDebugStringConvertible, CustomReflectable {
        /// Reads the placeholder: the encoded form does not contain the secret.
        public init(from decoder: any Decoder) throws {
            _ = try String(from: decoder)
            text = ExactText(Secret.placeholder)
        }

        public func encode(to encoder: any Encoder) throws { try Secret.placeholder.encode(to: encoder) }

        /// The placeholder.
        public var debugDescription: String { Secret.placeholder }

        /// A mirror without children, so that `dump` and test failures show nothing.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif

/// Names a stored secret. A new secret gets a new handle, so calls under way keep the one they opened with (S9).
public struct SecretHandle: DomainValue {
    /// The name under which the driver keeps the secret.
    public let name: ExactText

    /// Creates a handle of that name.
    public init(_ name: ExactText) { self.name = name }
}
