// The chat on a terminal, in real time: final lines scroll up; below them are the changing lines and the input line,
// which is also the draft.

import ChatDomain
import ChatEffects
import Foundation

/// Runs a chat on a terminal.
struct TerminalChat<Codec: Backend, Store: RecordStore, Server: ChatNetwork>: StepPerformer
where Codec.Subject == ChatApp {
    private let loop: SystemLoop<Codec, Store, Server>
    private let terminal: Terminal
    var narrator = Narrator(copy: .neutral)
    private var visitors = Visitors()
    private var editor = LineEditor()
    private var screen: Screen
    /// The last draft that the input line showed.
    private var lastDraft: ExactText = ""
    /// The text of that draft in the input line.
    private var lastShown = ""
    /// Whether the last drawn prompt asked for the name.
    private var isAskingName = false
    /// Whether the last submitted line was refused.
    private var hasRefused = false

    init(_ loop: SystemLoop<Codec, Store, Server>, _ terminal: Terminal, _ paint: Paint) {
        self.loop = loop
        self.terminal = terminal
        screen = Screen(paint)
    }

    private enum Happening: Sendable {
        case keys([UInt8])
        case resized
        case hangUp
        case state
    }

    /// Runs the chat and returns the exit status.
    mutating func run() async -> Int32 {
        let happenings = happenings()
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        for await happening in happenings {
            switch happening {
            case .hangUp: return await end()
            case .state, .resized: await draw([])
            case .keys(let bytes):
                let events = editor.take(bytes)
                for (index, event) in events.enumerated() {
                    // Only the last of several edits is handled, so a paste is drawn once; the next key finds it saved.
                    if event == .edited, index + 1 < events.count, events[index + 1] == .edited { continue }
                    guard await handle(event) else { return await end() }
                }
            }
        }
        return await end()
    }

    private func happenings() -> AsyncStream<Happening> {
        let (stream, continuation) = AsyncStream<Happening>.makeStream()
        let (keys, states, endings) = (terminal.keys(), loop.states, terminal.endings())
        let resizes = terminal.resizes()
        Task {
            for await bytes in keys { continuation.yield(.keys(bytes)) }
            continuation.yield(.hangUp)
        }
        Task {
            for await _ in states { continuation.yield(.state) }
        }
        Task {
            for await _ in resizes { continuation.yield(.resized) }
        }
        Task {
            for await _ in endings {}
            continuation.yield(.hangUp)
        }
        return stream
    }

    /// Handles an event of the editor. Returns false for the end of the program.
    private mutating func handle(_ event: LineEditor.Event) async -> Bool {
        let state = await loop.state
        switch event {
        case .quit: return false
        case .suspend:
            terminal.write(screen.clear())
            terminal.suspend()
            await draw([])
        case .complete:
            let verbs = Verb.beginning(editor.text.dropFirst())
            if verbs.count == 1 { editor.replace(with: "/\(verbs[0].rawValue) ") }
            let choice = verbs.map { "/\($0.rawValue)" }.joined(separator: " ")
            await draw(verbs.count > 1 ? [Line(.program, choice)] : [])
        case .edited:
            if state.pairing.session != nil, !editor.text.hasPrefix("/") {
                (lastDraft, lastShown) = (ExactText(editor.text), editor.text)
                await loop.send(.chat(.draftEdited(lastDraft)))
            }
            await draw([])
        case .submitted(let line):
            // The line is the draft, even if its last keys arrived together with Enter: the text before those keys is
            // not a separate draft.
            if state.pairing.session != nil, case .text(let text) = Input(line) {
                await loop.send(.chat(.draftEdited(ExactText(text))))
            }
            (lastDraft, lastShown, hasRefused) = ("", "", false)
            guard await perform(line) else { return false }
            // A refused line returns to the input line for correction.
            if hasRefused, editor.text.isEmpty { editor.replace(with: line) }
            await draw([])
        }
        return true
    }

    // MARK: Steps

    var state: ChatApp.State {
        get async { await loop.state }
    }

    var wall: WallTime { SystemTime.wall() }

    mutating func act(_ actions: [ChatApp.Action]) async {
        for action in actions { await loop.send(action) }
        await draw([])
    }

    mutating func say(_ lines: [Line]) async {
        await draw(lines)
    }

    mutating func refuse(_ sentence: String) async {
        hasRefused = true
        await draw([Line(.warning, sentence)])
    }

    mutating func textStays() { hasRefused = true }

    mutating func fill(_ line: String, orSay sentence: String) {
        editor.replace(with: typeable(line))
    }

    mutating func changeServer(_ change: ServerChange) async {
        await loop.changeServer { $0.happen(change, at: $1) }
    }

    mutating func wait(_ interval: Interval) async {
        await refuse("Time passes by itself here; /wait is for --instant.")
    }

    // MARK: Drawing

    private mutating func draw(_ said: [Line]) async {
        let state = await loop.state
        let now = SystemTime.wall()
        takeDraft(state)
        takeName(state)
        terminal.write(
            screen.draw(
                staying: narrator.news(state, at: now) + said, moving: narrator.live(state, at: now),
                prompt: narrator.prompt(state), editor: editor, terminal.size))
        if let change = visitors.change(state) { await changeServer(change) }
    }

    /// A draft that was stored, a suggestion that was taken, or a message that came back appears in the line,
    /// unless something else is being typed there.
    private mutating func takeDraft(_ state: ChatApp.State) {
        let draft = Chat.composer(state.chat).text
        guard draft != lastDraft else { return }
        guard editor.text.isEmpty || editor.text == lastShown else { return }
        editor.replace(with: typeable(draft.string))
        (lastDraft, lastShown) = (draft, editor.text)
    }

    /// Who comes back to the name finds it still filled in (P5, P7).
    private mutating func takeName(_ state: ChatApp.State) {
        guard state.pairing.session == nil,
            case .name(let form) = Pairing.screen(state.pairing, narrator.copy)
        else { return isAskingName = false }
        if !isAskingName, editor.text.isEmpty { editor.replace(with: typeable(form.name.string)) }
        isAskingName = true
    }

    /// The text without any control character, except line ends.
    private func typeable(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return lines.map { line in
            ExactText(String(line.map { $0 == "\t" ? " " : $0 })).withoutControlCharacters.string
        }.joined(separator: "\n")
    }

    private mutating func end() async -> Int32 {
        await loop.send(.backgrounded)  // saves the draft
        terminal.write(screen.clear())
        terminal.restore()
        return 0
    }
}
