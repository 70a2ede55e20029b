// The samples of README.md as an app has them: beside Foundation and the names of SwiftUI. README.md must show each word
// for word.

import ChatDomain
import ChatEffects
import Foundation
import SystemNames

@MainActor
final class Model: View {
    @State var rows: [Chat.Row] = []

    /// Drives the chat on virtual time.
    func onVirtualTime() {
        // sample making
        let device = DeviceInfo(platform: "iOS", model: "Phone")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(1))
        var loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer())
        // end
        // sample embedding
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        loop.send(.chat(.draftEdited("Hello")))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(10))
        let rows = Chat.rows(loop.state.chat, newest: 20, .neutral)
        // end
        self.rows = rows
    }

    /// Drives the chat on the system's clock, with files.
    func onSystemTime(_ app: ChatApp, _ folder: URL, seed: UInt64) async throws {
        // sample driving
        let now = Moment(now: .origin, wall: SystemTime.wall())
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: now, entropy: .seeded(seed))
        let loop = SystemLoop(
            Loop(machine, store: try FileStore(directory: folder), server: LocalServer()))
        await loop.send(.launched)
        for await state in loop.states {
            rows = Chat.rows(state.chat, newest: 20, .neutral)
        }
        // end
    }

    /// Drives the chat against a real server.
    func onTheNetwork(_ machine: sending Machine<ClawlineBackend>, _ folder: URL) async throws {
        // sample network
        let arrivals = Arrivals()
        let store = BackgroundStore(try FileStore(directory: folder), arrivals)
        let network = LiveNetwork(try ServerAddress("wss://chat.example.com"), arrivals)
        let loop = SystemLoop(Loop(machine, store: store, server: network), arrivals: arrivals)
        // end
        await loop.send(.launched)
    }
}
