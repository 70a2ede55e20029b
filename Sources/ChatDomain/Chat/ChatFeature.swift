// Chat: the connection, what is sent, and what arrives (C1–C22).
//
// Start with the state in ChatState.swift, then read the switch in ChatReducer.swift, which names the chapters. This file
// holds the vocabulary.

/// The feature that owns the conversations.
public struct Chat: Feature {
    /// The numbers that an app may change. Behind a reference, because each action takes them along.
    public var configuration: Configuration {
        get { numbers.wrappedValue }
        set { numbers.wrappedValue = newValue }
    }

    var numbers: Boxed<Configuration>

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) {
        numbers = Boxed(wrappedValue: configuration)
    }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// The chat is on the screen.
        case shown
        /// The chat was left.
        case left
        /// The text of the composer changed.
        case draftEdited(ExactText)
        /// The person sends what stands in the composer.
        case sent
        /// The person adds a file to what stands in the composer (C14).
        case attachmentPicked(PickedFile)
        /// The person takes a file out of the composer again.
        case attachmentRemoved(AttachmentID)
        /// The person wants a message sent or answered after all that was not (C12).
        case retried(Row.ID)
        /// The person no longer wants to see a message, or to have it sent (C13).
        case deleted(Row.ID)
        /// The person wants a message of theirs to say something else (C13).
        case messageEdited(ClientID, ExactText)
        /// The person wants a message sent although it was written long ago (limits).
        case heldApproved(ClientID)
        /// The person has read enough of a reply that is growing (C20).
        case replyStopped(Row.ID)
        /// The person no longer wants the replies of which nothing can be seen yet (S10).
        case waitingStopped
        /// The person looks at the newest message, or no longer does (C22).
        case scrolled(isAtEnd: Bool)
        /// The person wants to try to connect again.
        case reconnectRequested
        /// The person begins a conversation, and calls it this (C19).
        case conversationCreated(title: ExactText)
        /// The person turns to a conversation (C19).
        case conversationSwitched(to: ConversationID)
        /// The person takes a conversation off the list (C19).
        case conversationClosed(ConversationID)
        /// The person scrolled to the oldest message shown (C21).
        case olderRequested
        /// The person has read the banner (C15).
        case bannerDismissed

        // The root.
        /// Somebody is signed in, on this device.
        case signedIn(Account)
        /// Nobody is signed in any more.
        case signedOut
        /// All that is stored of somebody who has left is erased (P10).
        case dataErased(UserID)
        /// This device has a network, or has none.
        case networkChanged(isUp: Bool)
        /// The app is in front.
        case foregrounded
        /// The app is no longer in front.
        case backgrounded
        /// The system is short of memory (R2).
        case memoryWarned

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls that chat may have open.
    public enum Call: DomainValue {
        /// The connection that pushes.
        case socket(Attempt)
        /// A file on its way to the server, ahead of its message (C14).
        case upload(AttachmentID, Attempt)
        /// A question of a conversation, where each is answered by a stream of its own.
        case stream(ConversationID, Streaming.Call)
    }

    /// What is asked when a call is opened.
    public enum Request: PlainValue {
        /// Connect, authenticate, and tell what came after the cursors; of a conversation without one, all.
        case connect(SecretHandle, DeviceID, cursors: [Cursor])
        /// Keep this file, whose bytes are stored under its key.
        indirect case upload(SecretHandle, Attachment)
        /// Answer a question.
        case ask(Streaming.Request)
    }

    /// What is sent on an open call.
    public enum Frame: PlainValue {
        /// A message of the person, under its idempotency key.
        case say(ClientID, in: ConversationID = .main, ExactText, attachments: [Attachment] = [])
        /// The person types, or has stopped (C18).
        case typing(Bool, in: ConversationID = .main)
        /// Tell once more what came after the cursors: something was missed (C5).
        case refetch(cursors: [Cursor])
    }

    /// How far a conversation has been followed (C5).
    public struct Cursor: DomainValue {
        /// The conversation.
        public let conversation: ConversationID
        /// The last finished message of the server that was applied.
        public let last: MessageID

        /// Creates a cursor.
        public init(conversation: ConversationID, last: MessageID) {
            self.conversation = conversation
            self.last = last
        }
    }

    /// What an open call brings.
    public enum Event: PlainValue {
        /// The transport is open; authentication has begun.
        case opened
        /// The server knows who this is, and will replay this many finished messages first.
        case authenticated(replayCount: Int64, isTruncated: Bool, isReset: Bool)
        /// The server does not accept the credentials.
        case credentialsRefused(CredentialsRefusal)
        /// The server does not know the cursor (C5).
        case cursorRefused
        /// Another connection has taken this session (C3).
        case sessionReplaced
        /// The server has a message (C10).
        case acknowledged(ClientID)
        /// The server does not take a message (C11).
        case rejected(ClientID, reason: ExactText)
        /// The server takes a message later, not now (C11).
        case deferred(ClientID)
        /// An echo, a whole reply, or a growing one with all of its text so far. In a box, because each text would be
        /// retained.
        case message(Boxed<IncomingMessage>)
        /// A finished message that cannot be read. It counts as replayed, or a replay would never end (S12).
        case unreadableMessage
        /// A reply begins to grow in a conversation. A backend of one conversation need not say it.
        case began(MessageID, in: ConversationID)
        /// More text of a growing reply.
        case delta(MessageID, ExactText)
        /// A numbered piece of a growing reply, counted from 0 (S15).
        case chunk(MessageID, index: Int64, ExactText, isFinal: Bool)
        /// Somebody types or thinks, or no longer does; with the server's time for it, where it tells (C18).
        case typing(isActive: Bool, at: WallTime?, in: ConversationID = .main)
        /// So many bytes of an upload are sent.
        case uploadProgress(sent: Int64, of: Int64)
        /// The server has the file, under this name.
        case uploaded(AssetID)
        /// The server does not have a file of a message, the one named or any (C14).
        case assetMissing(ClientID, AssetID?, reason: ExactText)
        /// A sign of life that says nothing else: a control frame, or the backend's own heartbeat (C1).
        case alive
        /// Something is missing in a stream that is numbered (C5).
        case gap
        /// All that a refetch asked for has come.
        case refetched
        /// A reply, named by itself or by the question, will not be finished.
        case replyFailed(ReplySubject, reason: ExactText)
        /// The server reports an error that concerns nothing in particular.
        case failed(ExactText)
        /// A question that is answered by a stream of its own goes on.
        case reply(Streaming.Event)

        /// A message.
        public static func message(_ message: IncomingMessage) -> Event {
            .message(Boxed(wrappedValue: message))
        }
    }

    /// What a failed reply is named by.
    public enum ReplySubject: DomainValue {
        /// The reply's own id.
        case reply(MessageID)
        /// The question that it would have answered.
        case question(ClientID)
    }

    /// The deadlines of chat.
    public enum Timer: DomainValue {
        /// The transport takes too long to open (C1).
        case connecting
        /// Authentication takes too long (C1).
        case authenticating
        /// The replay as a whole takes too long (C1).
        case replay
        /// The replay has stopped (C1).
        case replayProgress
        /// The next attempt to connect (C2).
        case reconnect
        /// The server has given no sign of life for too long (C1).
        case liveness
        /// The connection has been stable long enough to forget the backoff (C2).
        case stable
        /// The app has been in the background long enough to close the socket (C4).
        case background
        /// No acknowledgement: the message is slow (C9).
        case slow(ConversationID)
        /// Still none: the connection counts as lost (C9).
        case acknowledgement(ConversationID)
        /// The next message may be sent (C8).
        case rate
        /// What the server did not take now is sent again (C11).
        case deferral(ConversationID)
        /// The reply to a question does not come (C12).
        case reply(Turns.Question, in: ConversationID)
        /// What is stored takes too long to be loaded; connecting goes on without it (L3).
        case restoring
        /// The outbox takes too long to be saved (C7).
        case outboxSave(ConversationID)
        /// The list of conversations takes too long to be saved (L3).
        case listSave
        /// The bytes of a picked file take too long to be stored (L3).
        case copying(AttachmentID)
        /// An upload makes no progress (C14).
        case upload(AttachmentID)
        /// The server takes files again (C14).
        case uploadsAllowed
        /// The draft is to be saved (L5).
        case draftSave(ConversationID)
        /// The draft takes too long to be saved (L5).
        case draftLimit(ConversationID)
        /// A part of the transcript takes too long to be loaded or saved (L3, L5).
        case pageLimit(ConversationID)
        /// A batch of a growing reply is to be shown (S2).
        case batch(MessageID)
        /// A growing reply has been silent for too long (S7).
        case silence(MessageID)
        /// A growing reply has lasted long enough (S7).
        case whole(MessageID)
        /// A missing piece of a growing reply does not come (S15).
        case gap(MessageID)
        /// What is missing in the stream does not come; the next gap may ask again (C5).
        case refetch
        /// Nobody has said for too long that they still type (C18).
        case typing(ConversationID)
        /// The person has not typed for a while (C18).
        case typingStopped(ConversationID)
        /// A deadline of the question that a conversation has open.
        case stream(ConversationID, Streaming.Timer)
    }
}
