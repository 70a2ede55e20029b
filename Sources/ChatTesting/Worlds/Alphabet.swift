// The possible events of a world: a finite list of parts, each of which lists its steps in a situation.

import ChatDomain
import ChatEffects

/// A kind of event of a machine.
public struct Happening<Subject: Feature>: Sendable {
    enum Kind: Sendable {
        case person(@Sendable (Subject.State, Moment) -> [Subject.Action])
        case drawn(@Sendable (Subject.State, inout Choices) -> Subject.Action?)
        case events(@Sendable (Subject.Call, Moment) -> [Subject.Event])
        case arrivals(@Sendable (Subject.Call, Exchange, Moment) -> [Arrival])
        case ends([CallEnd])
        case storage([StorageTurn])
        case promptStorage
        case clock([Tick])
        case time(upTo: Interval)
        case jitter
        case relaunch(Relaunch<Subject>)
    }

    var kind: Kind
    /// The greatest number of times in one run; `nil` without a limit.
    var limit: UInt8?
    /// The position among the limited kinds of an alphabet.
    var budget: Int?
    /// Whether the steps depend on the moment: at another one, steps that are the same but for times are possible.
    var isOfMoment = false

    /// A person does one of these actions.
    public static func person(_ actions: Subject.Action...) -> Self {
        Self(kind: .person { _, _ in actions })
    }

    /// A person does an action that makes sense in the state, such as a tap on a visible row.
    public static func person(_ actions: @escaping @Sendable (Subject.State) -> [Subject.Action]) -> Self {
        Self(kind: .person { state, _ in actions(state) })
    }

    /// The same for actions with a time or an attempt. A search knows a state by its normal form, so they take a time
    /// from the moment, and an attempt from the state.
    public static func person(
        _ actions: @escaping @Sendable (Subject.State, Moment) -> [Subject.Action]
    ) -> Self {
        Self(kind: .person(actions), isOfMoment: true)
    }

    /// A person does a drawn action, such as one with a text among endless ones. Searches leave it out.
    public static func drawn(
        _ action: @escaping @Sendable (Subject.State, inout Choices) -> Subject.Action?
    ) -> Self {
        Self(kind: .drawn(action))
    }

    /// An open call brings one of these events.
    public static func calls(_ events: @escaping @Sendable (Subject.Call) -> [Subject.Event]) -> Self {
        Self(kind: .events { call, _ in events(call) })
    }

    /// The same for events with a time, which they take from the moment.
    public static func calls(
        _ events: @escaping @Sendable (Subject.Call, Moment) -> [Subject.Event]
    ) -> Self {
        Self(kind: .events(events), isOfMoment: true)
    }

    /// An open call brings bytes, which go through the backend.
    public static func wire(
        _ arrivals: @escaping @Sendable (Subject.Call, Exchange) -> [Arrival]
    ) -> Self {
        Self(kind: .arrivals { call, exchange, _ in arrivals(call, exchange) })
    }

    /// The same for bytes with a time, which they take from the moment.
    public static func wire(
        _ arrivals: @escaping @Sendable (Subject.Call, Exchange, Moment) -> [Arrival]
    ) -> Self {
        Self(kind: .arrivals(arrivals), isOfMoment: true)
    }

    /// An open call ends in one of these ways.
    public static func ends(_ ends: CallEnd...) -> Self { Self(kind: .ends(ends)) }

    /// The disk answers in one of these ways; silence is always possible.
    public static func storage(_ turns: StorageTurn...) -> Self { Self(kind: .storage(turns)) }

    /// The disk carries out each operation at once, so none is ever under way. Then a search has no orders of answers
    /// to try: other answers of the disk need a search of their own.
    public static func promptStorage() -> Self { Self(kind: .promptStorage) }

    /// The clock goes to the next deadline, or beside it.
    public static func clock(_ ticks: Tick...) -> Self { Self(kind: .clock(ticks)) }

    /// Some time passes, drawn with a preference for deadlines and their neighbours. Searches leave it out.
    public static func time(upTo longest: Interval = .minutes(6)) -> Self {
        Self(kind: .time(upTo: longest))
    }

    /// Each draw of jitter is the least or the greatest possible, in every mixture. Without it each is the least.
    public static func jitter() -> Self { Self(kind: .jitter) }

    /// The process ends at any point, with any number of the started writes done, and the next one begins with these
    /// actions.
    public static func relaunch(
        _ state: @escaping @Sendable (Subject) -> Subject.State, then actions: Subject.Action...
    ) -> Self {
        Self(kind: .relaunch(Relaunch(state: state, actions: actions)))
    }

    /// The same, but at most that often in one run, to bound a world that would have no end.
    public func atMost(_ times: UInt8) -> Self {
        var limited = self
        limited.limit = times
        return limited
    }
}

/// The beginning of a process.
struct Relaunch<Subject: Feature>: Sendable {
    let state: @Sendable (Subject) -> Subject.State
    let actions: [Subject.Action]
    /// The position among the relaunches of an alphabet, which names it in a step.
    var position = 0
}
