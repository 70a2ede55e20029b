// The whole app against the in-process backend, carried by a stream for each question.

import ChatDomain
@testable import ChatEffects

extension StoryLoop {
    /// Ada is in and looks at the chat. A reply begins after 1.5 s and has a word every 50 ms.
    static func coached(
        rules: [LocalServer.Rule] = [], _ streaming: Streaming.Configuration = Streaming.Configuration(),
        coach: CoachStreamCodec = CoachStreamCodec(wholePath: LocalServer.coachWholePath), seed: UInt64 = 3
    ) -> StoryLoop {
        let device = DeviceInfo(platform: "Test", model: "Test")
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: device)),
            chat: Chat(configuration: Chat.Configuration(carriage: .streams(streaming))))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(coach: coach), moment: moment,
            entropy: .seeded(seed))
        var loop = StoryLoop(machine, store: MemoryStore(), server: LocalServer())
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        loop.server.behaviour.rules = rules
        return loop
    }

    var rows: [Chat.Row] { Chat.rows(state.chat, newest: 1_000, .coach) }

    /// What the screen shows, as “role: text”; a reply that grows ends in “…”.
    var bubbles: [String] {
        rows.map { ($0.role == .user ? "user: " : "coach: ") + $0.text.string + ($0.isGrowing ? "…" : "") }
    }

    var notes: [ExactText?] { rows.map { $0.note } }

    /// How many questions are with the server and not answered.
    var openStreams: Int { machine.openCalls.count }

    mutating func stop() {
        if let growing = rows.first(where: { $0.offer == .stop }) {
            send(.chat(.replyStopped(growing.id)))
        } else {
            send(.chat(.waitingStopped))
        }
    }

    mutating func retry(_ index: Int) { send(.chat(.retried(rows[index].id))) }
}
