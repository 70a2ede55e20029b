import ChatDomain
import ChatEffects
@testable import ChatTesting
import Testing

@Suite("Shrinking")
struct ShrinkingTests {
    private typealias Step = MachineStep<Couple>

    private static let exploration = Explore(
        Couple(), from: Couple.State(),
        [
            .person(.launched, .opened(.first), .opened(.second)), .calls { _ in ["text"] },
            .ends(.completed), .storage(.answered, .failed(.damaged)), .time(upTo: .seconds(20)),
            .relaunch({ _ in Couple.State() }, then: .launched),
        ])

    /// The steps to which a list shrinks.
    private func shrunk(
        _ steps: [Step], _ holds: @escaping @Sendable (MachineWorld<Uncoded<Couple>>) -> Bool
    ) -> [Step] {
        let law = Law<MachineWorld<Uncoded<Couple>>>("law", holds: holds)
        typealias RandomRun = ChatTesting.RandomRun<MachineWorld<Uncoded<Couple>>>
        let run = RandomRun(start: Self.exploration.world, laws: [law])
        let taken = steps.map { step in
            if case .clock = step { return RandomRun.Taken(step: step, isDrawn: true) }
            return RandomRun.Taken(step: step, isDrawn: false)
        }
        return run.shrunk(taken, "", law).steps
    }

    @Test("an event with a time of the moment is shrunk to one at another moment")
    func moment() throws {
        let exploration = Pass.exploration(
            .person(.asked), .calls { [.granted(until: $1.wall + .seconds(60))] }, .time(upTo: .seconds(20)))
        let law = Law<MachineWorld<Uncoded<Pass>>>("law") { $0.state.until == nil }
        typealias RandomRun = ChatTesting.RandomRun<MachineWorld<Uncoded<Pass>>>
        let run = RandomRun(start: exploration.world, laws: [law])
        var world = exploration.world
        world.take(.clock(.by(.seconds(5))))
        let until = world.machine.moment.wall + .seconds(60)
        let taken = [
            RandomRun.Taken(step: .clock(.by(.seconds(5))), isDrawn: true),
            RandomRun.Taken(step: .person(.asked), isDrawn: false),
            RandomRun.Taken(step: .event(.granted(until: until)), isDrawn: false),
        ]
        let earlier = until + .seconds(-5)
        #expect(
            run.shrunk(taken, "", law).steps == [.person(.asked), .event(.granted(until: earlier))])
    }

    @Test("an answer that is taken out leaves its operation before the others")
    func answers() {
        let steps = shrunk([.person(.launched), .storage(.answered), .storage(.failed(.damaged))]) {
            !$0.state.failed.contains(.second)
        }
        #expect(steps == [.person(.launched), .storage(.failed(.damaged), operation: 1)])
    }

    @Test("an end that is taken out leaves its call before the others")
    func ends() {
        let steps = shrunk([
            .person(.opened(.first)), .person(.opened(.second)), .end(.completed), .event("text"),
        ]) { $0.state.heard != .second || $0.state.opened.count < 2 }
        #expect(
            steps == [.person(.opened(.first)), .person(.opened(.second)), .event("text", call: 1)])
    }

    @Test("a call that is taken out leaves the others further ahead")
    func openings() {
        let steps = shrunk([
            .person(.opened(.first)), .person(.opened(.second)), .event("text", call: 1),
        ]) { $0.state.heard != .second }
        #expect(steps == [.person(.opened(.second)), .event("text")])
    }

    @Test("an operation is named by the least position, and a process ends with the fewest writes")
    func positions() {
        let answer = shrunk([.person(.launched), .storage(.answered, operation: 1)]) {
            $0.pendingOperations != 1
        }
        #expect(answer == [.person(.launched), .storage(.answered)])
        #expect(
            Self.exploration.world.simpler(.relaunch(writesDone: 2, beginning: 1))
                == [.relaunch(writesDone: 1, beginning: 1)])
    }

    @Test("an answer that is taken out moves no operation of a later process")
    func processes() {
        // Both loads, the save that follows the failure of the second, and the second load of the next process.
        let steps = shrunk([
            .person(.launched), .storage(.answered), .storage(.failed(.damaged)), .storage(.answered),
            .relaunch(), .storage(.answered, operation: 1),
        ]) { $0.state.found != .second }
        #expect(
            steps == [
                .person(.launched), .storage(.failed(.damaged), operation: 1),
                .storage(.answered, operation: 1), .relaunch(), .storage(.answered, operation: 1),
            ])
    }

    @Test("a time is shrunk to the least one that breaks the law")
    func times() {
        let start = Self.exploration.world.machine.moment.now
        let steps = shrunk([.clock(.by(.milliseconds(9_700)))]) {
            $0.machine.moment.now - start < .seconds(5)
        }
        #expect(steps == [.clock(.by(.seconds(5)))])
    }

    @Test("a time is shrunk to the deadline that breaks the law, to the nanosecond")
    func deadlines() {
        let exploration = Explore(
            Ticking(), from: Ticking.State(), [.person(.begun), .time(upTo: .seconds(20))])
        let law = Law<MachineWorld<Uncoded<Ticking>>>("law") { $0.state.count < 3 }
        typealias RandomRun = ChatTesting.RandomRun<MachineWorld<Uncoded<Ticking>>>
        let run = RandomRun(start: exploration.world, laws: [law])
        let taken = [
            RandomRun.Taken(step: .person(.begun), isDrawn: false),
            RandomRun.Taken(step: .clock(.by(.milliseconds(9_900))), isDrawn: true),
        ]
        #expect(
            run.shrunk(taken, "", law).steps == [.person(.begun), .clock(.by(.milliseconds(3_702)))])
    }

    @Test("a drawn failure is shrunk to the fewest steps, whatever was drawn", arguments: 1...20)
    func drawn(seed: UInt64) throws {
        let exploration = Explore(
            Couple(), from: Couple.State(), [.person(.launched), .storage(.answered, .failed(.damaged))]
        )
        .never("the second load fails") { $0.state.failed.contains(.second) }
        let violation = try #require(throws: Violation<MachineWorld<Uncoded<Couple>>>.self) {
            try exploration.random(seeds: seed...(seed + 20), steps: 20)
        }
        #expect(violation.steps.count == 2, "\(violation)")
    }
}

