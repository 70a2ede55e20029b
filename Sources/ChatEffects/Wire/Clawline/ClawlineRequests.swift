// Encodes the frames of a Clawline client. Members have the order of the protocol's own examples; equal requests have
// equal bytes.

import ChatDomain

enum ClawlineRequests {
    /// The supported version of the protocol.
    static let protocolVersion: Int64 = 1

    /// A pairing request of this device.
    static func pair(_ device: DeviceID, name: ExactText, _ info: DeviceInfo) -> Payload {
        frame("pair_request") { frame in
            frame.member("protocolVersion", protocolVersion)
            frame.member("deviceId", device.text)
            if !name.isEmpty { frame.member("claimedName", name) }
            frame.object("deviceInfo") { object in
                object.member("platform", told(info.platform))
                object.member("model", told(info.model))
                if let version = info.systemVersion { object.member("osVersion", told(version)) }
                if let version = info.appVersion { object.member("appVersion", told(version)) }
            }
        }
    }

    /// A field of a device's description, cut to the bytes that a server takes.
    private static func told(_ field: ExactText) -> ExactText {
        field.trimmed.cut(toByteCount: ClawlineAnswer.nameLimit)
    }

    /// An admin's decision. The reason of a denial has no field and is not sent (P9).
    static func decide(_ device: DeviceID, _ decision: Decision) -> Payload {
        frame("pair_decision") { frame in
            frame.member("deviceId", device.text)
            switch decision {
            case .approve(let user):
                frame.member("approve", true)
                frame.member("userId", user.text)
            case .deny:
                frame.member("approve", false)
            }
        }
    }

    /// The authentication frame. The token is a placeholder that the driver fills (L10). A missing cursor is omitted,
    /// because an empty one is refused. The cursor of the main conversation has no key, because older servers have none
    /// and newer ones find its stream by the message; the other cursors have their keys.
    static func authenticate(
        _ secret: SecretHandle, _ device: DeviceID, _ cursors: [Chat.Cursor]
    ) -> Payload {
        var before: [UInt8] = []
        JSONWriter.object(into: &before) { frame in
            frame.member("type", "auth")
            frame.member("protocolVersion", protocolVersion)
            frame.member("token", "")
        }
        before.removeLast(2)  // the closing quote and brace: the token goes there
        var after = Array("\"".utf8)
        JSONWriter.object(into: &after) { frame in
            frame.member("deviceId", device.text)
            for cursor in cursors where cursor.conversation == .main {
                frame.member("lastMessageId", cursor.last.text)
            }
            let others = cursors.filter { $0.conversation != .main }
            guard !others.isEmpty else { return }
            frame.object("replayCursorsBySessionKey") { object in
                for cursor in others { object.member(cursor.conversation.text, cursor.last.text) }
            }
        }
        after[1] = UInt8(ascii: ",")  // replaces the opening brace: the object continues
        return Payload([.bytes(before), .secret(secret), .bytes(after)])
    }

    /// A message under its idempotency key. An inline file is stored as base64 in the app's storage, and the driver
    /// inserts it here.
    static func say(
        _ client: ClientID, _ conversation: ConversationID, _ text: ExactText,
        _ attachments: [Chat.Attachment]
    ) -> Payload {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { frame in
            frame.member("type", "message")
            frame.member("id", client.text)
            frame.member("content", text)
            frame.name(conversation)
            frame.array("attachments") { _ in }
        }
        guard !attachments.isEmpty else { return Payload(bytes: bytes) }
        bytes.removeLast(2)  // the closing bracket and brace: the files go there
        var parts: [Payload.Part] = []
        for (index, attachment) in attachments.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard attachment.source == .inline else {
                JSONWriter.object(into: &bytes) { object in
                    object.member("type", "asset")
                    if case .asset(let asset) = attachment.source { object.member("assetId", asset.text) }
                }
                continue
            }
            JSONWriter.object(into: &bytes) { object in
                object.member("type", "image")
                object.member("mimeType", attachment.mimeType)
                object.member("data", "")
            }
            bytes.removeLast(2)  // the quote and the brace that close: the data goes there
            let path = Chat.Key.attachment(attachment.owner, attachment.id).path
            parts += [.bytes(bytes), .stored(path)]
            bytes = Array("\"}".utf8)
        }
        return Payload(parts + [.bytes(bytes + Array("]}".utf8))])
    }

    /// The start or end of typing.
    static func typing(_ isActive: Bool, _ conversation: ConversationID) -> Payload {
        frame("typing") { frame in
            frame.member("active", isActive)
            frame.name(conversation)
        }
    }

    private static func frame(
        _ type: StaticString, _ members: (inout JSONObjectWriter) -> Void
    ) -> Payload {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { frame in
            frame.member("type", type.description)
            members(&frame)
        }
        return Payload(bytes: bytes)
    }
}

extension JSONObjectWriter {
    /// Writes the stream of a frame; a frame without one is of the main stream.
    mutating func name(_ conversation: ConversationID) {
        if conversation != .main { member("sessionKey", conversation.text) }
    }
}
