// The chat line by line, in real time, where input or output is no terminal: output is only appended, each final line
// once. A person's line is handled at once. A script's line waits until the chat is ready for it, so the script cannot
// overtake the conversation; at its end the program waits for all answers.

import ChatDomain
import ChatEffects
import Foundation

/// Runs a chat without redrawing.
struct PlainChat: PlainPerformer {
    private let driver: SystemDriver
    /// Whether a person types the lines, so that waiting has no use.
    private let isTyped: Bool
    private var person: Person
    var surroundings = Surroundings()
    var plain: PlainNarrator
    var hasRefused = false
    /// The line that waits until the chat is ready.
    private var waiting: String?
    private var isInputOpen = true
    private var prompt = ""

    init(_ driver: SystemDriver, isTyped: Bool, wording: Wording, files: PersonalFiles? = nil) {
        self.driver = driver
        plain = PlainNarrator(Narrator(wording: wording))
        self.isTyped = isTyped
        person = Person(files)
    }

    /// Runs the chat and returns the exit status: whether everything was accepted and answered.
    mutating func run(_ signals: AsyncStream<Signal>) async -> Int32 {
        let input = InputLines()
        let events = Self.merge(lines: input.lines, states: driver.states, signals: signals)
        await driver.send(.launched)
        await driver.send(.chat(.shown))
        await tell(await driver.state)
        for await event in events {
            switch event {
            case .line(let line): waiting = line
            case .endOfInput: isInputOpen = false
            case .signal(let number): return await end(Signal.status(number))
            case .state: break
            }
            // One state for both checks: later changes are printed before the program ends.
            let state = await driver.state
            await tell(state)
            ask(state)
            if let line = waiting, isTyped || Self.isReady(state, for: Input(line)) {
                waiting = nil
                guard await perform(line) else {
                    return await end(Ending(quittingAfterRefusal: isScriptRefused).report())
                }
                input.next()
            } else if !isInputOpen, waiting == nil, state.isReadyWithoutConnection {
                return await end(Ending(state, hasRefused: isScriptRefused).report())
            }
        }
        return await end(0)
    }

    /// Prints the new lines, under the name that the person has typed.
    private mutating func tell(_ state: ChatApp.State) async {
        _ = person.follow(state, &plain.narrator)
        await narrate(state)
    }

    /// Whether a line of a script was refused. A person has seen the refusal and continued.
    private var isScriptRefused: Bool { hasRefused && !isTyped }

    /// Whether a line of a script may be handled.
    private static func isReady(_ state: ChatApp.State, for input: Input) -> Bool {
        guard case .command(let command) = input else { return state.isReadyForInput }
        if command.interrupts { return true }
        return command.needsNoConnection ? state.isReadyWithoutConnection : state.isReadyForInput
    }

    private func end(_ status: Int32) async -> Int32 {
        await driver.send(.backgrounded)
        return status
    }

    /// Asks a person for the input that pairing needs, once each time.
    private mutating func ask(_ state: ChatApp.State) {
        guard isTyped, state.isReadyForInput, state.pairing.session == nil else {
            prompt = ""
            return
        }
        let prompt = narrator.prompt(state, at: wall)
        if prompt != self.prompt { write([Line(.program, prompt)]) }
        self.prompt = prompt
    }

    // MARK: Steps

    var hasRealServer: Bool { driver.hasRealServer }

    var state: ChatApp.State {
        get async { await driver.state }
    }

    var wall: WallTime { driver.wall }

    func write(_ lines: [Line]) { StandardOutput.write(lines) }

    mutating func handle(_ action: ChatApp.Action) async {
        person.follow(action)
        await driver.send(action)
    }

    mutating func changeServer(_ change: ServerChange) async {
        await driver.changeServer(change)
    }

    // MARK: Events

    /// An input of the main loop.
    private enum Event: Sendable {
        case line(String)
        case endOfInput
        case signal(Int32)
        case state
    }

    private static func merge(
        lines: AsyncStream<String>, states: AsyncStream<ChatApp.State>, signals: AsyncStream<Signal>
    ) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        Task {
            for await line in lines { continuation.yield(.line(line)) }
            continuation.yield(.endOfInput)
        }
        Task {
            for await _ in states { continuation.yield(.state) }
        }
        Task {
            for await case .end(let number) in signals { continuation.yield(.signal(number)) }
        }
        return stream
    }
}

/// The lines of standard input, read on a separate thread because reading blocks. A line is read only after the last
/// one was consumed: a long script is not read ahead (L8).
final class InputLines: Sendable {
    let lines: AsyncStream<String>
    private let permits = DispatchSemaphore(value: 0)

    init() {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        lines = stream
        let permits = permits
        Thread.detachNewThread {
            let lines = StandardInput.lines()
            while let line = lines.next() {
                continuation.yield(line)
                permits.wait()
            }
            continuation.finish()
        }
    }

    /// Permits the next line.
    func next() {
        permits.signal()
    }
}
