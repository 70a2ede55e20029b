// The chat on virtual time: a line is handled, everything that follows from it happens at once, and what came
// of it is printed.

import ChatDomain
import ChatEffects

/// Runs a chat on virtual time.
struct InstantChat<Store: RecordStore>: PlainPerformer {
    /// The whole app with its server; a test changes what the server does.
    var loop: Setup.ChatLoop<Store>
    private let output: ([Line]) -> Void
    var visitors = Visitors()
    var plain = PlainNarrator(Narrator(copy: .neutral))
    var hasRefused = false

    /// How long to wait for what a line has begun: longer than any limit of time that can end it.
    private static var patience: Interval { .minutes(10) }

    init(_ loop: consuming Setup.ChatLoop<Store>, output: @escaping ([Line]) -> Void = StandardOutput.write) {
        self.loop = loop
        self.output = output
    }

    /// Returns the program's exit status: whether everything was taken and answered.
    mutating func run() async -> Int32 {
        await start()
        let lines = StandardInput.lines()
        while let line = lines.next() {
            guard await take(line) else { return Ending(quittingAfterRefusal: hasRefused).report() }
        }
        return Ending(loop.state, hasRefused: hasRefused).report()
    }

    /// Does what comes before the first line.
    mutating func start() async {
        await act([.launched, .chat(.shown)])
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

    var state: App.State { loop.state }

    var wall: WallTime { loop.moment.wall }

    func write(_ lines: [Line]) { output(lines) }

    mutating func handle(_ action: App.Action) { loop.send(action) }

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
