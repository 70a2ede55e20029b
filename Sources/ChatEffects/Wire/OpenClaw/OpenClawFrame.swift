// The frames of an OpenClaw gateway: requests of the client, the answers to them, and events. Both directions are here;
// the backends give them a meaning. An unknown event, method or member is skipped (S12). A sent frame has no member
// beyond those of the gateway's schema, because the gateway refuses others.

import ChatDomain

/// Facts of the gateway that its two backends share.
enum OpenClaw {
    /// The greatest frame that is read, in bytes (Rules, limits). The gateway itself sends up to 25 MiB.
    static let frameLimit: Int64 = 1_048_576
    /// The longest time between two ticks that is waited for: a gateway that is gone is found within twice that.
    static let tickLimit = Interval.minutes(5)
    /// The versions of the protocol that are spoken.
    static let versions: ClosedRange<Int64> = 3...4
    /// The scope of a client that may let devices in.
    static let pairingScope: ExactText = "operator.pairing"
}

/// A frame of a gateway.
enum OpenClawFrame {
    /// The answer to a request.
    case answer(id: ExactText, Result<JSONValue, OpenClawError>)
    /// An event, with its number among those of the connection, if it has one.
    case event(name: ExactText, place: Int64?, JSONValue)

    private static let policy = JSONPolicy(size: OpenClaw.frameLimit, malformedText: .replace)

    /// Decodes a frame; nil when it is malformed or of an unknown type.
    static func read(_ bytes: [UInt8]) -> OpenClawFrame? {
        guard let frame = try? JSONReader(policy).value(of: bytes) else { return nil }
        switch frame["type"]?.string {
        case "res":
            guard let id = frame["id"]?.string, let isGood = frame["ok"]?.bool else { return nil }
            return .answer(
                id: id,
                isGood ? .success(frame["payload"] ?? .null) : .failure(OpenClawError(frame["error"])))
        case "event":
            guard let name = frame["event"]?.string else { return nil }
            return .event(name: name, place: frame["seq"]?.integer, frame["payload"] ?? .null)
        default: return nil
        }
    }
}

/// The numbers of the events of one connection, by which a missing event and a doubled one are recognised (C5, L9).
struct OpenClawNumbers: DomainValue {
    private var last: Int64?

    /// The meaning of an event's number.
    enum Meaning {
        /// The event follows the last one, or has no number.
        case next
        /// Events are missing before this one.
        case gap
        /// This event has come before.
        case again
    }

    /// Takes the number of an event.
    mutating func take(_ number: Int64?) -> Meaning {
        guard let number else { return .next }
        let expected = last.map { saturatingSum($0, 1) } ?? number
        if let last, number <= last { return .again }
        last = number
        return number == expected ? .next : .gap
    }
}

/// An error of a gateway.
struct OpenClawError: Error {
    /// The code, and a finer one that newer gateways add to a refused connection.
    let codes: [ExactText]
    /// The sentence for the person; empty when there is none.
    let sentence: ExactText
    /// Whether the same request may succeed later.
    let isRetryable: Bool
    /// The wait before that.
    let retryAfter: Interval?

    init(_ error: JSONValue?) {
        codes = [error?["code"]?.string, error?["details"]?["code"]?.string].compactMap { $0 }
        sentence = error?["message"]?.sentence ?? ""
        isRetryable = error?["retryable"]?.bool ?? false
        retryAfter = error?["retryAfterMs"]?.integer.map { .milliseconds(max($0, 0)) }
    }

    /// The end of a connection that the gateway refuses.
    var end: CallEnd {
        .refused(status: isRetryable ? 503 : 400, retryAfter: retryAfter, message: sentence)
    }

    /// The refusal of the credentials; nil when the error is about something else.
    var refusal: CredentialsRefusal? {
        for code in codes {
            switch code {
            case "NOT_PAIRED", "PAIRING_REQUIRED": return .deviceNotApproved
            case "UNAUTHORIZED", "AUTH_FAILED", "AUTH_REQUIRED", "AUTH_UNAUTHORIZED", "AUTH_TOKEN_MISSING",
                "AUTH_TOKEN_MISMATCH", "AUTH_DEVICE_TOKEN_MISMATCH", "AUTH_PASSWORD_MISSING",
                "AUTH_PASSWORD_MISMATCH":
                return .authenticationFailed
            default: continue
            }
        }
        return nil
    }

    /// The sentence for a kind of a run's error, or for the state that ends it, if the gateway sends none; empty for the
    /// general kind.
    static func sentence(_ kind: ExactText?) -> ExactText {
        switch kind {
        case "refusal": "The model refuses to answer this."
        case "timeout": "The model took too long."
        case "rate_limit": "The model is busy. Please try again later."
        case "aborted": ReplyFacts.stoppedSentence
        case "context_length": "The conversation has become too long for the model."
        default: ""
        }
    }
}

// MARK: Requests

/// Writes the requests of one connection, each under a number of its own.
struct OpenClawRequests: DomainValue {
    private var last: Int64 = 0

    /// A request, and the id that its answer will have.
    mutating func request(
        _ method: ExactText, _ params: (inout JSONObjectWriter) -> Void
    ) -> (id: ExactText, payload: Payload) {
        let (id, bytes) = write(method, params)
        return (id, Payload(bytes: bytes))
    }

    /// The request to connect: with the token, which the driver inserts, or as a device that asks to come in.
    mutating func connect(
        _ secret: SecretHandle?, client: ExactText, info: DeviceInfo?, scopes: [ExactText]
    ) -> (id: ExactText, payload: Payload) {
        let (id, bytes) = write("connect") { params in
            params.member("minProtocol", OpenClaw.versions.lowerBound)
            params.member("maxProtocol", OpenClaw.versions.upperBound)
            params.object("client") { object in
                object.member("id", client)
                object.member("version", info?.appVersion ?? "1.0")
                object.member("platform", info?.platform ?? "unknown")
                object.member("mode", "operator")
            }
            params.member("role", "operator")
            params.array("scopes") { array in for scope in scopes { array.element(scope) } }
            if secret != nil { params.object("auth") { $0.member("token", "") } }
        }
        guard let secret else { return (id, Payload(bytes: bytes)) }
        let end = Array("\"}}}".utf8)  // of the token, of `auth`, of `params` and of the frame
        return (id, Payload([.bytes(bytes.dropLast(end.count)), .secret(secret), .bytes(end)]))
    }

    private mutating func write(
        _ method: ExactText, _ params: (inout JSONObjectWriter) -> Void
    ) -> (id: ExactText, bytes: [UInt8]) {
        last = saturatingSum(last, 1)
        let id = ExactText("r-\(last)")
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { frame in
            frame.member("type", "req")
            frame.member("id", id)
            frame.member("method", method)
            frame.object("params", params)
        }
        return (id, bytes)
    }
}
