// The whole app against the in-process backend, at the places where stories begin.

import ChatDomain
import ChatEffects

/// Everything on virtual time.
typealias StoryLoop = VirtualLoop<App, ClawlineBackend, LocalServer>

extension StoryLoop {
    /// Before the launch, with a server that misbehaves by rules.
    static func fresh(rules: [LocalServer.Rule] = []) -> StoryLoop {
        let device = DeviceInfo(platform: "Test", model: "Test")
        let app = App(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))
        let machine = Machine(
            app, state: App.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(3))
        let server = LocalServer(LocalServer.Behaviour(rules: rules))
        return StoryLoop(machine, store: MemoryStore(), server: server)
    }

    /// Ada is in.
    static func paired(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = fresh(rules: rules)
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        return loop
    }
}
