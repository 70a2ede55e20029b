// The messages of a recorded run, on the run's own clock: between the person, the feature, its timers, the network and
// the storage. A trace is read from the recording alone, so a run of another build has its picture too.
//
// A label holds the first words of a text. `SequenceTrace+Mermaid` and `SequenceTrace+SVG` draw the trace and escape
// every label.

import ChatDomain
import ChatEffects

/// The messages of a run, in order.
public struct SequenceTrace: Sendable {
    /// A sender or receiver of messages, from left to right.
    enum Lane: Int, CaseIterable, Sendable {
        case person, feature, timers, network, storage

        /// The name over the line.
        var title: String {
            switch self {
            case .person: "Person"
            case .feature: "Feature"
            case .timers: "Timers"
            case .network: "Network"
            case .storage: "Storage"
            }
        }
    }

    /// One message, or several equal ones that follow each other.
    struct Row: Sendable {
        /// The time since the run began.
        let time: Interval
        let from: Lane
        let to: Lane
        let label: String
        var count: Int64 = 1

        /// The label, with the number of messages if there are several.
        var text: String { count == 1 ? label : "\(label) (\(count) times)" }
        /// The time in seconds, to the millisecond.
        var clock: String {
            let rest = String(time.milliseconds % 1_000)
            return "\(time.seconds).\(String(repeating: "0", count: max(3 - rest.count, 0)))\(rest) s"
        }
    }

    /// The messages.
    private(set) var rows: [Row] = []

    private var timers: [ExactText: Int64] = [:]
    private var paths: [StorageTicket: String] = [:]
    private let start: Instant

    /// Creates the trace of a recording.
    public init(_ recording: Recording) {
        start = recording.start.now
        for step in recording.steps {
            add(step.input, at: step.moment.now, firing: step)
            for operation in step.operations { add(operation, at: step.moment.now) }
            addStarts(step)
        }
    }

    private mutating func add(_ from: Lane, _ to: Lane, _ label: String, at now: Instant) {
        // A label is a short form of the message: the recording has the whole.
        let label = ExactText(label).count(toShow: 72)
        if let last = rows.last, (last.from, last.to, last.label) == (from, to, label),
            last.time == now - start
        {
            rows[rows.count - 1].count += 1
        } else {
            rows.append(Row(time: now - start, from: from, to: to, label: label))
        }
    }

    private mutating func add(_ input: Recording.Step.Input, at now: Instant, firing step: Recording.Step) {
        addFirings(step, at: now)
        switch input {
        case .sent(let intent): add(.person, .feature, Self.label(intent), at: now)
        case .unrecorded: add(.person, .feature, "an action that is not recorded", at: now)
        case .advanced: break
        case .received(.arrived(let call, let arrival)):
            add(.network, .feature, "call \(call.value), \(Self.label(arrival))", at: now)
        case .received(.loaded(let ticket, let bytes)):
            let size = bytes.isEmpty ? "" : ", \(bytes.count) bytes"
            add(.storage, .feature, "loaded \(paths[ticket] ?? "")\(size)", at: now)
        case .received(.missing(let ticket)): add(.storage, .feature, "no \(paths[ticket] ?? "")", at: now)
        case .received(.saved(let ticket)): add(.storage, .feature, "saved \(paths[ticket] ?? "")", at: now)
        case .received(.erased(let ticket)): add(.storage, .feature, "erased \(paths[ticket] ?? "")", at: now)
        case .received(.failed(let ticket, let failure)):
            let reason = StateFields.name(failure)
            add(.storage, .feature, "failed: \(reason), \(paths[ticket] ?? "")", at: now)
        }
    }

