// What crosses the border between the machine and its drivers: operations out, outcomes in. Both are plain
// values without a feature's types in them, so that one driver serves every feature, and so that they can be
// recorded, replayed and carried into another language.
//
// A driver promises little: it carries out operations in the order given, and answers when it can. What it
// answers twice, late or wrongly, the machine drops and counts.

import ChatDomain

/// Identity of one call between a machine and its drivers; never reused.
public struct CallNumber: DomainValue, Comparable {
    /// The position among all calls of one machine.
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

/// Identity of one storage operation between a machine and its drivers; never reused.
public struct StorageTicket: DomainValue, Comparable {
    /// The position among all storage operations of one machine.
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

/// What a driver must do.
public enum DriverOperation: DomainValue {
    /// Begin a call.
    case open(CallNumber, Exchange)
    /// Send a frame on an open socket.
    case send(CallNumber, Payload)
    /// End a call; nothing that it still brings is wanted.
    case close(CallNumber)
    /// Read what is stored at a path. A secret is read into the driver's own memory and stays there.
    case load(StorageTicket, RecordPath)
    /// Store under a path, durably, before answering.
    case save(StorageTicket, RecordPath, RecordContent)
    /// Remove what is stored at a path and below it, durably, before answering.
    case erase(StorageTicket, RecordPath)
    /// Move what is stored at a path out of the way without destroying it; no answer.
    case setAside(RecordPath)
    /// Give a light tap that can be felt; no answer.
    case haptic
}

/// What a driver answers.
public enum Outcome: PlainValue {
    /// A call brought something, or ended.
    case arrived(CallNumber, Arrival)
    /// A load found this. For a secret the bytes are empty: they stay with the driver.
    case loaded(StorageTicket, [UInt8])
    /// A load found nothing.
    case missing(StorageTicket)
    /// A save is durable.
    case saved(StorageTicket)
    /// An erase is durable.
    case erased(StorageTicket)
    /// A storage operation failed.
    case failed(StorageTicket, StorageFailure)
}

/// What an open call brings.
public enum Arrival: PlainValue {
    /// A socket's handshake is done.
    case opened
    /// The status and headers of an HTTP answer; header names in lower case.
    case head(status: Int64, headers: [Header])
    /// Some more bytes of an HTTP answer's body, however they were split.
    case body([UInt8])
    /// A whole text message of a socket.
    case text([UInt8])
    /// A sign that the peer is alive: a control frame of a socket.
    case signOfLife
    /// This many bytes of a request's body have been sent.
    case sent(Int64, of: Int64)
    /// The transport ended: complete, closed by the peer, or broken. Nothing may follow.
    case ended(CallEnd)
}

/// One header field of HTTP.
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
}

/// How a call is carried.
public enum Exchange: DomainValue {
    /// One HTTP request and its answer. The credential, if any, goes into `Authorization: Bearer`.
    case http(method: ExactText, path: ExactText, headers: [Header], body: Payload, credential: SecretHandle?)
    /// A WebSocket.
    case socket(path: ExactText)

    @usableFromInline
    var transport: Transport {
        switch self {
        case .http: .http
        case .socket: .socket
        }
    }
}

/// What carries a call.
public enum Transport: String, DomainValue {
    /// One request and its answer: a head, then a body.
    case http
    /// A WebSocket: a handshake, then messages.
    case socket
}

/// Bytes to be sent, with places where the driver puts what the machine must not hold (L10).
public struct Payload: DomainValue {
    /// A stretch of a payload.
    public enum Part: DomainValue {
        /// These bytes.
        case bytes([UInt8])
        /// A secret, escaped as the inside of a JSON string.
        case secret(SecretHandle)
        /// What is stored at a path, as it is.
        case stored(RecordPath)
    }

    /// The stretches in their order.
    public var parts: [Part]

    /// Creates a payload of those stretches.
    public init(_ parts: [Part]) {
        self.parts = parts
    }

    /// Creates a payload of bytes alone.
    public init(bytes: [UInt8]) {
        parts = [.bytes(bytes)]
    }
}

/// What is to be stored.
public enum RecordContent: DomainValue {
    /// These bytes.
    case bytes([UInt8])
    /// A secret, for the key chain or an owner-only file.
    case secret(Secret)
}

/// Where a record is stored: a path of names, each free of meaning for the driver.
public struct RecordPath: DomainValue {
    /// Whether a path leads to a secret or to plain bytes.
    public enum Protection: String, DomainValue {
        /// Bytes that the machine may read.
        case plain
        /// A secret, which only drivers read.
        case secret
    }

    /// The names from the root down; never empty in a path that a feature names.
    public let components: [ExactText]
    /// What the path leads to.
    public let protection: Protection

    /// Creates a path.
    public init(_ components: [ExactText], protection: Protection = .plain) {
        self.components = components
        self.protection = protection
    }

    /// Whether the other path is this one or lies below it, whether plain or secret.
    @usableFromInline
    func leads(to other: RecordPath) -> Bool {
        components.count <= other.components.count && overlaps(other)
    }

    /// Whether one of the two leads to or below the other, so that their operations must keep their order.
    @usableFromInline
    func overlaps(_ other: RecordPath) -> Bool {
        for (own, others) in zip(components, other.components) where own != others { return false }
        return true
    }
}
