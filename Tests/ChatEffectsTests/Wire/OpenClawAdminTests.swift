// An admin of an OpenClaw gateway in the whole app: chat's connection brings the devices that wait.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: an admin in the whole app")
struct OpenClawAdminTests {
    private typealias Codec = ChatAppBackend<
        OpenClawPairing, ChatCarriages<OpenClawLink, NoCarriage>, AssistantCallable, SmartReplyCodec
    >

    private static let scopes: [ExactText] = ["operator.read", "operator.write", "operator.pairing"]

    /// An admin was let in and looks at the chat; the connection has asked for the devices that wait.
    private static func connected() -> VirtualLoop<Codec, ProviderWire> {
        let app = ChatApp(
            pairing: Pairing(configuration: .init(device: DeviceInfo(platform: "iOS", model: "iPhone"))),
            chat: Chat(configuration: .openClaw))
        let backend = Codec(
            pairing: OpenClawPairing(scopes: scopes), chat: ChatCarriages(link: OpenClawLink(scopes: scopes)),
            assistant: AssistantCallable(), smartReplies: SmartReplyCodec())
        let machine = Machine(
            app, state: ChatApp.State(app), backend: backend, moment: Stage.moment(0), entropy: .seeded(3))
        var loop = VirtualLoop(machine, store: MemoryStore(), server: ProviderWire())
        for action in [.launched, .pairing(.nameEdited("Ada")), .pairing(.submitted)] as [ChatApp.Action] {
            loop.send(action)
        }
        greet(&loop)
        loop.send(.chat(.shown))
        greet(&loop)
        return loop
    }

    /// The gateway accepts the newest connection, which gets a token.
    private static func greet(_ loop: inout VirtualLoop<Codec, ProviderWire>) {
        for frame in [
            #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1000000000}}"#,
            #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","auth":{"deviceToken":"t"}}}"#,
        ] {
            loop.advance(by: .zero)
            loop.server.say(frame)
        }
        loop.advance(by: .zero)
    }

    @Test("P9: every device that waits when an admin connects is a row, in the order of the gateway's list")
    func waiting() {
        var loop = Self.connected()
        #expect(loop.server.frames("req").last?.json["method"]?.string == "device.pair.list")
        let devices = (1...3).map { #"{"requestId":"q\#($0)","deviceId":"d-\#($0)","displayName":"Bo"}"# }
        let list = devices.joined(separator: ",")
        loop.server.say(#"{"type":"res","id":"r-2","ok":true,"payload":{"pending":[\#(list)]}}"#)
        loop.advance(by: .zero)
        let rows = Pairing.incomingRows(loop.state.pairing)
        #expect(rows.map { $0.request.device } == ["d-1", "d-2", "d-3"])
        #expect(rows.allSatisfy { $0.request.claimedName == "Bo" })
    }
}