    private mutating func add(_ operation: DriverOperation, at now: Instant) {
        switch operation {
        case .open(let call, .socket(let path)):
            add(.feature, .network, "call \(call.value), open socket \(path.string)", at: now)
        case .open(let call, .http(let method, let path, _, _, _)):
            add(.feature, .network, "call \(call.value), \(method.string) \(path.string)", at: now)
        case .open(let call, .renewal(let path, _, _)):
            add(.feature, .network, "call \(call.value), new credential from \(path.string)", at: now)
        case .send(let call, let payload):
            var bytes: [UInt8] = []
            for case .bytes(let part) in payload.parts { bytes += part }
            // A frame whose secret is inserted later is read without it.
            add(.feature, .network, "call \(call.value), send \(Self.kind(of: bytes))", at: now)
        case .close(let call): add(.feature, .network, "call \(call.value), close", at: now)
        case .load(let ticket, let path): addStorage("load", path, ticket, at: now)
        case .save(let ticket, let path, _): addStorage("save", path, ticket, at: now)
        case .erase(let ticket, let path): addStorage("erase", path, ticket, at: now)
        case .setAside(let path): addStorage("set aside", path, nil, at: now)
        case .haptic: add(.feature, .person, "tap that is felt", at: now)
        }
    }

    private mutating func addStorage(
        _ verb: String, _ path: RecordPath, _ ticket: StorageTicket?, at now: Instant
    ) {
        let name = path.components.map { $0.string }.joined(separator: "/")
        if let ticket { paths[ticket] = name }
        add(.feature, .storage, "\(verb) \(name)", at: now)
    }

    // MARK: Timers

    private static func timers(_ paths: [ExactText]) -> [ExactText] {
        paths.filter { $0.string.hasPrefix("timers[") }
    }

    private static func name(_ path: ExactText) -> String {
        String(path.string.dropFirst("timers[".count).dropLast())
    }

    /// Adds the timers that have fired: those that were due, and are gone or were restarted.
    private mutating func addFirings(_ step: Recording.Step, at now: Instant) {
        let touched = Self.timers(step.gone + step.changed.map { $0.path })
        let due = touched.compactMap { path in timers[path].map { (path, $0) } }
            .filter { $0.1 <= now.nanoseconds }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        for (path, _) in due {
            add(.timers, .feature, Self.name(path), at: now)
            timers[path] = nil
        }
    }

    private mutating func addStarts(_ step: Recording.Step) {
        let now = step.moment.now
        for path in Self.timers(step.gone) where timers.removeValue(forKey: path) != nil {
            add(.feature, .timers, "cancel \(Self.name(path))", at: now)
        }
        for field in step.changed where field.path.string.hasPrefix("timers[") {
            guard let deadline = Int64(field.value.string) else { continue }
            timers[field.path] = deadline
            let delay = Self.text(Instant(nanoseconds: deadline) - now)
            add(.feature, .timers, "\(Self.name(field.path)) in \(delay)", at: now)
        }
    }

    /// An interval in a common unit.
    private static func text(_ interval: Interval) -> String {
        switch interval.seconds {
        case ..<10 where interval.milliseconds % 1_000 != 0: "\(interval.milliseconds) ms"
        case ..<120: "\(interval.seconds) s"
        case ..<7_200: "\(interval.seconds / 60) min"
        default: "\(interval.seconds / 3_600) h"
        }
    }

    // MARK: Labels

    /// The name of an intent, and the first text that goes with it.
    private static func label(_ intent: JSONValue) -> String {
        let name = intent["intent"]?.string?.string ?? "?"
        for member in intent.object?.members ?? [] where member.name != "intent" && member.name != "base64" {
            if let text = member.value.string { return "\(name) “\(text.count(toShow: 24))”" }
            if let bool = member.value.bool { return "\(name) \(member.name.string): \(bool)" }
        }
        return name
    }

    private static func label(_ arrival: Arrival) -> String {
        switch arrival {
        case .opened: "open"
        case .head(let status, _): "status \(status)"
        case .body(let bytes): "\(bytes.count) bytes"
        case .text(let bytes): kind(of: bytes)
        case .tooLong: "a message that is too long"
        case .signOfLife: "sign of life"
        case .sent(let count, let total): "sent \(count) of \(total) bytes"
        case .ended(let end): "end: \(StateFields.name(end))"
        }
    }

    /// The type that a message names; otherwise its size.
    private static func kind(of bytes: [UInt8]) -> String {
        let value = try? JSONReader().value(of: bytes)
        return value?["type"]?.string?.string ?? "\(bytes.count) bytes"
    }
}
