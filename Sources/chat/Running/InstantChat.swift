// The chat on virtual time: each line is handled with all its consequences at once, and their lines are printed.

import ChatDomain
import ChatEffects
import ChatTesting

/// Runs a chat on virtual time.
struct InstantChat<Store: RecordStore>: PlainPerformer {
    /// The whole app with its server; tests change the server's behaviour.
    var loop: Setup.ChatLoop<Store>
    /// Whether a person types the lines and needs prompts.
    private let isTyped: Bool
    private let output: ([Line]) -> Void
    var surroundings = Surroundings()
    var plain = PlainNarrator(Narrator(wording: .neutral))
    var hasRefused = false
    private var recorder: Recorder<ClawlineBackend>?

    /// The greatest duration of a line's consequences: longer than every timeout that can end them.
    private static var patience: Interval { .minutes(10) }

    init(
        _ loop: consuming Setup.ChatLoop<Store>, isTyped: Bool = false,
        output: @escaping ([Line]) -> Void = StandardOutput.write
    ) {
        self.loop = loop
        self.isTyped = isTyped
        self.output = output
    }

    /// Records the run from now on.
    mutating func record(_ write: @escaping ([UInt8]) -> Void) {
        recorder = loop.startRecording(setup: Setup.recorded.encoded, write: write)
    }

    private mutating func record(isLast: Bool = false) {
        guard var recorder else { return }
        loop.record(to: &recorder, isLast: isLast)
        self.recorder = recorder
    }

    /// Runs the chat and returns the exit status: whether everything was accepted and answered.
    mutating func run() async -> Int32 {
        if isTyped { write([Line(.program, FrontEnd.greeting(nil))]) }
        await start()
        let lines = StandardInput.lines()
        await ask()
        while let line = lines.next() {
            guard await take(line) else { return end(Ending(quittingAfterRefusal: isScriptRefused)) }
            await ask()
        }
        return end(Ending(loop.state, hasRefused: isScriptRefused))
    }

    /// Whether a line of a script was refused. A person has seen the refusal and continued.
    private var isScriptRefused: Bool { hasRefused && !isTyped }

    /// Saves the draft and returns the exit status.
    mutating func end(_ ending: Ending) -> Int32 {
        loop.send(.backgrounded)
        record(isLast: true)
        return ending.report()
    }

    /// Prompts a person for the name or the next step of signing in.
    private mutating func ask() async {
        guard isTyped, loop.state.pairing.session == nil else { return }
        write([Line(.program, narrator.prompt(loop.state, at: wall))])
    }

    /// Starts the app before the first line. The clock continues where the last run ended, which may be far ahead of
    /// the wall clock: otherwise new messages would be sorted before those of the last run.
    mutating func start() async {
        await act([.launched])
        loop.advance(by: .zero)
        let chat = loop.state.chat
        let newest = chat.conversations.compactMap { conversation in
            conversation.transcript.rows.newestFirst.first { _ in true }?.value.wrappedValue.time
        }
        if let last = newest.max(), last > loop.moment.wall {
            loop.advance(by: last - loop.moment.wall + .seconds(1))
        }
        await act([.chat(.shown)])
        await settle()
    }

    /// Handles a line and all its consequences. Returns false for the end of the program.
    mutating func take(_ line: String) async -> Bool {
        guard await perform(line) else { return false }
        await settle()
        return true
    }

    /// Runs until the consequences of a line are complete.
    private mutating func settle() async {
        let end = loop.moment.now + Self.patience
        while let deadline = loop.nextDeadline, deadline <= end, !isQuiet {
            _ = loop.runToNextDeadline()
            record()
            await narrate()
        }
    }

    private var isQuiet: Bool { loop.state.isReadyForInput && loop.machine.pendingStorage.isEmpty }

    // MARK: Steps

    var state: ChatApp.State { loop.state }

    var wall: WallTime { loop.moment.wall }

    func write(_ lines: [Line]) { output(lines) }

    mutating func handle(_ action: ChatApp.Action) {
        loop.send(action)
        record()
    }

    mutating func changeServer(_ change: ServerChange) {
        loop.server.happen(change, at: loop.moment)
        loop.advance(by: .zero)
    }

    mutating func wait(_ interval: Interval) async {
        let end = loop.moment + interval
        while let deadline = loop.nextDeadline, deadline <= end.now {
            _ = loop.runToNextDeadline()
            record()
            await narrate()
        }
        loop.advance(to: end)
        await narrate()
    }
}
