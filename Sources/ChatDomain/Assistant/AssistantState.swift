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
//   behind the head of the queue    |    head: one at a time         |    finished
//
// What the picture cannot show: where a question is shown is its place in the order of writing, whatever
// happens to it (A4); the throttle outlives the conversation and the process (AssistantPacing.swift), or closing the
// view or the app would get round it.

extension Assistant {
    /// Everything that the assistant knows.
    public struct State: DomainValue {
        /// Who is signed in.
        package internal(set) var account: Account?
        /// Whether this device has a network, as far as anybody has said.
        package internal(set) var isNetworkUp = true
        /// The conversation, while the view is open.
        package internal(set) var conversation: Conversation?
        /// What stands in the composer; it survives closing the view.
        package internal(set) var draft: ExactText = ""
        /// Keeps questions apart (A8).
        var asking: Throttle
        /// How the record of that stands to storage.
        var pacing = KeptRecord()
        /// Whether questions wait until that has been loaded; the timer `restoring` runs.
        var isRestoring = false
        /// Counts the questions ever written, to name them.
        var written = Counter()
        /// What an app may want to know about how it goes (A10).
        public internal(set) var measures = Measures()

        /// The state before the view was opened.
        public init(configuration: Configuration) { asking = Throttle(configuration.asking) }
    }

    /// What was said since the view was opened.
    package struct Conversation: DomainValue {
        /// The name that the server gave, from its first answer on (A5).
        var id: ConversationID?
        /// The questions that were answered or have failed, in the order of writing.
        package internal(set) var finished: [Exchange] = []
        /// The others.
        package internal(set) var queue: Queue = .idle
        /// Why what stands in the composer was not sent, if it was not.
        package internal(set) var refusal: Refusal?
        /// Whether the app should show log-in (A6).
        var logIn: LogIn = .notWanted
        /// How many questions and answers there have been (A10).
        var messages = Counter()
        /// When the view was opened.
        let created: WallTime
        /// When a question was written or finished last.
        var updated: WallTime

        init(created: WallTime) {
            self.created = created
            updated = created
        }
    }

    /// What a person asked.
    package struct Question: DomainValue, Identifiable {
        /// Its name, which is also its place.
        package let id: QuestionID
        /// What it says; valid by A1.
        let text: ExactText
        /// When it was written.
        let time: WallTime
    }

    /// A question and what became of it.
    package struct Exchange: DomainValue {
        /// The question.
        package let question: Question
        /// What became of it.
        package let outcome: Outcome
    }

    /// What became of a question.
    package enum Outcome: DomainValue {
        /// It was answered.
        case answered(Answer)
        /// It was not, and can be asked again.
        case failed(Failure)
    }

    /// What the assistant said.
    package struct Answer: DomainValue {
        /// The text, at most `answerTextLimit` of it.
        let text: ExactText
        /// Whether that is all of it.
        let isWhole: Bool
        /// When, by the server's clock if it said so.
        let time: WallTime
        /// How long it took from asking (A10).
        let responseTime: Interval
        /// What it cost, if the server said so.
        let tokens: Int64?
    }

    /// Why a question was not answered (A6). What passes by itself or by signing in is an `Obstacle`.
    package enum Failure: DomainValue {
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
    package enum Obstacle: DomainValue {
        /// This device has no network.
        case offline
        /// Nobody is signed in, or the server does not accept who is.
        case notSignedIn
    }

    /// Why what stands in the composer was not sent. The text is still there.
    package enum Refusal: DomainValue {
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
    enum LogIn: DomainValue {
        /// Nothing needs it, or it was asked for and dismissed.
        case notWanted
        /// A question needs somebody to sign in.
        case wanted
    }
}
