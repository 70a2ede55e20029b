// A recording as a value, read line by line. It has everything before the first problem, and the problem: a recording
// that was cut can be replayed up to its end. Recorder.swift describes the format.

import ChatDomain
import ChatEffects

/// Why a line of a recording cannot be used.
public struct RecordingProblem: Error, Hashable, CustomStringConvertible, Sendable {
    /// The line, counted from 1.
    public let line: Int64
    /// The problem, without the line.
    public let reason: String

    /// A sentence for the person who has the file.
    public var description: String { "line \(line): \(reason)" }
}

/// A recorded run.
public struct Recording: Sendable {
    /// One step of a run.
    public struct Step: Sendable {
        /// An input of the machine.
        public enum Input: Sendable {
            /// An action, as an intent.
            case sent(JSONValue)
            /// An action that has no encoding.
            case unrecorded
            /// The outcome of an operation.
            case received(Outcome)
            /// A deadline was reached.
            case advanced
        }

        /// The step's number, counted from 1.
        public let number: Int64
        /// The step's line in the recording.
        public let line: Int64
        /// The time on both clocks.
        public let moment: Moment
        /// The input.
        public let input: Input
        /// The operations of the machine.
        public let operations: [DriverOperation]
        /// The fields with a new value: at a checkpoint all since the one before, elsewhere the timers.
        package let changed: [StateField]
        /// The fields that are gone.
        package let gone: [ExactText]
        /// The digest of all fields after the step, which makes it a checkpoint.
        package let digest: ExactText?
    }

    /// The version of the format that this build writes, and the latest that it reads.
    static var version: Int64 { 1 }

    /// The set-up of the machine, for a replay.
    public let setup: JSONValue
    /// The generator at the start.
    public let entropy: Entropy
    /// The moment of the start.
    public let start: Moment
    /// The machine before the first step.
    package let fields: StateFields
    /// The steps, in order.
    public private(set) var steps: [Step] = []
    /// Why no more steps could be read; nil for a recording that is complete.
    public private(set) var problem: RecordingProblem?

    /// Reads a recording. Throws when its beginning is not readable; any later problem ends the steps.
    public init(_ bytes: [UInt8]) throws(RecordingProblem) {
        var lines = Lines(bytes)
        let header = try lines.next("this is not a recording: the file is empty")
        guard header.optional("recording")?.string == "chat" else {
            throw lines.problem("this is not a recording")
        }
        if let version = header.optional("version")?.integer, version > Self.version {
            throw lines.problem(
                "the recording is of version \(version); this build reads up to version \(Self.version)")
        }
        do throws(FieldError) {
            _ = try header.integer("version", in: 1...Self.version)
            setup = try header.value("setup")
            entropy = try Entropy(header.fields("entropy"))
            start = try Moment(header)
        } catch {
            throw lines.problem(error.description)
        }
        let first = try lines.next("the recording is cut before its first state")
        do throws(FieldError) {
            guard try first.integer("step") == 0 else { throw FieldError("step", .outOfRange) }
            fields = StateFields().applying(try first.changed(), gone: [])
        } catch {
            throw lines.problem(error.description)
        }
        do {
            try readSteps(&lines)
        } catch {
            problem = error
        }
    }

    private mutating func readSteps(_ lines: inout Lines) throws(RecordingProblem) {
        while true {
            let count = Int64(steps.count)
            let fields = try lines.next("the recording is cut behind step \(count)")
            do throws(FieldError) {
                if fields.optional("end") != nil {
                    guard try fields.integer("end") == count else { throw FieldError("end", .outOfRange) }
                    break
                }
                let step = try Step(fields, line: lines.number)
                guard step.number == count + 1 else { throw FieldError("step", .outOfRange) }
                steps.append(step)
            } catch {
                throw lines.problem(error.description)
            }
        }
        guard lines.isAtEnd else { throw lines.problem("something stands behind the end", after: 1) }
    }
}

/// The lines of a file as objects.
private struct Lines {
    private let bytes: [UInt8]
    private var index = 0
    private(set) var number: Int64 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether no line follows but empty ones, as an editor adds them.
    var isAtEnd: Bool { bytes[index...].allSatisfy { $0 == UInt8(ascii: "\n") } }

    func problem(_ reason: String, after count: Int64 = 0) -> RecordingProblem {
        RecordingProblem(line: number + count, reason: reason)
    }

    mutating func next(_ endReason: String) throws(RecordingProblem) -> Fields {
        number += 1
        guard index < bytes.count else { throw problem(endReason) }
        let rest = bytes[index...]
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let text = Array(rest[..<(end ?? rest.endIndex)])
        index = end.map { $0 + 1 } ?? rest.endIndex
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader(JSONPolicy(size: .max)).value(of: text)
        } catch {
            if number == 1 { throw problem("this is not a recording") }
            throw problem(end == nil ? "the recording is cut in the middle of the line" : "\(error)")
        }
        do throws(FieldError) {
            return try Fields(value, in: "line")
        } catch {
            throw problem(number == 1 ? "this is not a recording" : error.description)
        }
    }
}

extension Recording.Step {
    fileprivate init(_ fields: Fields, line: Int64) throws(FieldError) {
        number = try fields.integer("step")
        self.line = line
        moment = try Moment(fields)
        if let intent = fields.optional("sent") {
            input = .sent(intent)
        } else if let outcome = fields.optional("received") {
            input = .received(try Outcome(outcome))
        } else if fields.optional("advanced") != nil {
            input = .advanced
        } else {
            _ = try fields.value("sent")
            input = .unrecorded
        }
        var operations: [DriverOperation] = []
        if fields.optional("operations") != nil {
            for value in try fields.array("operations") { operations.append(try DriverOperation(value)) }
        }
        self.operations = operations
        changed = try fields.changed()
        var gone: [ExactText] = []
        if fields.optional("gone") != nil {
            for path in try fields.array("gone") {
                guard let path = path.string else { throw FieldError("gone", .wrongKind) }
                gone.append(path)
            }
        }
        self.gone = gone
        digest = fields.optional("digest") == nil ? nil : try fields.text("digest")
    }
}

extension Fields {
    fileprivate func changed() throws(FieldError) -> [StateField] {
        guard optional("changed") != nil else { return [] }
        var changed: [StateField] = []
        for pair in try array("changed") {
            guard let pair = pair.array, pair.count == 2, let path = pair[0].string,
                let value = pair[1].string
            else { throw FieldError("changed", .wrongKind) }
            changed.append(StateField(path: path, value: value))
        }
        return changed
    }

    fileprivate func digits<Number: FixedWidthInteger>(_ name: ExactText) throws(FieldError) -> Number {
        guard let number = Number(try text(name).string) else { throw FieldError(name, .outOfRange) }
        return number
    }
}

extension Moment {
    fileprivate init(_ fields: Fields) throws(FieldError) {
        self.init(
            now: Instant(nanoseconds: try fields.digits("now")),
            wall: WallTime(nanosecondsSince1970: try fields.digits("wall")))
    }
}

extension Entropy {
    fileprivate init(_ fields: Fields) throws(FieldError) {
        if fields.optional("least") != nil {
            self = .least(try fields.digits("least"))
        } else if fields.optional("greatest") != nil {
            self = .greatest(try fields.digits("greatest"))
        } else {
            self = .seeded(try fields.digits("seeded"))
        }
    }
}
