// What a page embeds: the machine with the app and one backend, driven by bytes. It is linked to be measured: the program
// without the in-process server, the store and the loops.

import ChatDomain
import ChatEffects

@main
struct Core {
    nonisolated(unsafe) static var machine: Machine<ClawlineBackend> = {
        let device = DeviceInfo(platform: "wasm", model: "core")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        return Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(1))
    }()

    static func main() {
        let input = Array("{\"intent\":\"launched\"}".utf8)
        guard let json = try? JSONReader().value(of: input) else { return }
        if let action = try? ChatApp.Action(intent: json) { machine.send(action, at: machine.moment) }
        if let outcome = try? Outcome(json) { machine.receive(outcome, at: machine.moment) }
        var bytes: [UInt8] = []
        machine.drain { $0.encode(into: &bytes) }
        let rows = Chat.rows(machine.state.chat, newest: 20, .neutral)
        print("core: \(bytes.count) bytes to do, \(rows.count) rows")
    }
}
