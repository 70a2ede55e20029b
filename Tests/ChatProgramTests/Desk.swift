// Somebody at the program on virtual time: what they type, and what it says. This is the program without its
// process.

import ChatDomain
import ChatEffects

@testable import chat

/// A run of the program, with all that it has said.
struct Desk {
    /// What was said.
    final class Transcript {
        var lines: [String] = []
    }

    var chat: InstantChat<MemoryStore>
    private let transcript = Transcript()
    private var isStarted = false

    /// A program, which starts before the first line, perhaps where an earlier run has left its records.
    init(
        store: MemoryStore = MemoryStore(), wall: WallTime = Desk.noon, seed: UInt64 = 7,
        _ change: (inout LocalServer) -> Void = { _ in }
    ) {
        let transcript = transcript
        var loop = Setup.loop(store: store, wall: wall, seed: seed)
        change(&loop.server)
        chat = InstantChat(loop) { lines in transcript.lines += lines.map { $0.text } }
    }

    /// Noon of a day in 2026, far from any midnight.
    static let noon = WallTime(millisecondsSince1970: 1_790_000_000_000)

    var state: ChatApp.State { chat.loop.state }
    var hasRefused: Bool { chat.hasRefused }
    var store: MemoryStore { chat.loop.store }

    /// Types lines, and returns what is said meanwhile.
    @discardableResult
    mutating func type(_ lines: String...) async -> [String] {
        if !isStarted { await chat.start() }
        isStarted = true
        let start = transcript.lines.count
        for line in lines {
            guard await chat.take(line) else { break }
        }
        return Array(transcript.lines[start...])
    }

    /// The status with which the program would end now.
    var ending: Ending { Ending(state, hasRefused: hasRefused) }

    /// Changes the server, as the world changes it, and returns what is said meanwhile.
    mutating func changeServer(_ change: (inout LocalServer) -> Void) async -> [String] {
        change(&chat.loop.server)
        return await type("/wait 0s")
    }
}
