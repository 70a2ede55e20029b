// A backend is a pure codec between a feature and its server: requests become exchanges and frames, arrivals become
// events. It does no input or output and reads no clock. Its memory within a call (a partial line, a sequence number)
// is a value that the machine stores with the call, so a stored machine resumes in the middle of a line.

import ChatDomain

/// A codec between a feature and the protocol of its server.
public protocol Backend: DomainValue {
    /// The feature that this backend serves.
    associatedtype Subject: Feature
    where Subject.Key: RecordKey, Subject.Record: StoredRecord, Subject.Record.Key == Subject.Key
    /// The memory of an open call: all that is needed to decode its next arrival.
    associatedtype Progress: DomainValue

    /// Encodes the beginning of a call.
    func open(_ request: Subject.Request) -> (exchange: Exchange, progress: Progress)

    /// Encodes a frame that the feature sends on an open call.
    func send(
        _ frame: Subject.Frame, progress: inout Progress, reaction: inout Reaction<Subject.Event>)

    /// Decodes an arrival on an open call. At the end of the transport, the backend may replace the reported end by
    /// setting `reaction.end`; otherwise the call ends as the transport reports. A backend that sets `reaction.next`
    /// continues the call with another exchange, so that one call may take several requests.
    func receive(_ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Subject.Event>)
}

extension Backend where Subject.Frame == Never {
    /// Unreachable: a feature without frames sends none.
    public func send(
        _ frame: Never, progress: inout Progress, reaction: inout Reaction<Subject.Event>
    ) {}
}

/// The result of decoding one arrival or encoding one frame: frames, events, and optionally the end of the call.
public struct Reaction<Event: PlainValue> {
    /// The frames to send on the call, in order.
    public var frames: [Payload] = []
    /// The events for the feature, in order.
    public var events: [Event] = []
    /// The end of the call, delivered after the events. It closes the transport if that is still open.
    public var end: CallEnd?
    /// The exchange that continues the call, in place of the current one and of its end. The feature does not notice.
    public var next: Exchange?
    /// The number of unknown or malformed items that were skipped (S12).
    public var skipped: UInt64 = 0

    /// Creates an empty reaction.
    @inlinable
    public init() {}

    /// Appends the reaction of another backend to the same arrival, with its events in the types of this one.
    @inlinable
    public mutating func append<Other>(_ other: Reaction<Other>, _ event: (Other) -> Event) {
        frames += other.frames
        for other in other.events { events.append(event(other)) }
        if let end = other.end { self.end = end }
        if let next = other.next { self.next = next }
        skipped += other.skipped
    }
}

/// A key that names the storage path of its record.
public protocol RecordKey: DomainValue {
    /// The storage path; different keys have different paths.
    var path: RecordPath { get }
}

/// A record with a byte encoding.
public protocol StoredRecord<Key>: PlainValue {
    /// The type of the record's keys.
    associatedtype Key: RecordKey

    /// The content to store, in the canonical encoding. `written` is the time of writing.
    func content(written: WallTime) -> RecordContent

    /// Decodes the bytes that were stored under a key.
    static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Self>
}

/// The result of decoding stored bytes.
public enum RecordReading<Record: PlainValue>: PlainValue {
    /// A record.
    case record(Record)
    /// Bytes that no version has written. The machine sets them aside (R5).
    case damaged
    /// A record of a newer version. It stays unchanged, and saves to its path are refused (R5).
    case newer(version: Int64)

    /// The same reading in the types of a parent feature.
    @inlinable
    public func map<Parent: PlainValue>(_ record: (Record) -> Parent) -> RecordReading<Parent> {
        switch self {
        case .record(let child): .record(record(child))
        case .damaged: .damaged
        case .newer(let version): .newer(version: version)
        }
    }
}

// A feature that stores nothing has no keys and no records.

extension Never: RecordKey {
    /// There is no such key.
    public var path: RecordPath {
        switch self {}
    }
}

extension Never: StoredRecord {
    /// There is no such key.
    public typealias Key = Never

    /// There is no such record.
    public func content(written: WallTime) -> RecordContent {
        switch self {}
    }

    /// There is no key to read a record under.
    public static func read(_ bytes: [UInt8], under key: Never) -> RecordReading<Never> {}
}