/// A feature that counts, each 1.234 seconds.
private struct Ticking: Feature, Explorable {
    struct State: DomainValue { var count = 0 }
    enum Timer: DomainValue { case tick }

    enum Action: FeatureAction {
        case begun
        case received(Never, on: Never)
        case ended(Never, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Call = Never
    typealias Request = Never
    typealias Frame = Never
    typealias Event = Never
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        if action == .timerFired(.tick) { state.count += 1 }
        return [.start(.tick, after: .milliseconds(1_234))]
    }
}

/// A feature with two of each: two records that it loads, the second of which it replaces when it cannot be read, and two
/// calls.
private struct Couple: Feature, Explorable {
    enum Part: DomainValue { case first, second }

    struct State: DomainValue {
        var failed: [Part] = []
        var found: Part?
        var opened: [Part] = []
        var heard: Part?
    }

    struct Key: RecordKey {
        let part: Part
        var path: RecordPath { RecordPath([part == .first ? "first" : "second"]) }
    }

    enum Record: StoredRecord {
        typealias Key = Couple.Key

        case empty

        func content(written: WallTime) -> RecordContent { .bytes([]) }
        static func read(_ bytes: [UInt8], under key: Key) -> RecordReading<Record> { .record(.empty) }
    }

    enum Action: FeatureAction {
        case launched
        case opened(Part)
        case received(ExactText, on: Part)
        case ended(Part, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Never)
    }

    typealias Call = Part
    typealias Request = ExactText
    typealias Frame = Never
    typealias Event = ExactText
    typealias Timer = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .launched:
            return [
                .load(Key(part: .first), context.nextAttempt()),
                .load(Key(part: .second), context.nextAttempt()),
            ]
        case .opened(let part):
            guard !state.opened.contains(part) else { return [] }
            state.opened.append(part)
            return [.open(part, "text")]
        case .received(_, let part): state.heard = part
        case .ended: break
        case .stored(.loaded, let key, _): state.found = key.part
        case .stored(.failed, let key, _):
            state.failed.append(key.part)
            return key.part == .second ? [.save(.empty, under: key, context.nextAttempt())] : []
        case .stored: break
        }
        return []
    }
}
