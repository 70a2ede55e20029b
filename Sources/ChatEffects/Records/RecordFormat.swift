// The formats of all stored records, with name and version (R5). Docs/Storage.md has a row for each, and a test
// compares the two. Raise a version when an older app could not read the new content; keep it for an added field that
// an older app may ignore.

import ChatDomain

/// A format of stored records.
public enum RecordFormat: PlainValue, CaseIterable {
    case device, credentials, secret, request
    case conversations, pacing, draft, outbox, contents, page, attachment
    case asking

    /// The name in the record's envelope.
    public var name: ExactText {
        switch self {
        case .device: "device"
        case .credentials: "credentials"
        case .secret: "secret"
        case .request: "request"
        case .conversations: "conversations"
        case .pacing: "pacing"
        case .draft: "draft"
        case .outbox: "outbox"
        case .contents: "contents"
        case .page: "page"
        case .attachment: "attachment"
        case .asking: "asking"
        }
    }

    /// The newest readable version, which is also the written one. Nil for content without an envelope: a secret, whose
    /// bytes the machine never sees, and the bytes of a file.
    public var version: Int64? {
        switch self {
        case .device, .credentials, .request, .conversations, .pacing, .contents, .asking: 1
        case .draft: 2  // 1 has no files
        // 1 has no files; 1 and 2 identify a message by the key of its last copy.
        case .outbox, .page: 3
        case .secret, .attachment: nil
        }
    }
}

extension RecordPath {
    /// The root of all records of one person; its erase removes them all (P10).
    public static func person(_ user: UserID) -> RecordPath {
        RecordPath(["users", user.text])
    }
}

extension App.Key: RecordKey {
    /// The storage path. Page numbers have no leading zeros: a name has no meaning for a driver, so nothing depends on
    /// the order of names.
    public var path: RecordPath {
        switch self {
        case .pairing(.device): RecordPath(["device"])
        case .pairing(.credentials): RecordPath(["credentials"])
        case .pairing(.secret(let handle)): RecordPath(["secrets", handle.name], protection: .secret)
        case .pairing(.request): RecordPath(["request"])
        case .person(let user): RecordPath.person(user)
        case .chat(.conversations(let user)):
            RecordPath(RecordPath.person(user).components + ["list"])
        case .chat(.pacing(let user)):
            RecordPath(RecordPath.person(user).components + ["pacing"])
        case .chat(.draft(let user, let conversation)): path(user, conversation, ["draft"])
        case .chat(.outbox(let user, let conversation)): path(user, conversation, ["outbox"])
        case .chat(.contents(let user, let conversation)): path(user, conversation, ["contents"])
        case .chat(.page(let user, let conversation, let page)):
            path(user, conversation, ["pages", ExactText("\(page)")])
        case .chat(.attachment(let user, let attachment)):
            RecordPath(RecordPath.person(user).components + ["attachments", attachment.text])
        case .assistant(.pacing(let user)):
            RecordPath(RecordPath.person(user).components + ["asking"])
        }
    }

    private func path(
        _ user: UserID, _ conversation: ConversationID, _ names: [ExactText]
    ) -> RecordPath {
        RecordPath(RecordPath.person(user).components + ["conversations", conversation.text] + names)
    }

    /// The format of the record under this key; nil for a key without a record.
    public var format: RecordFormat? {
        switch self {
        case .person: nil
        case .pairing(.device): .device
        case .pairing(.credentials): .credentials
        case .pairing(.secret): .secret
        case .pairing(.request): .request
        case .chat(.conversations): .conversations
        case .chat(.pacing): .pacing
        case .chat(.draft): .draft
        case .chat(.outbox): .outbox
        case .chat(.contents): .contents
        case .chat(.page): .page
        case .chat(.attachment): .attachment
        case .assistant(.pacing): .asking
        }
    }
}
