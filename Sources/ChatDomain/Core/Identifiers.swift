// Names of things: one generic type with a phantom kind, so that a message's id cannot be passed for a device's.

/// The name of one thing of a kind.
public struct Identifier<Kind>: Sendable, Hashable, Comparable {
    /// The name, as it is sent and stored.
    public let text: ExactText

    /// Wraps a name from a server, a record or the generator.
    @inlinable public init(_ text: ExactText) { self.text = text }

    /// Wraps a name from a server, a record or the generator.
    @inlinable public init(_ string: String) { text = ExactText(string) }

    /// Whether it can be a server's name of something: not empty, and at most 1,024 bytes (L8).
    package var isGenuine: Bool { !text.isEmpty && text.byteCount <= 1_024 }

    @inlinable public static func < (left: Identifier, right: Identifier) -> Bool { left.text < right.text }
}

extension Identifier: ExpressibleByStringLiteral {
    @inlinable public init(stringLiteral value: String) { text = ExactText(value) }
}

#if !hasFeature(Embedded)
    extension Identifier: Codable {
        public init(from decoder: any Decoder) throws { text = try ExactText(from: decoder) }

        public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
    }
#endif

/// The kinds that an `Identifier` can name.
public enum IdentifierKind {
    /// This installation of the app.
    public enum Device {}
    /// A person's account on the server.
    public enum User {}
    /// One message, as the server names it.
    public enum Message {}
    /// One message, as the device that wrote it names it.
    public enum Client {}
    /// A sequence of messages that belong together.
    public enum Conversation {}
    /// The content of the composer until it is sent.
    public enum Draft {}
    /// A file of a message.
    public enum Attachment {}
    /// A file that the server keeps.
    public enum Asset {}
}

/// Names this installation; minted once (P1), a UUID in lower case.
public typealias DeviceID = Identifier<IdentifierKind.Device>
/// Names a person; given by the server with the credentials.
public typealias UserID = Identifier<IdentifierKind.User>
/// Names a message; given by the server.
public typealias MessageID = Identifier<IdentifierKind.Message>
/// Names a message before the server does, and is its idempotency key; minted here (L6).
public typealias ClientID = Identifier<IdentifierKind.Client>
/// Names a conversation; given by the server or minted here.
public typealias ConversationID = Identifier<IdentifierKind.Conversation>
/// Names the content of the composer from its first save until it is sent; minted here.
public typealias DraftID = Identifier<IdentifierKind.Draft>
/// Names a file of a message; minted here.
public typealias AttachmentID = Identifier<IdentifierKind.Attachment>
/// Names a file kept by the server; given by it.
public typealias AssetID = Identifier<IdentifierKind.Asset>

/// The identity of one attempt. `Context` mints them in rising order; an answer with an older one is a ghost (L4).
public struct Attempt: DomainValue, Comparable {
    /// The position among all attempts of one machine.
    public let number: UInt64

    /// Creates the attempt with that number; only a `Context`, a record or a test needs it.
    @inlinable public init(number: UInt64) { self.number = number }

    @inlinable public static func < (left: Attempt, right: Attempt) -> Bool { left.number < right.number }
}
