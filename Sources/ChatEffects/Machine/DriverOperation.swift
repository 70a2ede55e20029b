// The interface between the machine and its drivers: operations out, outcomes in. Both are plain values without a
// feature's types, so that one driver serves every feature, and so that they can be recorded, replayed and passed to
// another language.
//
// A driver promises little: it carries out operations in order and answers when it can. The machine drops and counts
// answers that are duplicate, late or wrong.

import ChatDomain

/// The identity of one call between a machine and its drivers; never reused.
public struct CallNumber: DomainValue, Comparable {
    /// The call's position among all calls of one machine.
    public let value: UInt64

    /// Creates the identity with that position.
    @inlinable
    public init(_ value: UInt64) {
        self.value = value
    }

    @inlinable
    public static func < (left: CallNumber, right: CallNumber) -> Bool {
        left.value < right.value
    }
}

/// The identity of one storage operation between a machine and its drivers; never reused.
public struct StorageTicket: DomainValue, Comparable {
    /// The operation's position among all storage operations of one machine.
    public let value: UInt64

    /// Creates the identity with that position.
    @inlinable
    public init(_ value: UInt64) {
        self.value = value
    }

    @inlinable
    public static func < (left: StorageTicket, right: StorageTicket) -> Bool {
        left.value < right.value
    }
}

/// An operation for a driver.
public enum DriverOperation: DomainValue {
    /// Begins a call.
    case open(CallNumber, Exchange)
    /// Sends a frame on an open socket.
    case send(CallNumber, Payload)
    /// Closes a call; later arrivals are ignored.
    case close(CallNumber)
    /// Reads the record at a path. A secret stays in the driver's memory.
    case load(StorageTicket, RecordPath)
    /// Stores a record at a path; the answer comes when it is durable.
    case save(StorageTicket, RecordPath, RecordContent)
    /// Removes the records at and below a path; the answer comes when that is durable.
    case erase(StorageTicket, RecordPath)
    /// Moves the record at a path aside without destroying it; no answer.
    case setAside(RecordPath)
    /// Plays a light haptic tap; no answer.
    case haptic
}

/// A driver's answer.
public enum Outcome: PlainValue {
    /// An arrival on a call, or its end.
    case arrived(CallNumber, Arrival)
    /// The loaded bytes. They are empty for a secret, which stays with the driver.
    case loaded(StorageTicket, [UInt8])
    /// A load of a path without a record.
    case missing(StorageTicket)
    /// A durable save.
    case saved(StorageTicket)
    /// A durable erase.
    case erased(StorageTicket)
    /// A failed storage operation.
    case failed(StorageTicket, StorageFailure)
}

/// An arrival on an open call.
public enum Arrival: PlainValue {
    /// The handshake of a socket is complete.
    case opened
    /// The status and headers of an HTTP response; header names in lower case.
    case head(status: Int64, headers: [Header])
    /// Bytes of an HTTP response's body, in any split.
    case body([UInt8])
    /// A complete text message of a socket.
    case text([UInt8])
    /// A message of a socket that is over the driver's limit and was not kept.
    case tooLong
    /// A control frame of a socket: the peer is alive.
    case signOfLife
    /// The number of sent bytes of a request's body.
    case sent(Int64, of: Int64)
    /// The transport ended: complete, closed by the peer, or broken. Nothing follows.
    case ended(CallEnd)
}

/// An HTTP header field.
public struct Header: DomainValue {
    /// The field's name in lower case.
    public var name: ExactText
    /// The field's value.
    public var value: ExactText

    /// Creates a header field.
    public init(_ name: ExactText, _ value: ExactText) {
        self.name = name
        self.value = value
    }

    /// Creates a header field that holds the credential of its exchange, in place of `Authorization: Bearer`.
    public init(secret name: ExactText) { self.init(name, ExactText(Secret.placeholder)) }

    /// Whether the driver fills in the credential here.
    var isSecret: Bool { value == ExactText(Secret.placeholder) }
}

/// The transport of a call, with its parameters.
public enum Exchange: DomainValue {
    /// An HTTP request and its response. The credential, if any, becomes the value of the header that
    /// was made for it, and otherwise `Authorization: Bearer`.
    case http(method: ExactText, path: ExactText, headers: [Header], body: Payload, credential: SecretHandle?)
    /// A request for a new credential in place of an old one (S9). A loop makes it an HTTP request; see Renewals.swift.
    case renewal(path: ExactText, headers: [Header], of: SecretHandle)
    /// A WebSocket.
    case socket(path: ExactText)

    @usableFromInline
    package var transport: Transport {
        switch self {
        case .http, .renewal: .http
        case .socket: .socket
        }
    }
}

/// The kind of transport of a call.
@usableFromInline package enum Transport: DomainValue {
    /// A request and its response: a head, then a body.
    case http
    /// A WebSocket: a handshake, then messages.
    case socket
}

/// Bytes to send, with placeholders for the parts that the machine must not hold (L10). The driver fills them.
public struct Payload: DomainValue {
    /// A part of a payload.
    public enum Part: DomainValue {
        /// Literal bytes.
        case bytes([UInt8])
        /// A placeholder for a secret, escaped as the inside of a JSON string.
        case secret(SecretHandle)
        /// A placeholder for the record at a path, unchanged.
        case stored(RecordPath)
    }

    /// The parts in order.
    public var parts: [Part]

    /// Creates a payload from parts.
    public init(_ parts: [Part]) {
        self.parts = parts
    }

    /// Creates a payload from bytes alone.
    public init(bytes: [UInt8]) {
        parts = [.bytes(bytes)]
    }
}

/// The content of a record.
public enum RecordContent: DomainValue {
    /// Plain bytes.
    case bytes([UInt8])
    /// A secret, for the keychain or an owner-only file.
    case secret(Secret)
}

/// The path of a record: a list of names without meaning for the driver.
public struct RecordPath: DomainValue {
    /// The kind of content at a path.
    public enum Protection: DomainValue {
        /// Bytes that the machine may read.
        case plain
        /// A secret, which only drivers read.
        case secret
    }

    /// The names from the root down; never empty in a feature's path.
    public let components: [ExactText]
    /// The kind of content at the path.
    public let protection: Protection

    /// Creates a path from names.
    public init(_ components: [ExactText], protection: Protection = .plain) {
        self.components = components
        self.protection = protection
    }

    /// Whether the other path is equal to this one or below it, in either protection.
    @usableFromInline
    package func leads(to other: RecordPath) -> Bool {
        components.count <= other.components.count && overlaps(other)
    }

    /// Whether one of the paths is equal to or below the other, so that their operations must keep their order.
    @usableFromInline
    func overlaps(_ other: RecordPath) -> Bool {
        for (own, others) in zip(components, other.components) where own != others { return false }
        return true
    }
}
