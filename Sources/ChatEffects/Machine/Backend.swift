// A backend is a pure codec: it turns what a feature asks into exchanges and frames, and what arrives into
// the feature's events. It does no input or output and knows no clock. What it has to remember within a call
// (a half-read line, a running number) is a value that the machine keeps with the call, so a stored machine
// goes on in the middle of a line.

import ChatDomain

/// Translates between a feature and what a server speaks.
public protocol Backend: DomainValue {
    /// The feature that this backend serves.
    associatedtype Subject: Feature
    where Subject.Key: RecordKey, Subject.Record: StoredRecord, Subject.Record.Key == Subject.Key
    /// What must be remembered of an open call to understand what it brings next.
    associatedtype Progress: DomainValue

    /// Says how a call begins.
    func open(_ request: Subject.Request) -> (exchange: Exchange, progress: Progress)

    /// Translates what the feature sends on an open call.
    func send(
        _ frame: Subject.Frame, progress: inout Progress, reaction: inout Reaction<Subject.Event>)

    /// Translates what an open call brings. When the transport ends, the backend may say what that means by
    /// `reaction.end`; otherwise the call ends as the transport said.
    func receive(_ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Subject.Event>)
}

/// What a backend makes of one arrival or one message: frames to send, events, and perhaps the call's end.
public struct Reaction<Event: PlainValue> {
    /// Frames to be sent on the call, in order.
    public var frames: [Payload] = []
    /// What the feature is told, in order.
    public var events: [Event] = []
    /// The call's end, told to the feature after the events. The transport is closed if it is still open.
    public var end: CallEnd?
    /// How many things were skipped because they were unknown or malformed (S12).
    public var skipped: UInt64 = 0

    /// Creates a reaction that does nothing.
    @inlinable
    public init() {}

    /// Appends the reaction of another backend to the same arrival, with its events in the terms of this one.
    @inlinable
    public mutating func append<Other>(_ other: Reaction<Other>, _ event: (Other) -> Event) {
        frames += other.frames
        for other in other.events { events.append(event(other)) }
        if let end = other.end { self.end = end }
        skipped += other.skipped
    }
}

/// A key that says where its record is stored.
public protocol RecordKey: DomainValue {
    /// Where the record is stored; different for different keys.
    var path: RecordPath { get }
}

/// A record that can be written as bytes and read back.
public protocol StoredRecord<Key>: PlainValue {
    /// The keys under which such records are stored.
    associatedtype Key: RecordKey

    /// What is to be stored, in the canonical encoding, written at that time.
    func content(written: WallTime) -> RecordContent

    /// Reads what was stored under a key.
    static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Self>
}

/// What stored bytes turn out to be.
public enum RecordReading<Record: PlainValue>: PlainValue {
    /// A record.
    case record(Record)
    /// Nothing that this or any version wrote. It is set aside (R5).
    case damaged
    /// A record of a newer version. It is left alone, and nothing is saved over it (R5).
    case newer(version: Int64)

    /// The same reading in the terms of a parent feature.
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
