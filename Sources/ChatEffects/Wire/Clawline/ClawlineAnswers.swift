// What a Clawline server says, read from bytes. A frame that is malformed, or of a type, role or reason that is
// not known here, is `nil`: the backend counts it and goes on (S12). Fields that are not known are not
// looked at. Messages and deltas, of which there are many, are read without building a tree.

import ChatDomain

/// A frame of a Clawline server.
enum ClawlineAnswer {
    /// What became of a request to come in, or somebody else's request.
    case pairing(Pairing.Event)
    /// The token is good.
    case authenticated(replayCount: Int64, isTruncated: Bool, isReset: Bool)
    /// The token is not good.
    case notAuthenticated(CredentialsRefusal)
    /// The server has a message.
    case acknowledged(ClientID)
    /// An echo, or a reply with all of its text so far.
    case message(IncomingMessage)
    /// A finished message that lacks what a message must have, or whose role is not known.
    case unreadableMessage
    /// More text of a reply; a dialect that Clawline itself does not have.
    case delta(MessageID, ExactText)
    /// A numbered piece of a reply; a dialect that Clawline itself does not have.
    case chunk(MessageID, in: ConversationID, index: Int64, ExactText, isFinal: Bool)
    /// Somebody types, or no longer does.
    case typing(isActive: Bool, in: ConversationID)
    /// Something went wrong.
    case error(ClawlineError)
}

/// An error as the server reports it.
struct ClawlineError {
    /// What kind of error it is.
    let code: ExactText
    /// What the server says to a person.
    let message: ExactText
    /// The message or reply that it concerns.
    let subject: ExactText?
    /// The device that it concerns; real servers do not say it yet.
    let device: DeviceID?
}

extension ClawlineAnswer {
    /// How long a sentence of a server may be that is shown, in UTF-8 bytes: some ten lines of a telephone.
    static let sentenceLimit: Int64 = 1_024

    /// How long a name or a code may be that is shown, in UTF-8 bytes: Clawline's limit of a claimed name.
    static let nameLimit: Int64 = 64

    /// Text that is not Unicode is mended, not refused: a message that were skipped would be missing for good.
    private static let policy = JSONPolicy(size: Clawline.frameLimit, malformedText: .replace)

    private static let scanner = JSONFieldScanner(
        [
            "type", "id", "content", "text", "role", "timestamp", "streaming", "deviceId", "clientId",
            "conversationId", "attachments",
        ], policy)

    /// Reads a frame; nil when it is malformed or not known.
    static func read(_ bytes: [UInt8]) -> ClawlineAnswer? {
        do throws(JSONError) {
            let frequent = try scanner.scan(bytes) { (fields) throws(JSONError) -> Frequent in
                if fields.has("message", at: 0) { return .read(message(fields)) }
                if fields.has("delta", at: 0) { return .read(delta(fields)) }
                if fields.has("ack", at: 0) { return .read(identifier(fields, 1).map { .acknowledged($0) }) }
                return .other
            }
            switch frequent {
            case .read(let answer): return answer
            case .other: return other(try JSONReader(policy).value(of: bytes))
            }
        } catch {
            return nil
        }
    }

    /// What the hot path made of a frame.
    private enum Frequent {
        case read(ClawlineAnswer?)
        case other
    }

    // MARK: Messages

    private static func message(_ fields: borrowing JSONFields) -> ClawlineAnswer? {
        guard let id: MessageID = identifier(fields, 1), let text = fields.string(2), let role = role(fields),
            let time = fields.time(5)
        else { return fields.bool(6) ?? false ? nil : .unreadableMessage }
        return .message(
            IncomingMessage(
                id: id, conversation: identifier(fields, 9) ?? .main, client: identifier(fields, 8),
                role: role, text: text, time: time, device: identifier(fields, 7),
                isGrowing: fields.bool(6) ?? false, files: ClawlineFile.read(fields.value(10))))
    }

    private static func delta(_ fields: borrowing JSONFields) -> ClawlineAnswer? {
        guard let id: MessageID = identifier(fields, 1), let text = fields.string(3) else { return nil }
        return .delta(id, text)
    }

