// What streaming knows. The phase tells the story; nothing beside it can contradict it.
//
//     idle ──asked──▶ waiting ──first token──▶ streaming ──done──▶ finished
//                      │ ▲ ▲                      │  │
//                      │ │ └──── fallback (S13) ──┘  │
//                      │ └───────retried──────────── interrupted, failed
//                      └────────────────────────────▶┘  (a whole reply: waiting ──▶ finished)
//
// Waiting has four stages: new credentials are fetched, the stream is open, it will be asked again, or the whole reply
// is asked for.

extension Streaming {
    /// Everything that streaming knows.
    public struct State: DomainValue {
        /// Where the reply is.
        public internal(set) var phase: Phase = .idle
        /// The right to ask; without it nothing is asked (S9).
        public internal(set) var access: Access?
        /// What was measured of the latest asking (S16).
        public internal(set) var measures = Measures()
        /// How many events made no sense (S12).
        public internal(set) var skipped = Counter()

        /// The state before anything is asked.
        public init(access: Access? = nil) { self.access = access }

        /// The question, once there is one. Its client id is the one it was last asked under.
        public var question: Question? {
            switch phase {
            case .idle: nil
            case .waiting(let asking, _), .streaming(let asking, _): asking.question
            case .finished(let reply): reply.question
            case .interrupted(let reply, _), .failed(let reply): reply.question
            }
        }

        /// Whether the server has taken the question, by the call that is open.
        var isAccepted: Bool {
            switch phase {
            case .waiting(_, .open(let reply)): reply.isAccepted
            case .streaming: true
            case .idle, .waiting, .finished, .interrupted, .failed: false
            }
        }

        /// Whether a call or a timer will still bring something.
        public var isRunning: Bool {
            switch phase {
            case .waiting, .streaming: true
            case .idle, .finished, .interrupted, .failed: false
            }
        }
    }

    /// Where the reply is.
    public enum Phase: DomainValue {
        /// Nothing was asked.
        case idle
        /// It was asked, and the call that is under way has brought no text.
        case waiting(Asking, Stage)
        /// Text comes.
        case streaming(Asking, OpenReply)
        /// The reply is complete.
        case finished(FinishedReply)
        /// There will be no more of it than this. The text may be empty only when it was stopped or left.
        case interrupted(UnfinishedReply, LongText)
        /// There will be nothing of it.
        case failed(UnfinishedReply)
    }

    /// What is under way before text comes. A timer of its own ends each.
    public enum Stage: DomainValue {
        /// New credentials are fetched.
        case refreshing(Attempt, RefreshCause)
        /// The stream is open.
        case open(OpenReply)
        /// It will be asked again (S8).
        case backingOff
        /// It was asked for the whole reply (S13).
        case fallingBack(Attempt)
    }

    /// Why new credentials are fetched.
    public enum RefreshCause: String, DomainValue {
        /// The old ones are about to expire; if there are no new ones, they may still do.
        case expiry
        /// The server has not accepted the old ones.
        case refusal
    }

    /// A question on its way, over all the calls that it costs.
    public struct Asking: DomainValue {
        /// What is asked.
        public internal(set) var question: Question
        /// What is shown until text takes its place.
        public internal(set) var kept: Kept
        /// The server's name for the reply, if it has told.
        public internal(set) var id: MessageID?
        /// What the backend has marked the reply with.
        public internal(set) var flags: [ExactText] = []
        /// Whether it may still be asked once more without the person (S8).
        public internal(set) var mayAskAgain = true
        /// Whether new credentials may still be fetched for it (S9).
        public internal(set) var mayRefresh = true
    }

    /// Text that stays in view until other text takes its place (S6).
    public enum Kept: DomainValue {
        /// There is none.
        case nothing
        /// It is left of what the person has asked before.
        case earlier(LongText)
        /// It is what this asking brought before it was asked for the whole reply.
        case current(LongText)
    }

