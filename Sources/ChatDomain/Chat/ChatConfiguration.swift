// The numbers of chat, each a default that an app may change. A limit of a protocol belongs to its backend.

extension Chat {
    /// The numbers of chat, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// What carries the conversations.
        public var carriage: Carriage
        /// How long the transport may take to open (C1).
        public var connectLimit = Interval.seconds(10)
        /// How long authentication may take (C1).
        public var authenticationLimit = Interval.seconds(12)
        /// How long a replay may take for each of its messages (C1).
        public var replayPerMessage = Interval.milliseconds(250)
        /// The least and the greatest limit of a whole replay (C1).
        public var replayLimits = Interval.seconds(30)...Interval.seconds(300)
        /// How long a replay may stand still (C1).
        public var replayProgressLimit = Interval.seconds(30)
        /// How long a server that gives signs of life may give none (C1).
        public var livenessLimit = Interval.seconds(90)
        /// How long to wait between attempts to connect (C2).
        public var backoff = Backoff.Configuration()
        /// How often to authenticate (C2).
        public var authentications = Throttle.Configuration(limit: 4, window: .seconds(60))
        /// How long a connection must last to count as stable (C2).
        public var stableAfter = Interval.seconds(5)
        /// The longest wait that a server may ask for and be waited for (C3).
        public var toldWaitLimit = Interval.seconds(30)
        /// How long the app may be in the background before the socket is closed (C4).
        public var backgroundGrace = Interval.seconds(2)
        /// How long in the background forgets the backoff (C2).
        public var backgroundForgets = Interval.seconds(60)
        /// How many messages may be sent in all (C8).
        public var sending = Throttle.Configuration(limit: 5, window: .seconds(1))
        /// After how long without acknowledgement a message is slow (C9).
        public var slowAfter = Interval.seconds(5)
        /// How long after that the connection counts as lost (C9).
        public var lostAfterSlow = Interval.seconds(30)
        /// When to try again what the server deferred (C11).
        public var deferral = Interval.milliseconds(200)...Interval.milliseconds(500)
        /// How long an accepted message may wait for its reply (C12).
        public var replyLimit = Interval.seconds(120)
        /// How long a growing reply may be silent (S7). Where streams carry chat, `Carriage.streams` has its own
        /// numbers.
        public var silenceLimit = Interval.seconds(30)
        /// How long a reply may grow in all (S7).
        public var wholeLimit = Interval.seconds(300)
        /// How long a batch of tokens gathers (S2).
        public var batchInterval = Interval.milliseconds(75)
        /// How long a load or a save may take before things go on without it (C6, C7).
        public var storageLimit = Interval.seconds(5)
        /// How long after the last key a draft is saved, at most (L5).
        public var draftDelay = Interval.seconds(1)
        /// How old a message that was not sent may be and go without asking (limits).
        public var heldAfter = Interval.hours(12)
        /// How long a missing piece of a growing reply is waited for (S15).
        public var chunkGapLimit = Interval.seconds(5)
        /// How long a refetch may take before a gap asks again: as long as a replay may stand still (C1, C5).
        public var refetchLimit = Interval.seconds(30)
        /// How long somebody is shown to type who does not say so again (C18).
        public var typingLimit = Interval.seconds(10)
        /// The shortest time between two typing starts, and how long without a key means a stop (C18).
        public var typingInterval = Interval.seconds(3)
        /// How many conversations there may be (L8); 1 for a backend that has only one (C19).
        public var conversationLimit: Int64 = 100
        /// How long the title of a conversation may be, in UTF-8 bytes: as long as a name (P2).
        public var titleLimit: Int64 = 64
        /// How many messages may wait in a conversation (limits).
        public var outboxLimit: Int64 = 50
        /// How long a message may be, in UTF-8 bytes (limits).
        public var textLimit: Int64 = 65_536
        /// How many files a message may have (C14).
        public var attachmentLimit: Int64 = 4
        /// How many bytes of files a message may carry itself, in all (limits).
        public var inlineLimit: Int64 = 262_144
        /// The types of file that a message may carry itself; Clawline's.
        public var inlineTypes: [ExactText] = [
            "image/png", "image/jpeg", "image/gif", "image/webp", "image/heic",
        ]
        /// How large a file may be, in bytes (limits).
        public var uploadLimit: Int64 = 104_857_600
        /// How long an upload may make no progress (C14).
        public var uploadSilenceLimit = Interval.seconds(30)
        /// So many numbered pieces of a reply may wait for one before them (limits).
        public var chunkLimit: Int64 = 256
        /// So many bytes of them may wait (limits).
        public var chunkByteLimit: Int64 = 1_048_576
        /// How long a reply may be, in UTF-8 bytes (C21).
        public var replyTextLimit: Int64 = 1_048_576
        /// How many replies may grow at once (limits).
        public var growingLimit = 16
        /// How many messages of a conversation stay in memory; at least 1,000, by which duplicates are known (C21).
        public var transcriptLimit: Int64 = 10_000
        /// How many messages a stored page holds. Each change rewrites a page, so it is small; 10,000 messages fill
        /// 200.
        public var pageLength: Int64 = 50

        /// How many earlier messages a question carries, for backends that remember nothing: ten exchanges.
        public var earlierTurnLimit: Int64 = 20
        /// The longest wait that a server may tell (S9): a day, where quotas end. What is longer comes of a wrong
        /// clock.
        public var greatestToldWait = Interval.hours(24)
        /// How many bytes of earlier messages a question carries: some 8,000 tokens, which fits the smallest models.
        public var earlierByteLimit: Int64 = 32_768

        /// Creates the defaults.
        public init(carriage: Carriage = .socket) { self.carriage = carriage }

        @inline(__always) var growthLimits: Growth.Limits {
            Growth.Limits(text: replyTextLimit, chunks: chunkLimit, chunkBytes: chunkByteLimit)
        }

        var tooManyFiles: Banner { fileLimit > 0 ? .tooManyAttachments : .filesNotTaken }

        /// How many files a message may have here: a question that has a stream of its own is text alone.
        var fileLimit: Int64 {
            switch carriage {
            case .socket: attachmentLimit
            case .streams: 0
            }
        }
    }

    /// What carries the conversations. A front end need not know which it is.
    public enum Carriage: DomainValue {
        /// A socket that pushes: one connection for all of them.
        case socket
        /// A stream for each question, with these numbers; one at a time in a conversation (C15).
        case streams(Streaming.Configuration)
    }
}
