// The shared part of the two append-only ways of running the chat, on virtual time and in real time: both have the same
// output and the same exit status for a script with a refused line.

import ChatDomain

/// A chat with append-only output.
protocol PlainPerformer: StepPerformer {
    /// The narrator, which knows the printed lines.
    var plain: PlainNarrator { get set }
    /// The environment of the program.
    var surroundings: Surroundings { get set }
    /// Whether a typed line was not accepted as meant. A script has failed then.
    var hasRefused: Bool { get set }

    /// Prints lines.
    mutating func write(_ lines: [Line])
    /// Passes one action to the app.
    mutating func handle(_ action: ChatApp.Action) async
}

extension PlainPerformer {
    var narrator: Narrator {
        get { plain.narrator }
        set { plain.narrator = newValue }
    }

    /// Prints the lines since the last call, and applies their effects on the environment.
    mutating func narrate() async { await narrate(await state) }

    /// Prints the lines up to a state, and applies their effects on the environment.
    mutating func narrate(_ state: ChatApp.State) async {
        let now = await wall
        write(plain.lines(state, at: now))
        if state.hasRefusal { hasRefused = true }
        guard let change = surroundings.change(state) else { return }
        await changeServer(change)
        let next = await self.state
        write(plain.lines(next, at: now))
    }

    mutating func act(_ actions: [ChatApp.Action]) async {
        for action in actions { await handle(action) }
        await narrate()
    }

    mutating func say(_ lines: [Line]) { write(lines) }

    mutating func refuse(_ sentence: String) {
        write([Line(.warning, sentence)])
        hasRefused = true
    }

    /// Records the failure; there is no input line for the text.
    mutating func textStays() { hasRefused = true }

    /// Refuses, because there is no input line to fill.
    mutating func fill(_ line: String, orSay sentence: String) { refuse(sentence) }
}
