// The settings of chat. Every default is a number of Docs/Rules.md, cited beside it, or has its reason there. An app
// may change each; a limit of a protocol is set by its backend.

extension Chat {
    /// The settings of chat, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// The transport of the conversations.
        public var carriage: Carriage
        /// The deadline for opening the transport (C1).
        public var connectLimit = Interval.seconds(10)
        /// The deadline for authentication (C1).
        public var authenticationLimit = Interval.seconds(12)
        /// The time that each message adds to the deadline of a replay (C1).
        public var replayPerMessage = Interval.milliseconds(250)
        /// The shortest and the longest deadline of a whole replay (C1).
        public var replayLimits = Interval.seconds(30)...Interval.seconds(300)
        /// The longest pause between two messages of a replay (C1).
        public var replayProgressLimit = Interval.seconds(30)
        /// The longest silence of a server after its first sign of life (C1).
        public var livenessLimit = Interval.seconds(90)
        /// The delays between attempts to connect (C2).
        public var backoff = Backoff.Configuration()
        /// The rate limit of authentications (C2).
        public var authentications = Throttle.Configuration(limit: 4, window: .seconds(60))
        /// The time after which a connection is stable and resets the backoff (C2).
        public var stableAfter = Interval.seconds(5)
        /// The longest retry-after that is waited for automatically (C3).
        public var toldWaitLimit = Interval.seconds(30)
        /// The time in the background after which the socket is closed (C4).
        public var backgroundGrace = Interval.seconds(2)
        /// The time in the background after which the backoff is reset (C2).
        public var backgroundForgets = Interval.seconds(60)
        /// The rate limit of messages, over all conversations (C8).
        public var sending = Throttle.Configuration(limit: 5, window: .seconds(1))
        /// The time without acknowledgement after which a message is slow (C9).
        public var slowAfter = Interval.seconds(5)
        /// The further time after which the connection counts as lost (C9).
        public var lostAfterSlow = Interval.seconds(30)
        /// The range of the random delay before a deferred message is sent again (C11).
        public var deferral = Interval.milliseconds(200)...Interval.milliseconds(500)
        /// The deadline for a reply to begin after its question is accepted (C12).
        public var replyLimit = Interval.seconds(120)
        /// The longest silence within a growing reply (S7). `Carriage.streams` has limits of its own.
        public var silenceLimit = Interval.seconds(30)
        /// The longest duration of a growing reply (S7).
        public var totalLimit = Interval.seconds(300)
        /// How long text is batched before it is shown (S2).
        public var batchInterval = Interval.milliseconds(75)
        /// The deadline for a load or a save, after which chat goes on without it (C6, C7).
        public var storageLimit = Interval.seconds(5)
        /// The time from the first unsaved key to the save of the draft (L5).
        public var draftDelay = Interval.seconds(1)
        /// The age from which an unsent message needs the person's consent before it is sent (limits).
        public var heldAfter = Interval.hours(12)
        /// The deadline for a missing chunk of a growing reply (S15).
        public var chunkGapLimit = Interval.seconds(5)
        /// The deadline for a refetch: the longest pause of a replay (C1, C5).
        public var refetchLimit = Interval.seconds(30)
        /// How long a typing indicator shows unless it is renewed (C18).
        public var typingLimit = Interval.seconds(10)
        /// The shortest time between two typing starts, and the time without a key that counts as a stop (C18).
        public var typingInterval = Interval.seconds(3)
        /// The maximum number of conversations; it bounds the loads of a launch (L8). 1 for a backend with one (C19).
        public var conversationLimit: Int64 = 100
        /// The longest title of a conversation, in UTF-8 bytes: the limit of a name (P2).
        public var titleLimit: Int64 = 64
        /// The maximum number of unsent messages of a conversation (limits).
        public var outboxLimit: Int64 = 50
        /// The longest message, in UTF-8 bytes (limits).
        public var textLimit: Int64 = 65_536
        /// The maximum number of files of a message (C14).
        public var attachmentLimit: Int64 = 4
        /// The largest total of inline files of a message, in bytes (limits).
        public var inlineLimit: Int64 = 262_144
        /// The MIME types that may be inline: those of the Clawline protocol.
        public var inlineTypes: [ExactText] = [
            "image/png", "image/jpeg", "image/gif", "image/webp", "image/heic",
        ]
        /// The largest file, in bytes (limits).
        public var uploadLimit: Int64 = 104_857_600
        /// The longest time without progress of an upload (C14).
        public var uploadSilenceLimit = Interval.seconds(30)
        /// The maximum number of chunks of a reply that wait for an earlier one (limits).
        public var chunkLimit: Int64 = 256
        /// The maximum total of waiting chunks of a reply, in UTF-8 bytes (limits).
        public var chunkByteLimit: Int64 = 1_048_576
        /// The longest reply, in UTF-8 bytes (C21).
        public var replyTextLimit: Int64 = 1_048_576
        /// The maximum number of replies that grow at once (limits).
        public var growingLimit = 16
        /// The maximum number of messages of a conversation in memory (C21); less than 1,000 counts as 1,000.
        public var transcriptLimit: Int64 = 10_000
        /// The number of messages of a stored page. Each change rewrites its page, so a page is small; 10,000
        /// messages make 200 pages.
        public var pageLength: Int64 = 50

        /// The maximum number of earlier messages in a question, for backends without memory: ten exchanges.
        public var earlierMessageLimit: Int64 = 20
        /// The longest retry-after that is believed (S9): a day, where quotas end. A longer one is a clock error.
        public var greatestToldWait = Interval.hours(24)
        /// The maximum total of earlier messages in a question, in UTF-8 bytes: about 8,000 tokens, the context of
        /// the smallest models.
        public var earlierByteLimit: Int64 = 32_768

        /// Creates the defaults.
        public init(carriage: Carriage = .socket) { self.carriage = carriage }

        @inline(__always) var growthLimits: Growth.Limits {
            Growth.Limits(text: replyTextLimit, chunks: chunkLimit, chunkBytes: chunkByteLimit)
        }

        /// Whether a message may have files (C14): not on streams, nor where the backend takes none. Then a front end
        /// offers no picker.
        public var takesFiles: Bool { fileLimit > 0 }

        var tooManyFiles: Banner { takesFiles ? .tooManyAttachments : .filesNotTaken }

        /// The maximum number of files of a message on this carriage: a question on a stream is text only.
        var fileLimit: Int64 {
            switch carriage {
            case .socket: attachmentLimit
            case .streams: 0
            }
        }
    }

    /// The transport of the conversations. A front end works with either.
    public enum Carriage: DomainValue {
        /// One socket for all conversations; the server pushes.
        case socket
        /// One HTTP stream for each question, with these settings; a conversation has at most one open (C15).
        case streams(Streaming.Configuration)
    }
}
