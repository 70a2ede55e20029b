// Decodes the envelopes of a Clawdbot server, `{"version", "type", "sequence", "payload"}`. An envelope without a type,
// or with a malformed payload, is malformed; an unknown type is not, and is skipped (S12).

import ChatDomain

/// An envelope of a Clawdbot server.
enum ClawdbotAnswer {
    /// A message, or the echo of one.
    case message(IncomingMessage)
    /// The server's receipt of a message.
    case receipt(ClientID, Receipt)
    /// The activity of the bot, in no named conversation.
    case state(isActive: Bool, at: WallTime?)
    /// A numbered piece of a reply; with the conversation, if the server names it.
    case chunk(MessageID, in: ConversationID?, index: Int64, ExactText, isFinal: Bool)
    /// A ping, whose answer has its sequence and its payload.
    case ping(sequence: Int64, JSONValue)
    /// The answer to a ping.
    case pong
    /// An error, with its sentence.
    case error(ExactText)
    /// A type that this codec does not know.
    case unknown

    /// The server's receipt of a message.
    enum Receipt {
        case received, processed, error
    }
}

extension ClawdbotAnswer {
    private static let policy = JSONPolicy(size: Clawdbot.frameLimit, malformedText: .replace)

    /// Decodes an envelope; nil when it is malformed. A time that is not told is the last one that was.
    static func read(_ bytes: [UInt8], _ time: inout WallTime) -> ClawdbotAnswer? {
        guard let envelope = try? JSONReader(policy).value(of: bytes), let type = envelope["type"]?.string
        else {
            return nil
        }
        let payload = envelope["payload"] ?? .null
        if let told = payload["timestamp"]?.time ?? envelope["serverTimestamp"]?.time { time = told }
        switch type {
        case "chat.message": return message(payload, at: time)
        case "message.ack": return receipt(payload)
        case "bot.state": return state(payload)
        case "streaming.chunk": return chunk(payload)
        case "system.ping": return .ping(sequence: envelope["sequence"]?.integer ?? 0, payload)
        case "system.pong": return .pong
        case "system.error": return .error(payload["message"]?.sentence ?? payload["code"]?.name ?? "")
        default: return .unknown
        }
    }

    /// An id, which is a text or `{"value": …}`.
    private static func identifier<Kind>(_ value: JSONValue?) -> Identifier<Kind>? {
        (value?.string ?? value?["value"]?.string)?.identifier()
    }

    private static func message(_ payload: JSONValue, at time: WallTime) -> ClawdbotAnswer? {
        guard let id: MessageID = identifier(payload["id"]), let text = payload["content"]?.string,
            let role = role(payload["sender"]?["type"]?.string)
        else { return nil }
        return .message(
            IncomingMessage(
                id: id, conversation: identifier(payload["threadID"]),
                // A message keeps the id that its sender gave it.
                client: role == .user ? ClientID(id.text) : nil, role: role, text: text, time: time,
                isGrowing: false, sender: role == .user ? nil : payload["sender"]?["name"]?.name,
                question: role == .assistant ? identifier(payload["replyTo"]) : nil))
    }

    private static func role(_ type: ExactText?) -> Chat.Role? {
        switch type {
        case "bot": .assistant
        case "user": .user
        case "system": .system
        default: nil
        }
    }

    private static func receipt(_ payload: JSONValue) -> ClawdbotAnswer? {
        guard let client: ClientID = identifier(payload["messageID"]) else { return nil }
        switch payload["status"]?.string {
        case "received": return .receipt(client, .received)
        case "processed": return .receipt(client, .processed)
        case "error": return .receipt(client, .error)
        case nil: return nil
        default: return .unknown
        }
    }

    private static func state(_ payload: JSONValue) -> ClawdbotAnswer? {
        let time = payload["timestamp"]?.time
        switch payload["state"]?.string {
        case "idle": return .state(isActive: false, at: time)
        case "thinking", "typing", "toolUse": return .state(isActive: true, at: time)
        case nil: return nil
        default: return .unknown
        }
    }

    private static func chunk(_ payload: JSONValue) -> ClawdbotAnswer? {
        guard let id: MessageID = identifier(payload["messageID"]),
            let index = payload["chunkIndex"]?.integer,
            let text = payload["content"]?.string
        else { return nil }
        return .chunk(
            id, in: identifier(payload["threadID"]), index: index, text,
            isFinal: payload["isFinal"]?.bool ?? false)
    }
}
