// What an app may want to know about the assistant (A10). Nothing decides by it, and a search leaves it out.

extension Assistant {
    /// Counts and times since the start, over all conversations.
    public struct Measures: DomainValue {
        /// How often the view was opened.
        public internal(set) var openings = Counter()
        /// Conversations in which something was asked.
        public internal(set) var conversations = Counter()
        /// Questions that were written and accepted.
        public internal(set) var questions = Counter()
        /// How long answers took.
        public internal(set) var responses = ResponseTimes()
        /// What went wrong.
        public internal(set) var failures = Failures()

        /// Questions and answers in a conversation, on average, in hundredths; zero before there are any.
        public var messagesPerConversationInHundredths: UInt64 {
            guard conversations.value > 0 else { return 0 }
            let messages = saturatingSum(questions.value, responses.answers.value)
            return saturatingProduct(messages, 100) / conversations.value
        }
    }

    /// How long answers took from asking to arriving.
    public struct ResponseTimes: DomainValue {
        /// How many there were.
        public private(set) var answers = Counter()
        /// The latest.
        public private(set) var latest: Interval?
        /// The longest.
        public private(set) var longest: Interval?
        /// All together, saturated.
        public private(set) var total = Interval.zero

        /// The mean; `nil` before the first.
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

    /// What went wrong, by kind (A6).
    public struct Failures: DomainValue {
        /// Pauses because nobody was signed in.
        public private(set) var notSignedIn = Counter()
        /// Pauses because there was no network.
        public private(set) var offline = Counter()
        /// Pauses because the server was asked too often (A8).
        public private(set) var exhausted = Counter()
        /// Questions without an answer in time.
        public private(set) var timedOut = Counter()
        /// Questions that the assistant was not there for.
        public private(set) var unavailable = Counter()
        /// Questions that the server refused with a sentence.
        public private(set) var refused = Counter()
        /// All others.
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
