// A day of heavy use through everything that ships but the drivers: the whole app, the machine, Clawline's bytes
// in both directions, the in-process server and the store in memory, on virtual time. A person writes 5,000
// messages in ten conversations, each is answered with 200 tokens, and once a minute the connection drops.
//
// The time is that of the processor, since the machine may be shared. The memory is what the process grew by at
// its peak, beside the bytes of the texts that the app keeps; the server and the store keep them as well.

import AllocationCount
import ChatDomain
import ChatEffects

/// What a day came to.
private struct Day {
    private static let conversations = 10
    private static let messages = 5_000
    private static let words = 198  // and “You said: ” before them makes 200
    /// How far apart messages are, so that they fill a day: 17.28 s. A reply takes 11.5 s of them.
    private static let pause = Interval(nanoseconds: 86_400_000_000_000 / Int64(messages))

    private var loop: VirtualLoop<ClawlineBackend, LocalServer>
    private var nextDrop = Moment.start.now + .minutes(1)

    init() {
        let device = DeviceInfo(platform: "linux", model: "bench")
        let app = ChatApp(pairing: Pairing(configuration: Pairing.Configuration(device: device)))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: .start, entropy: .seeded(1))
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = .deltas
        loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer(behaviour))
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.send(.chat(.shown))
        pass(.seconds(5))
        for number in 1..<Day.conversations {
            loop.send(.chat(.conversationCreated(title: ExactText("\(number)"))))
        }
    }

    private mutating func pass(_ interval: Interval) {
        let end = loop.moment.now + interval
        while nextDrop <= end {
            loop.advance(by: nextDrop - loop.moment.now)
            loop.server.dropConnections()
            nextDrop = nextDrop + .minutes(1)
        }
        loop.advance(by: end - loop.moment.now)
    }

    mutating func run() {
        let rest = String(repeating: "token ", count: Day.words - 1)
        let conversations = Chat.conversations(loop.state.chat, .neutral).map { $0.id }
        for number in 0..<Day.messages {
            loop.send(.chat(.conversationSwitched(to: conversations[number % conversations.count])))
            loop.send(.chat(.draftEdited(ExactText("\(number) " + rest))))
            loop.send(.chat(.sent))
            pass(Day.pause)
        }
        pass(.minutes(5))
    }

    /// How many messages the app keeps, and how many bytes their texts have. Each must be whole.
    var kept: (messages: Int, bytes: Int64) {
        mutating get {
            var kept: (messages: Int, bytes: Int64) = (0, 0)
            for conversation in Chat.conversations(loop.state.chat, .neutral) {
                loop.send(.chat(.conversationSwitched(to: conversation.id)))
                for row in Chat.rows(loop.state.chat, newest: .max, .neutral) where row.note == nil {
                    kept.messages += 1
                    kept.bytes += row.text.byteCount
                }
            }
            return kept
        }
    }
}

/// The day, once.
func benchmarkDay(_ report: inout Report) {
    let name = "a day of heavy use"
    guard name.hasPrefix(report.wanted) else { return }
    reset_peak_resident_bytes()
    let before = peak_resident_bytes()
    let start = processor_nanoseconds()
    var day = Day()
    day.run()
    let seconds = Double(processor_nanoseconds() - start) / 1e9
    let grown = peak_resident_bytes() - before
    let kept = day.kept
    precondition(kept.messages == 10_000, "\(kept.messages) of 10,000 messages are whole")
    report.add(name, seconds, "s", limit: 10)
    report.add("  its memory at the peak", Double(grown) / 1e6, "MB")
    report.add("  beside the texts that are kept", Double(grown) / Double(kept.bytes), "×")
}
