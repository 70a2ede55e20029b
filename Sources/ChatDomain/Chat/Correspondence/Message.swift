// A message in a transcript, and a received message before it has a row. Start with `Message`. Its author decides what
// it has: only a message that was written here has a status and keys, and only a reply can grow.

/// One message of a conversation.
package struct Message: DomainValue {
    /// The server's id, once known; of a message with several copies, the latest.
    package internal(set) var id: MessageID?
    /// Its origin.
    package internal(set) var author: Author
    /// Its text, or the state of its reply.
    package internal(set) var body: Body
    /// The server's time. Until that is known, the device's; of a growing reply, that of its first event.
    package internal(set) var time: WallTime
    /// Whether the server's order is known (C16).
    package internal(set) var isPlaced: Bool
    /// Whether the person deleted it. The row stays, so that a replay does not restore it (C13).
    package internal(set) var isHidden: Bool
    /// Whether it was received since the person left the end of the conversation (C22). Not stored.
    var isNew = false
    /// The files, in order.
    package internal(set) var attachments: [Chat.Attachment]
    /// The display name of the sender, if there is one.
    package internal(set) var sender: ExactText?
    /// The marks of the backend.
    package internal(set) var flags: [ExactText]

    /// Creates a message.
    package init(
        id: MessageID? = nil, author: Author, body: Body, time: WallTime, isPlaced: Bool = false,
        isHidden: Bool = false, attachments: [Chat.Attachment] = [], sender: ExactText? = nil,
        flags: [ExactText] = []
    ) {
        (self.id, self.author, self.body, self.time, self.isPlaced) = (id, author, body, time, isPlaced)
        (self.isHidden, self.attachments, self.sender, self.flags) = (isHidden, attachments, sender, flags)
    }

    /// The origin of a message.
    package enum Author: DomainValue {
        /// The person, on this device.
        case here(Written)
        /// The person, on another device, or on this one before it lost its records. `isUnanswered` is whether the
        /// reply has failed before any text, so that none comes.
        case elsewhere(DeviceID?, isUnanswered: Bool = false)
        /// The assistant; `to` is the question of this device, as far as that is known, or the key of one that is not in
        /// memory, and `isNamed` whether the reply itself names its question.
        case assistant(to: ClientID?, isNamed: Bool = false)
        /// The server itself.
        case system
    }

    /// The content of a message.
    package enum Body: DomainValue {
        /// Complete.
        case text(LongText)
        /// A growing reply; its text is in `Pushed.growing` until it ends.
        case growing
        /// A reply that ended early: its partial text, and the reason.
        case interrupted(LongText, ReplyEnding)

        /// Whether it is complete, with this text.
        func isComplete(saying text: LongText) -> Bool {
            if case .text(let current) = self { current == text } else { false }
        }

        /// Whether the person has stopped it; then only a replay completes it (C20).
        var isStopped: Bool {
            if case .interrupted(_, let ending) = self { ending.reason == .stopped } else { false }
        }

        /// Whether it has ended before its first text.
        var isTextless: Bool {
            if case .interrupted(let partial, _) = self { partial.isEmpty } else { false }
        }

        /// Whether the lost connection has ended it, so that it may continue.
        var isLost: Bool {
            if case .interrupted(_, let ending) = self { ending.reason == .broken(.lost) } else { false }
        }
    }

    /// The state of a message that was written here.
    package struct Written: DomainValue {
        /// The local id, which never changes: the first key.
        package let client: ClientID
        /// The current idempotency key (L6).
        package internal(set) var key: ClientID
        /// The progress of the sending.
        package internal(set) var status: Chat.SendStatus
        /// The earlier keys, oldest first (C12).
        package internal(set) var former: [Former]
        /// Whether no reply is to come: the person has stopped it before it began (S10), or the message was a command that
        /// the server has obeyed.
        package internal(set) var isReplyUnwanted: Bool

        /// Creates the state of a written message; without a key, the local id is the key.
        package init(
            client: ClientID, key: ClientID? = nil, status: Chat.SendStatus, former: [Former] = [],
            isReplyUnwanted: Bool = false
        ) {
            self.client = client
            self.key = key ?? client
            (self.status, self.former, self.isReplyUnwanted) = (status, former, isReplyUnwanted)
        }

        /// The key of the copy with this server id: a former key, or else the current one.
        func key(echoedAs id: MessageID) -> ClientID { former.first { $0.echo == id }?.key ?? key }
    }

    /// An earlier key of a message.
    package struct Former: DomainValue {
        /// The idempotency key.
        package let key: ClientID
        /// The server's id of the copy, once known.
        package internal(set) var echo: MessageID?

        /// Creates a former key.
        package init(key: ClientID, echo: MessageID? = nil) {
            self.key = key
            self.echo = echo
        }
    }
}

extension Chat {
    /// The role of a sender.
    public enum Role: DomainValue {
        case user
        case assistant
        case system
    }

    /// The progress of a message of this device.
    public enum SendStatus: DomainValue {
        /// Waiting in the outbox.
        case queued
        /// Uploading its files, in percent and steps of 5.
        case uploading(percent: Int64)
        /// In flight.
        case sending
        /// In flight, without an acknowledgement in time.
        case slow
        /// Acknowledged; a reply may come.
        case accepted
        /// Echoed or answered; or acknowledged, with a reply that the person does not want.
        case delivered
        /// Not sent, or not answered.
        case failed(SendFailure)

