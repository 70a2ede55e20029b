// A chat on virtual time that is recorded: pairing, a message and its reply, the same in every process.

import ChatDomain
import ChatEffects
import ChatTesting

/// A loop of the app with all that was recorded of it.
struct RecordedChat {
    final class File {
        var bytes: [UInt8] = []
    }

    static let setup = ChatSetup(device: DeviceInfo(platform: "iOS", model: "Phone"))
    static let start = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_790_000_000_000))

    let file = File()
    var loop: VirtualLoop<ClawlineBackend, LocalServer>
    var recorder: Recorder<ClawlineBackend>
    /// The machine behind each step, from before the first.
    private(set) var states: [ChatApp.State]

    init() {
        let file = file
        loop = Loop(
            Self.setup.machine(moment: Self.start, entropy: .seeded(7)), store: MemoryStore(),
            server: LocalServer())
        states = [loop.state]
        recorder = loop.startRecording(setup: Self.setup.encoded) { file.bytes += $0 }
    }

    mutating func send(_ actions: ChatApp.Action..., for interval: Interval = .zero) {
        for action in actions { loop.send(action) }
        loop.advance(by: interval)
        let entries = loop.takeJournal()
        states += entries.map { $0.machine.state }
        recorder.take(entries)
    }

    mutating func finish() -> [UInt8] {
        loop.record(to: &recorder, isLast: true)
        return file.bytes
    }

    /// The run whose recording stands in RecordedRunTests.swift.
    static func paired() -> RecordedChat {
        var chat = RecordedChat()
        chat.send(.launched, .chat(.shown))
        chat.send(.pairing(.nameEdited("Ada")), .pairing(.submitted), for: .seconds(5))
        return chat
    }

    /// A run with a message and its reply.
    static func answered() -> RecordedChat {
        var chat = paired()
        chat.send(.chat(.draftEdited("Hello")), .chat(.sent), for: .seconds(10))
        chat.send(.backgrounded, for: .minutes(1))
        return chat
    }

    /// The lines of a recording, each with its end.
    static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0 + "\n" }
    }
}
