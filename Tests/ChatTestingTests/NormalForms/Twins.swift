// The property of a normal form: machines that are equal in it behave alike. Random sessions of a feature are driven in
// the machine that ships. Two kinds of pairs are compared, step by step, in what they are and in what they ask of the
// world:
//
// - twins, which live the same story at another time, with other minted names and after other attempts;
// - strangers, which come to equal normal forms by different stories, and go on alike from there.
//
// Start at `Twins.run`. A form that leaves out too much is found by strangers, one that leaves in too much by twins.

@testable import ChatDomain
@testable import ChatEffects
import ChatTesting

/// A feature whose values all have normal forms.
protocol NormalFeature: Feature
where
    State: Normalizable, Call: Normalizable, Request: Normalizable, Frame: Normalizable,
    Key: Normalizable & RecordKey, Record: Normalizable & StoredRecord, Timer: Normalizable, Record.Key == Key
{}

/// What may happen to a feature in a session. The dice are equal for machines that are compared; the state and the tag,
/// which stands in for what others have minted, need not be.
struct Story<F: NormalFeature> {
    let feature: F
    let state: F.State
    let person: (F.State, _ tag: Int, inout Entropy) -> F.Action
    let event: (F.Call, F.State, Moment, _ tag: Int, inout Entropy) -> F.Event
    let waits: [Interval]
}

/// One machine with the world around it.
struct Life<F: NormalFeature> {
    /// Everything that is compared, in its normal form.
    struct Form: Hashable {
        var state: F.State
        var effects: [F.Effect]
        var calls: [F.Call] = []
        var timers: [F.Timer] = []
        var deadlines: [Interval] = []
        var operations: [F.Effect] = []
        var disk: [F.Effect] = []
    }

    private(set) var machine: Machine<Uncoded<Observed<F>>>
    private var disk: [(key: F.Key, record: F.Record)] = []
    private var saves: [(attempt: Attempt, record: F.Record)] = []
    private let tag: Int

    init(_ story: Story<F>, tag: Int) {
        self.tag = tag
        let shift = Int64(tag)
        machine = Machine(
            Observed(story.feature), state: Observed<F>.State(story.state),
            backend: Uncoded<Observed<F>>(),
            moment: Moment(
                now: .origin + .seconds(7 * shift),
                wall: WallTime(millisecondsSince1970: 1_700_000_000_000 + 61_001 * shift)),
            // Names count up from another number for each tag; no draw differs.
            entropy: .least(UInt64(tag) * 1_000_000))
        for _ in 0..<(tag % 5) { _ = machine.context.nextAttempt() }
    }

    var form: Form {
        var names = NormalForm(moment: machine.moment)
        var form = Form(state: machine.state.inner, effects: machine.state.effects)
        form.state.normalize(&names)
        form.effects.normalize(&names)
        form.calls = machine.openCalls.map { $0.call }
        form.calls.normalize(&names)
        form.timers = machine.runningTimers.map { $0.timer }
        form.timers.normalize(&names)
        form.deadlines = machine.runningTimers.map { $0.deadline - machine.moment.now }
        form.operations = machine.pendingStorage.map { operation in
            guard operation.isSave, let record = saved(operation.attempt) else {
                return operation.isLoad
                    ? .load(operation.key, operation.attempt) : .erase(operation.key, operation.attempt)
            }
            return .save(record, under: operation.key, operation.attempt)
        }
        form.operations.normalize(&names)
        form.disk = disk.map { .save($0.record, under: $0.key, Attempt(number: 0)) }
        form.disk.normalize(&names)
        return form
    }

    /// Whether two machines are equal as they are, so that a comparison of their forms says nothing.
    func isSame(as other: Life) -> Bool { machine == other.machine }

    mutating func move(_ story: Story<F>, _ dice: Entropy) {
        var dice = dice
        let now = machine.moment
        machine.current.effects = []
        switch dice.next() % 12 {
        case 0...3: machine.send(story.person(machine.state.inner, tag, &dice), at: now)
        case 4, 5:
            guard let call = pick(machine.openCalls, &dice)?.call else { break }
            machine.deliver(story.event(call, machine.state.inner, now, tag, &dice), on: call, at: now)
        case 6:
            guard let call = pick(machine.openCalls, &dice)?.call else { break }
            let wait: Interval? = dice.next() % 2 == 0 ? nil : .seconds(Int64(dice.next() % 50))
            let ends: [CallEnd] = [
                .completed, .failed(.lost), .failed(.offline),
                .refused(
                    status: [400, 401, 429, 503][Int(dice.next() % 4)], retryAfter: wait, message: "no"),
            ]
            machine.end(call, ends[Int(dice.next() % 4)], at: now)
        case 7, 8, 9: answerStorage(&dice)
        default:
            let wait = story.waits[Int(dice.next() % UInt64(story.waits.count))]
            let next = machine.nextDeadline.map { $0 - now.now } ?? wait
            machine.advance(to: now + (dice.next() % 3 == 0 ? wait : min(wait, next)))
        }
        for case .save(let record, _, let attempt) in machine.state.effects {
            saves.append((attempt, record))
        }
    }

