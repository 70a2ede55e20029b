// A message as every feature sees it, and an incoming one before it has a place. What a message knows follows from
// its author: only one that was written here has a status and keys.

/// One message of a conversation.
public struct Message: DomainValue {
    /// The server's name for it, once that is known; the latest when it was sent more than once.
    public internal(set) var id: MessageID?
    /// Where it comes from.
    public internal(set) var author: Author
    /// What it says.
    public internal(set) var body: Body
    /// The server's time; until it is told, the device's, and for a reply that of its beginning.
    public internal(set) var time: WallTime
    /// Whether the server has told where it belongs among the others (C16).
    package internal(set) var isPlaced: Bool
    /// Whether the person has deleted it: it keeps its place, so that nothing brings it back (C13).
    public internal(set) var isHidden: Bool
    /// Its files, in order.
    public internal(set) var attachments: [Attachment]
    /// The name of who says it, when there is one.
    public internal(set) var sender: ExactText?
    /// What a backend has marked it with; kept, and shown by nobody here.
    public internal(set) var flags: [ExactText]

    /// Creates a message.
    public init(
        id: MessageID? = nil, author: Author, body: Body, time: WallTime, isPlaced: Bool = false,
        isHidden: Bool = false, attachments: [Attachment] = [], sender: ExactText? = nil,
        flags: [ExactText] = []
    ) {
        self.id = id
        self.author = author
        self.body = body
        self.time = time
        self.isPlaced = isPlaced
        self.isHidden = isHidden
        self.attachments = attachments
        self.sender = sender
        self.flags = flags
    }

    /// Where a message comes from.
    public enum Author: DomainValue {
        /// The person, on this device.
        case here(Written)
        /// The person, on another device, or on this one in a life that it has forgotten.
        case elsewhere(DeviceID?)
        /// The other side, in reply to a message written here as far as that is known.
        case assistant(to: ClientID?)
        /// Nobody.
        case system
    }

    /// Who says a message.
    public enum Role: String, DomainValue {
        case user
        case assistant
        case system
    }

    /// What a message says.
    public enum Body: DomainValue {
        /// Its whole text.
        case text(LongText)
        /// A reply that grows; its text lives with the replies until it ends.
        case growing
        /// A reply that ended early: what there is of it, and why.
        case interrupted(LongText, ReplyEnding)
    }

    /// What is known of a message that was written here.
    public struct Written: DomainValue {
        /// Its name here, for good: the id under which it went, or was to go, first.
        public let client: ClientID
        /// The idempotency key under which it goes now (L6).
        public internal(set) var key: ClientID
        /// How far it has come.
        public internal(set) var status: Status
        /// The keys under which it went before, oldest first (C12).
        package internal(set) var former: [Former]
        /// Whether the person does not want the reply to it, which has not begun (S10).
        package internal(set) var isReplyUnwanted: Bool

        /// Creates what is known of a message.
        public init(
            client: ClientID, key: ClientID? = nil, status: Status, former: [Former] = [],
            isReplyUnwanted: Bool = false
        ) {
            self.client = client
            self.key = key ?? client
            self.status = status
            self.former = former
            self.isReplyUnwanted = isReplyUnwanted
        }

        /// The key of the copy that the server calls so: the present one, unless a former is known by that name.
        func key(echoedAs id: MessageID) -> ClientID { former.first { $0.echo == id }?.key ?? key }
    }

    /// A key under which a message went before it got another.
    public struct Former: DomainValue {
        /// The key.
        package let key: ClientID
        /// What the server called the copy that went under it, once that is known.
        package internal(set) var echo: MessageID?

        /// Creates a former key.
        package init(key: ClientID, echo: MessageID? = nil) {
            self.key = key
            self.echo = echo
        }
    }

    /// How far a message of the person has come.
    public enum Status: DomainValue {
        /// It waits for its turn.
        case queued
        /// Its files are being uploaded; so many percent are sent, in steps of 5.
        case uploading(percent: Int64)
        /// It was put on a wire.
        case sending
        /// It was put on a wire, and nobody has said that it arrived.
        case slow
        /// The server has it; a reply may come.
        case accepted
        /// The server has it and has answered or echoed it, or its reply is no longer wanted.
        case delivered
        /// It was not sent, or not answered.
        case failed(SendFailure)
    }
}

/// Why a reply is not complete, wherever it came by.
public struct ReplyEnding: DomainValue {
    /// Why.
    public let reason: Streaming.Reason
    /// Whether the server had accepted the question and then failed: to be asked again it needs another key (S6).
    package let needsNewKey: Bool

