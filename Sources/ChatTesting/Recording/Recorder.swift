// Writes a run as JSON Lines. Start here for the format; Recording.swift reads it.
//
//     {"recording":"chat","version":1,"setup":{…},"entropy":{"seeded":"7"},"now":"0","wall":"1790000000000000000"}
//     {"step":0,"changed":[["chat.draft","…"],…],"digest":"…"}
//     {"step":1,"now":"…","wall":"…","sent":{"intent":"launched"},"operations":[…],"changed":[…],"gone":[…],"digest":"…"}
//     {"step":2,"now":"…","wall":"…","received":{"outcome":"missing","ticket":"1"},…}
//     {"step":3,"now":"…","wall":"…","advanced":true,…}
//     {"end":3}
//
// Intents, outcomes and operations are in the canonical encoding of the border. Step 0 holds every field of the
// machine before the first input; each further step holds the timers that it changed. A checkpoint also holds every
// other field that changed since the one before, and the digest of all, so that a replay names the field of a
// divergence and the steps between which it happened. A small machine has a checkpoint at each step. A larger one has
// fewer, because a checkpoint visits the whole machine: so a step costs the same on average, at any length of the
// conversation.

import ChatDomain
import ChatEffects

/// An action with an encoding for recordings.
public protocol RecordableAction {
    /// Appends the canonical encoding, an object. Appends nothing and returns `false` for an action without one.
    func encodeIntent(into bytes: inout [UInt8]) -> Bool
    /// Reads the canonical encoding.
    init(intent json: JSONValue) throws(FieldError)
}

extension ChatApp.Action: RecordableAction {}

/// Turns the journal of a loop into the lines of a recording.
public struct Recorder<Codec: Backend> where Codec.Subject.Action: RecordableAction {
    private let write: ([UInt8]) -> Void
    /// The fields at the latest checkpoint, and the timers at the latest step.
    private var fields = StateFields()
    private var timers = StateFields()
    private var step: Int64 = 0
    private var nextCheckpoint: Int64 = 1

    /// The number of fields of a machine that has a checkpoint at each step. A visit of so many takes about as long as
    /// the encoding of the rest of a step.
    private static var fieldsOfAStep: Int { 256 }

    /// Begins a recording of a machine without any input. `setup` has all that a replay needs to build the same
    /// machine, besides the moment and the generator.
    public init(
        _ machine: Machine<Codec>, setup: JSONValue, write: @escaping ([UInt8]) -> Void
    ) {
        self.write = write
        line { line in
            line.member("recording", "chat")
            line.member("version", Recording.version)
            line.member("setup", setup)
            line.object("entropy") { entropy in
                switch machine.entropy {
                case .seeded(let seed): entropy.member("seeded", "\(seed)")
                case .least(let count): entropy.member("least", "\(count)")
                case .greatest(let count): entropy.member("greatest", "\(count)")
                }
            }
            line.moment(machine.moment)
        }
        let start = StateFields(machine)
        line { line in
            line.member("step", 0)
            line.changes(from: StateFields(), to: start)
            line.member("digest", start.digest)
        }
        (fields, timers) = (start, start.timers)
    }

    /// Writes the entries since the last call.
    package mutating func take(_ entries: [Journal<Codec>.Entry], areLast: Bool = false) {
        for entry in entries { take(entry) }
        if areLast { line { $0.member("end", step) } }
    }

    private mutating func take(_ entry: Journal<Codec>.Entry) {
        step += 1
        var machine = entry.machine
        var operations: [JSONValue] = []
        machine.drain { operation in
            var bytes: [UInt8] = []
            operation.encode(into: &bytes)
            operations.append(Self.value(bytes))
        }
        let number = step
        let timersBefore = timers
        timers = StateFields(timersOf: machine)
        var checkpoint: (before: StateFields, after: StateFields)?
        if step >= nextCheckpoint {
            checkpoint = (fields.with(timers: timersBefore), StateFields(machine))
        }
        line { line in
            line.member("step", number)
            line.moment(entry.moment)
            switch entry.input {
            case .sent(let action):
                var bytes: [UInt8] = []
                if action.encodeIntent(into: &bytes) {
                    line.member("sent", Self.value(bytes))
                } else {
                    line.null("sent")
                }
            case .received(let outcome):
                var bytes: [UInt8] = []
                outcome.encode(into: &bytes)
                line.member("received", Self.value(bytes))
            case .advanced: line.member("advanced", true)
            }
            if !operations.isEmpty { line.member("operations", .array(operations)) }
            if let checkpoint {
                line.changes(from: checkpoint.before, to: checkpoint.after)
                line.member("digest", checkpoint.after.digest)
            } else {
                line.changes(from: timersBefore, to: timers)
            }
        }
        guard let checkpoint else { return }
        fields = checkpoint.after
        nextCheckpoint = step + max(Int64(fields.fields.count / Self.fieldsOfAStep), 1)
    }

    private func line(_ body: (inout JSONObjectWriter) -> Void) {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes, body)
        bytes.append(UInt8(ascii: "\n"))
        write(bytes)
    }

    /// The value of an encoding of our own, which is always JSON.
    private static func value(_ bytes: [UInt8]) -> JSONValue {
        (try? JSONReader(JSONPolicy(size: .max)).value(of: bytes)) ?? .null
    }
}

extension JSONObjectWriter {
    fileprivate mutating func moment(_ moment: Moment) {
        // As digits, because many readers of JSON have only 53 bits.
        member("now", "\(moment.now.nanoseconds)")
        member("wall", "\(moment.wall.nanosecondsSince1970)")
    }

    fileprivate mutating func changes(from before: StateFields, to after: StateFields) {
        let differences = before.differences(to: after)
        let changed = differences.filter { $0.after != nil }
        let gone = differences.filter { $0.after == nil }
        if !changed.isEmpty {
            array("changed") { list in
                for difference in changed {
                    list.array { pair in
                        pair.element(difference.path)
                        pair.element(difference.after ?? "")
                    }
                }
            }
        }
        if !gone.isEmpty {
            array("gone") { list in
                for difference in gone { list.element(difference.path) }
            }
        }
    }
}

extension Loop where Codec.Subject.Action: RecordableAction {
    /// Begins a recording: from now on, pass the loop to `record` after it has worked.
    public mutating func startRecording(
        setup: JSONValue, write: @escaping ([UInt8]) -> Void
    ) -> Recorder<Codec> {
        startJournal()
        return Recorder(machine, setup: setup, write: write)
    }

    /// Writes the steps of the loop since the last call.
    public mutating func record(to recorder: inout Recorder<Codec>, isLast: Bool = false) {
        recorder.take(takeJournal(), areLast: isLast)
    }
}

extension SystemLoop where Codec.Subject.Action: RecordableAction {
    /// Takes over a loop and records its steps; `endRecording` writes the last line.
    public init(
        recording loop: sending Loop<Codec, Store, Server>, arrivals: Arrivals? = nil, setup: JSONValue,
        write: sending @escaping ([UInt8]) -> Void
    ) {
        var loop = loop
        loop.startJournal()
        var recorder = Recorder(loop.machine, setup: setup, write: write)
        self.init(loop, arrivals: arrivals) { entries, areLast in recorder.take(entries, areLast: areLast) }
    }
}
