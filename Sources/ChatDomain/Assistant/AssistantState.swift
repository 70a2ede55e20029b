// The state of the assistant. A conversation lives while the view is open; each of its questions is in exactly
// one place, which determines its next step:
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
// Not in the diagram: a question is shown at its place in the order of writing, whatever happens to it (A4). The
// throttle outlives the conversation and the process (AssistantPacing.swift), so that closing the view or the app does
// not bypass it.

extension Assistant {
    /// The state of the assistant.
    public struct State: DomainValue {
        /// The signed-in account.
        package internal(set) var account: Account?
        /// Whether this device has a network; assumed until the root says otherwise.
        package internal(set) var isNetworkUp = true
        /// The conversation, while the view is open.
        package internal(set) var conversation: Conversation?
        /// The text of the composer; it survives the closing of the view.
        package internal(set) var draft: ExactText = ""
        /// The rate limit of questions (A8). It outlives a sign-out, for the person that it counts.
        var asking: Throttle
        var asker: UserID?
        var pacing = KeptRecord()
        /// Whether questions wait for the load of that record; the timer `restoring` runs.
        var isRestoring = false
        /// The number of questions ever written, which gives the next id.
        var written = Counter()
        /// The measures for the app (A10).
        public internal(set) var measures = Measures()

        /// Creates the state before the view is opened.
        public init(configuration: Configuration) { asking = Throttle(configuration.asking) }
    }

    /// The conversation since the view was opened.
    package struct Conversation: DomainValue {
        /// The id from the server, from its first answer on (A5).
        var id: ConversationID?
        /// The answered and failed questions, in the order of writing.
        package internal(set) var finished: [FinishedQuestion] = []
        /// The other questions.
        package internal(set) var queue: Queue = .idle
        /// Why the text of the composer was refused, if it was.
        package internal(set) var refusal: TextRefusal?
        /// Whether the app should show log-in (A6).
        var logIn: LogIn = .notWanted
        /// The number of questions and answers (A10).
        var messages = Counter()
        /// When the view was opened.
        let created: WallTime
        /// When a question was last written or finished.
        var updated: WallTime

        init(created: WallTime) {
            self.created = created
            updated = created
        }
    }

    /// A question of the person.
    package struct Question: DomainValue, Identifiable {
        /// Its id, which is also its place.
        package let id: QuestionID
        /// Its text; valid by A1.
        let text: ExactText
        /// When it was written.
        let time: WallTime
    }

    /// A question that is answered or has failed.
    package struct FinishedQuestion: DomainValue {
        package let question: Question
        package let ending: Ending
    }

    /// The ending of a question.
    package enum Ending: DomainValue {
        /// It was answered.
        case answered(Answer)
        /// It failed, and can be retried.
        case failed(Failure)
    }

    /// An answer of the assistant.
    package struct Answer: DomainValue {
        /// The text, up to `answerTextLimit`.
        let text: ExactText
        /// Whether the text is complete.
        let isWhole: Bool
        /// The server's time, or else the device's.
        let time: WallTime
        /// The time from asking to the answer (A10).
        let responseTime: Interval
        /// The cost in tokens, if the server reported it.
        let tokens: Int64?
    }

    /// Why a question has no answer (A6). A reason that passes by itself or with a sign-in is an `Obstacle`.
    package enum Failure: DomainValue {
        /// No answer came in time.
        case timedOut
        /// The assistant is not available, or deferred the question too often.
        case unavailable
        /// The server's sentence; never empty.
        case refused(ExactText)
        /// Any other reason, such as a malformed answer.
        case other
    }

    /// An obstacle to all questions (A6).
    package enum Obstacle: DomainValue {
        /// This device has no network.
        case offline
        /// No person is signed in, or the server refuses the credentials.
        case notSignedIn
    }

    /// Why the text of the composer was refused. The text stays.
    package enum TextRefusal: DomainValue {
        /// The text is empty (A1).
        case empty
        /// The text is too long (A1).
        case tooLong
        /// The queue is full (limits).
        case queueFull
        /// The conversation is full of failed questions (L8).
        case conversationFull
    }

    /// Whether the app should show log-in.
    enum LogIn: DomainValue {
        /// It should not, or the person has dismissed it.
        case notWanted
        /// It should: a question waits for a sign-in.
        case wanted
    }
}
