// A message, as every feature sees it, and what an incoming one looks like before it has a place.

/// One message of a conversation.
public struct Message: DomainValue {
    /// The server's name for it, once that is known.
    public var id: MessageID?
    /// Its name among those written here; the idempotency key under which it was sent (SPEC L6). A reply that
    /// came by a stream of its own has one too, by which it is known before the server names it.
    public var client: ClientID?
    /// Who says it.
    public let role: Message.Role
    /// What it says.
    public var body: Body
    /// The device's wall time for what was written here, until the server tells its own; and for a reply until it is
    /// finished.
    public var time: WallTime
    /// How far a message of the person has come; none for others.
    public var status: Status?
    /// The device it was written on: this one, or the one that the server tells.
    public var device: DeviceID?
    /// Whether the server has told where it belongs among the others (SPEC C16).
    public var isPlaced: Bool
    /// Whether the person has deleted it: it keeps its place, so that nothing brings it back (SPEC C13).
    public var isHidden: Bool
    /// Whether the person does not want the reply to it, which has not begun (SPEC S10).
    public var isReplyUnwanted: Bool
    /// Its files, in order.
    public var attachments: [Attachment]
    /// The ids of its copies that may still be echoed, when it went under several (SPEC C12); none otherwise.
    public var unechoed: [ClientID]

    /// Creates a message.
    public init(
        id: MessageID? = nil, client: ClientID? = nil, role: Role, body: Body, time: WallTime,
        status: Status? = nil, device: DeviceID? = nil, isPlaced: Bool = false, isHidden: Bool = false,
        isReplyUnwanted: Bool = false, attachments: [Attachment] = [], unechoed: [ClientID] = []
    ) {
        self.id = id
        self.client = client
        self.role = role
        self.body = body
        self.time = time
        self.status = status
        self.device = device
        self.isPlaced = isPlaced
        self.isHidden = isHidden
        self.isReplyUnwanted = isReplyUnwanted
        self.attachments = attachments
        self.unechoed = unechoed
    }
}

/// Why a reply ended early.
public enum Interruption: DomainValue {
    /// The connection was lost.
    case lost
    /// The server sent nothing more for too long.
    case timedOut
    /// The server said that it failed, in these words.
    case failed(ExactText)
    /// It was longer than a reply may be.
    case tooLong
    /// The person had read enough of it (C20).
    case stopped
    /// The stream of the question was over before the reply was complete; whether the question needs a new
    /// client id to go again (S6).
    case ended(Streaming.Reason, needsNewID: Bool)
}

/// Why a message was not sent, or not answered.
public enum SendFailure: DomainValue {
    /// The server does not take it: too large, or not valid.
    case rejected(ExactText)
    /// The server has it, and no reply came in time (C12).
    case noReply
    /// A file of it could not be uploaded (C14).
    case uploadFailed
    /// The bytes of a file of it are no longer on this device.
    case fileMissing
    /// It has files, and what carries the conversation takes none.
    case filesNotTaken
    /// The server has it, and its reply failed (C12).
    case replyFailed(ExactText)
    /// The stream of the question was over before anything of the reply had come (S4); whether it needs a new
    /// client id to go again (S6). The server may have the question.
    case ended(Streaming.Reason, needsNewID: Bool)
}

extension SendFailure {
    /// Whether the server is not known to have the message.
    var isUnsent: Bool {
        switch self {
        case .rejected, .uploadFailed, .fileMissing, .filesNotTaken, .ended: true
        case .noReply, .replyFailed: false
        }
    }
}

/// A message as it arrives, before it has a place.
public struct IncomingMessage: PlainValue {
    /// The server's name for it.
    public let id: MessageID
    /// The conversation that it belongs to.
    public let conversation: ConversationID
    /// The sender's name for it, where the protocol carries it back.
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

    /// Creates an incoming message.
    public init(
        id: MessageID, conversation: ConversationID = .main, client: ClientID? = nil, role: Message.Role,
        text: ExactText, time: WallTime, device: DeviceID? = nil, isGrowing: Bool,
        files: [IncomingFile] = []
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
    }
}

extension Message {
    /// Whether the server has named and placed it, and all of it is here: what a cursor may point at (C5).
    var isFinished: Bool {
        guard isPlaced, id != nil, case .text = body else { return false }
        return true
    }

    /// Who says a message.
    public enum Role: DomainValue {
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
        case interrupted(LongText, Interruption)
    }

    /// How far a message of the person has come (SPEC section 1).
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
