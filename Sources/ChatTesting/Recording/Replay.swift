// Gives the inputs of a recording to a machine of this build, and compares after each step: first the operations, then
// the fields. `machine` is the machine at the step, so a replay can stop at any time of the run.
//
//     var replay = try Replay(chat: Recording(bytes))
//     if let divergence = try replay.run() { print(divergence) }

import ChatDomain
import ChatEffects

/// The first difference between a replay and the recorded run.
public struct Divergence: Error, Hashable, CustomStringConvertible, Sendable {
    /// The step; 0 for the machine before the first input.
    public let step: Int64
    /// The line of the recording.
    public let line: Int64
    /// The place of the difference: `operation 2`, or the path of a field.
    public let place: ExactText
    /// The recorded value; nil for nothing.
    public let recorded: ExactText?
    /// The value of the replay; nil for nothing.
    public let replayed: ExactText?
    /// The number of further fields that differ at this step.
    public let further: Int64
    /// The latest step at which everything was equal: the fields are compared at checkpoints.
    let equalUntil: Int64

    /// Whether an operation differs, which the drivers would see, and not only a field.
    public var isOperation: Bool { place.string.hasPrefix("operation ") }

    /// A sentence for a person, with values of bounded length.
    public var description: String {
        let rest = further == 0 ? "" : " (and \(further) more)"
        return
            "step \(step)\(since), line \(line): \(place.count(toShow: 200)) was \(short(recorded)) in the recording "
            + "and is \(short(replayed)) here\(rest)"
    }

    private var since: String {
        equalUntil + 1 < step ? " (equal until step \(equalUntil))" : ""
    }

    /// The value from shortly before the place where the two begin to differ.
    private func short(_ text: ExactText?) -> String {
        guard let text else { return "absent" }
        let common = zip((recorded ?? "").string, (replayed ?? "").string).prefix { $0 == $1 }.count
        // Forty characters show the context, and two hundred are a few lines of a terminal.
        let start = max(common - 40, 0)
        let part = ExactText(String(text.string.dropFirst(start))).count(toShow: 200)
        return start == 0 ? part : "…" + part
    }
}

/// Replays a recording in a machine.
public struct Replay<Codec: Backend> where Codec.Subject.Action: RecordableAction {
    /// The recording.
    public let recording: Recording
    /// The machine after the latest step.
    public private(set) var machine: Machine<Codec>
    /// The number of the latest step.
    public private(set) var step: Int64 = 0
    /// The recorded fields: those at the latest checkpoint, and the timers at the latest step.
    private var fields: StateFields
    private var timers: StateFields
    private var checkpoint: Int64 = 0
    /// Whether anything has differed. Later fields differ because of it, and only operations are reported.
    private var hasDeparted = false

    /// Prepares a replay in a machine without any input.
    public init(_ recording: Recording, from machine: Machine<Codec>) {
        self.recording = recording
        self.machine = machine
        fields = recording.fields
        timers = recording.fields.timers
    }

    /// Whether every readable step is replayed.
    public var isAtEnd: Bool { step == Int64(recording.steps.count) }

    /// Replays to a step, or to the end. Returns the first divergence. Throws when a line cannot be replayed.
    ///
    /// Call it again to continue after a divergence; it then stops only at operations.
    public mutating func run(to last: Int64? = nil) throws(RecordingProblem) -> Divergence? {
        if step == 0, let divergence = difference(line: 2) { return divergence }
        while !isAtEnd, last.map({ step < $0 }) ?? true {
            if let divergence = try next() { return divergence }
        }
        return nil
    }

    private mutating func next() throws(RecordingProblem) -> Divergence? {
        let recorded = recording.steps[Int(clamping: step)]
        switch recorded.input {
        case .sent(let intent):
            do throws(FieldError) {
                machine.send(try Codec.Subject.Action(intent: intent), at: recorded.moment)
            } catch {
                throw RecordingProblem(
                    line: recorded.line, reason: "this build does not know the action: \(error.description)")
            }
        case .unrecorded:
            throw RecordingProblem(
                line: recorded.line, reason: "the action is none of a front end, and was not recorded")
        case .received(let outcome): machine.receive(outcome, at: recorded.moment)
        case .advanced:
            // The timers have fired at this moment; behind a stall that is later than their deadlines.
            machine.wake(at: recorded.moment)
            machine.advance(to: recorded.moment)
        }
        step += 1
        if let divergence = difference(recorded.operations, line: recorded.line) { return divergence }
        if let digest = recorded.digest {
            fields = fields.with(timers: timers).applying(recorded.changed, gone: recorded.gone)
            timers = fields.timers
            let divergence = difference(line: recorded.line, digest: digest)
            if !hasDeparted { checkpoint = step }
            return divergence
        }
        timers = timers.applying(recorded.changed, gone: recorded.gone)
        if hasDeparted { return nil }
        return difference(from: timers, to: StateFields(timersOf: machine), line: recorded.line)
    }

    private mutating func difference(_ recorded: [DriverOperation], line: Int64) -> Divergence? {
        var replayed: [ExactText] = []
        machine.drain { replayed.append($0.encoded) }
        let recorded = recorded.map { $0.encoded }
        for index in 0..<max(recorded.count, replayed.count) {
            let before = index < recorded.count ? recorded[index] : nil
            let after = index < replayed.count ? replayed[index] : nil
            guard before != after else { continue }
            hasDeparted = true
            return Divergence(
                step: step, line: line, place: ExactText("operation \(index + 1)"), recorded: before,
                replayed: after, further: 0, equalUntil: checkpoint)
        }
        return nil
    }

    private mutating func difference(line: Int64, digest: ExactText? = nil) -> Divergence? {
        if hasDeparted { return nil }
        let now = StateFields(machine)
        if let divergence = difference(from: fields, to: now, line: line) { return divergence }
        let nowDigest = now.digest
        guard let digest, digest != nowDigest else { return nil }
        hasDeparted = true
        // The fields are equal and their digest differs: the line was changed.
        return Divergence(
            step: step, line: line, place: "digest", recorded: digest, replayed: nowDigest, further: 0,
            equalUntil: checkpoint)
    }

    private mutating func difference(
        from recorded: StateFields, to now: StateFields, line: Int64
    ) -> Divergence? {
        guard now != recorded else { return nil }
        let differences = recorded.differences(to: now)
        guard let first = differences.first else { return nil }
        hasDeparted = true
        return Divergence(
            step: step, line: line, place: first.path, recorded: first.before, replayed: first.after,
            further: Int64(differences.count - 1), equalUntil: checkpoint)
    }
}

extension DriverOperation {
    fileprivate var encoded: ExactText {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return ExactText(decoding: bytes)
    }
}

extension ExactText {
    /// The text without control characters, cut after that many characters.
    func count(toShow count: Int) -> String {
        let text = withoutControlCharacters.string
        return text.count > count ? text.prefix(count) + "…" : text
    }
}
