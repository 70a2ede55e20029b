// The whole app against the in-process backend, at the places where stories begin, and what can be seen of it.

import ChatDomain
import ChatEffects

/// Everything on virtual time.
typealias StoryLoop = VirtualLoop<ClawlineBackend, LocalServer>

extension StoryLoop {
    /// Before the launch, with a server that misbehaves by rules.
    static func unlaunched(rules: [LocalServer.Rule] = []) -> StoryLoop {
        let device = DeviceInfo(platform: "Test", model: "Test")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(3))
        let server = LocalServer(LocalServer.Behaviour(rules: rules))
        return StoryLoop(machine, store: MemoryStore(), server: server)
    }

    /// Ada is in.
    static func paired(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = unlaunched(rules: rules)
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        return loop
    }

    /// Kaywood is in, and the chat is connected; the rules begin to apply then.
    static func connected(rules: [LocalServer.Rule]) -> StoryLoop {
        var loop = connected()
        loop.server.behaviour.rules = rules
        return loop
    }

    /// The person ends the app and starts it anew on the same device, with the chat shown.
    func relaunched() -> StoryLoop {
        let app = machine.feature
        // Another seed each time: a process that began with the seed of a former one would mint its ids again.
        let seed = UInt64(bitPattern: moment.now.nanoseconds)
        let fresh = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(seed)
        )
        var server = server
        server.dropConnections()
        var loop = StoryLoop(fresh, store: store, server: server)
        loop.send(.launched)
        loop.send(.chat(.shown))
        loop.advance(by: .seconds(1))
        return loop
    }

    // MARK: What the person sees

    /// The rows of the chat: whose, what, whether more is coming, and what is said below.
    var chat: [String] {
        Chat.rows(state.chat, newest: 100, .neutral).map { row in
            (row.role == .user ? "me: " : "server: ") + row.text.string + (row.isGrowing ? "…" : "")
                + (row.note.map { " (\($0.string))" } ?? "")
        }
    }

    /// The marks beside what the person wrote.
    var marks: [Chat.SendStatus] {
        Chat.rows(state.chat, newest: 100, .neutral).compactMap { $0.status }
    }

    /// The line about the connection.
    var line: ExactText? { Chat.connectionLine(state.chat, .neutral) }

    /// The banner over the chat.
    var banner: ExactText? { Chat.banner(state.chat, .neutral) }

    /// The pairing screen.
    var screen: Pairing.Screen { Pairing.screen(state.pairing, .neutral) }
}
