// The bytes between the whole app and a Clawline provider whose part the test plays. What the provider says passes a
// WebSocket on each side, in pieces of seven bytes; what the app says is kept, frame by frame. The provider does nothing
// by itself.

import ChatDomain
@testable import ChatEffects

/// A wire whose far end is in the hands of a test.
struct ProviderWire: SimulatedServer {
    /// The two ends of a connection.
    private struct Socket: PlainValue {
        let call: CallNumber
        var app = WebSocketConnection(.client)
    }

    /// A frame of the app, and the number of its connection, counted from 1.
    struct Frame: PlainValue {
        let connection: Int
        let text: [UInt8]

        var json: JSONValue { (try? JSONReader().value(of: text)) ?? .null }

        var shown: String { String(decoding: text, as: UTF8.self) }
    }

    private var sockets: [Socket] = []
    private var due: [Outcome] = []
    /// The number of opened connections.
    private(set) var connections = 0
    /// The frames of the app, oldest first.
    private(set) var frames: [Frame] = []
    /// The requests of the app, which the test answers.
    private(set) var requests: [CallNumber] = []

    /// Whether the app has a connection.
    var isOpen: Bool { !sockets.isEmpty }

    /// The frames of a type.
    func frames(_ type: ExactText) -> [Frame] { frames.filter { $0.json["type"]?.string == type } }

    // MARK: The provider

    /// Sends frames on the newest connection.
    mutating func say(_ texts: String...) {
        let provider = WebSocketConnection(.server)
        for text in texts { deliver(provider.text(ExactText(text), maskingKey: 0) ?? []) }
    }

    /// Closes the newest connection; without a code, by an empty Close frame.
    mutating func close(_ code: UInt16? = nil) {
        let payload = code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? []
        deliver([0x88, UInt8(payload.count)] + payload)
    }

    /// Answers the oldest request.
    mutating func answer(_ status: Int64, _ body: String) {
        guard !requests.isEmpty else { return }
        let call = requests.removeFirst()
        let arrivals: [Arrival] = [
            .head(status: status, headers: []), .body(Array(body.utf8)), .ended(.completed),
        ]
        for arrival in arrivals { due.append(.arrived(call, arrival)) }
    }

    /// Passes bytes of the provider on, as the driver of a socket does.
    private mutating func deliver(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, var socket = sockets.popLast() {
            var outcomes: [Outcome] = []
            var isOver = false
            socket.app.receive(Array(rest.prefix(7)), maskingKey: { 0 }) { step in
                switch step {
                case .received(.text(let text)): outcomes.append(.arrived(socket.call, .text(text)))
                case .received(.closed(let code, let reason)):
                    outcomes.append(.arrived(socket.call, .ended(.closed(code: code, reason: reason))))
                    isOver = true
                case .received, .send, .failed: break
                }
            }
            due += outcomes
            if isOver { return }
            sockets.append(socket)
            rest = rest.dropFirst(7)
        }
    }

    // MARK: The driver

    mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        switch operation {
        case .open(let call, .socket):
            connections += 1
            sockets.append(Socket(call: call))
            due.append(.arrived(call, .opened))
        case .open(let call, _): requests.append(call)
        case .send(_, let payload):
            var text: [UInt8] = []
            for case .bytes(let bytes) in payload.parts { text += bytes }
            frames.append(Frame(connection: connections, text: text))
        case .close(let call):
            sockets.removeAll { $0.call == call }
            due.removeAll { if case .arrived(call, _) = $0 { true } else { false } }
        default: break
        }
    }

    var nextDeadline: Instant? { due.isEmpty ? nil : .origin }

    mutating func advance(to moment: Moment) -> [Outcome] {
        defer { due = [] }
        return due
    }
}

/// The whole app at such a wire.
typealias ProviderLoop = VirtualLoop<ClawlineBackend, ProviderWire>

extension ProviderLoop {
    /// An app that was let in; its connection waits for the answer to its token.
    static func authenticating(replyLimit: Interval? = nil) -> ProviderLoop {
        var configuration = Chat.Configuration()
        if let replyLimit { configuration.replyLimit = replyLimit }
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "iOS", model: "iPhone"))),
            chat: Chat(configuration: configuration))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: Stage.moment(0),
            entropy: .seeded(1))
        var loop = ProviderLoop(machine, store: MemoryStore(), server: ProviderWire())
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Kay")))
        loop.send(.pairing(.submitted))
        loop.hear(#"{"type":"pair_result","success":true,"token":"t","userId":"user_1"}"#)
        loop.server.close()
        loop.advance(by: .zero)
        loop.send(.chat(.shown))
        loop.advance(by: .zero)
        return loop
    }

    /// An app that is connected to a provider without history.
    static func connected(replyLimit: Interval? = nil) -> ProviderLoop {
        var loop = authenticating(replyLimit: replyLimit)
        loop.accept()
        return loop
    }

    /// The provider says frames, and nothing else happens at this time.
    mutating func hear(_ frames: String...) {
        for frame in frames { server.say(frame) }
        advance(by: .zero)
    }

    /// The provider accepts the token. It reports a reset whenever it got no cursor, and never a cut replay.
    mutating func accept(replaying count: Int = 0) {
        let cursor = server.frames("auth").last?.json["lastMessageId"]
        hear(
            #"{"type":"auth_result","success":true,"userId":"user_1","sessionId":"sess_1","replayCount":\#(count),"#
                + #""replayTruncated":false,"historyReset":\#(cursor == nil)}"#)
    }

    /// A finished message of the provider, sent so many milliseconds after the epoch of the tests.
    static func message(
        _ id: String, _ text: String, at time: Int64 = 0, device: String? = nil, isGrowing: Bool = false
    ) -> String {
        let sender = device.map { #","deviceId":"\#($0)","attachments":[]"# } ?? ""
        return #"{"type":"message","id":"\#(id)","role":"\#(device == nil ? "assistant" : "user")","#
            + #""content":"\#(text)","timestamp":\#(1_000_000 + time),"streaming":\#(isGrowing)\#(sender)}"#
    }

    /// The provider acknowledges the newest message of the app and echoes it.
    mutating func take(as id: String) {
        guard let sent = server.frames("message").last else { return }
        let client = sent.json["id"]?.string?.string ?? ""
        let text = sent.json["content"]?.string?.string ?? ""
        let device = server.frames("auth").last?.json["deviceId"]?.string?.string ?? ""
        let time = (moment.now - .origin).milliseconds
        hear(
            #"{"type":"ack","id":"\#(client)"}"#, Self.message(id, text, at: time, device: device))
    }

    mutating func write(_ text: ExactText) {
        send(.chat(.draftEdited(text)))
        send(.chat(.sent))
        advance(by: .zero)
    }

    // MARK: What the person sees

    /// The rows, as in the stories with the in-process backend.
    var rows: [String] {
        Chat.rows(state.chat, newest: 1_000, .neutral).map { row in
            (row.role == .user ? "me: " : "server: ") + row.text.string + (row.isGrowing ? "…" : "")
                + (row.note.map { " (\($0.string))" } ?? "")
        }
    }

    var marks: [Chat.SendStatus] {
        Chat.rows(state.chat, newest: 1_000, .neutral).compactMap { $0.status }
    }

    var line: ExactText? { Chat.connectionLine(state.chat, .neutral) }

    var banner: ExactText? { Chat.banner(state.chat, .neutral) }
}