    /// Creates an ending.
    package init(_ reason: Streaming.Reason, needsNewKey: Bool) {
        self.reason = reason
        self.needsNewKey = needsNewKey
    }
}

/// Why a message was not sent, or not answered.
public enum SendFailure: DomainValue {
    /// The server does not take it: too large, or not valid.
    case rejected(ExactText)
    /// A file of it could not be uploaded (C14); the server's sentence, where it gave one.
    case uploadFailed(ExactText)
    /// The bytes of a file of it are no longer on this device.
    case fileMissing
    /// It has files, and what carries the conversation takes none.
    case filesNotTaken
    /// Nothing of a reply has come, and none will (C12, S4).
    case unanswered(ReplyEnding)
}

extension SendFailure {
    var isUnsent: Bool {
        switch self {
        case .rejected, .uploadFailed, .fileMissing, .filesNotTaken: true
        case .unanswered(let ending): !ending.needsNewKey
        }
    }
}

/// A message as it arrives, before it has a place.
public struct IncomingMessage: PlainValue {
    /// The server's name for it.
    public let id: MessageID
    /// The conversation that it belongs to.
    public let conversation: ConversationID
    /// The sender's key for it, where the protocol carries it back.
    public let client: ClientID?
    /// Who says it.
    public let role: Message.Role
    /// Its whole text so far.
    public let text: ExactText
    /// The server's time for it.
    public let time: WallTime
    /// The device it was written on, when the server tells.
    public let device: DeviceID?
    /// Whether more of it may come.
    public let isGrowing: Bool
    /// Its files, in order; their bytes are not brought here.
    public let files: [IncomingFile]
    /// The name of who says it, when there is one.
    public let sender: ExactText?
    /// What the server has marked it with.
    public let flags: [ExactText]

    /// Creates an incoming message.
    public init(
        id: MessageID, conversation: ConversationID = .main, client: ClientID? = nil, role: Message.Role,
        text: ExactText, time: WallTime, device: DeviceID? = nil, isGrowing: Bool,
        files: [IncomingFile] = [], sender: ExactText? = nil, flags: [ExactText] = []
    ) {
        self.id = id
        self.conversation = conversation
        self.client = client
        self.role = role
        self.text = text
        self.time = time
        self.device = device
        self.isGrowing = isGrowing
        self.files = files
        self.sender = sender
        self.flags = flags
    }
}

extension Message {
    /// Who says it.
    public var role: Role {
        switch author {
        case .here, .elsewhere: .user
        case .assistant: .assistant
        case .system: .system
        }
    }

    @inline(__always) var isFromPerson: Bool {
        switch author {
        case .here, .elsewhere: true
        case .assistant, .system: false
        }
    }

    /// What is known of it when it was written here.
    public internal(set) var written: Written? {
        get { if case .here(let written) = author { written } else { nil } }
        set { if let newValue { author = .here(newValue) } }
    }

    /// Its name here, when it was written here.
    public var client: ClientID? { written?.client }

    /// How far it has come, when it was written here.
    public internal(set) var status: Status? {
        get { written?.status }
        set {
            guard let newValue, case .here(var written) = author else { return }
            written.status = newValue
            author = .here(written)
        }
    }

    /// The message written here to which it is the reply, as far as that is known.
    public var question: ClientID? {
        if case .assistant(let question) = author { question } else { nil }
    }

    var wasRetried: Bool { !(written?.former.isEmpty ?? true) }

    /// Whether all of it can be sent once more: what it carried itself is erased once it was delivered.
    var canGoAgain: Bool { status != .delivered || attachments.allSatisfy { $0.source != .inline } }

    var isRefused: Bool {
        switch status {
        case .failed(.rejected), .failed(.filesNotTaken): true
        default: false
        }
    }
}

extension Message.Status {
    /// Whether the server has not said that it has the message, nor that it does not take it.
    var isUnconfirmed: Bool {
        switch self {
        case .queued, .uploading, .sending, .slow: true
        case .accepted, .delivered, .failed: false
        }
    }
}

extension Message.Body {
    /// Whether the person has stopped it: then only a replay may complete it (C20).
    var isStopped: Bool {
        if case .interrupted(_, let ending) = self { ending.reason == .stopped } else { false }
    }

    /// Whether it ended with the connection, so that it may go on.
    var isLost: Bool {
        if case .interrupted(_, let ending) = self { ending.reason == .broken(.lost) } else { false }
    }
}
