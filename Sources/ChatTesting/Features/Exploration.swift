// The explorations of the library's own features, by name. Most are as large as a complete search allows, with numbers
// so small that every limit is reached. `chat explore` reports for each whether the search was complete;
// Docs/Performance.md lists the extent of the others.

import ChatDomain
import ChatEffects

/// An exploration that can be run without its types.
public struct Exploration: Sendable {
    /// The name for the command line.
    public let name: String
    /// The content, in one line.
    package let summary: String
    private let search: @Sendable (Limits) -> Result
    private let draw: @Sendable (Draws) -> Result
    private let spell: @Sendable ([UInt8]) -> String?
    private let picture: @Sendable () -> StateDiagram

    /// The limits of a search, and its observers.
    package struct Limits: Sendable {
        /// The most steps from the start.
        package var depth = Int.max
        /// The most states.
        package var states = 5_000_000
        /// Asked now and then whether to stop.
        package var isCancelled: @Sendable () -> Bool = { false }
        /// Gets the progress now and then, in a few words.
        package var progress: @Sendable (String) -> Void = { _ in }

        /// Creates limits; only memory bounds the search.
        package init() {}
    }

    /// The drawn runs.
    package struct Draws: Sendable {
        /// The seeds.
        package var seeds: ClosedRange<UInt64>
        /// The number of steps of each.
        package var steps: Int

        /// Creates the choice.
        package init(seeds: ClosedRange<UInt64>, steps: Int) { (self.seeds, self.steps) = (seeds, steps) }
    }

    /// The result of a search or of drawn runs.
    package struct Result: Sendable {
        /// The number of states; 0 for drawn runs.
        package let states: Int
        /// The number of steps taken.
        package let transitions: Int
        /// The most steps from the start.
        package let depth: Int
        /// Whether every reachable state was visited.
        package let isClosed: Bool
        /// One line.
        package let summary: String
        /// The broken law with the steps that lead there; `nil` if all hold.
        package let violation: String?
    }

    /// Creates an exploration. `phase` names the phase of a state, for the diagram.
    init<Codec: Backend>(
        _ name: String, _ summary: String, _ explore: Explore<Codec>,
        phase: @escaping @Sendable (Codec.Subject.State) -> String
    ) {
        self.name = name
        self.summary = summary
        spell = { bytes in
            do {
                try explore.run(bytes: bytes)
                return nil
            } catch {
                return "\(error)"
            }
        }
        // The smallest features close in it, and the others have shown every phase.
        picture = { explore.diagram(name, states: 3_000, phase: phase) }
        search = { limits in
            let report = explore.stopping(when: limits.isCancelled)
                .telling { limits.progress($0.brief) }
                .search(depth: limits.depth, states: limits.states)
            return Result(
                states: report.states, transitions: report.transitions, depth: report.depth,
                isClosed: report.extent == .closed, summary: report.description,
                violation: report.violation?.description ?? report.nothing?.description)
        }
        draw = { draws in
            var (taken, violation): (Int, String?) = (0, nil)
            do {
                taken = try explore.random(seeds: draws.seeds, steps: draws.steps)
            } catch {
                violation = "\(error)"
            }
            return Result(
                states: 0, transitions: taken, depth: draws.steps, isClosed: false,
                summary: "\(draws.seeds.count) runs, \(taken) steps", violation: violation)
        }
    }

    /// Visits every state.
    package func run(_ limits: Limits = Limits()) -> Result { search(limits) }

    /// Runs once for each seed.
    package func random(_ draws: Draws) -> Result { draw(draws) }

    /// Runs the choices that bytes spell. Returns the broken law with the steps that lead there, if there is one.
    public func run(bytes: [UInt8]) -> String? { spell(bytes) }

    /// The phases in the first states of a search, and the steps between them.
    package var diagram: StateDiagram { picture() }

    /// All explorations, in the order of their features.
    public static var all: [Exploration] {
        [
            Exploration("pairing", "a device comes in, and leaves", .comingIn) {
                Rendering.name(of: $0.phase)
            },
            Exploration("pairing-disk", "a device comes in over a disk that fails", .onDisk) {
                Rendering.name(of: $0.phase)
            },
            Exploration("pairing-relaunch", "the process ends while a device comes in", .comingBack) {
                Rendering.name(of: $0.phase)
            },
            Exploration("pairing-clock", "a device waits, with answers beside each deadline", .waiting) {
                Rendering.name(of: $0.phase)
            },
            Exploration("pairing-admin", "an admin lets devices in", .lettingIn) { state in
                Pairing.incomingRows(state).isEmpty ? "nobody asks" : "somebody asks"
            },
            Exploration("assistant", "questions queue, are answered and fail", .questions) { state in
                state.conversation?.queue.head.map { Rendering.name(of: $0.stage) }
                    ?? (state.conversation == nil ? "closed" : "idle")
            },
            Exploration("assistant-disk", "a question over a disk that fails", .questionsOnDisk) { state in
                state.conversation?.queue.head.map { Rendering.name(of: $0.stage) }
                    ?? (state.conversation == nil ? "closed" : "idle")
            },
            Exploration("streaming", "a reply grows, and its credentials are renewed", .reply) {
                Rendering.name(of: $0.phase)
            },
            Exploration("streaming-fallback", "a reply is asked for whole", .replyWithFallback) {
                Rendering.name(of: $0.phase)
            },
            Exploration("smart-replies", "suggestions grow and are selected", .suggestions) {
                Rendering.name(of: $0.phase)
            },
            Exploration("chat-connection", "a socket connects, is lost and comes back", .connection) {
                Rendering.name(of: $0.connection)
            },
            Exploration("chat-sending", "a message goes over a socket that names it", .sending) {
                Rendering.name(of: $0.chat.conversation.outbox.queue.phase)
            },
            Exploration("chat-echoing", "two equal texts go over a socket that echoes texts", .echoing) {
                Rendering.name(of: $0.chat.conversation.outbox.queue.phase)
            },
            Exploration("chat-receiving", "replies grow in three dialects", .receiving) { state in
                state.conversation.growing.isEmpty ? "nothing grows" : "a reply grows"
            },
            Exploration("chat-chunks", "a reply comes in numbered parts", .chunks) { state in
                state.conversation.growing.isEmpty ? "nothing grows" : "a reply grows"
            },
            Exploration("chat-streams", "a question has a stream", .streams) { state in
                Rendering.name(of: state.conversation.outbox.queue.phase)
            },
            Exploration("chat-storage", "what a disk keeps, and a next process finds", .storage) { state in
                Rendering.name(of: state.conversation.outbox.record.access)
            },
        ]
    }
}
