// Decodes the frames of a Clawline server. A malformed frame, or one of an unknown type, role or reason, is `nil`: the
// backend counts it and continues (S12). Unknown fields are ignored. Messages and deltas are frequent, so they are
// decoded without a tree.

import ChatDomain

/// A frame of a Clawline server.
enum ClawlineAnswer {
    /// The result of a pairing request, or another device's request.
    case pairing(Pairing.Event)
    /// The server accepts the token.
    case authenticated(
        replayCount: Int64, isTruncated: Bool, isReset: Bool, isAdmin: Bool?, streams: [ConversationID])
    /// All has been told again: a newer server counts messages, and then leaves some out.
    case replayEnded
    /// The server refuses the token.
    case notAuthenticated(CredentialsRefusal)
    /// The server demands a wait before the token, perhaps with a sentence.
    case toldToWait(ExactText)
    /// Whether the person is an admin.
    case rights(isAdmin: Bool)
    /// The server's streams, each with its title.
    case streams([(ConversationID, title: ExactText)])
    /// The acknowledgement of a message.
    case acknowledged(ClientID)
    /// An echo, or a reply with its whole text so far.
    case message(IncomingMessage)
    /// A finished message without a required field, or with an unknown role.
    case unreadableMessage
    /// An increment of a reply; a dialect that Clawline itself does not have.
    case delta(MessageID, ExactText)
    /// A numbered chunk of a reply; a dialect that Clawline itself does not have.
    case chunk(MessageID, in: ConversationID, index: Int64, ExactText, isFinal: Bool)
    /// Typing has started or ended.
    case typing(isActive: Bool, in: ConversationID)
    /// An error.
    case error(ClawlineError)
}

/// An error as the server reports it.
struct ClawlineError {
    /// The error code.
    let code: ExactText
    /// The server's sentence for the person.
    let message: ExactText
    /// The message or reply of the error.
    let subject: ExactText?
    /// The device of the error; real servers do not send it yet.
    let device: DeviceID?
}

extension ClawlineAnswer {
    /// The greatest length of a server's sentence on screen, in UTF-8 bytes: some ten lines of a phone.
    static let sentenceLimit: Int64 = 1_024

    /// The greatest length of a name or code on screen, in UTF-8 bytes: Clawline's limit of a claimed name.
    static let nameLimit: Int64 = 64

    /// Text that is not Unicode is repaired, not refused: a skipped message would be missing for good.
    private static let policy = JSONPolicy(size: Clawline.frameLimit, malformedText: .replace)

    private static let scanner = JSONFieldScanner(
        [
            "type", "id", "content", "text", "role", "timestamp", "streaming", "deviceId", "clientMessageId",
            "sessionKey", "attachments", "sender",
        ], policy)

    /// Decodes a frame; nil when it is malformed or unknown. Its facts about the server's streams are kept.
    static func read(_ bytes: [UInt8], _ streams: inout ClawlineStreams) -> ClawlineAnswer? {
        var known = streams
        defer { streams = known }
        do throws(JSONError) {
            let frequent = try scanner.scan(bytes) { (fields) throws(JSONError) -> Frequent in
                if fields.has("message", at: 0) { return .read(message(fields, &known)) }
                if fields.has("delta", at: 0) { return .read(delta(fields)) }
                if fields.has("ack", at: 0) {
                    return .read(fields.string(1)?.identifier().map { .acknowledged($0) })
                }
                return .other
            }
            switch frequent {
            case .read(let answer): return answer
            case .other: return other(try JSONReader(policy).value(of: bytes), &known)
            }
        } catch {
            return nil
        }
    }

    /// The result of the fast path.
    private enum Frequent {
        case read(ClawlineAnswer?)
        case other
    }

    // MARK: Messages

    private static func message(
        _ fields: borrowing JSONFields, _ streams: inout ClawlineStreams
    ) -> ClawlineAnswer? {
        guard let id: MessageID = fields.string(1)?.identifier(), let text = fields.string(2),
            let role = role(fields), let time = fields.time(5),
            let conversation = streams.conversation(fields.string(9))
        else { return fields.bool(6) ?? false ? nil : .unreadableMessage }
        return .message(
            IncomingMessage(
                id: id, conversation: conversation, client: fields.string(8)?.identifier(), role: role,
                text: text, time: time, device: fields.string(7)?.identifier(),
                isGrowing: fields.bool(6) ?? false, files: ClawlineFile.read(fields.value(10)),
                sender: fields.string(11)?.shown(limit: nameLimit)))
    }

    private static func delta(_ fields: borrowing JSONFields) -> ClawlineAnswer? {
        guard let id: MessageID = fields.string(1)?.identifier(), let text = fields.string(3) else {
            return nil
        }
        return .delta(id, text)
    }

    private static func role(_ fields: borrowing JSONFields) -> Chat.Role? {
        if fields.has("assistant", at: 4) { return .assistant }
        if fields.has("user", at: 4) { return .user }
        return fields.has("system", at: 4) ? .system : nil
    }
}

extension ClawlineAnswer {
    // MARK: Other frames

