// The chat on a terminal: final lines scroll up; below them are the changing lines and the input line, which is also
// the draft. It takes events one by one and returns the output, so a test needs neither terminal nor
// clock. Start at `take`.

import ChatDomain

/// A chat on a terminal.
struct TerminalChat<Driver: AppDriver>: StepPerformer {
    /// The terminal: its output, its size, and its return to the shell for a while.
    struct Place {
        var write: (String) -> Void
        var size: () -> Terminal.Size
        var rewraps = true
        var suspend: () -> Void = {}
        var resume: () -> Void = {}
    }

    var driver: Driver
    private let place: Place
    var narrator: Narrator
    private var surroundings = Surroundings()
    private var person: Person
    private var editor = LineEditor()
    private var screen: Screen
    /// The lines of the first screen.
    private var greeting: [Line]
    /// The last draft that the input line showed.
    private var lastDraft: ExactText = ""
    /// The text of that draft in the input line.
    private var lastShown = ""
    /// Whether the last drawn prompt asked for the name.
    private var isAskingName = false
    /// Whether the line that is being handled must be corrected.
    private var isToBeMended = false
    /// Whether the shell has continued the program, and everything is already drawn.
    private var isDrawnAgain = false

    init(
        _ driver: Driver, _ place: Place, _ paint: Paint, greeting: String, wording: Wording = .neutral,
        files: PersonalFiles? = nil
    ) {
        self.driver = driver
        narrator = Narrator(wording: wording)
        self.place = place
        self.greeting = [Line(.program, greeting)]
        screen = Screen(paint, rewraps: place.rewraps)
        person = Person(files)
    }

    /// Runs the chat and returns the exit status.
    mutating func run(_ events: AsyncStream<TerminalEvent>) async -> Int32 {
        await start()
        for await event in events {
            if let status = await take(event) { return status }
        }
        return await end(0)
    }

    /// Shows the first screen.
    mutating func start() async {
        await draw([])
        await driver.send(.launched)
        await driver.send(.chat(.shown))
        await draw([])
    }

    /// Handles an event. Returns the exit status at the end of the program.
    mutating func take(_ event: TerminalEvent) async -> Int32? {
        switch event {
        case .hangUp: return await end(Signal.status(1))  // SIGHUP
        case .signal(.end(let number)): return await end(Signal.status(number))
        case .signal(.continued):
            defer { isDrawnAgain = false }
            guard !isDrawnAgain else { return nil }
            place.resume()
            _ = screen.clear()
            await draw([])
        case .state, .signal(.resized): await draw([])
        case .pause: return await handle(editor.afterPause())
        case .keys(let bytes): return await handle(editor.take(bytes))
        }
        return nil
    }

    private mutating func handle(_ events: [LineEditor.Event]) async -> Int32? {
        // The editor has already handled all keys.
        let typed = editor.text
        var refused: [String] = []
        for (index, event) in events.enumerated() {
            // Only the last of several edits is handled, so a paste is drawn once; the next key finds it saved.
            if event == .edited, index + 1 < events.count, events[index + 1] == .edited { continue }
            isToBeMended = false
            if let status = await handle(event) { return status }
            // Text that was typed beside the line has come back with it.
            if isToBeMended, case .submitted(let line, beside: "") = event { refused.append(line) }
        }
        guard !refused.isEmpty else { return nil }
        editor.bringBack(refused, before: typed)
        return await handle(.edited)
    }

    private mutating func handle(_ event: LineEditor.Event) async -> Int32? {
        switch event {
        case .quit: return await end(0)
        case .interrupted: return await end(Signal.status(2))  // SIGINT
        case .suspend:
            place.write(screen.clear())
            place.suspend()
            isDrawnAgain = true
            await draw([])
        case .redraw:
            place.write(screen.empty())
            await draw([])
        case .complete:
            await draw(editor.completeCommand())
        case .edited:
            let draft = editor.draft
            if await driver.state.pairing.session != nil, !draft.hasPrefix("/"), draft != lastDraft.string {
                await driver.send(.chat(.draftEdited(ExactText(draft))))
                // Text that the app did not accept stays in the line all the same.
                (lastDraft, lastShown) = (Chat.composer(await driver.state.chat).text, draft)
            }
            await draw([])
        case .submitted(let line, let beside): return await submit(line, beside: beside)
        }
        return nil
    }

