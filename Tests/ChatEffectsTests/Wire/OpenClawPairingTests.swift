@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("OpenClaw gateway: pairing")
struct OpenClawPairingTests {
    private struct Call {
        let backend: OpenClawPairing
        var progress: OpenClawPairing.Progress

        init(scopes: [ExactText] = ["operator.read"]) {
            backend = OpenClawPairing(scopes: scopes)
            let info = DeviceInfo(platform: "ios", model: "iPhone", appVersion: "2.0")
            progress = backend.open(.pair("d-1", name: "Kay", info)).progress
        }

        mutating func receive(_ arrival: Arrival) -> Reaction<Pairing.Event> {
            var reaction = Reaction<Pairing.Event>()
            backend.receive(arrival, progress: &progress, reaction: &reaction)
            return reaction
        }

        mutating func receive(_ text: String) -> Reaction<Pairing.Event> { receive(.text(Array(text.utf8))) }
    }

    private static let challenge = #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n"}}"#

    private static func asked(_ scopes: [ExactText] = ["operator.read"]) -> Call {
        var call = Call(scopes: scopes)
        _ = call.receive(.opened)
        _ = call.receive(challenge)
        return call
    }

    @Test("A device connects without a token, and says what it is")
    func asks() {
        var call = Call()
        #expect(call.receive(.opened).frames.isEmpty)
        #expect(
            call.receive(Self.challenge).frames.map(\.shown) == [
                #"{"type":"req","id":"r-1","method":"connect","params":{"minProtocol":3,"maxProtocol":4,"#
                    + #""client":{"id":"d-1","version":"2.0","platform":"ios","mode":"operator"},"#
                    + #""role":"operator","scopes":["operator.read"]}}"#
            ])
        #expect(call.receive(Self.challenge).skipped == 1)
    }

    @Test("P4, P6, L10: not paired means to wait, a hello brings the token, and other refusals say why")
    func answers() {
        var call = Self.asked()
        let waits = call.receive(#"{"type":"res","id":"r-1","ok":false,"error":{"code":"NOT_PAIRED"}}"#)
        #expect(waits.events == [.pending(code: nil)] && waits.end == nil)
        for scopes in [["operator.read"], ["operator.pairing"]] as [[ExactText]] {
            call = Self.asked(scopes)
            let granted = call.receive(
                #"{"type":"res","id":"r-1","ok":true,"payload":{"auth":{"deviceToken":"t0ken"}}}"#)
            guard case .granted(let secret, "operator", let isAdmin) = granted.events.first else {
                Issue.record("not granted")
                return
            }
            #expect(secret.reveal() == "t0ken" && isAdmin == scopes.contains("operator.pairing"))
            #expect(!String(reflecting: granted).contains("t0ken"))
        }
        for hello in ["{}", #"{"auth":{"deviceToken":""}}"#] {
            call = Self.asked()
            let heard = call.receive(#"{"type":"res","id":"r-1","ok":true,"payload":\#(hello)}"#)
            #expect(heard.events.isEmpty && heard.end == .failed(.malformed), "\(hello)")
        }
        call = Self.asked()
        let busy = call.receive(
            #"{"type":"res","id":"r-1","ok":false,"error":{"code":"UNAVAILABLE","message":"M","retryable":true}}"#
        )
        #expect(busy.end == .refused(status: 503, retryAfter: nil, message: "M"))
        call = Self.asked()
        let closed = call.receive(
            #"{"type":"res","id":"r-1","ok":false,"error":{"code":"AUTH_REQUIRED","message":"M"}}"#)
        #expect(closed.events.isEmpty && closed.end == .refused(status: 400, retryAfter: nil, message: "M"))
    }

    @Test("S12, L8: an event out of place is counted, and ends nothing")
    func hostile() {
        for arrival in [
            .text([]), .text(Array("{".utf8)), .text(Array(#"{"type":"res","id":"r-2","ok":true}"#.utf8)),
            .tooLong, .text([UInt8](repeating: 0x20, count: 1_048_577)), .body([1]),
            .text(Array(Self.challenge.utf8)),
        ] as [Arrival] {
            var call = Self.asked()
            let before = call.progress
            let reaction = call.receive(arrival)
            #expect(reaction.skipped == 1 && reaction.events.isEmpty && reaction.end == nil)
            #expect(call.progress == before)
        }
        var call = Self.asked()
        #expect(call.receive(.ended(.closed(code: 1008, reason: ""))).end == nil)
        var reaction = Reaction<Pairing.Event>()
        call.backend.send(.decide("d", .deny(reason: nil)), progress: &call.progress, reaction: &reaction)
        #expect(reaction.skipped == 1)
    }
}
