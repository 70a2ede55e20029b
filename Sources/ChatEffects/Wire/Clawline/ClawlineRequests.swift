// What a client says in Clawline, as bytes. Members stand in the order in which the protocol's own examples
// have them; equal requests are equal bytes.

import ChatDomain

/// Writes the frames of a Clawline client.
enum ClawlineRequests {
    /// The version of the protocol that this is.
    static let protocolVersion: Int64 = 1

    /// Asks whether this device may come in.
    static func pair(_ device: DeviceID, name: ExactText, _ info: DeviceInfo) -> Payload {
        frame("pair_request") { frame in
            frame.member("protocolVersion", protocolVersion)
            frame.member("deviceId", device.text)
            if !name.isEmpty { frame.member("claimedName", name) }
            frame.object("deviceInfo") { object in
                object.member("platform", info.platform)
                object.member("model", info.model)
                if let version = info.systemVersion { object.member("osVersion", version) }
                if let version = info.appVersion { object.member("appVersion", version) }
            }
        }
    }

    /// Says what an admin has decided. The reason of a denial has no field and stays here (P9).
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

    /// Says who this is. The token is a place that the driver fills in (L10); the cursor is left out when
    /// there is none, because an empty one is refused. Those of other conversations than the one that Clawline
    /// has stand in a field of their own.
    static func authenticate(
        _ secret: SecretHandle, _ device: DeviceID, _ cursors: [Chat.Cursor]
    ) -> Payload {
        var before: [UInt8] = []
        JSONWriter.object(into: &before) { frame in
            frame.member("type", "auth")
            frame.member("protocolVersion", protocolVersion)
            frame.member("token", "")
        }
        before.removeLast(2)  // the quote and the brace that close: the token goes there
        var after = Array("\"".utf8)
        JSONWriter.object(into: &after) { frame in
            frame.member("deviceId", device.text)
            for cursor in cursors where cursor.conversation == .main {
                frame.member("lastMessageId", cursor.last.text)
            }
            let others = cursors.filter { $0.conversation != .main }
            guard !others.isEmpty else { return }
            frame.array("conversations") { array in
                for cursor in others {
                    array.object { object in
                        object.member("conversationId", cursor.conversation.text)
                        object.member("lastMessageId", cursor.last.text)
                    }
                }
            }
        }
        after[1] = UInt8(ascii: ",")  // for the brace that opens: it goes on with the same object
        return Payload([.bytes(before), .secret(secret), .bytes(after)])
    }

    /// Says something, under its idempotency key. What a file of it holds stands in the app's storage in the
    /// letters in which it belongs here, and the driver puts it there.
    static func say(
        _ client: ClientID, _ conversation: ConversationID, _ text: ExactText, _ attachments: [Attachment]
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
        bytes.removeLast(2)  // the bracket and the brace that close: the files go there
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

    /// Says that the person types, or has stopped.
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
    /// Names a conversation, unless it is the one that Clawline has, which it never names.
    mutating func name(_ conversation: ConversationID) {
        if conversation != .main { member("conversationId", conversation.text) }
    }
}