    private mutating func submit(_ line: String, beside: String) async -> Int32? {
        let beside = beside.hasPrefix("/") ? "" : beside  // a command that is not finished is no draft
        if await driver.state.pairing.session != nil {
            // A name belongs to no conversation, so it is not in the history.
            if editor.history.add(line) { person.add(line) }
            await keepDraft(of: line, beside: beside)
        }
        (lastDraft, lastShown) = (ExactText(beside), beside)
        guard await perform(line) else { return await end(0) }
        await draw([])
        return nil
    }

    /// Keeps what was typed beside a line as the draft, behind what has come to it meanwhile from elsewhere. Without such a
    /// text the line is the draft, even if its last keys arrived together with Enter, and text that was made a command is
    /// none any more.
    private mutating func keepDraft(of line: String, beside: String) async {
        let draft = Chat.composer(await driver.state.chat).text
        let kept: ExactText =
            if !beside.isEmpty {
                if draft == lastDraft || draft.isEmpty {
                    ExactText(beside)
                } else {
                    draft.string.hasSuffix(beside) ? draft : ExactText(draft.string + "\n" + beside)
                }
            } else if case .text(let text) = Input(line) {
                ExactText(text)
            } else {
                draft == lastDraft ? "" : draft
            }
        if kept != draft { await driver.send(.chat(.draftEdited(kept))) }
    }

    // MARK: Steps

    var hasRealServer: Bool { driver.hasRealServer }

    var state: ChatApp.State {
        get async { await driver.state }
    }

    var wall: WallTime {
        get async { await driver.wall }
    }

    mutating func act(_ actions: [ChatApp.Action]) async {
        for action in actions {
            person.follow(action)
            await driver.send(action)
        }
        await draw([])
    }

    mutating func say(_ lines: [Line]) async { await draw(lines) }

    mutating func refuse(_ sentence: String) async { await draw([Line(.warning, sentence)]) }

    mutating func textStays() { isToBeMended = true }

    mutating func fill(_ line: String, orSay sentence: String) {
        editor.replace(with: Line.clean(line))
        (lastDraft, lastShown) = ("", "")  // a draft is not in the line any more, and comes back behind it
    }

    mutating func changeServer(_ change: ServerChange) async { await driver.changeServer(change) }

    // MARK: Drawing

    private mutating func draw(_ said: [Line]) async {
        let state = await driver.state
        let now = await driver.wall
        if let history = person.follow(state, &narrator) { editor.history = history }
        takeDraft(state)
        takeName(state)
        let staying = greeting + narrator.news(state, at: now) + said
        greeting = []
        let prompt = editor.search?.prompt ?? narrator.prompt(state, at: now)
        place.write(
            screen.draw(
                staying: staying, moving: narrator.live(state, at: now), prompt: prompt, editor: editor,
                place.size()))
        if let change = surroundings.change(state) { await changeServer(change) }
    }

    /// Shows a stored draft, a taken suggestion, or a returned message in the line, unless the person is typing
    /// something else there.
    private mutating func takeDraft(_ state: ChatApp.State) {
        let draft = Chat.composer(state.chat).text
        guard draft != lastDraft else { return }
        guard editor.text.isEmpty || editor.text == lastShown else { return }
        editor.replace(with: Line.clean(draft.string))
        (lastDraft, lastShown) = (draft, editor.text)
    }

    /// Shows the name again after a return to its field (P5, P7). The field of an empty name is never left.
    private mutating func takeName(_ state: ChatApp.State) {
        guard state.pairing.session == nil else { return isAskingName = false }
        if case .failed(.emptyName) = state.pairing.phase { return isAskingName = true }
        guard case .name(let form) = Pairing.screen(state.pairing, narrator.wording) else {
            return isAskingName = false
        }
        if !isAskingName, editor.text.isEmpty { editor.replace(with: Line.clean(form.name.string)) }
        isAskingName = true
    }

    private mutating func end(_ status: Int32) async -> Int32 {
        await driver.leave(typed: editor.unsubmitted, shown: lastDraft)
        place.write(screen.clear())
        return status
    }
}
