// Decodes the frames of a Clawline client for the in-process backend: the counterpart of `ClawlineRequests`. It is as
// strict as a server must be, since this package itself encodes its input.

import ChatDomain

/// A frame of a Clawline client.
enum ClawlineQuestion {
    /// A pairing request.
    case pair(PairingRequest)
    /// An authentication.
    case authenticate(token: Secret, DeviceID, cursors: [Chat.Cursor])
    /// A message of a person, with files.
    case message(ClientID, in: ConversationID, ExactText, files: [File])
    /// An admin's decision about a device.
    case decide(DeviceID, Decision)
    /// The start or end of typing.
    case typing
    /// An unknown frame, or one without a required field.
    case invalid

    /// A file of a message.
    enum File: PlainValue {
        /// An uploaded file, by its id on the server.
        case asset(AssetID)
        /// An inline image, in Base64.
        case image(mimeType: ExactText, data: ExactText)
    }
}

extension ClawlineQuestion {
    /// Decodes a frame; any invalid one becomes `invalid`.
    init(_ bytes: [UInt8]) {
        guard let frame = try? JSONReader(JSONPolicy(size: Clawline.frameLimit)).value(of: bytes)
        else {
            self = .invalid
            return
        }
        switch frame["type"]?.string {
        case "pair_request": self = Self.pairing(frame)
        case "auth": self = Self.authentication(frame)
        case "message": self = Self.message(frame)
        case "pair_decision": self = Self.decision(frame)
        case "typing": self = frame["active"]?.bool == nil ? .invalid : .typing
        default: self = .invalid
        }
    }

    private static func pairing(_ frame: JSONValue) -> ClawlineQuestion {
        guard isOfThisVersion(frame), let device: DeviceID = identifier(frame["deviceId"]),
            let platform = frame["deviceInfo"]?["platform"]?.string, !platform.isEmpty,
            let model = frame["deviceInfo"]?["model"]?.string, !model.isEmpty
        else { return .invalid }
        let name = frame["claimedName"]?.string ?? ""
        guard name.byteCount <= ClawlineAnswer.nameLimit else { return .invalid }
        let info = DeviceInfo(
            platform: platform, model: model, systemVersion: frame["deviceInfo"]?["osVersion"]?.string,
            appVersion: frame["deviceInfo"]?["appVersion"]?.string)
        return .pair(PairingRequest(device: device, claimedName: name, info: info))
    }

    /// An approval names a user, a denial does not.
    private static func decision(_ frame: JSONValue) -> ClawlineQuestion {
        guard let device: DeviceID = identifier(frame["deviceId"]) else { return .invalid }
        switch (frame["approve"]?.bool, identifier(frame["userId"]) as UserID?) {
        case (true, let user?): return .decide(device, .approve(user))
        case (false, nil): return .decide(device, .deny(reason: nil))
        default: return .invalid
        }
    }

    private static func authentication(_ frame: JSONValue) -> ClawlineQuestion {
        guard isOfThisVersion(frame), let device: DeviceID = identifier(frame["deviceId"]),
            let token = frame["token"]?.string
        else { return .invalid }
        var cursors: [Chat.Cursor] = []
        switch frame["lastMessageId"] {
        case nil, .null: break
        case .string(let last) where !last.isEmpty:
            cursors.append(Chat.Cursor(conversation: .main, last: MessageID(last)))
        default: return .invalid
        }
        for stream in frame["replayCursorsBySessionKey"]?.object?.members ?? [] {
            // An odd one counts as none, and for its stream alone.
            guard let last: MessageID = identifier(stream.value) else { continue }
            cursors.append(Chat.Cursor(conversation: ConversationID(stream.name), last: last))
        }
        return .authenticate(token: Secret(token), device, cursors: cursors)
    }

    private static func message(_ frame: JSONValue) -> ClawlineQuestion {
        guard let client: ClientID = identifier(frame["id"]), client.text.utf8.starts(with: "c_".utf8),
            let content = frame["content"]?.string
        else { return .invalid }
        var files: [File] = []
        for attachment in frame["attachments"]?.array ?? [] {
            guard let file = file(attachment), files.count < 4 else { return .invalid }
            files.append(file)
        }
        return .message(client, in: identifier(frame["sessionKey"]) ?? .main, content, files: files)
    }

    private static func file(_ attachment: JSONValue) -> File? {
        switch attachment["type"]?.string {
        case "asset": return identifier(attachment["assetId"]).map { .asset($0) }
        case "image":
            guard let mimeType = attachment["mimeType"]?.string, let data = attachment["data"]?.string
            else { return nil }
            return .image(mimeType: mimeType, data: data)
        default: return nil
        }
    }

    private static func isOfThisVersion(_ frame: JSONValue) -> Bool {
        frame["protocolVersion"]?.integer == ClawlineRequests.protocolVersion
    }

    private static func identifier<Kind>(_ value: JSONValue?) -> Identifier<Kind>? {
        guard let text = value?.string, !text.isEmpty else { return nil }
        return Identifier(text)
    }
}

extension ClawlineQuestion {
    /// The sentence with which the public provider refuses this frame of an accepted connection; nil if it takes it.
    var strictRefusal: ExactText? {
        switch self {
        case .message(_, _, "", _): "Missing content"
        case .decide(_, .approve(let user)) where !Self.isAccount(user): "Invalid userId"
        case .typing: "Unknown type"
        case .pair, .authenticate, .message, .decide, .invalid: nil
        }
    }

    /// Whether this is `user_` and a random UUID (RFC 9562, section 5.4).
    private static func isAccount(_ user: UserID) -> Bool {
        let form = Array("user_xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".utf8)
        return user.text.utf8.elementsEqual(form) { byte, form in
            switch form {
            case UInt8(ascii: "x"): "0123456789abcdef".utf8.contains(byte)
            case UInt8(ascii: "y"): "89ab".utf8.contains(byte)
            default: byte == form
            }
        }
    }
}
