// The AI assistant: questions that are asked one at a time, each answered whole (A1–A10).
//
// Start with the state in AssistantState.swift, then read the switch in AssistantReducer.swift; it leads to
// three chapters: Asking, Answers and Pacing. This file holds the vocabulary. Questions live as long as the view is
// open; all that the assistant stores is how often it was asked lately.

/// The feature that asks an assistant on a person's behalf.
public struct Assistant: Feature {
    /// The numbers that an app may change.
    public var configuration: Configuration

    /// Creates the feature.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// What a person did and what the world answered.
    public enum Action: FeatureAction {
        // The front end.
        /// The assistant is on the screen.
        case opened
        /// The assistant was left.
        case closed
        /// The text of the composer changed.
        case draftEdited(ExactText)
        /// The person took an example, whose text is this, as it stood on the screen (A7).
        case exampleTapped(ExactText)
        /// The person sends what stands in the composer.
        case sent
        /// The person wants a question asked again (A4).
        case retried(QuestionID)
        /// The app has shown log-in, or the person does not want to (A6).
        case logInDismissed

        // The root.
        /// Somebody is signed in, on this device.
        case signedIn(Account)
        /// Nobody is signed in any more.
        case signedOut
        /// This device has a network, or has none.
        case networkChanged(isUp: Bool)

        // What the world answered.
        case received(Event, on: Call)
        case ended(Call, CallEnd)
        case stored(StorageAnswer<Record>, under: Key, Attempt)
        case timerFired(Timer)
    }

    /// The calls that the assistant may have open: never more than one.
    public enum Call: DomainValue {
        /// One asking of one question.
        case ask(Attempt)
    }

    /// What is asked when a call is opened.
    public enum Request: PlainValue {
        /// A question, in a conversation once that has an id.
        case ask(ExactText, conversation: ConversationID?, user: UserID, secret: SecretHandle)
    }

    /// What an open call brings. Either case is the last of its call that counts.
    public enum Event: PlainValue {
        /// The answer, with what the server says beside it.
        case answered(ExactText, conversation: ConversationID?, time: WallTime?, tokens: Int64?)
        /// The server does not answer the question.
        case failed(Rejection)
    }

    /// The deadlines of the assistant.
    public enum Timer: DomainValue {
        /// The answer takes long enough to say so (A2).
        case notice
        /// The answer takes too long (A2).
        case answer
        /// The first question in the queue may be asked (A8).
        case slot
        /// How often the assistant was asked lately has been loading for too long.
        case restoring
    }

    /// Nothing is sent on an open call.
    public typealias Frame = Never

    /// Where the assistant keeps its record.
    public enum Key: DomainValue {
        /// What the next process must know of a person's asking.
        case pacing(UserID)
    }

    /// What the assistant keeps.
    public enum Record: PlainValue {
        /// When it was asked lately, and until when it must not be (A8).
        case pacing(Pacing)
    }
}

/// Names a question, in the order in which they were written; minted here, and not used again.
public struct QuestionID: DomainValue, Comparable {
    /// The position among all questions since the start.
    package let number: UInt64

    /// Creates the id of that position; only the assistant or a test has reason to.
    package init(number: UInt64) { self.number = number }

    public static func < (left: QuestionID, right: QuestionID) -> Bool { left.number < right.number }
}

/// Why a server does not answer a question, in the terms of callable functions.
public enum Rejection: DomainValue {
    /// It does not know who asks.
    case unauthenticated
    /// It has been asked too often, and may have said for how long it wants to be left alone.
    case exhausted(retryAfter: Interval?)
    /// It gave up waiting for its own answer.
    case deadlineExceeded
    /// It cannot answer anybody now.
    case unavailable
    /// Anything else, with its own sentence, which may be empty.
    case other(ExactText)
}

extension Assistant {
    /// The numbers of the assistant, with the defaults of Docs/Rules.md.
    public struct Configuration: DomainValue {
        /// A question of so many characters, or more, is too long (A1).
        public var characterLimit: Int64 = 2_000
        /// How long a question may be, in UTF-8 bytes (A1).
        public var byteLimit: Int64 = 16_384
        /// How much of the composer is kept, in UTF-8 bytes (L8): more than anybody shortens to a question.
        public var draftLimit: Int64 = 1_048_576
        /// How long an answer may take before it is said that it takes long (A2).
        public var noticeDelay = Interval.seconds(3)
        /// How long an answer may take (A2).
        public var answerLimit = Interval.seconds(10)
        /// How often the assistant may be asked (A8); `.unlimited` switches this off.
        public var asking = Throttle.Configuration(limit: 10, window: .seconds(60))
        /// How long to leave a server alone that was asked too often and does not say how long (A8).
        public var defaultPause = Interval.seconds(30)
        /// The longest pause that a server may ask for; beyond it a mistake would hold questions for good.
        public var longestPause = Interval.seconds(300)
        /// How long a question waits for the disk to say how often was asked lately: as long as a launch does (P1).
        public var restoringLimit = Interval.seconds(5)
        /// How often in a row a question may be deferred: five times 30 s exceed the minute in which limits are
        /// counted.
        public var deferralLimit: Int64 = 5
        /// How many questions may be without an answer, the one that is being asked among them.
        public var queueLimit: Int64 = 20
        /// How many questions a conversation shows with their answers (L8): at ten a minute, those of fifty minutes.
        public var exchangeLimit: Int64 = 500
        /// How much of a server's sentence is kept, and the longest id of a conversation, in UTF-8 bytes (L8).
        public var textLimit: Int64 = 1_024
        /// How long an answer may be, in UTF-8 bytes: as long as any reply (C21).
        public var answerTextLimit: Int64 = 1_048_576

        /// Creates the defaults.
        public init() {}
    }
}
