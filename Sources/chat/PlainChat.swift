// The chat line by line, in real time: lines are only ever added. A line of input is taken when the chat is ready
// for one, so that a script cannot run ahead of the conversation; at the end of input the program waits until
// all is answered.

import ChatDomain
import ChatEffects
import Foundation

/// Runs a chat without redrawing anything.
struct PlainChat<Store: RecordStore> {
    private let loop: SystemLoop<App, ClawlineBackend, Store, LocalServer>
    private var narrator = Narrator(copy: .neutral)
    private var waiting: [String] = []
    private var isInputOpen = true
    private var wasTyping = false
    private var lastPrompt = ""

    init(_ loop: SystemLoop<App, ClawlineBackend, Store, LocalServer>) {
        self.loop = loop
    }

    /// Returns the program's exit status: whether everything was answered.
    mutating func run(isPiped: Bool) async -> Int32 {
        let events = Events.merge(lines: Events.lines(), states: loop.states)
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        for await event in events {
            switch event {
            case .line(let line): waiting.append(line)
            case .endOfInput: isInputOpen = false
            case .state: break
            }
            var state = await loop.state
            show(state, prompts: !isPiped)
            while state.isReadyForInput, !waiting.isEmpty {
                guard await perform(Response(Input(waiting.removeFirst()), state)) else { return 0 }
                state = await loop.state
                show(state, prompts: !isPiped)
            }
            if !isInputOpen, waiting.isEmpty, state.isReadyForInput {
                guard state.isAnswered else {
                    Program.complain("chat: not everything was sent and answered")
                    return 1
                }
                return 0
            }
        }
        return 0
    }

    private mutating func show(_ state: App.State, prompts: Bool) {
        say(narrator.news(state))
        let isTyping = narrator.isTyping(state)
        if isTyping, !wasTyping { say(["(\(Copy.neutral.typing.string))"]) }
        wasTyping = isTyping
        let prompt = narrator.prompt(state)
        if prompts, prompt != lastPrompt, state.isReadyForInput, state.pairing.session == nil {
            say([prompt])
        }
        lastPrompt = prompt
    }

    /// Returns whether the program goes on.
    private mutating func perform(_ response: Response) async -> Bool {
        switch response {
        case .quit: return false
        case .say(let lines): say(lines)
        case .actions(let actions): for action in actions { await loop.send(action) }
        case .older:
            narrator.startOver()
            await loop.send(.chat(.olderRequested))
        case .network(let isUp):
            await loop.changeServer { isUp ? $0.goOnline() : $0.goOffline() }
            await loop.send(.networkChanged(isUp: isUp))
        }
        return true
    }

    /// Goes past the buffers of the C library: flushing those waits for the thread that reads a line.
    private func say(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: "\n") + "\n"
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}

/// What the program waits for.
enum Event: Sendable {
    case line(String)
    case endOfInput
    case state
}

enum Events {
    /// The lines of standard input, read on a thread of their own because reading blocks.
    static func lines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }

    /// Lines and changes of state, as they come.
    static func merge<State: Sendable>(
        lines: AsyncStream<String>, states: AsyncStream<State>
    ) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        Task {
            for await line in lines { continuation.yield(.line(line)) }
            continuation.yield(.endOfInput)
        }
        Task {
            for await _ in states { continuation.yield(.state) }
        }
        return stream
    }
}
