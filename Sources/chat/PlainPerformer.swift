// What the two ways of running the chat that only add lines have in common: on virtual time and in real time they
// say the same, and a script that was not taken as it stands is told by the same exit status.

import ChatDomain

/// Something that runs a chat and only ever adds lines.
protocol PlainPerformer: StepPerformer {
    /// Whoever knows what was said.
    var plain: PlainNarrator { get set }
    /// Whoever comes to an admin.
    var visitors: Visitors { get set }
    /// Whether something that was typed was not taken as it was meant. A script has failed then.
    var hasRefused: Bool { get set }

    /// Writes lines.
    func write(_ lines: [Line])
    /// Hands one action to the app.
    mutating func handle(_ action: ChatApp.Action) async
}

extension PlainPerformer {
    var narrator: Narrator {
        get { plain.narrator }
        set { plain.narrator = newValue }
    }

    /// Says what has happened since the last look, and lets the world around the app answer.
    mutating func narrate() async {
        let state = await state
        write(plain.lines(state, at: await wall))
        if state.hasRefusal { hasRefused = true }
        guard let change = visitors.change(state) else { return }
        await changeServer(change)
        write(plain.lines(await self.state, at: await wall))
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

    /// There is no line in which it could stand.
    mutating func textStays() { hasRefused = true }

    /// There is no line that could be filled.
    mutating func fill(_ line: String, orSay sentence: String) { refuse(sentence) }
}
