// The chat on virtual time: a line is handled, everything that follows from it happens at once, and what came
// of it is printed.

import ChatDomain
import ChatEffects

/// Runs a chat on virtual time.
struct InstantChat<Store: RecordStore>: StepPerformer {
    /// The whole app with its server; a test changes what the server does.
    var loop: Setup.ChatLoop<Store>
    private let output: ([Line]) -> Void
    private var visitors = Visitors()
    private var plain = PlainNarrator(Narrator(copy: .neutral))
    /// Whether a line was not taken.
    private(set) var hasRefused = false

    /// How long to wait for what a line has begun: longer than any limit of time that can end it.
    private static var patience: Interval { .minutes(10) }

    init(_ loop: consuming Setup.ChatLoop<Store>, output: @escaping ([Line]) -> Void = StandardOutput.write) {
        self.loop = loop
        self.output = output
    }

    /// Returns the program's exit status: whether everything was taken and answered.
    mutating func run() async -> Int32 {
        start()
        let lines = StandardInput.lines()
        while let line = lines.next() {
            guard await take(line) else { return 0 }
        }
        return Ending(loop.state, hasRefused: hasRefused).report()
    }

    /// Does what comes before the first line.
    mutating func start() {
        act([.launched, .chat(.shown)])
        settle()
    }

    /// Handles a line and all that follows from it. Returns whether the program goes on.
    mutating func take(_ line: String) async -> Bool {
        guard await perform(line) else { return false }
        settle()
        return true
    }

    /// Lets what a line has begun come to its end.
    private mutating func settle() {
        let end = loop.moment.now + Self.patience
        while let deadline = loop.nextDeadline, deadline <= end, !isQuiet {
            _ = loop.runToNextDeadline()
            narrate()
        }
    }

    private var isQuiet: Bool { loop.state.isReadyForInput && loop.machine.pendingStorage.isEmpty }

    private mutating func narrate() {
        output(plain.lines(loop.state, at: loop.moment.wall))
        guard let change = visitors.change(loop.state) else { return }
        changeServer(change)
        loop.advance(by: .zero)
        output(plain.lines(loop.state, at: loop.moment.wall))
    }

    // MARK: Steps

    var state: App.State { loop.state }

    var wall: WallTime { loop.moment.wall }

    var narrator: Narrator {
        get { plain.narrator }
        set { plain.narrator = newValue }
    }

    mutating func act(_ actions: [App.Action]) {
        for action in actions { loop.send(action) }
        narrate()
    }

    mutating func say(_ lines: [Line]) {
        output(lines)
    }

    mutating func refuse(_ sentence: String) {
        say([Line(.warning, sentence)])
        hasRefused = true
    }

    mutating func textStays() {
        hasRefused = true
    }

    mutating func fill(_ line: String, orSay sentence: String) {
        refuse(sentence)
    }

    mutating func changeServer(_ change: ServerChange) {
        loop.server.happen(change, at: loop.moment)
    }

    mutating func wait(_ interval: Interval) {
        let end = loop.moment + interval
        while let deadline = loop.nextDeadline, deadline <= end.now {
            _ = loop.runToNextDeadline()
            narrate()
        }
        loop.advance(to: end)
        narrate()
    }
}