        /// Whether the server is known neither to have accepted nor to have refused it.
        var isUnconfirmed: Bool {
            switch self {
            case .queued, .uploading, .sending, .slow: true
            case .failed(.unanswered(let ending)): ending == .unknown
            case .accepted, .delivered, .failed: false
            }
        }
    }
}

/// Why a reply is incomplete, on any carriage.
public struct ReplyEnding: DomainValue {
    /// The reason of the end.
    public let reason: Streaming.Reason
    /// Whether the server accepted the question and then failed; a retry then needs a new key (S6).
    package let needsNewKey: Bool

    /// Creates an ending with its reason.
    package init(_ reason: Streaming.Reason, needsNewKey: Bool) {
        self.reason = reason
        self.needsNewKey = needsNewKey
    }
}

/// Why a message is not sent, or not answered.
public enum SendFailure: DomainValue {
    /// Refused by the server with this sentence: too large, or invalid.
    case rejected(ExactText)
    /// An upload failed (C14), with the server's sentence or an empty text.
    case uploadFailed(ExactText)
    /// The stored bytes of a file are gone.
    case fileMissing
    /// The carriage takes no files.
    case filesNotTaken
    /// No reply, or one that ended without text (C12, S4).
    case unanswered(ReplyEnding)

    var isUnsent: Bool {
        switch self {
        case .rejected, .uploadFailed, .fileMissing, .filesNotTaken: true
        case .unanswered(let ending): !ending.needsNewKey
        }
    }
}

/// A received message, before it has a row.
public struct IncomingMessage: PlainValue {
    /// The server's id.
    let id: MessageID
    /// The conversation; `nil` if the server does not name it.
    let conversation: ConversationID?
    /// The idempotency key, if the protocol returns it.
    package let client: ClientID?
    let role: Chat.Role
    /// The whole text so far.
    let text: ExactText
    /// The server's time.
    let time: WallTime
    /// The device of the sender, if the server names it.
    let device: DeviceID?
    /// Whether more text may come.
    let isGrowing: Bool
    /// The descriptions of the files, in order.
    let files: [IncomingFile]
    /// The display name of the sender, if there is one.
    let sender: ExactText?
    /// The marks of the backend.
    let flags: [ExactText]
    /// The key of the question that it answers, from a server whose replies name theirs; `nil` where only the order tells.
    let question: ClientID?

    /// Creates a received message. One of a person does not grow.
    public init(
        id: MessageID, conversation: ConversationID? = .main, client: ClientID? = nil, role: Chat.Role,
        text: ExactText, time: WallTime, device: DeviceID? = nil, isGrowing: Bool,
        files: [IncomingFile] = [], sender: ExactText? = nil, flags: [ExactText] = [],
        question: ClientID? = nil
    ) {
        (self.id, self.conversation, self.client, self.role) = (id, conversation, client, role)
        (self.text, self.time, self.device) = (text, time, device)
        // What a person has written is whole: of a running question Clawline says that it streams, and means its reply.
        self.isGrowing = isGrowing && role != .user
        (self.files, self.sender, self.flags, self.question) = (files, sender, flags, question)
    }
}

extension Message {
    /// 1 if it is unread, otherwise 0: what the person has deleted is not unread (C13, C22).
    var unreadCount: Int64 { isNew && !isHidden ? 1 : 0 }

    /// 1 if it has failed, is not with the server and is not deleted, otherwise 0 (L5).
    var unsentCount: Int64 {
        if !isHidden, case .failed(let failure) = status, failure.isUnsent { 1 } else { 0 }
    }

    /// The role of the sender.
    @inline(__always) package var role: Chat.Role {
        switch author {
        case .here, .elsewhere: .user
        case .assistant: .assistant
        case .system: .system
        }
    }

    /// Replaces the text of a finished reply without files and flags. Returns whether it differs; `nil`, without a
    /// change, for any other message, and if more than the text changes.
    @inline(__always) mutating func rewrite(as message: Boxed<IncomingMessage>) -> Bool? {
        guard case .text = body, isPlaced, role != .user, attachments.isEmpty, flags.isEmpty,
            message.wrappedValue.sender.map({ $0 == sender }) ?? true
        else { return nil }
        let text = LongText(message.wrappedValue.text)
        if body.isComplete(saying: text) { return false }
        body = .text(text)
        return true
    }

    /// The state of a message that was written here; `nil` of any other.
    package internal(set) var written: Written? {
        get { if case .here(let written) = author { written } else { nil } }
        set { if let newValue { author = .here(newValue) } }
    }

    /// The local id of a message that was written here; `nil` of any other.
    package var client: ClientID? { written?.client }

    /// The progress of a message that was written here; `nil` of any other.
    package internal(set) var status: Chat.SendStatus? {
        get { written?.status }
        set {
            guard let newValue, case .here(var written) = author else { return }
            written.status = newValue
            author = .here(written)
        }
    }

    /// The local id of the question of this device that it answers; `nil` if there is none or it is unknown.
    var question: ClientID? { if case .assistant(let question, _) = author { question } else { nil } }

    /// Whether it is a reply that names its question, which may be of another client.
    var namesQuestion: Bool { if case .assistant(_, isNamed: true) = author { true } else { false } }

    var wasRetried: Bool { !(written?.former.isEmpty ?? true) }

    /// Whether all of it can be sent again: the bytes of inline files are erased after the delivery, unless its reply may
    /// still fail without text (`Conversation.canGoAgain`).
    var canGoAgain: Bool { status != .delivered || attachments.allSatisfy { $0.source != .inline } }

    var isRefused: Bool {
        switch status {
        case .failed(.rejected), .failed(.filesNotTaken): true
        default: false
        }
    }
}
