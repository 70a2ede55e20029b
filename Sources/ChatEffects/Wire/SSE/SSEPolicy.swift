// The memory limits of an event stream, and the meaning of its end. The limits exist because the bytes come from an
// untrusted server; the handling of the end, because some servers omit the last empty line.

import ChatDomain

/// The limits of a reader and its handling of an unterminated event.
public struct SSEPolicy: DomainValue {
    /// The handling of an event without its final empty line at the end of the stream.
    public enum UnterminatedEvent: DomainValue {
        /// It is dropped, as the WHATWG standard demands.
        case discard
        /// It is dispatched, with its last line complete: some model servers end their streams so.
        case dispatchAtEnd
    }

    /// The handling of a line with an unknown field. Some model servers write their errors so.
    public enum ForeignLines: DomainValue {
        /// It is ignored, as the standard demands.
        case ignored
        /// A field `error` is data of an event of that type.
        case errorField
        /// A line of a bare JSON object, which begins with a brace or white space, is data as it stands.
        case bareObject
    }

    /// 1 MiB (L8): hundreds of times the greatest event of a model server.
    public static let defaultLimit: Int64 = 1024 * 1024

    /// The greatest length of a line in bytes, without the line end and the byte-order mark. A comment may be longer.
    let lineLimit: Int64

    /// The greatest length of an event's joined data, in bytes.
    let eventLimit: Int64

    /// The handling of an unterminated event at the end of the stream.
    let unterminatedEvent: UnterminatedEvent

    /// The handling of lines that the standard ignores.
    let foreignLines: ForeignLines

    /// Creates a policy; a negative limit counts as 0.
    public init(
        lineLimit: Int64 = Self.defaultLimit,
        eventLimit: Int64 = Self.defaultLimit,
        unterminatedEvent: UnterminatedEvent = .discard,
        foreignLines: ForeignLines = .ignored
    ) {
        self.lineLimit = max(lineLimit, 0)
        self.eventLimit = max(eventLimit, 0)
        self.unterminatedEvent = unterminatedEvent
        self.foreignLines = foreignLines
    }
}

/// The reason why an event stream has failed.
public enum SSEError: Error, DomainValue {
    /// A line has more bytes than the limit.
    case lineTooLong(limit: Int64)
    /// The data of an event has more bytes than the limit.
    case eventTooLong(limit: Int64)
}

extension SSEError: CustomStringConvertible {
    /// The reason as text, for display.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line of the event stream is longer than \(limit) bytes"
        case .eventTooLong(let limit): "an event of the stream is longer than \(limit) bytes"
        }
    }
}
