// The state of chat: the conversations, one of them current, and the state that they share. Start with `State`. One
// enum, `Carrier`, holds a socket or streams, never both. Conversations/Conversation.swift defines a conversation.

extension Chat {
    /// The state of chat.
    public struct State: DomainValue {
        /// The state that conversations share.
        package internal(set) var shared: Shared
        /// The conversations: the main one, then the others in the order of their creation. Boxed, because most
        /// actions change only one.
        var places: [Boxed<Conversation>]
        var current = 0
        /// The unsaved writing of people who have signed out, the latest last (L5).
        package var departed: [Departed] = []

        /// Creates the state before a sign-in.
        public init(configuration: Configuration) {
            shared = Shared(configuration: configuration)
            places = [Boxed(wrappedValue: Conversation(id: .main, seed: 0, configuration: configuration))]
        }
    }

    /// The state that conversations share.
    package struct Shared: DomainValue {
        /// The account, and the conditions for a connection.
        package internal(set) var wish = Wish()
        /// The state of the transport.
        package var carrier: Carrier
        /// The rate limit of messages (C8), and the server's retry-after on streams (S9).
        var sending: Throttle
        /// The server's retry-after for uploads (C14).
        var uploads = Throttle(.unlimited)
        /// The record of the times that outlive the process: the last authentication and the waits (C2, C3).
        var pacing = KeptRecord()
        /// The list of conversations (C19).
        @Boxed var list = ConversationList()
        /// Whether this connection brought something for a conversation beyond the limit (L8).
        var hasTurnedAway = false

        init(configuration: Configuration) {
            carrier =
                switch configuration.carriage {
                case .socket: .socket(Boxed(wrappedValue: Connection(configuration: configuration)))
                case .streams: .streams(Streams())
                }
            sending = Throttle(configuration.sending)
        }

        /// The account of the signed-in person.
        var account: Account? { wish.account }
    }

    /// The conditions for contact with the server.
    package struct Wish: DomainValue {
        /// The account of the signed-in person.
        var account: Account?
        /// Whether the chat is visible.
        package var isShown = false
        /// Whether the device has a network; assumed until the root says otherwise.
        var isNetworkUp = true
        /// Whether the app is in the foreground.
        package internal(set) var presence: Presence = .foreground
        /// Whether the stored records are loaded, or their deadline has passed. A connection waits for the
        /// records, because it needs the stored cursors (C5).
        package var isRestored = false

        /// The account, if a connection is wanted and allowed; the network is checked apart from it.
        var accountToConnect: Account? {
            guard isShown, isRestored, case .foreground = presence else { return nil }
            return account
        }
    }

    /// Whether the app is in the foreground.
    package enum Presence: DomainValue {
        /// The app is in the foreground.
        case foreground
        /// The app left the foreground at that moment.
        case background(since: Moment)
    }

    /// The state of the transport.
    package enum Carrier: DomainValue {
        /// The connection of the socket. Boxed, because every action reads it and few change it.
        case socket(Boxed<Connection>)
        /// The state that the streams of all questions share.
        case streams(Streams)
    }

    /// A notice to the person. The next notice or message replaces it.
    package enum Banner: DomainValue {
        /// The outbox is full; the text stays in the composer (limits).
        case outboxFull
        /// The message has the maximum number of files (limits).
        case tooManyAttachments
        /// The file is too large (limits).
        case attachmentTooLarge
        /// The transport takes no files.
        case filesNotTaken
        /// The message is too long (limits).
        case textTooLong
        /// The maximum number of conversations exists (L8).
        case tooManyConversations
        /// A conversation with unsent messages stays open (C19, L5).
        case conversationHasUnsent
        /// Messages were not saved on this device (C7).
        case notSaved(StorageFailure)
        /// Stored data was not readable (R5).
        case notRestored(StorageFailure)
        /// The server reported an error.
        case serverError(ExactText)
        /// A message was too long to be taken in (L8).
        case messageTooLong
        /// The replay is incomplete: the server has discarded older messages (C5).
        case replayTruncated
    }
}

extension Chat.State {
    /// The account of the signed-in person.
    package var account: Account? { shared.wish.account }

    /// The current conversation.
    public package(set) var conversation: Chat.Conversation {
        @inline(__always) get { places[current].wrappedValue }
        @inline(__always) _modify { yield &places[current].wrappedValue }
    }

    /// The conversations that are not current, in the order of their creation.
    package var others: [Chat.Conversation] {
        places.indices.filter { $0 != current }.map { places[$0].wrappedValue }
    }

    package var list: ConversationList { shared.list }

    /// All conversations, the current one first.
    package var conversations: [Chat.Conversation] { [conversation] + others }

    /// The phase of the connection; `disconnected` on streams.
    public var connection: Chat.Connection.Phase { shared.connection }
}

extension Chat.Shared {
    /// The phase of the connection; `disconnected` on streams.
    @inline(__always) var connection: Chat.Connection.Phase {
        if case .socket(let connection) = carrier { connection.wrappedValue.phase } else { .disconnected }
    }

    /// The attempt that opened the socket, once it is authenticated; otherwise `nil`.
    @inline(__always) var link: Attempt? {
        if case .socket(let connection) = carrier { connection.wrappedValue.phase.link } else { nil }
    }

    /// Whether the server replays the messages after the cursors.
    @inline(__always) var isReplaying: Bool {
        guard case .socket(let connection) = carrier else { return false }
        if case .replaying = connection.wrappedValue.phase { return true }
        return false
    }

    /// Whether the stream of a question may be opened; `false` on a socket.
    var mayAsk: Bool {
        guard case .streams(let streams) = carrier else { return false }
        return wish.accountToConnect != nil && wish.isNetworkUp && streams.obstacle == nil
    }
}
