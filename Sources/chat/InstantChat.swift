// The chat on virtual time: a line is handled, everything that follows from it happens at once, and what came
// of it is printed.

import ChatDomain
import ChatEffects

/// Runs a chat on virtual time.
struct InstantChat<Store: RecordStore>: PlainPerformer {
    /// The whole app with its server; a test changes what the server does.
    var loop: Setup.ChatLoop<Store>
    /// Whether a person types the lines, who is asked for them.
    private let isTyped: Bool
    private let output: ([Line]) -> Void
    var visitors = Visitors()
    var plain = PlainNarrator(Narrator(copy: .neutral))
    var hasRefused = false

    /// How long to wait for what a line has begun: longer than any limit of time that can end it.
    private static var patience: Interval { .minutes(10) }

    init(
        _ loop: consuming Setup.ChatLoop<Store>, isTyped: Bool = false,
        output: @escaping ([Line]) -> Void = StandardOutput.write
    ) {
        self.loop = loop
        self.isTyped = isTyped
        self.output = output
    }

    /// Returns the program's exit status: whether everything was taken and answered.
    mutating func run() async -> Int32 {
        await start()
        let lines = StandardInput.lines()
        await ask()
        while let line = lines.next() {
            guard await take(line) else { return end(Ending(quittingAfterRefusal: hasRefused)) }
            await ask()
        }
        return end(Ending(loop.state, hasRefused: hasRefused))
    }

    /// Saves the draft. Returns the exit status.
    mutating func end(_ ending: Ending) -> Int32 {
        loop.send(.backgrounded)
        return ending.report()
    }

    /// Asks a person for what is needed to get in.
    private mutating func ask() async {
        if isTyped, loop.state.pairing.session == nil { write([Line(.program, narrator.prompt(loop.state))]) }
    }

    /// Does what comes before the first line. Time goes on where it stood when the last run ended, which may be far
    /// ahead of the clock on the wall: else what is said now would stand before what was said then.
    mutating func start() async {
        await act([.launched])
        loop.advance(by: .zero)
        let chat = loop.state.chat
        let newest = ([chat.conversation] + chat.others).compactMap { conversation in
            conversation.transcript.rows.newestFirst.first { _ in true }?.value.wrappedValue.time
        }
        if let last = newest.max(), last > loop.moment.wall {
            loop.advance(by: last - loop.moment.wall + .seconds(1))
        }
        await act([.chat(.shown)])
        await settle()
    }

    /// Handles a line and all that follows from it. Returns whether the program goes on.
    mutating func take(_ line: String) async -> Bool {
        guard await perform(line) else { return false }
        await settle()
        return true
    }

    /// Lets what a line has begun come to its end.
    private mutating func settle() async {
        let end = loop.moment.now + Self.patience
        while let deadline = loop.nextDeadline, deadline <= end, !isQuiet {
            _ = loop.runToNextDeadline()
            await narrate()
        }
    }

    private var isQuiet: Bool { loop.state.isReadyForInput && loop.machine.pendingStorage.isEmpty }

    // MARK: Steps

    var state: ChatApp.State { loop.state }

    var wall: WallTime { loop.moment.wall }

    func write(_ lines: [Line]) { output(lines) }

    mutating func handle(_ action: ChatApp.Action) { loop.send(action) }

    mutating func changeServer(_ change: ServerChange) {
        loop.server.happen(change, at: loop.moment)
        loop.advance(by: .zero)
    }

    mutating func wait(_ interval: Interval) async {
        let end = loop.moment + interval
        while let deadline = loop.nextDeadline, deadline <= end.now {
            _ = loop.runToNextDeadline()
            await narrate()
        }
        loop.advance(to: end)
        await narrate()
    }
}
