// What chat knows: what conversations share, and the conversations (Conversations/Conversation.swift), one of them
// current.

extension Chat {
    /// Everything that chat knows.
    public struct State: DomainValue {
        /// What conversations share.
        package internal(set) var shared: Shared
        /// The main conversation, and the others in the order in which they came. References, because most actions
        /// change one.
        var places: [Boxed<Conversation>]
        var current = 0
        /// What people who have signed out have written and the disk does not have yet; the latest last (L5).
        var departed: [Departed] = []

        /// The state before anybody is signed in.
        public init(configuration: Configuration) {
            shared = Shared(configuration: configuration)
            places = [Boxed(wrappedValue: Conversation(id: .main, seed: 0, configuration: configuration))]
        }
    }

    /// What conversations share.
    package struct Shared: DomainValue {
        /// Who is signed in, and whether they want to be connected.
        package internal(set) var wish = Wish()
        /// What carries the conversations.
        var carrier: Carrier
        /// Keeps messages apart (C8).
        var sending: Throttle
        /// Keeps files apart, when the server asks for that (C14).
        var uploads = Throttle(.unlimited)
        var pacing = KeptRecord()
        /// Which conversations there are (C19).
        @Boxed var list = ConversationList()

        init(configuration: Configuration) {
            carrier =
                switch configuration.carriage {
                case .socket: .socket(Boxed(wrappedValue: Connection(configuration: configuration)))
                case .streams: .streams(Streams())
                }
            sending = Throttle(configuration.sending)
        }

        /// Who is signed in.
        var account: Account? { wish.account }
    }

    /// Whether somebody wants to be in touch with the server, and may.
    package struct Wish: DomainValue {
        /// Who is signed in.
        var account: Account?
        /// Whether the chat is on the screen.
        var isShown = false
        /// Whether this device has a network, as far as anybody has said.
        var isNetworkUp = true
        /// Whether the app is in front.
        package internal(set) var presence: Presence = .foreground
        /// Whether what is stored is loaded, or was waited for long enough. Nothing connects before, because the
        /// cursors are stored.
        var isRestored = false

        var accountToConnect: Account? {
            guard isShown, isRestored, case .foreground = presence else { return nil }
            return account
        }
    }

    /// Whether the app is in front.
    package enum Presence: DomainValue {
        /// It is.
        case foreground
        /// It has not been since then.
        case background(since: Instant)
    }

    /// What carries the conversations: a socket with its connection, or streams with what stands in their way.
    enum Carrier: DomainValue {
        /// A socket that pushes; behind a reference, because it changes seldom and is looked at with each action.
        case socket(Boxed<Connection>)
        /// A stream for each question.
        case streams(Streams)
    }

    /// Something the person should be told.
    package enum Banner: DomainValue {
        /// A message was written to no avail: there is no room in the outbox (limits).
        case outboxFull
        /// A message has as many files as it may have (limits).
        case tooManyAttachments
        /// A file is too large (limits).
        case attachmentTooLarge
        /// What carries the conversation takes no files.
        case filesNotTaken
        /// A message is too long (limits).
        case textTooLong
        /// There are as many conversations as there may be (L8).
        case tooManyConversations
        /// A conversation is not closed while something in it is not sent (C19, L5).
        case conversationHasUnsent
        /// Messages could not be saved on this device (C7).
        case notSaved(StorageFailure)
        /// What is stored could not be read (R5).
        case notRestored(StorageFailure)
        /// The server reported an error.
        case serverError(ExactText)
        /// The server no longer has all that came since the last visit (C5).
        case replayTruncated
    }
}

extension Chat.State {
    /// Who is signed in.
    var account: Account? { shared.wish.account }

    /// The conversation that the person looks at.
    public internal(set) var conversation: Chat.Conversation {
        @inline(__always) _read { yield places[current].wrappedValue }
        @inline(__always) _modify { yield &places[current].wrappedValue }
    }

    /// The other conversations, in the order in which they came.
    public var others: [Chat.Conversation] {
        places.indices.filter { $0 != current }.map { places[$0].wrappedValue }
    }

    /// Which conversations there are.
    package var list: ConversationList { shared.list }

    var conversations: [Chat.Conversation] { [conversation] + others }

    /// How far the connection has come; where streams carry chat there is none.
    public var connection: Chat.Connection.Phase { shared.connection }
}

extension Chat.Shared {
    /// How far the connection has come; where streams carry chat there is none.
    @inline(__always) var connection: Chat.Connection.Phase {
        if case .socket(let connection) = carrier { connection.wrappedValue.phase } else { .disconnected }
    }

    /// The attempt under which the socket was opened, once the server knows who this is.
    @inline(__always) var link: Attempt? {
        if case .socket(let connection) = carrier { connection.wrappedValue.phase.link } else { nil }
    }

    /// Whether the server is telling what came since the cursors.
    @inline(__always) var isReplaying: Bool {
        guard case .socket(let connection) = carrier else { return false }
        if case .replaying = connection.wrappedValue.phase { return true }
        return false
    }

    /// Whether a question may be asked, as far as the device knows, where each has a stream of its own.
    var mayAsk: Bool {
        guard case .streams(let streams) = carrier else { return false }
        return wish.accountToConnect != nil && wish.isNetworkUp && streams.obstacle == nil
    }
}