    private static func identifier<Kind>(_ fields: borrowing JSONFields, _ index: Int) -> Identifier<Kind>? {
        guard let text = fields.string(index), !text.isEmpty else { return nil }
        return Identifier(text)
    }

    private static func role(_ fields: borrowing JSONFields) -> Message.Role? {
        if fields.has("assistant", at: 4) { return .assistant }
        if fields.has("user", at: 4) { return .user }
        return fields.has("system", at: 4) ? .system : nil
    }
}

extension ClawlineAnswer {
    // MARK: Everything else

    private static func other(_ frame: JSONValue) -> ClawlineAnswer? {
        switch frame["type"]?.string {
        case "pair_result": pairingResult(frame)
        case "pair_pending": .pairing(.pending(code: name(frame["code"])))
        case "pair_approval_request": pairingRequest(frame)
        case "auth_result": authentication(frame)
        case "typing":
            frame["active"]?.bool.map { .typing(isActive: $0, in: conversation(frame) ?? .main) }
        case "chunk": chunk(frame)
        case "error": error(frame)
        default: nil
        }
    }

    private static func chunk(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let id = frame["id"]?.string, !id.isEmpty, let index = frame["index"]?.integer,
            let text = frame["text"]?.string
        else { return nil }
        return .chunk(
            MessageID(id), in: conversation(frame) ?? .main, index: index, text,
            isFinal: frame["final"]?.bool ?? false)
    }

    /// The conversation that a frame names; Clawline itself has one, and names none.
    private static func conversation(_ frame: JSONValue) -> ConversationID? {
        guard let id = frame["conversationId"]?.string, !id.isEmpty else { return nil }
        return ConversationID(id)
    }

    private static func pairingResult(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let isSuccess = frame["success"]?.bool else { return nil }
        if isSuccess {
            guard let token = frame["token"]?.string, !token.isEmpty,
                let user = frame["userId"]?.string, !user.isEmpty
            else { return nil }
            return .pairing(
                .granted(Secret(token), UserID(user), isAdmin: frame["isAdmin"]?.bool ?? false))
        }
        let sentence = sentence(frame["message"])
        switch frame["reason"]?.string {
        case "pair_pending": return .pairing(.pending(code: name(frame["code"])))
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
                    device: DeviceID(device), claimedName: name(frame["claimedName"]) ?? "",
                    info: DeviceInfo(
                        platform: name(info?["platform"]) ?? "", model: name(info?["model"]) ?? "",
                        systemVersion: name(info?["osVersion"]), appVersion: name(info?["appVersion"])))))
    }

    private static func authentication(_ frame: JSONValue) -> ClawlineAnswer? {
        guard let isSuccess = frame["success"]?.bool else { return nil }
        if isSuccess {
            return .authenticated(
                replayCount: frame["replayCount"]?.integer ?? 0,
                isTruncated: frame["replayTruncated"]?.bool ?? false,
                isReset: frame["historyReset"]?.bool ?? false)
        }
        switch frame["reason"]?.string {
        case "auth_failed": return .notAuthenticated(.authenticationFailed)
        case "token_revoked": return .notAuthenticated(.tokenRevoked)
        case "token_expired": return .notAuthenticated(.tokenExpired)
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
                code: code, message: sentence(frame["message"]) ?? code.cut(toByteCount: nameLimit),
                subject: subject.flatMap { $0.isEmpty ? nil : $0 },
                device: device.flatMap { $0.isEmpty ? nil : DeviceID($0) }))
    }

    /// A sentence of the server, short enough to be shown.
    private static func sentence(_ value: JSONValue?) -> ExactText? {
        shown(value, limit: sentenceLimit)
    }

    /// A name or a code, short enough to be shown.
    private static func name(_ value: JSONValue?) -> ExactText? {
        shown(value, limit: nameLimit)
    }

    private static func shown(_ value: JSONValue?, limit: Int64) -> ExactText? {
        // Cut before and after: the first bounds the work, the second trims what the first has left.
        guard let text = value?.string?.cut(toByteCount: limit).withoutControlCharacters.trimmed,
            !text.isEmpty
        else { return nil }
        return text
    }
}
