// The effects of a reducer: three kinds, and the haptic, which expects no answer.
//
// Effects are values. The interpreter carries out the effects of one action in their order, and guarantees the
// answers: any number of events and then one end for a call, one answer for each storage operation (in order
// for one key), one firing for a timer, and nothing after a close or a cancel.

/// One effect.
public enum FeatureEffect<
    Call: DomainValue, Request: PlainValue, Frame: PlainValue,
    Key: DomainValue, Record: PlainValue, Timer: DomainValue
>: PlainValue {
    // Network.
    /// Opens a call. An open call of the same name is closed first.
    case open(Call, Request)
    /// Sends on an open call; without one, nothing happens.
    case send(Call, Frame)
    /// Closes a call: nothing from it arrives any more, not even its end.
    case close(Call)

    // Storage.
    /// Loads the record under a key. An unanswered load of that key is replaced: the answer carries the latest
    /// attempt.
    case load(Key, Attempt)
    /// Saves a record under a key, durably.
    case save(Record, under: Key, Attempt)
    /// Erases the record under a key and all records below it.
    case erase(Key, Attempt)

    // Timer.
    /// Starts or restarts a timer. One that is already due fires next.
    case start(Timer, after: Interval)
    /// Cancels a timer; without one, nothing happens.
    case cancel(Timer)

    // No answer.
    /// Asks the front end for a light tap that can be felt (S14).
    case haptic
}

extension FeatureEffect {
    /// The same effect in the types of a parent feature, which have a case for each child.
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
    /// The same effect in the types of a parent feature; this feature sends no frames.
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
    /// The same effect in the types of a parent feature; this feature sends no frames and stores nothing.
    func map<
        ParentCall: DomainValue, ParentRequest: PlainValue, ParentFrame: PlainValue,
        ParentKey: DomainValue, ParentRecord: PlainValue, ParentTimer: DomainValue
    >(
        call: (Call) -> ParentCall, request: (Request) -> ParentRequest, timer: (Timer) -> ParentTimer
    ) -> FeatureEffect<ParentCall, ParentRequest, ParentFrame, ParentKey, ParentRecord, ParentTimer> {
        map(call: call, request: request, key: anything, record: anything, timer: timer)
    }
}

/// A value of any type, because `Never` has no value.
private func anything<Value>(_ never: Never) -> Value {}

/// The end of a call.
public enum CallEnd: DomainValue {
    /// The exchange is complete by its protocol.
    case completed
    /// The server closed a socket (RFC 6455, section 7.4).
    case closed(code: Int64, reason: ExactText)
    /// The server answered with an HTTP status that is not a success, perhaps with a wait and a sentence.
    case refused(status: Int64, retryAfter: Interval?, message: ExactText)
    /// The exchange broke.
    case failed(CallFailure)
}

/// Why an exchange with a server failed.
public enum CallFailure: DomainValue {
    /// This device has no network.
    case offline
    /// The server could not be reached.
    case unreachable
    /// The connection was lost.
    case lost
    /// The transport timed out.
    case timedOut
    /// The server could not prove its identity, or the address is not safe to use.
    case insecure
    /// A line, an event or a frame was over the limit (limits).
    case tooLarge
    /// The input was outside the protocol.
    case malformed
    /// The credential that the call names is not on this device.
    case secretMissing
    /// The stored bytes that the call names are not on this device.
    case recordMissing
}

/// The end of a storage operation.
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
public enum StorageFailure: DomainValue, Error {
    /// No room is left.
    case full
    /// The record may be there, but cannot be read now (a locked key chain, missing rights).
    case unreadable
    /// The record was damaged; it has been set aside.
    case damaged
    /// A newer version of the app wrote the record; it was left alone.
    case newer(version: Int64)
    /// Any other failure that the system reports.
    case unavailable
}

#if !hasFeature(Embedded)
    // For a feature that keeps effects in its state, as a script does; the app's requests are not encodable.
    extension FeatureEffect: Codable where Request: Codable, Frame: Codable, Record: Codable {}
    extension StorageAnswer: Codable where Record: Codable {}
#endif
