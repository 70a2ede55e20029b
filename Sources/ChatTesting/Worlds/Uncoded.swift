// A feature alone in the machine that ships: its backend has no bytes, because a world answers in the feature's own
// types (`Machine.deliver`).

import ChatDomain
import ChatEffects

/// A backend that encodes nothing: calls are open, and their events are delivered directly.
public struct Uncoded<Subject: Feature>: Backend
where Subject.Key: RecordKey, Subject.Record: StoredRecord, Subject.Record.Key == Subject.Key {
    /// The empty memory of a call.
    public struct Progress: DomainValue {
        @inlinable init() {}
    }

    /// Creates the backend.
    @inlinable public init() {}

    @inlinable
    public func open(_ request: Subject.Request) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: ""), Progress())
    }

    @inlinable
    public func send(
        _ frame: Subject.Frame, progress: inout Progress, reaction: inout Reaction<Subject.Event>
    ) {}

    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Subject.Event>
    ) {}
}
