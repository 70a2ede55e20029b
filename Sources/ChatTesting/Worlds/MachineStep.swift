// The steps of a machine's world. Calls and storage operations are named by position, oldest first, and never by an
// attempt, which depends on all that came before. Shrinking moves the positions behind a step that it removes (`RandomRun`).

import ChatDomain
import ChatEffects

/// One event of a machine.
public enum MachineStep<Subject: Feature>: Hashable, Sendable {
    /// A person or the front end does something.
    case person(Subject.Action)
    /// An open call brings an event.
    case event(Subject.Event, call: Int = 0)
    /// An open call brings bytes, which the backend decodes.
    case arrival(Arrival, call: Int = 0)
    /// An open call ends.
    case end(CallEnd, call: Int = 0)
    /// The disk answers an operation.
    case storage(StorageTurn, operation: Int = 0)
    /// Time passes.
    case clock(Tick)
    /// From now on every draw gives its least value, or its greatest: jitter at its extremes.
    case draws(greatest: Bool)
    /// The process ends, and another begins with what is on the disk, as the alphabet's relaunch at that position does.
    case relaunch(writesDone: Int = 0, beginning: Int = 0)

    /// The same step with another position of its call or operation. `nil` if the closure gives none.
    func moved(_ position: (Positioned, Int) -> Int?) -> Self? {
        switch self {
        case .event(let event, let call): position(.call, call).map { .event(event, call: $0) }
        case .arrival(let arrival, let call): position(.call, call).map { .arrival(arrival, call: $0) }
        case .end(let end, let call): position(.call, call).map { .end(end, call: $0) }
        case .storage(let turn, let operation):
            position(.operation, operation).map { .storage(turn, operation: $0) }
        case .person, .clock, .draws, .relaunch: self
        }
    }
}

/// The answer of the disk to an operation.
public enum StorageTurn: Hashable, Sendable {
    /// It is carried out.
    case answered
    /// It fails, and changes nothing.
    case failed(StorageFailure)

    /// Whether an operation can have this answer: a full disk can be read, and no write damages a record.
    func suits(isSave: Bool, isLoad: Bool) -> Bool {
        switch self {
        case .answered: true
        case .failed(.full): isSave
        case .failed(.damaged), .failed(.newer): isLoad
        case .failed(.unreadable), .failed(.unavailable): true
        }
    }
}

/// A movement of the clock.
public enum Tick: Hashable, Sendable {
    /// To one nanosecond before the next deadline.
    case beforeDeadline
    /// To the next deadline; the due timers fire.
    case deadline
    /// To one nanosecond after the next deadline.
    case afterDeadline
    /// By this interval, past any deadline. Drawn runs also draw one (`Happening.time`).
    case by(Interval)
}
