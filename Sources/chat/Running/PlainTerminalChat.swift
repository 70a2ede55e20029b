// The chat on a terminal where nothing is redrawn: lines are only added, each final line once, and the typed line stays
// whole. For screen readers, and for simple terminals.

import ChatDomain

/// A chat on a terminal, only by appending.
struct PlainTerminalChat<Driver: AppDriver>: PlainPerformer {
    typealias Place = TerminalChat<Driver>.Place

    var driver: Driver
    private let place: Place
    var surroundings = Surroundings()
    var plain: PlainNarrator
    var hasRefused = false
    private var person: Person
    private var editor = LineEditor()
    private var echo = PlainEcho()
    private let greeting: String
    /// Whether the line that is being handled must be corrected.
    private var isToBeMended = false

    init(
        _ driver: Driver, _ place: Place, greeting: String, wording: Wording = .neutral,
        files: PersonalFiles? = nil
    ) {
        self.driver = driver
        plain = PlainNarrator(Narrator(wording: wording))
        self.place = place
        self.greeting = greeting
        person = Person(files)
        editor.canSearch = false
    }

    /// Runs the chat and returns the exit status.
    mutating func run(_ events: AsyncStream<TerminalEvent>) async -> Int32 {
        await start()
        for await event in events {
            if let status = await take(event) { return status }
        }
        return await end(0)
    }

    /// Prints the greeting.
    mutating func start() async {
        write([Line(.program, greeting)])
        await driver.send(.launched)
        await driver.send(.chat(.shown))
        await look()
    }

    /// Handles an event. Returns the exit status at the end of the program.
    mutating func take(_ event: TerminalEvent) async -> Int32? {
        switch event {
        case .hangUp: return await end(Signal.status(1))  // SIGHUP
        case .signal(.end(let number)): return await end(Signal.status(number))
        case .signal(.continued):
            place.resume()
            place.write(echo.again())
        case .signal(.resized): break
        case .state: await look()
        case .pause: return await handle(editor.afterPause())
        case .keys(let bytes): return await handle(editor.take(bytes))
        }
        return nil
    }

    private mutating func handle(_ events: [LineEditor.Event]) async -> Int32? {
        let typed = editor.text
        var refused: [String] = []
        for (index, event) in events.enumerated() {
            // The editor has already handled all keys: a line is shown when it is submitted, and then the rest.
            let isPassed = events[(index + 1)...].contains { if case .submitted = $0 { true } else { false } }
            if event == .edited, isPassed { continue }
            switch event {
            case .quit: return await end(0)
            case .interrupted: return await end(Signal.status(2))  // SIGINT
            case .suspend: place.suspend()
            case .edited, .redraw: break
            case .complete:
                write(editor.completeCommand())
            case .submitted(let line, _):
                if person.user != nil, editor.history.add(line) { person.add(line) }
                place.write(echo.edit(line, columns: place.size().columns))
                place.write(echo.submit())
                isToBeMended = false
                guard await perform(line) else { return await end(0) }
                await look()
                // A refused message is already the draft.
                let isDraft = Chat.composer(await driver.state.chat).text.string.hasSuffix(line)
                if isToBeMended, !isDraft { refused.append(line) }
            }
            guard !isPassed else { continue }
            if !refused.isEmpty { editor.bringBack(refused, before: typed) }
            refused = []
            place.write(echo.edit(editor.text, columns: place.size().columns))
        }
        return nil
    }

    private mutating func look() async {
        let state = await driver.state
        if let history = person.follow(state, &plain.narrator) { editor.history = history }
        let isTaken = await takeCommand(state)
        await narrate()
        let now = await wall
        let asks = state.isReadyForInput && state.pairing.session == nil
        place.write(echo.ask(asks ? narrator.prompt(state, at: now) : ""))
        if isTaken { place.write(echo.edit(editor.text, columns: place.size().columns)) }
    }

    /// Moves a command that the last run left as the draft back into the line. Returns whether there was one.
    private mutating func takeCommand(_ state: ChatApp.State) async -> Bool {
        let draft = Chat.composer(state.chat).text.string
        guard person.user != nil, draft.hasPrefix("/"), editor.text.isEmpty else { return false }
        editor.replace(with: Line.clean(draft))
        await driver.send(.chat(.draftEdited("")))
        return true
    }

    private mutating func end(_ status: Int32) async -> Int32 {
        await driver.leave(typed: editor.unsubmitted, shown: "")
        place.write("\r\n")
        return status
    }

    // MARK: Steps

    var hasRealServer: Bool { driver.hasRealServer }

    var state: ChatApp.State {
        get async { await driver.state }
    }

    var wall: WallTime {
        get async { await driver.wall }
    }

    mutating func textStays() { isToBeMended = true }

    mutating func write(_ lines: [Line]) { place.write(echo.say(lines)) }

    mutating func handle(_ action: ChatApp.Action) async {
        person.follow(action)
        await driver.send(action)
    }

    mutating func changeServer(_ change: ServerChange) async { await driver.changeServer(change) }
}
