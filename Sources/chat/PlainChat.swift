// The chat line by line, in real time: lines are only ever added, each finished thing once. What a person types is
// taken at once. A script is taken line by line, each when the chat is ready for one, so that it cannot run ahead
// of the conversation; at its end the program waits until all is answered.

import ChatDomain
import ChatEffects
import Foundation

/// Runs a chat without redrawing anything.
struct PlainChat<Store: RecordStore>: PlainPerformer {
    private let loop: SystemLoop<ClawlineBackend, Store, LocalServer>
    /// Whether a person types the lines, so that nothing is gained by waiting.
    private let isTyped: Bool
    var visitors = Visitors()
    var plain = PlainNarrator(Narrator(copy: .neutral))
    var hasRefused = false
    /// The line that waits until the chat is ready for it.
    private var waiting: String?
    private var isInputOpen = true
    private var prompt = ""

    init(_ loop: SystemLoop<ClawlineBackend, Store, LocalServer>, isTyped: Bool) {
        self.loop = loop
        self.isTyped = isTyped
    }

    /// Returns the program's exit status: whether everything was taken and answered.
    mutating func run() async -> Int32 {
        let input = InputLines()
        let events = Self.merge(lines: input.lines, states: loop.states)
        await loop.send(.launched)
        await loop.send(.chat(.shown))
        for await event in events {
            switch event {
            case .line(let line): waiting = line
            case .endOfInput: isInputOpen = false
            case .state: break
            }
            await narrate()
            let state = await loop.state
            ask(state)
            if let line = waiting, isTyped || state.isReadyForInput || Self.interrupts(line) {
                waiting = nil
                guard await perform(line) else {
                    return await end(Ending(quittingAfterRefusal: isScriptRefused).report())
                }
                input.next()
            } else if !isInputOpen, waiting == nil, state.isReadyForInput {
                return await end(Ending(state, hasRefused: isScriptRefused).report())
            }
        }
        return await end(0)
    }

    /// Whether a script was refused something. A person has seen it, and gone on.
    private var isScriptRefused: Bool { hasRefused && !isTyped }

    private static func interrupts(_ line: String) -> Bool {
        if case .command(let command) = Input(line) { command.interrupts } else { false }
    }

    /// Saves the draft.
    private func end(_ status: Int32) async -> Int32 {
        await loop.send(.backgrounded)
        return status
    }

    /// Asks a person for what is needed to get in, once each time.
    private mutating func ask(_ state: ChatApp.State) {
        guard isTyped, state.isReadyForInput, state.pairing.session == nil else {
            prompt = ""
            return
        }
        let prompt = narrator.prompt(state)
        if prompt != self.prompt { write([Line(.program, prompt)]) }
        self.prompt = prompt
    }

    // MARK: Steps

    var state: ChatApp.State {
        get async { await loop.state }
    }

    var wall: WallTime { SystemTime.wall() }

    func write(_ lines: [Line]) { StandardOutput.write(lines) }

    mutating func handle(_ action: ChatApp.Action) async { await loop.send(action) }

    mutating func changeServer(_ change: ServerChange) async {
        await loop.changeServer { $0.happen(change, at: $1) }
    }

    mutating func wait(_ interval: Interval) {
        refuse("Time passes by itself here; /wait is for --instant.")
    }

    // MARK: What happens

    /// What the program waits for.
    private enum Event: Sendable {
        case line(String)
        case endOfInput
        case state
    }

    private static func merge(
        lines: AsyncStream<String>, states: AsyncStream<ChatApp.State>
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

/// The lines of standard input, read on a thread of their own because reading blocks. The next is read when the
/// one before was taken: a long script stays where it is until it is needed (L8).
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

    /// The last line was taken.
    func next() {
        permits.signal()
    }
}
