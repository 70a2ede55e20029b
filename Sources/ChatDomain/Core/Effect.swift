// What a reducer may ask of the world: three kinds of effect, and the haptic, which expects no answer.
//
// Effects are values. The interpreter carries them out in the order in which one action returned them, and
// guarantees what comes back: any number of events and then one end for a call, one answer for each storage
// operation (those of one key in order), one firing for a timer, and nothing after a close or a cancel.

/// Something that the world should do.
public enum FeatureEffect<
    Call: DomainValue, Request: PlainValue, Frame: PlainValue,
    Key: DomainValue, Record: PlainValue, Timer: DomainValue
>: PlainValue {
    // Network.
    /// Opens a call. One that is open under the same name is closed first.
    case open(Call, Request)
    /// Sends on an open call; without one, nothing happens.
    case send(Call, Frame)
    /// Closes a call: nothing from it arrives any more, not even its end.
    case close(Call)

    // Storage.
    /// Reads the record under a key. A load of it that was not answered yet is replaced: the answer carries the latest
    /// attempt.
    case load(Key, Attempt)
    /// Writes a record under a key, durably.
    case save(Record, under: Key, Attempt)
    /// Removes the record under a key and all records below it.
    case erase(Key, Attempt)

    // Timer.
    /// Starts a timer, or starts it anew. One that is due already fires as the next thing.
    case start(Timer, after: Interval)
    /// Stops a timer; without one, nothing happens.
    case cancel(Timer)

    // No answer.
    /// Asks the front end for a light tap that can be felt (S14).
    case haptic
}

extension FeatureEffect {
    /// The same effect in the terms of a parent feature, which has a case per child in each of its types.
    @inlinable
    public func map<
        ParentCall: DomainValue, ParentRequest: PlainValue, ParentFrame: PlainValue,
        ParentKey: DomainValue, ParentRecord: PlainValue, ParentTimer: DomainValue
    >(
        call: (Call) -> ParentCall, request: (Request) -> ParentRequest,
        frame: (Frame) -> ParentFrame, key: (Key) -> ParentKey,
        record: (Record) -> ParentRecord, timer: (Timer) -> ParentTimer
    ) -> FeatureEffect<ParentCall, ParentRequest, ParentFrame, ParentKey, ParentRecord, ParentTimer> {
        switch self {
        case .open(let childCall, let childRequest): .open(call(childCall), request(childRequest))
        case .send(let childCall, let childFrame): .send(call(childCall), frame(childFrame))
        case .close(let childCall): .close(call(childCall))
        case .load(let childKey, let attempt): .load(key(childKey), attempt)
        case .save(let childRecord, let childKey, let attempt):
            .save(record(childRecord), under: key(childKey), attempt)
        case .erase(let childKey, let attempt): .erase(key(childKey), attempt)
        case .start(let childTimer, let delay): .start(timer(childTimer), after: delay)
        case .cancel(let childTimer): .cancel(timer(childTimer))
        case .haptic: .haptic
        }
    }
}

extension FeatureEffect where Frame == Never {
    /// The same effect in the terms of a feature that owns this one, which sends no frames.
    func map<
        ParentCall: DomainValue, ParentRequest: PlainValue, ParentFrame: PlainValue,
        ParentKey: DomainValue, ParentRecord: PlainValue, ParentTimer: DomainValue
    >(
        call: (Call) -> ParentCall, request: (Request) -> ParentRequest, key: (Key) -> ParentKey,
        record: (Record) -> ParentRecord, timer: (Timer) -> ParentTimer
    ) -> FeatureEffect<ParentCall, ParentRequest, ParentFrame, ParentKey, ParentRecord, ParentTimer> {
        map(call: call, request: request, frame: anything, key: key, record: record, timer: timer)
    }
}

extension FeatureEffect where Frame == Never, Key == Never, Record == Never {
    /// The same effect in the terms of a feature that owns this one, which sends no frames and stores nothing.
    func map<
        ParentCall: DomainValue, ParentRequest: PlainValue, ParentFrame: PlainValue,
        ParentKey: DomainValue, ParentRecord: PlainValue, ParentTimer: DomainValue
    >(
        call: (Call) -> ParentCall, request: (Request) -> ParentRequest, timer: (Timer) -> ParentTimer
    ) -> FeatureEffect<ParentCall, ParentRequest, ParentFrame, ParentKey, ParentRecord, ParentTimer> {
        map(call: call, request: request, key: anything, record: anything, timer: timer)
    }
}

/// There is no value of `Never`, so from one anything follows.
private func anything<Value>(_ never: Never) -> Value {}

/// How a call ended.
public enum CallEnd: DomainValue {
    /// Its protocol says that it is complete.
    case completed
    /// The server closed a socket (RFC 6455, section 7.4).
    case closed(code: Int64, reason: ExactText)
    /// The server answered with an HTTP status that is not a success, perhaps with a wait and a sentence.
    case refused(status: Int64, retryAfter: Interval?, message: ExactText)
    /// The exchange broke.
    case failed(CallFailure)
}

/// Why an exchange with a server broke.
public enum CallFailure: DomainValue {
    /// This device has no network.
    case offline
    /// The server could not be reached.
    case unreachable
    /// The connection was there and is gone.
    case lost
    /// The transport gave up waiting.
    case timedOut
    /// The server could not prove who it is, or the address is not safe to use.
    case insecure
    /// A line, an event or a frame was over the limit (limits).
    case tooLarge
    /// What came was not of the protocol.
    case malformed
    /// The credential that the call names is not on this device.
    case secretMissing
    /// The stored bytes that the call names are not on this device.
    case recordMissing
}

/// How a storage operation ended.
public enum StorageAnswer<Record: PlainValue>: PlainValue {
    /// A load found a record.
    case loaded(Record)
    /// A load found nothing.
    case missing
    /// A save is durable.
    case saved
    /// An erase is durable.
    case erased
    /// The operation failed.
    case failed(StorageFailure)

    /// Why the operation failed; `nil` when it succeeded.
    public var failure: StorageFailure? { if case .failed(let failure) = self { failure } else { nil } }

    /// The same answer for a child feature. A record that is not the child's counts as damaged.
    @inlinable
    public func compactMap<Child: PlainValue>(_ record: (Record) -> Child?) -> StorageAnswer<Child> {
        switch self {
        case .loaded(let parent): record(parent).map { .loaded($0) } ?? .failed(.damaged)
        case .missing: .missing
        case .saved: .saved
        case .erased: .erased
        case .failed(let failure): .failed(failure)
        }
    }
}

/// Why a storage operation failed.
public enum StorageFailure: DomainValue {
    /// No room is left.
    case full
    /// The record may be there, but cannot be read now (a locked key chain, missing rights).
    case unreadable
    /// The record was damaged; it has been set aside.
    case damaged
    /// A newer version of the app wrote the record; it was left alone.
    case newer(version: Int64)
    /// Anything else that the system reports.
    case unavailable
}

#if !hasFeature(Embedded)
    // For a feature that keeps effects in its state, as a script does; the app's carry nothing encodable.
    extension FeatureEffect: Codable where Request: Codable, Frame: Codable, Record: Codable {}
    extension StorageAnswer: Codable where Record: Codable {}
#endif