    /// What an open stream has brought.
    public struct OpenReply: DomainValue {
        /// The call.
        public let attempt: Attempt
        /// The text.
        public internal(set) var growth: Growth
        /// Whether the server has taken the question.
        public internal(set) var isAccepted = false
    }

    /// A reply that is complete.
    public struct FinishedReply: DomainValue {
        /// What was asked.
        public let question: Question
        /// The server's name for the reply, if it has told.
        public let id: MessageID?
        /// All of it.
        public let text: LongText
        /// What the backend has marked it with; shown by nobody here.
        public let flags: [ExactText]
        /// What it has cost, if the server has told.
        public let usage: Usage?
    }

    /// A reply that ended and is not complete.
    public struct UnfinishedReply: DomainValue {
        /// What was asked.
        public let question: Question
        /// The server's name for the reply, if it has told.
        public let id: MessageID?
        /// How it ended.
        public internal(set) var ending: ReplyEnding
    }

    /// Why a reply is not complete.
    public enum Reason: DomainValue {
        /// The person stopped it.
        case stopped
        /// The view was left, or the app is no longer in front.
        case left
        /// Nobody is signed in.
        case signInFirst
        /// The server does not accept the credentials.
        case signInAgain
        /// The exchange broke.
        case broken(CallFailure)
        /// It ended without being complete.
        case endedEarly
        /// A time limit passed.
        case timedOut
        /// The server has the question, and no reply came in its time (C12).
        case noReply
        /// A numbered part is missing.
        case gap
        /// The server gave up, in these words.
        case reported(ExactText)
        /// The server answered with an HTTP status that is not a success, perhaps with a wait.
        case refused(status: Int64, until: WallTime?)
        /// It was longer than a reply may be.
        case tooLong
        /// It was complete and there was nothing in it.
        case empty
    }

    /// What was measured of one asking (S16).
    public struct Measures: DomainValue {
        /// When the person asked.
        public internal(set) var started: Instant = .origin
        /// From asking to the arrival of the first text.
        public internal(set) var timeToFirstToken: Interval?
        /// How many pieces of text came.
        public internal(set) var tokens: Int64 = 0
        /// How often the text in view changed.
        public internal(set) var visibleUpdates: Int64 = 0
        /// From asking to the end.
        public internal(set) var duration: Interval?

        /// Nothing was measured.
        public init() {}

        init(started: Instant) { self.started = started }
    }
}

extension Streaming.Reason {
    /// Whether somebody here wanted the end: then nothing is said about it (L7).
    public var isCancel: Bool {
        switch self {
        case .stopped, .left: true
        default: false
        }
    }

    /// Whether it pays to ask for the whole reply instead (S13). A 408 is the server's word, and not a time-out of ours.
    var allowsFallback: Bool {
        switch self {
        case .endedEarly, .timedOut, .noReply, .gap, .reported, .empty: true
        case .refused(let status, _): status == 404 || (500...599).contains(status)
        case .broken(let failure):
            switch failure {
            case .offline, .unreachable, .lost, .timedOut, .tooLarge, .malformed: true
            case .insecure, .secretMissing, .recordMissing: false
            }
        case .stopped, .left, .signInFirst, .signInAgain, .tooLong: false
        }
    }

    /// Whether neither the question nor the person is to blame: those behind the question wait (C8). Told waits and
    /// refused credentials hold up all conversations instead.
    var isTransient: Bool {
        switch self {
        case .endedEarly, .timedOut, .noReply: true
        case .broken(.offline), .broken(.unreachable), .broken(.lost), .broken(.timedOut): true
        case .refused(let status, nil): status == 408 || (500...599).contains(status)
        default: false
        }
    }

    /// Whether the network is to blame, and may be there again in a moment (S8).
    var allowsRetry: Bool {
        switch self {
        case .broken(.offline), .broken(.unreachable), .broken(.lost): true
        default: false
        }
    }
}
