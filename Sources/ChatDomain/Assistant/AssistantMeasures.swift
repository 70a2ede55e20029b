// The measures of the assistant for the app (A10). No decision depends on them, and a search leaves them out.

extension Assistant {
    /// Counts and times since the start, over all conversations.
    public struct Measures: DomainValue {
        /// The number of openings of the view.
        public internal(set) var openings = Counter()
        /// The number of conversations with a question.
        public internal(set) var conversations = Counter()
        /// The number of accepted questions.
        public internal(set) var questions = Counter()
        /// The response times.
        public internal(set) var responses = ResponseTimes()
        /// The failures.
        public internal(set) var failures = Failures()

        /// The mean number of questions and answers of a conversation, in hundredths; zero without a conversation.
        public var messagesPerConversationInHundredths: UInt64 {
            guard conversations.value > 0 else { return 0 }
            let messages = saturatingSum(questions.value, responses.answers.value)
            return saturatingProduct(messages, 100) / conversations.value
        }
    }

    /// The times from a question to its answer.
    public struct ResponseTimes: DomainValue {
        /// The number of answers.
        public private(set) var answers = Counter()
        /// The latest time.
        public private(set) var latest: Interval?
        /// The longest time.
        public private(set) var longest: Interval?
        /// The sum of all times, saturated.
        public private(set) var total = Interval.zero

        /// The mean; `nil` before the first answer.
        public var mean: Interval? {
            guard answers.value > 0 else { return nil }
            return Interval(nanoseconds: total.nanoseconds / Int64(clamping: answers.value))
        }

        mutating func add(_ interval: Interval) {
            answers.increment()
            latest = interval
            longest = max(interval, longest ?? interval)
            total = total + interval
        }
    }

    /// The failures by kind (A6).
    public struct Failures: DomainValue {
        /// Pauses without a signed-in person.
        public private(set) var notSignedIn = Counter()
        /// Pauses without a network.
        public private(set) var offline = Counter()
        /// Deferrals, because the server was asked too often (A8).
        public private(set) var exhausted = Counter()
        /// Questions without an answer in time.
        public private(set) var timedOut = Counter()
        /// Questions while the assistant was not available.
        public private(set) var unavailable = Counter()
        /// Questions that the server refused with a sentence.
        public private(set) var refused = Counter()
        /// All other failures.
        public private(set) var other = Counter()

        mutating func count(_ failure: Failure) {
            switch failure {
            case .timedOut: timedOut.increment()
            case .unavailable: unavailable.increment()
            case .refused: refused.increment()
            case .other: other.increment()
            }
        }

        mutating func count(_ obstacle: Obstacle) {
            switch obstacle {
            case .offline: offline.increment()
            case .notSignedIn: notSignedIn.increment()
            }
        }

        mutating func countExhaustion() { exhausted.increment() }
    }
}
