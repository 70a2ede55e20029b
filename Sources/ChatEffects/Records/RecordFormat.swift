// Every kind of stored record of the library: the name and version of its format (R5), and its path.
// Docs/Storage.md has a row for each, and a test compares the two. A version is raised when an older app cannot read
// the new form; a field that an older app may ignore is added without raising it.

import ChatDomain

/// The format of a kind of stored record.
public struct RecordFormat: PlainValue {
    /// The name in the record's envelope.
    let name: ExactText
    /// The version that this code writes, and the newest that it reads.
    let version: Int64

    /// Creates a format. Versions count from 1.
    public init(_ name: ExactText, version: Int64 = 1) {
        self.name = name
        self.version = max(version, 1)
    }
}

extension RecordFormat {
    static let device = RecordFormat("device")
    static let credentials = RecordFormat("credentials")
    static let request = RecordFormat("request")
    static let conversations = RecordFormat("conversations")
    static let pacing = RecordFormat("pacing")
    /// Version 1 has no files.
    static let draft = RecordFormat("draft", version: 2)
    /// Version 1 has no files; up to version 2 a message is identified by the key of its last send.
    static let outbox = RecordFormat("outbox", version: 3)
    static let contents = RecordFormat("contents")
    /// The versions are those of the outbox.
    static let page = RecordFormat("page", version: 3)
    static let asking = RecordFormat("asking")
}

// MARK: Paths

extension RecordPath {
    /// The root of all records of one person; its erase removes them all (P10).
    public static func person(_ user: UserID) -> RecordPath {
        RecordPath(["users", user.text])
    }

    /// The path of the secret with that handle: there is one path, so that a driver finds it by its handle.
    public static func secret(_ handle: SecretHandle) -> RecordPath {
        RecordPath(["secrets", handle.name], protection: .secret)
    }

    /// The path below this one.
    public func appending(_ names: ExactText...) -> RecordPath {
        RecordPath(components + names, protection: protection)
    }
}

extension Pairing.Key: RecordKey {
    /// The path of the record.
    public var path: RecordPath {
        switch self {
        case .device: Self.devicePath
        case .credentials: Self.credentialsPath
        case .secret(let handle): .secret(handle)
        case .request: Self.requestPath
        }
    }

    private static let devicePath = RecordPath(["device"])
    private static let credentialsPath = RecordPath(["credentials"])
    private static let requestPath = RecordPath(["request"])
}

extension Chat.Key: RecordKey {
    /// The path of the record. Page numbers have no leading zeros: names mean nothing to a driver, so nothing
    /// depends on their order.
    public var path: RecordPath {
        switch self {
        case .conversations(let user): .person(user).appending("list")
        case .pacing(let user): .person(user).appending("pacing")
        case .draft(let user, let conversation): path(user, conversation).appending("draft")
        case .outbox(let user, let conversation): path(user, conversation).appending("outbox")
        case .contents(let user, let conversation): path(user, conversation).appending("contents")
        case .page(let user, let conversation, let page):
            path(user, conversation).appending("pages", ExactText("\(page)"))
        case .attachment(let user, let attachment): .person(user).appending("attachments", attachment.text)
        }
    }

    private func path(_ user: UserID, _ conversation: ConversationID) -> RecordPath {
        .person(user).appending("conversations", conversation.text)
    }
}

extension Assistant.Key: RecordKey {
    /// The path of the record.
    public var path: RecordPath {
        switch self {
        case .pacing(let user): .person(user).appending("asking")
        }
    }
}

extension ChatApp.Key: RecordKey {
    /// The path of the record.
    public var path: RecordPath {
        switch self {
        case .pairing(let key): key.path
        case .chat(let key): key.path
        case .assistant(let key): key.path
        case .person(let user): .person(user)
        }
    }
}
