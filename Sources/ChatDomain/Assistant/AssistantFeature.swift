// The AI assistant: questions that are asked one at a time, each answered whole (A1–A10).
//
// Start with the state in AssistantState.swift, then read the switch in AssistantReducer.swift; it leads to
// three files: Asking, Answers and Pacing. This file holds the vocabulary. Questions live as long as the view is
// open; the only stored record has the times of the latest questions.

/// The feature that asks an assistant on a person's behalf.
public struct Assistant: Feature {
    /// The settings of the app, behind one reference: a machine holds them, and machines are copied.
    @Boxed public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) {
        _configuration = Boxed(wrappedValue: configuration)
    }

    /// A report of the person, the root or the effects.
    public enum Action: FeatureAction {
        // From the front end.
        /// The assistant is on the screen.
        case opened
        /// The assistant was left.
        case closed
        /// The text of the composer changed.
        case draftEdited(ExactText)
        /// The person tapped an example with this text (A7).
        case exampleTapped(ExactText)
        /// The person sends the content of the composer.
        case sent
        /// The person retries a question (A4).
        case retried(QuestionID)
        /// The app has shown the log-in, or the person has declined it (A6).
        case logInDismissed

        // From the root.
        /// A person is signed in on this device.
        case signedIn(Account)
        /// The person signed out.
        case signedOut
        /// The network came or went.
        case networkChanged(isUp: Bool)

        // From the effects.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls of the assistant; at most one is open.
    public enum Call: DomainValue {
        /// One attempt to ask a question.
        case ask(Attempt)
    }

    /// The request that opens a call.
    public enum Request: PlainValue {
        /// A question, with the id of its conversation once the server has given one.
        case ask(ExactText, conversation: ConversationID?, user: UserID, secret: SecretHandle)
    }

    /// An event of an open call. After either one, no event of the call counts.
    public enum Event: PlainValue {
        /// The answer, and the facts that the server sends with it.
        case answered(ExactText, conversation: ConversationID?, time: WallTime?, tokens: Int64?)
        /// The server does not answer the question.
        case failed(AssistantRefusal)
    }

    /// The deadlines of the assistant.
    public enum Timer: DomainValue {
        /// The answer takes long, and the person is told so (A2).
        case notice
        /// The answer did not come in time (A2).
        case answer
        /// The first question in the queue may be asked (A8).
        case slot
        /// The times of the latest questions did not load in time.
        case restoring
    }

    /// No frame is sent.
    public typealias Frame = Never

    /// The keys of the assistant's records.
    public enum Key: DomainValue {
        /// The times of a person's latest questions.
        case pacing(UserID)
    }

    /// The records of the assistant.
    public enum Record: PlainValue {
        /// The times of the latest questions, and the end of a wait that the server demands (A8).
        case pacing(Pacing)
    }
}

/// The id of a question: minted here in the order of writing, and never used again.
public struct QuestionID: DomainValue, Comparable {
    /// The position among all questions since the start.
    package let number: UInt64

    /// Creates the id of that position; only the assistant or a test needs it.
    package init(number: UInt64) { self.number = number }

    public static func < (left: QuestionID, right: QuestionID) -> Bool { left.number < right.number }
}

/// Why a server does not answer a question, in the terms of callable functions.
public enum AssistantRefusal: DomainValue {
    /// The server does not accept the credentials.
    case unauthenticated
    /// The server was asked too often; it may demand a wait.
    case exhausted(retryAfter: Interval?)
    /// The server exceeded its own deadline.
    case deadlineExceeded
    /// The server cannot answer now.
    case unavailable
    /// Any other error, with the server's sentence, which may be empty.
    case other(ExactText)
}

extension Assistant {
    /// The settings of the assistant, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// The number of characters from which a question is too long (A1).
        public var characterLimit: Int64 = 2_000
        /// The longest question, in UTF-8 bytes (A1).
        public var byteLimit: Int64 = 16_384
        /// The longest text of the composer, in UTF-8 bytes (L8): more than a person shortens to a question.
        public var draftLimit: Int64 = 1_048_576
        /// The time without an answer after which the person is told that it takes long (A2).
        public var noticeDelay = Interval.seconds(3)
        /// The deadline for an answer (A2).
        public var answerLimit = Interval.seconds(10)
        /// The rate limit of questions (A8); `.unlimited` switches it off.
        public var asking = Throttle.Configuration(limit: 10, window: .seconds(60))
        /// The wait after too many questions, if the server names none (A8).
        public var defaultPause = Interval.seconds(30)
        /// The longest wait that a server may demand; a longer one, by a mistake, would hold questions for good.
        public var longestPause = Interval.seconds(300)
        /// The deadline for loading the times of the latest questions: that of a launch (P1).
        public var restoringLimit = Interval.seconds(5)
        /// The maximum number of deferrals of a question in a row: five times 30 s exceed the minute in which limits
        /// are counted.
        public var deferralLimit: Int64 = 5
        /// The maximum number of unanswered questions, the one in flight included.
        public var queueLimit: Int64 = 20
        /// The maximum number of finished questions of a conversation (L8): at ten a minute, those of fifty minutes.
        public var exchangeLimit: Int64 = 500
        /// The longest kept sentence of a server, and the longest id of a conversation, in UTF-8 bytes (L8).
        public var textLimit: Int64 = 1_024
        /// The longest answer, in UTF-8 bytes: the limit of a reply (C21).
        public var answerTextLimit: Int64 = 1_048_576

        /// Creates the defaults.
        public init() {}
    }
}
