// What the assistant knows. A conversation lives while the view is open; each of its questions is in exactly
// one place, from where its next step follows:
//
//                        ┌──────────── paused ◀──offline, not signed in──┐ (known beforehand: no call)
//                        │ network up, sign-in, retry                    │
//                        ▼                                               │
//   sent ──▶ behind ──▶ awaitingSlot ──────────────────────────────▶ asking ──answer──▶ answered
//              ▲          ▲                                          │   │
//              │          └───────── asked too often (A8) ───────────┘   │ time-out, error
//              │                                                         ▼
//              └─────────────────────── retry (A4) ─────────────────── failed
//
//   behind the head of the queue    |    head: one at a time         |    settled
//
// What the picture cannot show: where a question is shown is its place in the order of writing, whatever
// happens to it (A4); the throttle outlives the conversation and the process (AssistantPacing.swift), or closing the
// view or the app would get round it.

extension Assistant {
    /// Everything that the assistant knows.
    public struct State: DomainValue {
        /// Who is signed in.
        public var account: Account?
        /// Whether this device has a network, as far as anybody has said.
        public var isNetworkUp = true
        /// The conversation, while the view is open.
        public var conversation: Conversation?
        /// What stands in the composer; it survives closing the view.
        public var draft: ExactText = ""
        /// Keeps questions apart (A8).
        public var asking: Throttle
        /// How the record of that stands to storage.
        public internal(set) var pacing = KeptRecord()
        /// Whether questions wait until that has been loaded; the timer `restoring` runs.
        public internal(set) var isRestoring = false
        /// Counts the questions ever written, to name them.
        public var written = Counter()
        /// What an app may want to know about how it goes (A10).
        public var measures = Measures()

        /// The state before the view was opened.
        public init(configuration: Configuration) { asking = Throttle(configuration.asking) }
    }

    /// What was said since the view was opened.
    public struct Conversation: DomainValue {
        /// The name that the server gave, from its first answer on (A5).
        public var id: ConversationID?
        /// The questions that were answered or have failed, in the order of writing.
        public var settled: [Exchange] = []
        /// The others.
        public var queue: Queue = .idle
        /// Why what stands in the composer was not sent, if it was not.
        public var refusal: Refusal?
        /// Whether the app should show log-in (A6).
        public var logIn: LogIn = .notWanted
        /// How many questions and answers there have been (A10).
        public var messages = Counter()
        /// When the view was opened.
        public let created: WallTime
        /// When a question was written or settled last.
        public var updated: WallTime

        init(created: WallTime) {
            self.created = created
            updated = created
        }
    }

    /// What a person asked.
    public struct Question: DomainValue, Identifiable {
        /// Its name, which is also its place.
        public let id: QuestionID
        /// What it says; valid by A1.
        public let text: ExactText
        /// When it was written.
        public let time: WallTime
    }

    /// A question and what became of it.
    public struct Exchange: DomainValue {
        /// The question.
        public let question: Question
        /// What became of it.
        public let outcome: Outcome
    }

    /// What became of a question.
    public enum Outcome: DomainValue {
        /// It was answered.
        case answered(Answer)
        /// It was not, and can be asked again.
        case failed(Failure)
    }

    /// What the assistant said.
    public struct Answer: DomainValue {
        /// The text, at most `answerTextLimit` of it.
        public let text: ExactText
        /// Whether that is all of it.
        public let isWhole: Bool
        /// When, by the server's clock if it said so.
        public let time: WallTime
        /// How long it took from asking (A10).
        public let responseTime: Interval
        /// What it cost, if the server said so.
        public let tokens: Int64?
    }

    /// Why a question was not answered (A6). What passes by itself or by signing in is an `Obstacle`.
    public enum Failure: DomainValue {
        /// No answer came in time.
        case timedOut
        /// The assistant is not there, or wants to be left alone.
        case unavailable
        /// The server said why; never empty.
        case refused(ExactText)
        /// Anything else, such as an answer that makes no sense.
        case other
    }

    /// What keeps all questions from being asked (A6).
    public enum Obstacle: DomainValue {
        /// This device has no network.
        case offline
        /// Nobody is signed in, or the server does not accept who is.
        case notSignedIn
    }

    /// Why what stands in the composer was not sent. The text is still there.
    public enum Refusal: DomainValue {
        /// There is none (A1).
        case empty
        /// There is too much (A1).
        case tooLong
        /// Too many questions wait already (limits).
        case queueFull
        /// Too many questions have failed and wait to be asked again (L8).
        case conversationFull
    }

    /// Whether the app should show log-in.
    public enum LogIn: DomainValue {
        /// Nothing needs it, or it was asked for and dismissed.
        case notWanted
        /// A question needs somebody to sign in.
        case wanted
    }
}
