// A scenario test: one feature in the machine that ships, step by step, each with the expected state and the expected
// effects. Start here.
//
//     var scenario = Scenario(Assistant(), state: Assistant.State(configuration: .init()))
//     try scenario.send(.sent, effects: [.open(.ask(1), question), .start(.answer, after: .seconds(10))]) {
//         $0.draft = ""
//     }
//     try scenario.advance(by: .seconds(10), effects: [.close(.ask(1))]) { $0.failure = .timedOut }
//     try scenario.finish()
//
// Guarantees: a step does nothing that it does not mention. A step without effects has none, and a field that the
// closure does not set has not changed. At the end no call, no timer and no storage operation is open unless `finish`
// lists it. Names of attempts are free: the same number stands for the same attempt in the whole scenario.
// A scenario is a value: a copy continues separately from the same place.
//
// The hot path is inlinable, so that it is specialised for the feature; code that only a failure needs is not.

import ChatDomain
import ChatEffects

/// Drives a feature step by step, and checks each step.
public struct Scenario<F: Feature>
where F.Key: RecordKey, F.Record: StoredRecord, F.Record.Key == F.Key {
    @usableFromInline var machine: Machine<Uncoded<Observed<F>>>
    /// The state after the latest step, from which the next expected state is derived.
    @usableFromInline var known: F.State
    @usableFromInline var names: ScenarioNames<F>
    @usableFromInline var history: [(at: Instant, what: Stimulus)] = []
    @usableFromInline let begun: Instant
    @usableFromInline var checksOnlyWhatIsSaid = false
    @usableFromInline var report: (@Sendable (ScenarioFailure) -> Void)?

    /// The input of a step.
    @usableFromInline
    enum Stimulus {
        case send(F.Action)
        case advance(by: Interval)
        case deliver(F.Event, on: F.Call)
        case end(F.Call, CallEnd)
        case answer(StorageAnswer<F.Record>, to: F.Key)
    }

    /// Begins with a state. By default the monotonic clock is at a thousand seconds and the wall clock at 1970-01-12,
    /// so that neither is zero.
    @inlinable
    public init(
        _ feature: F, state: F.State,
        moment: Moment = Moment(
            now: .origin + .seconds(1_000), wall: WallTime(millisecondsSince1970: 1_000_000_000)),
        entropy: Entropy = .seeded(1)
    ) {
        machine = Machine(
            Observed(feature), state: .init(state), backend: Uncoded(), moment: moment, entropy: entropy)
        known = state
        names = ScenarioNames()
        begun = moment.now
    }

    /// The same scenario, which checks only the mentioned facts: expected effects occur in their order, perhaps among
    /// others, and the closure sets only values that the state already has.
    @inlinable
    public var relaxed: Scenario {
        var scenario = self
        scenario.checksOnlyWhatIsSaid = true
        return scenario
    }

    /// The same scenario, which passes its failures to a closure and continues, instead of throwing the first.
    @inlinable
    public func reporting(to report: @escaping @Sendable (ScenarioFailure) -> Void) -> Scenario {
        var scenario = self
        scenario.report = report
        return scenario
    }

    /// The current state of the feature.
    @inlinable public var state: F.State { machine.state.inner }

    /// The current moment.
    @inlinable public var moment: Moment { machine.moment }

    // MARK: Steps

    /// Sends an action.
    @inlinable
    public mutating func send(
        _ action: F.Action, effects: [F.Effect]? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        _ change: (inout Expected) -> Void = { _ in }
    ) throws {
        machine.send(action, at: machine.moment)
        try check(.send(action), effects, change, SourcePlace(fileID, filePath, line))
    }

    /// Lets time pass on both clocks: all timers due by then fire, each at its time. Their effects follow each
    /// other.
    @inlinable
    public mutating func advance(
        by interval: Interval, effects: [F.Effect]? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        _ change: (inout Expected) -> Void = { _ in }
    ) throws {
        let place = SourcePlace(fileID, filePath, line)
        guard interval >= .zero else {
            return try fail(["Time does not go back: \(text(of: .advance(by: interval)))"], place)
        }
        machine.advance(to: machine.moment + interval)
        try check(.advance(by: interval), effects, change, place)
    }

    /// Delivers an event on an open call.
    @inlinable
    public mutating func deliver(
        _ event: F.Event, on call: Designator<F.Call> = .only, effects: [F.Effect]? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        _ change: (inout Expected) -> Void = { _ in }
    ) throws {
        let place = SourcePlace(fileID, filePath, line)
        guard let call = try find(call, place) else { return }
        machine.deliver(event, on: call, at: machine.moment)
        try check(.deliver(event, on: call), effects, change, place)
    }

    /// Ends an open call.
    @inlinable
    public mutating func end(
        _ call: Designator<F.Call> = .only, _ end: CallEnd, effects: [F.Effect]? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        _ change: (inout Expected) -> Void = { _ in }
    ) throws {
        let place = SourcePlace(fileID, filePath, line)
        guard let call = try find(call, place) else { return }
        machine.end(call, end, at: machine.moment)
        try check(.end(call, end), effects, change, place)
    }

    /// Answers a storage operation; of several designated ones, the oldest.
    @inlinable
    public mutating func answer(
        _ answer: StorageAnswer<F.Record>, to operation: Designator<F.Key> = .only,
        effects: [F.Effect]? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        _ change: (inout Expected) -> Void = { _ in }
    ) throws {
        let place = SourcePlace(fileID, filePath, line)
        guard let (ticket, key) = try find(operation, place) else { return }
        let mismatched = machine.diagnostics.mismatchedAnswers
        machine.answer(ticket, with: answer, at: machine.moment)
        guard machine.diagnostics.mismatchedAnswers == mismatched else {
            return try fail(
                ["The operation has no such answer: \(text(of: .answer(answer, to: key)))"], place)
        }
        try check(.answer(answer, to: key), effects, change, place)
    }
}

/// The place of a step in a source file.
@usableFromInline
struct SourcePlace: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt

    @usableFromInline
    init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
    }
}

/// The name of an attempt in a test: any number, the same for the same attempt in the whole scenario.
extension Attempt: ExpressibleByIntegerLiteral {
    /// A name for an attempt, not its number in a machine.
    @inlinable public init(integerLiteral number: UInt64) { self.init(number: number) }
}