    mutating func wait(_ interval: Interval) {
        machine.current.effects = []
        machine.advance(to: machine.moment + interval)
    }

    private mutating func answerStorage(_ dice: inout Entropy) {
        guard let operation = pick(machine.pendingStorage.filter { $0.isStarted }, &dice) else { return }
        let fails = dice.next() % 5 == 0
        let failure: StorageFailure = [.full, .unavailable, .damaged][Int(dice.next() % 3)]
        var answer: StorageAnswer<F.Record> = .failed(failure)
        if fails {
        } else if operation.isLoad {
            answer = disk.first { $0.key == operation.key }.map { .loaded($0.record) } ?? .missing
        } else {
            disk.removeAll { $0.key == operation.key }
            if operation.isSave, let record = saved(operation.attempt) {
                disk.append((operation.key, record))
            }
            answer = operation.isSave ? .saved : .erased
        }
        machine.answer(operation.ticket, with: answer, at: machine.moment)
    }

    private func saved(_ attempt: Attempt) -> F.Record? { saves.last { $0.attempt == attempt }?.record }

    private func pick<Element>(_ elements: [Element], _ dice: inout Entropy) -> Element? {
        elements.isEmpty ? nil : elements[Int(dice.next() % UInt64(elements.count))]
    }
}

/// The comparison of many lives.
struct Twins<F: NormalFeature> {
    /// What broke the property, if anything did.
    private(set) var violations: [String] = []
    /// How many pairs of strangers met.
    private(set) var meetings = 0
    private var known: [Life<F>.Form: Life<F>] = [:]

    /// Lives through stories, each beside its twin, and lets strangers who meet go on side by side.
    static func run(
        _ story: Story<F>, seeds: ClosedRange<UInt64>, steps: UInt64, going: UInt64 = 8,
        meetings limit: Int = 3_000
    ) -> Twins {
        var twins = Twins()
        for seed in seeds {
            var (left, right) = (Life(story, tag: 2 * Int(seed)), Life(story, tag: 2 * Int(seed) + 7))
            for step in 0..<steps {
                let dice = Twins.dice(seed, step)
                left.move(story, dice)
                right.move(story, dice)
                guard twins.compare(left, right, "twins of seed \(seed), step \(step)") else { return twins }
                guard step % 3 == 0, twins.meet(left, story, "seed \(seed), step \(step)", going, limit)
                else {
                    continue
                }
                if !twins.violations.isEmpty { return twins }
            }
        }
        return twins
    }

    private static func dice(_ seed: UInt64, _ step: UInt64) -> Entropy { .seeded(seed << 32 + step) }

    private mutating func compare(_ left: Life<F>, _ right: Life<F>, _ place: String) -> Bool {
        let (first, second) = (left.form, right.form)
        if first == second { return true }
        violations.append("\(place): \(Twins.difference(first, second))")
        return false
    }

    /// Returns whether somebody with an equal form was known.
    private mutating func meet(
        _ life: Life<F>, _ story: Story<F>, _ place: String, _ going: UInt64, _ limit: Int
    ) -> Bool {
        let form = life.form
        guard let stranger = known[form] else {
            known[form] = life
            return false
        }
        guard meetings < limit, !life.isSame(as: stranger) else { return false }
        meetings += 1
        for way in 0..<3 as Range<UInt64> {
            var (left, right) = (life, stranger)
            for step in 0..<going {
                let dice = Twins.dice(UInt64(meetings) * 3 + way, 1_000 + step)
                left.move(story, dice)
                right.move(story, dice)
                let here = "strangers at \(place), way \(way), step \(step)"
                guard compare(left, right, here) else { return true }
            }
        }
        return true
    }

    /// The parts that differ, by the lines of their dumps.
    private static func difference(_ left: Life<F>.Form, _ right: Life<F>.Form) -> String {
        var (first, second) = ("", "")
        dump(left, to: &first)
        dump(right, to: &second)
        let pairs = zip(first.split(separator: "\n"), second.split(separator: "\n"))
        return pairs.filter { $0 != $1 }.prefix(6).map { "\($0) | \($1)" }.joined(separator: "; ")
    }
}
