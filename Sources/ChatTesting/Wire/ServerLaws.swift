// Laws of the in-process server, which `chat serve` lets others reach, under any bytes of a client. The choice of an input
// also chooses the place in the life of the connection, or the path of the request. What must hold:
//
// - A frame, one a line, ends no connection, and every frame of the server is a JSON text.
// - Every request has one head, and ends once and within a minute.

import ChatDomain
import ChatEffects

enum ServerLaws {
    /// The laws, each under the name of its decoder.
    static let all = [
        ByteLaw(name: "local-server", complaint: frames),
        ByteLaw(name: "local-server-request", complaint: request),
    ]

    private static let call = CallNumber(1)
    private static let start = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000))

    /// A server that has the connection of an admin, for whom a device waits.
    private static func connected(isStrict: Bool) -> LocalServer {
        var server = opened
        server.behaviour.isStrict = isStrict
        let token = LocalServer.token(of: "d", as: "kay").reveal().string
        let frame = #"{"type":"auth","protocolVersion":1,"token":"\#(token)","deviceId":"d"}"#
        send(Array(frame.utf8), to: &server)
        _ = server.advance(to: start + .seconds(1))
        server.visit(
            PairingRequest(
                device: "d-2", claimedName: "Bo", info: DeviceInfo(platform: "p", model: "m")),
            at: start + .seconds(1))
        return server
    }

    private static let opened: LocalServer = {
        var server = LocalServer()
        server.behaviour.approval = .byAdmin
        server.behaviour.admins = ["kay"]
        server.carryOut(.open(call, .socket(path: "/ws")), at: start)
        _ = server.advance(to: start)
        return server
    }()

    private static let places = [connected(isStrict: false), connected(isStrict: true), opened]

    private static func send(_ frame: [UInt8], to server: inout LocalServer) {
        server.carryOut(.send(call, Payload(bytes: frame)), at: start + .seconds(1))
    }

    // MARK: Laws

    private static func frames(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        var server = places[Int(choice) % places.count]
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            send(Array(line), to: &server)
        }
        for outcome in server.advance(to: start + .minutes(1)) {
            switch outcome {
            case .arrived(_, .text(let text)):
                guard (try? JSONReader().value(of: text)) != nil else { return "a frame is no JSON text" }
            case .arrived(_, .ended): return "a frame ends the connection"
            default: break
            }
        }
        return nil
    }

    private static let paths: [ExactText] = [
        "/upload", "/chatWithAI", "/generateSmartReplyStreaming", "/generateSmartReply",
        "/functions/v1/chat-stream", "/functions/v1/chat", "/rest/v1/conversations", "/auth/v1/token",
        "/v1/chat/completions", "/download/a_1", "/version", "/",
    ]

    private static func request(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        var server = LocalServer()
        let path = paths[Int(choice) % paths.count]
        let token = LocalServer.token(of: "d", as: "kay").reveal().string
        let headers = [
            Header("authorization", ExactText("Bearer " + token)),
            Header("content-type", "multipart/form-data; boundary=b"),
        ]
        let exchange = Exchange.http(
            method: "POST", path: path, headers: headers, body: Payload(bytes: bytes), credential: nil)
        server.carryOut(.open(call, exchange), at: start)
        var heads = 0
        var ends = 0
        for outcome in server.advance(to: start + .minutes(1)) {
            switch outcome {
            case .arrived(_, .head): heads += 1
            case .arrived(_, .ended): ends += 1
            case .arrived where ends > 0: return "something follows the end of an answer"
            default: break
            }
        }
        return heads == 1 && ends == 1 ? nil : "an answer has \(heads) heads and \(ends) ends"
    }
}
