// Every kind of stored record of the library, by the name and version of its format (R5), and where it is stored.
// Docs/Storage.md has a row for each, and a test compares the two. A version is raised when an older app cannot read what
// is written; a field that an older app may ignore is added without raising it.

import ChatDomain

/// The format of a kind of stored record.
public struct RecordFormat: PlainValue {
    /// The name that stands in the record's envelope.
    let name: ExactText
    /// The newest version that this code reads, and the one that it writes.
    let version: Int64

    /// Names a format. Versions count from 1.
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
    /// Version 1 has no files; up to version 2 a message is known by the key under which it was last sent.
    static let outbox = RecordFormat("outbox", version: 3)
    static let contents = RecordFormat("contents")
    /// As the outbox.
    static let page = RecordFormat("page", version: 3)
    static let asking = RecordFormat("asking")
}

// MARK: Paths

extension RecordPath {
    /// The root of all records of one person; its erase removes them all (P10).
    public static func person(_ user: UserID) -> RecordPath {
        RecordPath(["users", user.text])
    }

    /// Where the secret with that handle is stored: there is one place, so that a driver finds it by its handle.
    public static func secret(_ handle: SecretHandle) -> RecordPath {
        RecordPath(["secrets", handle.name], protection: .secret)
    }

    /// The path below this one.
    public func appending(_ names: ExactText...) -> RecordPath {
        RecordPath(components + names, protection: protection)
    }
}

extension Pairing.Key: RecordKey {
    /// Where the record is stored.
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
    /// Where the record is stored. Page numbers are written without leading zeros: names mean nothing to a
    /// driver, so nothing rests on their order.
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
    /// Where the record is stored.
    public var path: RecordPath {
        switch self {
        case .pacing(let user): .person(user).appending("asking")
        }
    }
}

extension ChatApp.Key: RecordKey {
    /// Where the record is stored.
    public var path: RecordPath {
        switch self {
        case .pairing(let key): key.path
        case .chat(let key): key.path
        case .assistant(let key): key.path
        case .person(let user): .person(user)
        }
    }
}
