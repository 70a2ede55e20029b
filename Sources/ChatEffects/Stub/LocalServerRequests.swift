// HTTP requests to the in-process backend: authorization, dispatch by path, and whole answers. Each path has its own
// file: Uploads, Assistant, SmartReplies, Coach.

import ChatDomain

extension LocalServer {
    /// Handles an HTTP request.
    mutating func request(
        _ call: CallNumber, path: ExactText, _ headers: [Header], _ payload: Payload
    ) {
        guard isOnline else { return schedule(.end(call, .failed(.offline)), after: .zero) }
        if path == Self.modelPath { return askModel(call, payload) }
        if path == "/version" { return tellVersion(call) }
        let token = Token(headers)
        requests.append(Request(call: call, token: token))
        let isWelcome = token.map { obstacle(to: $0) == nil } ?? true
        guard isWelcome, headers.contains(where: { $0.name == "authorization" }) else {
            return schedule(
                .respond(call, status: 401, body: Self.error("UNAUTHENTICATED", "Please sign in")),
                after: .zero, mayFail: false)
        }
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        switch path {
        case "/upload": upload(call, headers, bytes)
        case AssistantCallable().path: ask(call, bytes)
        case SmartReplyCodec().streamPath: suggest(call, bytes, isStream: true)
        case SmartReplyCodec().wholePath: suggest(call, bytes, isStream: false)
        case CoachStreamCodec().streamPath: askCoach(call, bytes, isStream: true)
        case Self.coachWholePath: askCoach(call, bytes, isStream: false)
        case CoachStreamCodec.Row().path: makeRow(call, bytes)
        case CoachStreamCodec().refreshPath, SmartReplyCodec().refreshPath:
            schedule(.refresh(call), after: .zero)
        case _ where path.utf8.starts(with: Self.downloadPath.utf8): download(call, path)
        default: schedule(.respond(call, status: 404, body: []), after: .zero, mayFail: false)
        }
    }

    /// Answers which version of the protocol this server speaks, also to somebody who is not signed in.
    private mutating func tellVersion(_ call: CallNumber) {
        requests.append(Request(call: call, token: nil))
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { $0.member("protocolVersion", 1) }
        schedule(.respond(call, status: 200, body: body), after: .zero, mayFail: false)
    }

    /// Sends the whole answer to a request.
    mutating func respond(
        _ call: CallNumber, _ status: Int64, _ headers: [Header] = [], body: [UInt8],
        _ outcomes: inout [Outcome]
    ) {
        guard isOpen(call) else { return }
        outcomes.append(.arrived(call, .head(status: status, headers: headers)))
        if !body.isEmpty { outcomes.append(.arrived(call, .body(body))) }
        end(call, .completed, &outcomes)
    }

    /// The HTTP status of an error code of any convention: no code has two meanings.
    static func httpStatus(of code: ExactText) -> Int64 {
        switch code.string {
        case "bad_request", "invalid_message", "INVALID_ARGUMENT": 400
        case "unauthorized", "auth_failed", "token_revoked", "UNAUTHENTICATED": 401
        case "subscription_required", "PERMISSION_DENIED": 403
        case "not_found", "asset_not_found": 404
        case "payload_too_large": 413
        case "rate_limited", "RESOURCE_EXHAUSTED": 429
        case "unavailable", "upload_failed_retryable", "UNAVAILABLE": 503
        case "DEADLINE_EXCEEDED": 504
        default: 500
        }
    }

    /// Whether a request's answer is outstanding or incomplete.
    func isOpen(_ call: CallNumber) -> Bool {
        requests.contains { $0.call == call }
    }
}
