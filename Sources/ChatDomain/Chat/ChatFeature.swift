// Chat: the connection, sending and receiving (C1–C22). This file holds the vocabulary: actions, calls, requests,
// frames, events and timers. Start with the state in ChatState.swift, then the switch in ChatReducer.swift, which
// dispatches each action to its folder.

/// The feature that owns the conversations.
public struct Chat: Feature {
    /// The settings. Stored behind a reference, because every action receives them.
    public var configuration: Configuration {
        get { settings.wrappedValue }
        set { settings.wrappedValue = newValue }
    }

    var settings: Boxed<Configuration>

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) {
        settings = Boxed(wrappedValue: configuration)
    }

    /// What the person did, or what the root or an effect reports.
    public enum Action: FeatureAction {
        // From the front end.
        /// The chat is visible.
        case shown
        /// The person left the chat.
        case left
        /// The text of the composer changed.
        case draftEdited(ExactText)
        /// The person sends the content of the composer (C7).
        case sent
        /// The person adds a file to the composer (C14).
        case attachmentPicked(PickedFile)
        /// The person removes a file from the composer.
        case attachmentRemoved(AttachmentID)
        /// The person retries an unsent or unanswered message (C12).
        case retried(Row.ID)
        /// The person deletes a message, sent or not (C13).
        case deleted(Row.ID)
        /// The person changes the text of a message of their own (C13).
        case messageEdited(ClientID, ExactText)
        /// The person consents to sending an old message (limits).
        case heldApproved(ClientID)
        /// The person stops a growing reply (C20).
        case replyStopped(Row.ID)
        /// The person stops the replies without visible text (S10).
        case waitingStopped
        /// The person scrolled to the newest message, or away from it (C22).
        case scrolled(isAtEnd: Bool)
        /// The person asks for an attempt to connect.
        case reconnectRequested
        /// The person creates a conversation (C19).
        case conversationCreated(title: ExactText)
        /// The person switches to a conversation (C19).
        case conversationSwitched(to: ConversationID)
        /// The person closes a conversation, which removes it from the list (C19).
        case conversationClosed(ConversationID)
        /// The person scrolled to the oldest visible message (C21).
        case olderRequested
        /// The person dismisses the banner (C15).
        case bannerDismissed

        // From the root.
        /// A person is signed in on this device.
        case signedIn(Account)
        /// The person signed out.
        case signedOut
        /// The stored data of a signed-out person is erased (P10).
        case dataErased(UserID)
        /// The network came or went.
        case networkChanged(isUp: Bool)
        /// The app entered the foreground.
        case foregrounded
        /// The app left the foreground.
        case backgrounded
        /// The system is short of memory (R2).
        case memoryWarned

        // From the effects. A record is wide, so it is behind a reference: each action is copied on its way.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        indirect case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of chat.
    public enum Call: DomainValue {
        /// The socket; at most one is open (C4).
        case socket(Attempt)
        /// The upload of a file, before its message is sent (C14).
        case upload(AttachmentID, Attempt)
        /// The stream of a question; at most one is open in a conversation (C15).
        case stream(ConversationID, Streaming.Call)
    }

    /// The request that opens a call.
    public enum Request: PlainValue {
        /// Connect, authenticate, and replay all after the cursors; without one, the whole conversation.
        case connect(SecretHandle, DeviceID, cursors: [Cursor])
        /// Upload the file; its bytes are in storage under its key.
        indirect case upload(SecretHandle, Chat.Attachment)
        /// Answer the question.
        case ask(Streaming.Request)
    }

    /// A frame that is sent on an open socket.
    public enum Frame: PlainValue {
        /// A message of the person, under its idempotency key.
        case say(ClientID, in: ConversationID = .main, ExactText, attachments: [Chat.Attachment] = [])
        /// The person types, or stopped typing (C18).
        case typing(Bool, in: ConversationID = .main)
        /// Replay everything after the cursors: the client has detected a gap (C5).
        case refetch(cursors: [Cursor])
        /// The person no longer wants this reply. Nothing waits for an answer: the reply is muted here already (C20, S10).
        case stop(ReplyReference, in: ConversationID = .main)
    }

    /// The position of a conversation in the server's history (C5).
    public struct Cursor: DomainValue {
        /// The conversation.
        public let conversation: ConversationID
        /// The last finished message of the server that was applied.
        public let last: MessageID

        /// Creates a cursor.
        package init(conversation: ConversationID, last: MessageID) {
            self.conversation = conversation
            self.last = last
        }
    }

    /// An event of an open call.
    public enum Event: PlainValue {
        /// The transport is open; authentication begins.
        case opened
        /// The server accepts the credentials, and replays this many finished messages first (C5).
        case authenticated(replayCount: Int64, isTruncated: Bool, isReset: Bool)
        /// The server refuses the credentials (C3, P10).
        case credentialsRefused(CredentialsRefusal)
        /// The server does not know the cursor (C5).
        case cursorRefused
        /// Another connection has taken the session (C3).
        case sessionReplaced
        /// The acknowledgement of a message (C10).
        case acknowledged(ClientID)
        /// The acknowledgement of a message that the server obeys and does not answer, as a command (C10).
        case obeyed(ClientID)
        /// The server rejects a message for good (C11).
        case rejected(ClientID, reason: ExactText)
        /// The server rate-limits a message; it is sent again soon, or after the wait that the server demands (C11).
        case deferred(ClientID, after: Interval = .zero)
        /// An echo, a complete reply, or the whole text so far of a growing one. Boxed, so that passing it on retains
        /// one reference and not each text.
        case message(Boxed<IncomingMessage>)
        /// A finished message outside the protocol. It counts as replayed, so that a replay ends (S12).
        case unreadableMessage
        /// A message over the limit was skipped. It counts as replayed, and the person is told (L8).
        case oversizedMessage
        /// The replay is complete, also if fewer messages came than were announced (C5).
        case replayEnded
        /// The server's name of a conversation (C19).
        case named(ConversationID, title: ExactText)
        /// A reply begins to grow; `nil` if the server does not name its conversation. Backends with one conversation
        /// may omit the event.
        case began(MessageID, in: ConversationID?)
        /// An increment of a growing reply.
        case delta(MessageID, ExactText)
        /// A numbered chunk of a growing reply, counted from 0 (S15).
        case chunk(MessageID, index: Int64, ExactText, isFinal: Bool)
        /// A participant types or thinks, or stopped; with the server's time, if the protocol carries one (C18). `nil` if
        /// the server does not name the conversation.
        case typing(isActive: Bool, at: WallTime?, in: ConversationID? = .main)
        /// The progress of an upload, in bytes.
        case uploadProgress(sent: Int64, of: Int64)
        /// The upload is complete; the server's id of the file.
        case uploaded(AssetID)
        /// The server lacks a file of a message; `nil` if it does not say which (C14).
        case assetMissing(ClientID, AssetID?, reason: ExactText)
        /// A sign of life without other content: a control frame, or a heartbeat of the backend (C1).
        case alive
        /// The server gives a sign of life this often. Twice that in silence is a lost connection, if it is longer than
        /// the configured limit (C1).
        case heartbeat(every: Interval)
        /// The sequence numbers have a gap (C5).
        case gap
        /// The refetch is complete.
        case refetched
        /// A reply fails: the server does not finish it (C12).
        case replyFailed(ReplyReference, reason: ExactText)
        /// An error that concerns no message and no reply (C11).
        case failed(ExactText)
        /// An event of a question's stream.
        case streamed(Streaming.Event)

        /// Boxes a message.
        public static func message(_ message: IncomingMessage) -> Event {
            .message(Boxed(wrappedValue: message))
        }
    }

    /// The server's name for a failed reply.
    public enum ReplyReference: DomainValue {
        /// By the reply's own id.
        case reply(MessageID)
        /// By the idempotency key of its question.
        case question(ClientID)
    }

    /// The timers of chat. Each case says what its firing means.
    public enum Timer: DomainValue {
        /// The transport did not open in time (C1).
        case connecting
        /// Authentication did not end in time (C1).
        case authenticating
        /// The whole replay did not end in time (C1).
        case replay
        /// The replay makes no progress (C1).
        case replayProgress
        /// The next attempt to connect is due (C2).
        case reconnect
        /// The server gives no sign of life (C1).
        case liveness
        /// The connection is stable, which resets the backoff (C2).
        case stable
        /// The grace period in the background is over; the socket is closed (C4).
        case background
        /// The message in flight is slow: it is not acknowledged yet (C9).
        case slow(ConversationID)
        /// The acknowledgement did not come in time; the connection counts as lost (C9).
        case acknowledgement(ConversationID)
        /// The rate limit admits the next message (C8).
        case rate
        /// A deferred message is sent again (C11).
        case deferral(ConversationID)
        /// The reply to a question did not begin in time (C12).
        case replyLimit(QuestionKey, in: ConversationID)
        /// The stored records did not load in time; chat connects without them (L3).
        case restoring
        /// The outbox was not saved in time (C7).
        case outboxLimit(ConversationID)
        /// The list of conversations was not saved in time (L3).
        case listLimit
        /// The bytes of a picked file were not stored in time (L3).
        case copying(AttachmentID)
        /// An upload makes no progress, or the delay after an interruption is over (C14).
        case upload(AttachmentID)
        /// The server's wait for uploads is over (C14).
        case uploadsAllowed
        /// The save of the draft is due (L5).
        case draftSave(ConversationID)
        /// The draft was not saved in time (L5).
        case draftLimit(ConversationID)
        /// A page of the transcript was not loaded or saved in time (L3, L5).
        case pageLimit(ConversationID)
        /// A batch of a growing reply is complete (S2).
        case batch(MessageID)
        /// A growing reply is silent; the receiver checks when text last arrived (S7).
        case silence(MessageID)
        /// A growing reply did not end in time (S7).
        case total(MessageID)
        /// A missing chunk of a growing reply did not come in time (S15).
        case gap(MessageID)
        /// A refetch did not end in time; the next gap starts another (C5).
        case refetch
        /// A typing indicator was not renewed in time (C18).
        case typing(ConversationID)
        /// The person paused typing (C18).
        case typingStopped(ConversationID)
        /// A timer of a question's stream.
        case stream(ConversationID, Streaming.Timer)
    }

    /// A message that may be answered.
    public enum QuestionKey: DomainValue {
        /// A message of this device, by its key; a new key gets a new turn.
        case written(ClientID)
        /// A message of another device, by the server's id.
        case elsewhere(MessageID)

        var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }
    }
}
