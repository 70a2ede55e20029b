// The backend of two features beside each other: each call belongs to one of two backends, and its progress says which.
// `Subject` is a `Beside`, or a root that owns one and has its types.

import ChatDomain

/// The backend of two features, composed of a backend for each.
public struct BesideBackend<Subject: Feature, First: Backend, Second: Backend>: Backend
where
    Subject.Request == Either<First.Subject.Request, Second.Subject.Request>,
    Subject.Frame == Either<First.Subject.Frame, Second.Subject.Frame>,
    Subject.Event == Either<First.Subject.Event, Second.Subject.Event>,
    Subject.Key == Either<First.Subject.Key, Second.Subject.Key>,
    Subject.Record == Either<First.Subject.Record, Second.Subject.Record>
{
    /// The backend of the first feature.
    @usableFromInline let first: First
    /// The backend of the second feature.
    @usableFromInline let second: Second

    /// Puts two backends beside each other.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// The progress of a call, in its own backend.
    public typealias Progress = Either<First.Progress, Second.Progress>

    /// Encodes the beginning of a call.
    @inlinable
    public func open(_ request: Subject.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .first(let request):
            let (exchange, progress) = first.open(request)
            return (exchange, .first(progress))
        case .second(let request):
            let (exchange, progress) = second.open(request)
            return (exchange, .second(progress))
        }
    }

    /// Encodes a frame. One on a call of the other side is skipped.
    @inlinable
    public func send(
        _ frame: Subject.Frame, progress: inout Progress, reaction: inout Reaction<Subject.Event>
    ) {
        switch (frame, consume progress) {
        case (.first(let frame), .first(var call)):
            var child = Reaction<First.Subject.Event>()
            first.send(frame, progress: &call, reaction: &child)
            reaction.append(child) { .first($0) }
            progress = .first(call)
        case (.second(let frame), .second(var call)):
            var child = Reaction<Second.Subject.Event>()
            second.send(frame, progress: &call, reaction: &child)
            reaction.append(child) { .second($0) }
            progress = .second(call)
        case (_, let other):
            progress = other
            reaction.skipped += 1
        }
    }

    /// Decodes an arrival. The progress is consumed, so that its buffers grow in place.
    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Subject.Event>
    ) {
        switch consume progress {
        case .first(var call):
            var child = Reaction<First.Subject.Event>()
            first.receive(arrival, progress: &call, reaction: &child)
            reaction.append(child) { .first($0) }
            progress = .first(call)
        case .second(var call):
            var child = Reaction<Second.Subject.Event>()
            second.receive(arrival, progress: &call, reaction: &child)
            reaction.append(child) { .second($0) }
            progress = .second(call)
        }
    }
}

extension Either: RecordKey where First: RecordKey, Second: RecordKey {
    /// The storage path of the record. The two sides must keep their records under different paths.
    @inlinable
    public var path: RecordPath {
        switch self {
        case .first(let key): key.path
        case .second(let key): key.path
        }
    }
}

extension Either: StoredRecord where First: StoredRecord, Second: StoredRecord {
    /// The keys of both sides.
    public typealias Key = Either<First.Key, Second.Key>

    /// The content to store.
    @inlinable
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .first(let record): record.content(written: written)
        case .second(let record): record.content(written: written)
        }
    }

    /// Decodes the bytes that were stored under a key, as a record of its side.
    @inlinable
    public static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Either> {
        switch key {
        case .first(let key): First.read(bytes, under: key).map { .first($0) }
        case .second(let key): Second.read(bytes, under: key).map { .second($0) }
        }
    }
}
