// What chat keeps between launches, and under which keys. How it is spelled is not chat's to say.

extension Chat {
    /// Where chat keeps its records; all of them below the user they belong to (P10).
    public enum Key: DomainValue {
        /// Which conversations there are (C19).
        case conversations(UserID)
        /// When this device authenticated lately, and until when it must not (C2, C3).
        case pacing(UserID)
        /// What stands in the composer.
        case draft(UserID, ConversationID)
        /// What is written and not yet with the server.
        case outbox(UserID, ConversationID)
        /// Which pages there are.
        case contents(UserID, ConversationID)
        /// A stretch of the transcript, with the cursor up to which all was stored when it was written.
        case page(UserID, ConversationID, Int64)
        /// The bytes of a file that may still have to be sent.
        case attachment(UserID, AttachmentID)

        /// Whose record it is.
        var user: UserID {
            switch self {
            case .conversations(let user), .pacing(let user), .draft(let user, _), .outbox(let user, _),
                .contents(let user, _), .page(let user, _, _), .attachment(let user, _):
                user
            }
        }
    }

    /// What chat keeps.
    public enum Record: PlainValue {
        case conversations([ConversationEntry], current: ConversationID)
        case pacing(Pacing, uploadsNotBefore: WallTime? = nil)
        case draft(ExactText, attachments: [Attachment] = [], id: DraftID? = nil)
        case outbox([OutboxEntry])
        case contents(Contents)
        case page(Page)
        case attachment(AttachmentData)
    }
}

/// Who is signed in, on which device: what chat needs to connect.
public struct Account: DomainValue {
    /// The person.
    public let user: UserID
    /// The name of the token.
    public let secret: SecretHandle
    /// This installation.
    public let device: DeviceID
    /// When the token ends, if that is known.
    public let expires: WallTime?

    /// Creates an account.
    public init(user: UserID, secret: SecretHandle, device: DeviceID, expires: WallTime? = nil) {
        self.user = user
        self.secret = secret
        self.device = device
        self.expires = expires
    }

    /// The right to ask that comes with it.
    public var access: Streaming.Access { Streaming.Access(secret: secret, expires: expires) }

    /// The same person on the same device, with a right that was made new (S9).
    func renewed(_ access: Streaming.Access) -> Account {
        Account(user: user, secret: access.secret, device: device, expires: access.expires)
    }
}

/// A message on its way, as the outbox keeps it.
public struct OutboxEntry: DomainValue {
    /// The idempotency key under which it goes.
    package let key: ClientID
    /// Its name here, for good: the key, unless the server had it under another and then failed (C12).
    package let message: ClientID
    /// What it says.
    package let text: ExactText
    /// When it was written.
    package let written: WallTime
    /// Whether it was ever put on a wire under this key: the server may have it (C13).
    package internal(set) var wasSent: Bool
    /// Its files, in order.
    package internal(set) var attachments: [Attachment]
    /// The draft that it was: a stored draft of this name was sent (L6). None in a record of an earlier version.
    package let draft: DraftID?

    /// Creates an entry; a message that goes for the first time has its key as its name.
    package init(
        key: ClientID, message: ClientID? = nil, text: ExactText, written: WallTime, wasSent: Bool,
        attachments: [Attachment] = [], draft: DraftID? = nil
    ) {
        self.key = key
        self.message = message ?? key
        self.text = text
        self.written = written
        self.wasSent = wasSent
        self.attachments = attachments
        self.draft = draft
    }

    /// The same without what only this process knows of its files.
    var atRest: OutboxEntry {
        var rested = self
        for index in attachments.indices { rested.attachments[index] = attachments[index].atRest }
        return rested
    }
}

/// Which pages of a transcript there are. The server has withdrawn what lies below the oldest (C5).
public struct Contents: DomainValue {
    /// The oldest page.
    package let oldestPage: Int64
    /// The newest page.
    package let newestPage: Int64
    /// The messages that the person has deleted, whatever page they stand on; the newest 1,000 (C13).
    package let hidden: [MessageID]

    /// Creates contents.
    public init(oldestPage: Int64, newestPage: Int64, hidden: [MessageID] = []) {
        self.oldestPage = oldestPage
        self.newestPage = newestPage
        self.hidden = hidden
    }

    /// The greatest number of a page: no conversation has 100 billion messages.
    private static var greatestPage: Int64 { 1 << 31 }

    /// Whether a table can have been like that, whatever a damaged record says.
    var isPlausible: Bool {
        (0...Contents.greatestPage).contains(oldestPage) && newestPage >= oldestPage - 1
            && newestPage <= Contents.greatestPage
    }
}

/// A stretch of a transcript.
public struct Page: PlainValue {
    /// The messages, oldest first; none of them growing.
    package let messages: [Message]
    /// The message of the server up to which all is stored once this page is (C5).
    package let cursor: MessageID?

    /// Creates a page.
    public init(messages: [Message], cursor: MessageID?) {
        self.messages = messages
        self.cursor = cursor
    }
}
