// The state of streaming. The phase is the only source of truth, so nothing can contradict it. `waiting` has four
// stages: credentials are renewed, the stream is open, a retry backs off, or the whole reply is requested.
//
//     idle ──asked──▶ waiting ──first token──▶ streaming ──done──▶ finished
//                      │ ▲ ▲                      │  │
//                      │ │ └──── fallback (S13) ──┘  │
//                      │ └───────retried──────────── interrupted, failed
//                      └────────────────────────────▶┘  (a whole reply: waiting ──▶ finished)

extension Streaming {
    /// The state of streaming.
    public struct State: DomainValue {
        package var phase: Phase = .idle
        /// The credentials; without them nothing is asked (S9).
        package internal(set) var access: Access?
        /// The measures of the latest asking (S16).
        public internal(set) var measures = Measures()
        /// The number of events outside the protocol (S12).
        var skipped = Counter()

        /// Creates the state before any question.
        public init(access: Access? = nil) { self.access = access }

        /// The question, unless idle. Its client id is the latest one sent.
        package var question: Question? {
            switch phase {
            case .idle: nil
            case .waiting(let asking, _), .streaming(let asking, _): asking.question
            case .finished(let reply): reply.question
            case .interrupted(let reply, _), .failed(let reply): reply.question
            }
        }

        /// Whether the server accepted the question on the open call.
        var isAccepted: Bool {
            switch phase {
            case .waiting(_, .open(let reply)): reply.isAccepted
            case .streaming: true
            case .idle, .waiting, .finished, .interrupted, .failed: false
            }
        }

        /// Whether a call or timer is pending.
        package var isRunning: Bool {
            switch phase {
            case .waiting, .streaming: true
            case .idle, .finished, .interrupted, .failed: false
            }
        }
    }

    /// The phase of the reply.
    package enum Phase: DomainValue {
        case idle
        /// Asked; no text has arrived on the current call, or white space alone.
        case waiting(Asking, Stage)
        case streaming(Asking, OpenReply)
        /// The reply is complete.
        case finished(FinishedReply)
        /// The reply ended incomplete. Nothing is kept only if the reply was stopped or left.
        case interrupted(UnfinishedReply, Kept)
        /// The reply ended without text.
        case failed(UnfinishedReply)
    }

    /// The stages before the first text; each has its own deadline.
    package enum Stage: DomainValue {
        /// New credentials are requested.
        case refreshing(Attempt, RefreshCause)
        case open(OpenReply)
        /// A retry waits for its backoff (S8).
        case backingOff
        /// The whole reply is requested (S13).
        case fallingBack(Attempt)
    }

    /// Why credentials are renewed.
    package enum RefreshCause: DomainValue {
        /// They expire soon; without new ones the old ones are still tried.
        case expiry
        /// The server rejected them.
        case refusal
    }

    /// A question in progress, across all its calls.
    package struct Asking: DomainValue {
        var question: Question
        /// The text in view until new text replaces it.
        var kept: Kept
        /// The server's id of the reply, if known.
        var id: MessageID?
        /// The backend's marks of the reply.
        var flags: [ExactText] = []
        var extra = ExtraRequest.unused
        /// Whether credentials may still be renewed for it (S9).
        var mayRefresh = true

        /// Whether the question may be sent once more by itself (S8).
        package var mayAskAgain: Bool { extra == .unused }
    }

    /// The one request that a question may cost in addition (S8).
    enum ExtraRequest: DomainValue {
        case unused
        /// The request before it ended for this reason.
        case used(after: Reason)
    }

    /// Text that stays in view until new text replaces it (S6).
    package enum Kept: DomainValue {
        case nothing
        /// Text of an earlier asking; the caller has its marks.
        case earlier(LongText)
        /// Text of this asking, with the backend's marks of it.
        case current(LongText, [ExactText])
    }

    /// The progress of an open stream.
    package struct OpenReply: DomainValue {
        let attempt: Attempt
        package var growth: Growth
        /// Whether the server accepted the question.
        var isAccepted = false
    }

    /// A complete reply.
    package struct FinishedReply: DomainValue {
        let question: Question
        /// The server's id of the reply, if known.
        let id: MessageID?
        package let text: LongText
        /// The backend's marks; not shown here.
        let flags: [ExactText]
        /// The cost, if the server reported it.
        let usage: Usage?
    }

    /// A reply that ended incomplete.
    package struct UnfinishedReply: DomainValue {
        let question: Question
        /// The server's id of the reply, if known.
        let id: MessageID?
        var ending: ReplyEnding
    }

    /// Why a reply is incomplete.
    public enum Reason: DomainValue {
        /// The person stopped it.
        case stopped
        /// The person left the view, or the app left the foreground.
        case left
        /// Nobody is signed in.
        case signInFirst
        /// The server rejects the credentials.
        case signInAgain
        /// The connection failed.
        case broken(CallFailure)
        /// The stream ended before the reply was complete.
        case endedEarly
        /// A deadline passed.
        case timedOut
        /// The server accepted the question, and no reply came before the deadline (C12).
        case noReply
        /// A numbered chunk is missing.
        case gap
        /// The server gave up, with this sentence.
        case reported(ExactText)
        /// The server answered with an HTTP error status, perhaps with a wait.
        case refused(status: Int64, until: WallTime?)
        /// It exceeded the length limit.
        case tooLong
        /// It was complete and empty.
        case empty
    }

    /// The measures of one asking (S16).
    public struct Measures: DomainValue {
        /// When the person asked.
        public internal(set) var started: Instant = .origin
        /// From asking to the first text.
        public internal(set) var timeToFirstToken: Interval?
        /// The number of text pieces.
        public internal(set) var tokens: Int64 = 0
        /// The number of changes to the visible text.
        public internal(set) var visibleUpdates: Int64 = 0
        /// From asking to the end.
        public internal(set) var duration: Interval?

        /// Creates empty measures.
        init(started: Instant = .origin) { self.started = started }
    }
}

extension Streaming.Reason {
    /// Whether the person or the app ended it: no sentence is shown then (L7).
    var isCancel: Bool { self == .stopped || self == .left }

    /// Whether the server took the question and failed: a retry needs a new key (S6).
    var isServersFailure: Bool { if case .reported = self { true } else { self == .empty } }

    /// Whether the whole reply is worth requesting (S13). A 408 is the server's answer, not a time-out of ours.
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

    /// Whether neither the question nor the person is the cause: later questions wait (C8). Waits set by the server
    /// and rejected credentials block all conversations instead.
    var isTransient: Bool {
        switch self {
        case .endedEarly, .timedOut, .noReply: true
        case .broken(.offline), .broken(.unreachable), .broken(.lost), .broken(.timedOut): true
        case .refused(let status, nil): status == 408 || (500...599).contains(status)
        default: false
        }
    }

    /// Whether a server may have taken the question: it is not asked again by itself then.
    var mayHaveArrived: Bool {
        switch self {
        case .broken(.offline), .broken(.unreachable), .signInAgain, .refused(404, _): false
        default: true
        }
    }

    /// Whether the network is the cause and may recover soon (S8).
    var allowsRetry: Bool {
        self == .broken(.offline) || self == .broken(.unreachable) || self == .broken(.lost)
    }
}
