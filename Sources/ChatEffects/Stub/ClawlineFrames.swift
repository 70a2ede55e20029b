// Encodes the frames of a Clawline server for the in-process backend: the counterpart of `ClawlineAnswer`.

import ChatDomain

package enum ClawlineFrames {
    /// The approval of a device, with its token.
    package static func granted(_ token: Secret, _ user: UserID, isAdmin: Bool) -> [UInt8] {
        frame("pair_result") { frame in
            frame.member("success", true)
            frame.member("token", token.reveal())
            frame.member("userId", user.text)
            if isAdmin { frame.member("isAdmin", true) }
        }
    }

    /// A pending request: the device waits for an admin, who may compare a code.
    package static func pending(code: ExactText) -> [UInt8] {
        frame("pair_result") { frame in
            frame.member("success", false)
            frame.member("reason", "pair_pending")
            frame.member("code", code)
        }
    }

    /// Another device's pairing request, for admins.
    package static func announcement(_ request: PairingRequest) -> [UInt8] {
        frame("pair_approval_request") { frame in
            frame.member("deviceId", request.device.text)
            frame.member("claimedName", request.claimedName)
            frame.object("deviceInfo") { info in
                info.member("platform", request.info.platform)
                info.member("model", request.info.model)
                if let version = request.info.systemVersion { info.member("osVersion", version) }
                if let version = request.info.appVersion { info.member("appVersion", version) }
            }
        }
    }

    /// The refusal of a device or of its token.
    package static func refused(_ type: StaticString, reason: ExactText, message: ExactText?) -> [UInt8] {
        frame(type) { frame in
            frame.member("success", false)
            frame.member("reason", reason)
            if let message { frame.member("message", message) }
        }
    }

    /// The acceptance of a token.
    package static func authenticated(
        _ user: UserID, session: UInt64, replayCount: Int, isTruncated: Bool, isReset: Bool
    ) -> [UInt8] {
        frame("auth_result") { frame in
            frame.member("success", true)
            frame.member("userId", user.text)
            frame.member("sessionId", "sess_\(session)")
            frame.member("replayCount", replayCount)
            frame.member("replayTruncated", isTruncated)
            frame.member("historyReset", isReset)
        }
    }

    /// The acknowledgement of a message.
    package static func acknowledged(_ client: ClientID) -> [UInt8] {
        frame("ack") { $0.member("id", client.text) }
    }

    /// A message with its whole text so far.
    package static func message(
        _ message: LocalServer.Entry, text: ExactText, isGrowing: Bool, namesClient: Bool
    ) -> [UInt8] {
        frame("message") { frame in
            frame.member("id", message.id.text)
            switch message.author {
            case .server: frame.member("role", "assistant")
            case .device: frame.member("role", "user")
            }
            frame.member("content", text)
            frame.member("timestamp", message.time.millisecondsSince1970)
            frame.member("streaming", isGrowing)
            frame.name(message.conversation)
            guard case .device(let device, let client) = message.author else { return }
            frame.member("deviceId", device.text)
            frame.array("attachments") { array in
                for file in message.files { array.object { write(file, to: &$0) } }
            }
            if namesClient { frame.member("clientMessageId", client.text) }
        }
    }

    private static func write(_ file: LocalServer.File, to object: inout JSONObjectWriter) {
        switch file {
        case .asset(let asset):
            object.member("type", "asset")
            object.member("assetId", asset.id.text)
            object.member("mimeType", asset.mimeType)
            object.member("size", asset.byteCount)
        case .image(let mimeType, let data):
            object.member("type", "image")
            object.member("mimeType", mimeType)
            object.member("data", data)
        }
    }

    /// An increment of a growing reply.
    package static func delta(_ id: MessageID, _ text: ExactText) -> [UInt8] {
        frame("delta") { frame in
            frame.member("id", id.text)
            frame.member("text", text)
        }
    }

    /// A numbered chunk of a growing reply.
    package static func chunk(
        _ id: MessageID, _ conversation: ConversationID, index: Int64, _ text: ExactText
    ) -> [UInt8] {
        frame("chunk") { frame in
            frame.member("id", id.text)
            frame.name(conversation)
            frame.member("index", index)
            frame.member("text", text)
            frame.member("final", false)
        }
    }

    /// The answer to an upload.
    package static func asset(_ asset: LocalServer.Asset) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { answer in
            answer.member("assetId", asset.id.text)
            answer.member("mimeType", asset.mimeType)
            answer.member("size", asset.byteCount)
        }
        return bytes
    }

    /// The start or end of typing by the server.
    package static func typing(_ isActive: Bool, _ conversation: ConversationID) -> [UInt8] {
        frame("typing") { frame in
            frame.member("role", "assistant")
            frame.member("active", isActive)
            frame.name(conversation)
        }
    }

    /// An error.
    package static func error(_ code: ExactText, message: ExactText, about subject: ExactText? = nil)
        -> [UInt8]
    {
        frame("error") { frame in
            frame.member("code", code)
            frame.member("message", message)
            if let subject { frame.member("messageId", subject) }
        }
    }

    private static func frame(
        _ type: StaticString, _ members: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { frame in
            frame.member("type", type.description)
            members(&frame)
        }
        return bytes
    }
}
