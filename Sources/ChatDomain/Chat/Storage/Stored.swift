// The stored records of chat: their keys, and their values. Start with `Key`. Every key contains its user, so that no
// other person reads the record (P10). `StoredRecord` in ChatEffects/Records defines the format.

extension Chat {
    /// The key of a stored record (P10).
    public enum Key: DomainValue {
        /// The list of conversations (C19).
        case conversations(UserID)
        /// The times that limit connecting and uploading (C2, C3, C14).
        case pacing(UserID)
        /// The content of the composer.
        case draft(UserID, ConversationID)
        /// The messages that the server is not known to have.
        case outbox(UserID, ConversationID)
        /// The range of the stored pages.
        case contents(UserID, ConversationID)
        /// A page of the transcript, with the cursor at the time of its save.
        case page(UserID, ConversationID, Int64)
        /// The bytes of a file that may still be sent.
        case attachment(UserID, AttachmentID)

        var user: UserID {
            switch self {
            case .conversations(let user), .pacing(let user), .draft(let user, _), .outbox(let user, _),
                .contents(let user, _), .page(let user, _, _), .attachment(let user, _):
                user
            }
        }
    }

    /// The value of a stored record; each case belongs to the key of its name.
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

/// The signed-in person and device, as a connection needs them.
public struct Account: DomainValue {
    /// The person.
    public let user: UserID
    /// The handle of the token.
    public let secret: SecretHandle
    /// The installation.
    public let device: DeviceID
    /// When the token expires; `nil` if unknown.
    public let expires: WallTime?

    /// Creates an account.
    public init(user: UserID, secret: SecretHandle, device: DeviceID, expires: WallTime? = nil) {
        (self.user, self.secret, self.device, self.expires) = (user, secret, device, expires)
    }

    /// The credentials of a request on a stream.
    var access: Streaming.Access { Streaming.Access(secret: secret, expires: expires) }

    /// The same account with refreshed credentials (S9).
    func renewed(_ access: Streaming.Access) -> Account {
        Account(user: user, secret: access.secret, device: device, expires: access.expires)
    }
}

/// A message of the outbox, as it is stored.
public struct OutboxEntry: DomainValue {
    /// The current idempotency key.
    package let key: ClientID
    /// The local id: the first key, which no retry changes (C12).
    package internal(set) var client: ClientID
    package let text: ExactText
    /// When the person wrote it.
    package let written: WallTime
    /// Whether it may have been sent under this key (C13).
    package internal(set) var wasSent: Bool
    /// The files, in order.
    package internal(set) var attachments: [Chat.Attachment]
    /// The id of its draft: a stored draft with this id was sent (L6). `nil` in a record of an earlier version.
    package let draft: DraftID?

    /// Creates an entry; on the first send the key is the local id. A message of files alone has the name of its first
    /// file as text: servers refuse a message without text, and an echo is matched by it (C14).
    package init(
        key: ClientID, client: ClientID? = nil, text: ExactText, written: WallTime, wasSent: Bool,
        attachments: [Chat.Attachment] = [], draft: DraftID? = nil
    ) {
        self.key = key
        self.client = client ?? key
        self.text = text.isBlank ? attachments.first?.title ?? text : text
        (self.written, self.wasSent, self.attachments) = (written, wasSent, attachments)
        self.draft = draft
    }

    /// The length of the text and of the files that the message carries itself, in bytes.
    var byteCount: Int64 { saturatingSum(text.byteCount, attachments.inlineByteCount) }

    /// The entry without running uploads, for storage.
    var atRest: OutboxEntry {
        var rested = self
        for index in attachments.indices { rested.attachments[index] = attachments[index].atRest }
        return rested
    }
}

/// The range of the stored pages. The server has withdrawn all pages before the oldest (C5).
public struct Contents: DomainValue {
    package let oldestPage: Int64
    package let newestPage: Int64
    /// The server's ids of deleted messages on any page; the newest 1,000 (C13).
    package let hidden: [MessageID]

    /// Creates contents. Without pages, `newestPage` is one less than `oldestPage`.
    package init(oldestPage: Int64, newestPage: Int64, hidden: [MessageID] = []) {
        (self.oldestPage, self.newestPage, self.hidden) = (oldestPage, newestPage, hidden)
    }

    /// The greatest page number: no conversation has 100 billion messages.
    private static var greatestPage: Int64 { 1 << 31 }

    /// Whether such contents can exist; those of a damaged record may not.
    var isPlausible: Bool {
        (0...Contents.greatestPage).contains(oldestPage) && newestPage >= oldestPage - 1
            && newestPage <= Contents.greatestPage
    }
}

/// A page of a transcript.
public struct Page: PlainValue {
    /// The messages, oldest first; none of them is growing.
    package let messages: [Message]
    /// The cursor: the server's id of the message up to which everything is stored (C5).
    package let cursor: MessageID?

    /// Creates a page.
    package init(messages: [Message], cursor: MessageID?) {
        self.messages = messages
        self.cursor = cursor
    }
}
