// The chat on a terminal, in real time: finished lines scroll up; below them stand what is moving and the line
// that is being typed, which is also the draft.

import ChatDomain
import ChatEffects
import Foundation

/// Runs a chat on a terminal.
struct TerminalChat<Store: RecordStore> {
    private let loop: SystemLoop<App, ClawlineBackend, Store, LocalServer>
    private let terminal: Terminal
    private var narrator = Narrator(copy: .neutral)
    private var editor = LineEditor()
    private var screen = Screen()
    private var lastDraft: ExactText = ""

    init(_ loop: SystemLoop<App, ClawlineBackend, Store, LocalServer>, _ terminal: Terminal) {
        self.loop = loop
        self.terminal = terminal
    }

    private enum Happening: Sendable {
        case keys([UInt8])
        case hangUp
        case state
    }

    /// Returns the program's exit status.
    mutating func run() async -> Int32 {
        let happenings = happenings()
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        for await happening in happenings {
            switch happening {
            case .hangUp: return await end()
            case .state: await draw([])
            case .keys(let bytes):
                for event in editor.take(bytes) {
                    guard await handle(event) else { return await end() }
                }
            }
        }
        return await end()
    }

    private func happenings() -> AsyncStream<Happening> {
        let (stream, continuation) = AsyncStream<Happening>.makeStream()
        let (keys, states, endings) = (terminal.keys(), loop.states, terminal.endings())
        Task {
            for await bytes in keys { continuation.yield(.keys(bytes)) }
            continuation.yield(.hangUp)
        }
        Task {
            for await _ in states { continuation.yield(.state) }
        }
        Task {
            for await _ in endings {}
            continuation.yield(.hangUp)
        }
        return stream
    }

    /// Returns whether the program goes on.
    private mutating func handle(_ event: LineEditor.Event) async -> Bool {
        let state = await loop.state
        switch event {
        case .quit: return false
        case .edited:
            if case .paired = state.pairing.phase, !editor.text.hasPrefix("/") {
                lastDraft = ExactText(editor.text)
                await loop.send(.chat(.draftEdited(lastDraft)))
            }
            await draw([])
        case .submitted(let line):
            let response = Response(Input(line), state)
            lastDraft = ""
            guard await perform(response) else { return false }
        }
        return true
    }

    private mutating func perform(_ response: Response) async -> Bool {
        switch response {
        case .quit: return false
        case .say(let lines): await draw(lines)
        case .actions(let actions):
            for action in actions { await loop.send(action) }
            await draw([])
        case .older:
            narrator.startOver()
            await loop.send(.chat(.olderRequested))
        case .network(let isUp):
            await loop.changeServer { isUp ? $0.goOnline() : $0.goOffline() }
            await loop.send(.networkChanged(isUp: isUp))
        }
        return true
    }

    private mutating func draw(_ said: [String]) async {
        let state = await loop.state
        takeDraft(state)
        terminal.write(
            screen.draw(
                staying: narrator.news(state) + said, moving: narrator.live(state),
                prompt: narrator.prompt(state), editor: editor, columns: terminal.columns))
    }

    /// A draft that was stored, or a message that came back, appears in the line.
    private mutating func takeDraft(_ state: App.State) {
        let draft = Chat.composer(state.chat).text
        guard draft != lastDraft else { return }
        lastDraft = draft
        editor.replace(with: draft.string.replacingOccurrences(of: "\n", with: " "))
    }

    private mutating func end() async -> Int32 {
        await loop.send(.backgrounded)  // saves the draft
        terminal.write(screen.clear())
        terminal.restore()
        return 0
    }
}