    private static func other(_ frame: JSONValue, _ streams: inout ClawlineStreams) -> ClawlineAnswer? {
        switch frame["type"]?.string {
        case "pair_result": pairingResult(frame)
        case "pair_pending": .pairing(.pending(code: frame["code"]?.name))
        case "pair_approval_request": pairingRequest(frame)
        case "auth_result": authentication(frame, &streams)
        case "sync_complete": .replayEnded
        case "session_info", "user_info": rights(frame, &streams)
        case "stream_snapshot": named(frame["streams"]?.array ?? [], &streams)
        case "stream_created", "stream_updated": named(frame["stream"].map { [$0] } ?? [], &streams)
        case "typing": typing(frame, isActive: frame["active"], &streams)
        case "event":
            frame["event"]?.string == "activity"
                ? frame["payload"].flatMap { typing($0, isActive: $0["isActive"], &streams) } : nil
        case "chunk": chunk(frame, &streams)
        case "error": error(frame)
        default: nil
        }
    }

    /// The typing of the assistant, who is meant where nobody is named. That of a person is not shown.
    private static func typing(
        _ frame: JSONValue, isActive: JSONValue?, _ streams: inout ClawlineStreams
    ) -> ClawlineAnswer? {
        guard let isActive = isActive?.bool, frame["role"]?.string ?? "assistant" == "assistant",
            let conversation = streams.conversation(frame["sessionKey"]?.string)
        else { return nil }
        return .typing(isActive: isActive, in: conversation)
    }

    private static func rights(_ frame: JSONValue, _ streams: inout ClawlineStreams) -> ClawlineAnswer? {
        _ = listed(frame, &streams)
        return frame["isAdmin"]?.bool.map { .rights(isAdmin: $0) }
    }

    /// The streams that a frame lists.
    private static func listed(_ frame: JSONValue, _ streams: inout ClawlineStreams) -> [ConversationID] {
        var listed: [ConversationID] = []
        for key in frame["sessionKeys"]?.array ?? [] {
            guard let key = key.string, !key.isEmpty else { continue }
            if let conversation = streams.conversation(key) { listed.append(conversation) }
        }
        return listed
    }

    private static func named(_ list: [JSONValue], _ streams: inout ClawlineStreams) -> ClawlineAnswer? {
        var found: [(ConversationID, title: ExactText)] = []
        for stream in list {
            guard let key = stream["sessionKey"]?.string, !key.isEmpty,
                let conversation = streams.conversation(key)
            else { continue }
            if conversation != .main { found.append((conversation, stream["displayName"]?.name ?? "")) }
        }
        return found.isEmpty ? nil : .streams(found)
    }

    private static func chunk(_ frame: JSONValue, _ streams: inout ClawlineStreams) -> ClawlineAnswer? {
        guard let id: MessageID = frame["id"]?.string?.identifier(), let index = frame["index"]?.integer,
            let text = frame["text"]?.string,
            let conversation = streams.conversation(frame["sessionKey"]?.string)
        else { return nil }
        return .chunk(id, in: conversation, index: index, text, isFinal: frame["final"]?.bool ?? false)
    }

    private static func pairingResult(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let isSuccess = frame["success"]?.bool else { return nil }
        if isSuccess {
            guard let token = frame["token"]?.string, !token.isEmpty,
                let user = frame["userId"]?.string, !user.isEmpty
            else { return nil }
            let isAdmin = frame["isAdmin"]?.bool ?? ClawlineToken.isAdmin(token) ?? false
            return .pairing(.granted(Secret(token), UserID(user), isAdmin: isAdmin))
        }
        let sentence = frame["message"]?.sentence
        switch frame["reason"]?.string {
        case "pair_pending": return .pairing(.pending(code: frame["code"]?.name))
        case "pair_denied": return .pairing(.refused(.denied(reason: sentence)))
        case "pair_rejected": return .pairing(.refused(.rejected(reason: sentence)))
        case "pair_timeout": return .pairing(.refused(.timedOut))
        default: return nil
        }
    }

    private static func pairingRequest(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let device = frame["deviceId"]?.string, !device.isEmpty else { return nil }
        let info = frame["deviceInfo"]
        return .pairing(
            .requested(
                PairingRequest(
                    device: DeviceID(device), claimedName: frame["claimedName"]?.name ?? "",
                    info: DeviceInfo(
                        platform: info?["platform"]?.name ?? "", model: info?["model"]?.name ?? "",
                        systemVersion: info?["osVersion"]?.name, appVersion: info?["appVersion"]?.name))))
    }

    private static func authentication(
        _ frame: JSONValue, _ streams: inout ClawlineStreams
    ) -> ClawlineAnswer? {
        guard let isSuccess = frame["success"]?.bool else { return nil }
        let listed = listed(frame, &streams)
        if isSuccess {
            return .authenticated(
                replayCount: frame["replayCount"]?.integer ?? 0,
                isTruncated: frame["replayTruncated"]?.bool ?? false,
                isReset: frame["historyReset"]?.bool ?? false, isAdmin: frame["isAdmin"]?.bool,
                streams: listed)
        }
        switch frame["reason"]?.string {
        case "auth_failed": return .notAuthenticated(.authenticationFailed)
        case "token_revoked": return .notAuthenticated(.tokenRevoked)
        case "token_expired": return .notAuthenticated(.tokenExpired)
        case "rate_limited": return .toldToWait(frame["message"]?.sentence ?? "")
        case "device_not_approved": return .notAuthenticated(.deviceNotApproved)
        default: return nil
        }
    }

    private static func error(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let code = frame["code"]?.string else { return nil }
        let subject = frame["messageId"]?.string
        let device = frame["deviceId"]?.string
        return .error(
            ClawlineError(
                code: code, message: frame["message"]?.sentence ?? code.cut(toByteCount: nameLimit),
                subject: subject.flatMap { $0.isEmpty ? nil : $0 },
                device: device.flatMap { $0.isEmpty ? nil : DeviceID($0) }))
    }
}
