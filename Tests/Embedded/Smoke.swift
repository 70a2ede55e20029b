// Runs on WebAssembly without an operating system, to show that the pure part needs none. Each check prints a
// line; the host compares them with what it expects.

import ChatDomain
import ChatEffects

@main
struct Smoke {
    static func main() {
        checkLongText()
        checkPairing()
        checkTimers()
        checkJSON()
        checkWebSocket()
        checkConversation()
    }

    static func checkLongText() {
        var text = LongText()
        for _ in 0..<1_000 { text.append("né") }
        print("long text: \(text.byteCount) bytes")
    }

    static func checkPairing() {
        let pairing = Pairing(configuration: .init(device: DeviceInfo(platform: "wasm", model: "smoke")))
        var state = Pairing.State(configuration: pairing.configuration)
        var context = Context(
            moment: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)), entropy: .seeded(7))
        _ = pairing.reduce(&state, .nameEdited("  Ada\u{202E} "), in: &context)
        let effects = pairing.reduce(&state, .submitted, in: &context)
        if case .waiting(let sentence, _) = Pairing.screen(state, .neutral) {
            print("pairing: \(sentence.string) \(effects.count) effects")
        }
    }

    static func checkTimers() {
        var timers = TimerTable<Pairing.Timer>()
        timers.start(.approval, at: Instant(nanoseconds: 2))
        timers.start(.retry, at: Instant(nanoseconds: 1))
        let first = timers.popFirst(dueBy: Instant(nanoseconds: 5))
        let left = timers.nextDeadline == nil ? "none" : "one"
        print("timers: \(first?.timer == .retry ? "retry" : "another") first, \(left) left")
    }

    static func checkJSON() {
        do throws(JSONError) {
            let value = try JSONReader().value(of: Array("{\"b\":[1.0,true],\"a\":\"é\"}".utf8))
            print("json: \(String(decoding: value.encoded, as: UTF8.self))")
        } catch {
            print("json: \(error.description)")
        }
    }

    static func checkWebSocket() {
        let nonce = Array("the sample nonce".utf8)
        guard let request = WebSocketRequest(host: "localhost", path: "/ws", nonce: nonce) else { return }
        var answer = WebSocketAnswerReader(to: request)
        // The answer to this nonce (RFC 6455, section 4.2.2).
        let accepted =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        let isOpen = (try? answer.read(Array(accepted.utf8))) == []
        let text = WebSocketConnection(.client).text("né", maskingKey: 0x3719_6CF5) ?? []
        var connection = WebSocketConnection(.server)
        connection.receive(text + [0x88, 0x7F], maskingKey: { 0 }) { step in
            switch step {
            case .received(.text(let text)):
                print("websocket: \(isOpen ? "open" : "closed"), \(String(decoding: text, as: UTF8.self))")
            case .failed(let error): print("websocket: \(error.description), \(error.closeCode)")
            case .received, .send: break
            }
        }
    }

    /// A whole conversation on virtual time: machine, codec, server, store.
    static func checkConversation() {
        let device = DeviceInfo(platform: "wasm", model: "smoke")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(1))
        var loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer())
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        loop.send(.chat(.draftEdited("Hello")))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(10))
        for row in Chat.rows(loop.state.chat, newest: 20, .neutral) {
            print("chat: \(row.text.string)")
        }
    }
}
