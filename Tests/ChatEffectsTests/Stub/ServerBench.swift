// A client of the in-process backend that speaks in frames, in milliseconds: what the server answers is kept
// with its time.

import ChatDomain
@testable import ChatEffects

/// A server under test and what it has said.
struct ServerBench {
    /// Something that the server said, and when.
    struct Heard: Equatable {
        var milliseconds: Int64
        var call: UInt64
        var arrival: Arrival
    }

    var server: LocalServer
    var milliseconds: Int64 = 0
    var heard: [Heard] = []

    init(_ behaviour: LocalServer.Behaviour = LocalServer.Behaviour()) {
        server = LocalServer(behaviour)
    }

    init(rules: LocalServer.Rule...) {
        self.init(LocalServer.Behaviour(rules: rules))
    }

    var moment: Moment { Stage.moment(milliseconds) }

    mutating func open(_ call: UInt64 = 1) {
        server.carryOut(.open(CallNumber(call), .socket(path: "/ws")), at: moment)
        settle()
    }

    mutating func close(_ call: UInt64 = 1) {
        server.carryOut(.close(CallNumber(call)), at: moment)
    }

    mutating func send(_ text: String, on call: UInt64 = 1) {
        server.carryOut(.send(CallNumber(call), Payload(bytes: Array(text.utf8))), at: moment)
        settle()
    }

    /// Lets time pass, from deadline to deadline.
    mutating func advance(to target: Int64) {
        while let due = server.nextDeadline, due <= Stage.instant(target) {
            let nanoseconds = (due - .origin).nanoseconds
            milliseconds = max(milliseconds, nanoseconds / 1_000_000)
            settle()
        }
        milliseconds = target
    }

    mutating func settle() {
        for outcome in server.advance(to: moment) {
            guard case .arrived(let call, let arrival) = outcome else { continue }
            heard.append(Heard(milliseconds: milliseconds, call: call.value, arrival: arrival))
        }
    }

    // MARK: Shorthands

    mutating func pair(_ device: String = "d", name: String = "Kay", on call: UInt64 = 1) {
        send(
            #"{"type":"pair_request","protocolVersion":1,"deviceId":"\#(device)","claimedName":"\#(name)","#
                + #""deviceInfo":{"platform":"iOS","model":"iPhone"}}"#, on: call)
    }

    mutating func authenticate(
        _ device: String = "d", as user: UserID = "kay", cursor: String? = nil, on call: UInt64 = 1
    ) {
        let token = LocalServer.token(of: DeviceID(device), as: user).reveal().string
        let cursor = cursor.map { #","lastMessageId":"\#($0)""# } ?? ""
        send(
            #"{"type":"auth","protocolVersion":1,"token":"\#(token)","deviceId":"\#(device)"\#(cursor)}"#,
            on: call)
    }

    mutating func say(_ client: String, _ text: String, on call: UInt64 = 1) {
        send(#"{"type":"message","id":"\#(client)","content":"\#(text)","attachments":[]}"#, on: call)
    }

    /// Opens and authenticates, which takes until 500 ms later, and forgets what was heard.
    mutating func connect(
        _ device: String = "d", as user: UserID = "kay", cursor: String? = nil, on call: UInt64 = 1
    ) {
        open(call)
        authenticate(device, as: user, cursor: cursor, on: call)
        advance(to: milliseconds + 500)
    }

    /// A bench with a connection at 500 ms, of which nothing is kept.
    static func connected(_ behaviour: LocalServer.Behaviour = LocalServer.Behaviour()) -> ServerBench {
        var bench = ServerBench(behaviour)
        bench.connect()
        bench.heard = []
        return bench
    }

    // MARK: What was heard

    /// The frames of a type, with their times.
    func frames(_ type: ExactText, on call: UInt64 = 1) -> [(milliseconds: Int64, frame: JSONValue)] {
        heard.compactMap { heard in
            guard heard.call == call, case .text(let bytes) = heard.arrival,
                let frame = try? JSONReader().value(of: bytes), frame["type"]?.string == type
            else { return nil }
            return (heard.milliseconds, frame)
        }
    }

    /// The replies, as time, text so far, and whether more may come.
    var replies: [String] {
        frames("message").filter { $0.frame["role"] == .string("assistant") }.map {
            "\($0.milliseconds) \($0.frame["content"]?.string?.string ?? "")"
                + ($0.frame["streaming"] == .bool(true) ? "…" : "")
        }
    }

    /// The codes of the errors and what they are about.
    var errors: [String] {
        frames("error").map {
            ($0.frame["code"]?.string?.string ?? "") + " " + ($0.frame["messageId"]?.string?.string ?? "-")
        }
    }

    /// How connections ended, with the time.
    var ends: [Heard] {
        heard.filter { if case .ended = $0.arrival { true } else { false } }
    }
}
