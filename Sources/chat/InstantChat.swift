// The chat on virtual time: a line is handled, everything that follows from it happens at once, and what came
// of it is printed.

import ChatDomain
import ChatEffects

/// Runs a chat on virtual time.
struct InstantChat<Store: RecordStore> {
    private var loop: Setup.ChatLoop<Store>
    private var narrator = Narrator(copy: .neutral)

    /// How long to wait for what a line has begun: longer than any limit of time that can end it.
    private static var patience: Interval { .minutes(10) }

    init(_ loop: consuming Setup.ChatLoop<Store>) {
        self.loop = loop
    }

    /// Returns the program's exit status: whether everything was answered.
    mutating func run() -> Int32 {
        perform(.actions([.launched, .chat(.shown)]))
        while let line = readLine() {
            let response = Response(Input(line), loop.state)
            if response == .quit { break }
            perform(response)
        }
        guard loop.state.isAnswered else {
            Program.complain("chat: not everything was sent and answered")
            return 1
        }
        return 0
    }

    private mutating func perform(_ response: Response) {
        switch response {
        case .quit: return
        case .say(let lines): say(lines)
        case .actions(let actions): for action in actions { loop.send(action) }
        case .older:
            narrator.startOver()
            loop.send(.chat(.olderRequested))
        case .network(let isUp):
            if isUp { loop.server.goOnline() } else { loop.server.goOffline() }
            loop.send(.networkChanged(isUp: isUp))
        }
        let end = loop.moment.now + Self.patience
        say(narrator.news(loop.state))
        while let deadline = loop.nextDeadline, deadline <= end, !isQuiet {
            _ = loop.runToNextDeadline()
            say(narrator.news(loop.state))
        }
    }

    private var isQuiet: Bool { loop.state.isReadyForInput && loop.machine.pendingStorage.isEmpty }

    private func say(_ lines: [String]) {
        for line in lines { print(line) }
    }
}
