// How much a stream of events may hold at once, and what its end means. The limits exist because the bytes come
// from a server that nobody here chose; the end, because some servers leave out the last empty line.

import ChatDomain

/// The limits of a reader and what it makes of an event that the end of the stream cuts off.
public struct SSEPolicy: DomainValue {
    /// What becomes of an event without the empty line that ends one, when the stream ends.
    public enum UnterminatedEvent: String, DomainValue {
        /// It is dropped, as the WHATWG standard demands.
        case discard
        /// It is dispatched, its last line taken as complete: some model servers end their streams so.
        case dispatchAtEnd
    }

    /// 1 MiB (L8): hundreds of times the greatest event of a model server.
    public static let defaultLimit: Int64 = 1024 * 1024

    /// How many bytes a line may have, without what ends it and without the byte-order mark.
    public let lineLimit: Int64

    /// How many bytes the data of an event may have, joined.
    public let eventLimit: Int64

    /// What becomes of an event that the end of the stream cuts off.
    public let unterminatedEvent: UnterminatedEvent

    /// Creates a policy; a negative limit is taken as 0.
    public init(
        lineLimit: Int64 = Self.defaultLimit,
        eventLimit: Int64 = Self.defaultLimit,
        unterminatedEvent: UnterminatedEvent = .discard
    ) {
        self.lineLimit = max(lineLimit, 0)
        self.eventLimit = max(eventLimit, 0)
        self.unterminatedEvent = unterminatedEvent
    }
}

/// Why a stream of events is not read on.
public enum SSEError: Error, DomainValue {
    /// A line has more bytes than the limit.
    case lineTooLong(limit: Int64)
    /// The data of an event has more bytes than the limit.
    case eventTooLong(limit: Int64)
}

extension SSEError: CustomStringConvertible {
    /// The reason in words, to be shown.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line of the event stream is longer than \(limit) bytes"
        case .eventTooLong(let limit): "an event of the stream is longer than \(limit) bytes"
        }
    }
}
