// The assistant's screen (R3): rows, welcome, composer, and whether to log in. A front end draws these and
// decides nothing; `RelativeTime` puts times into words (A9).

extension Assistant {
    /// One bubble.
    public struct Row: PlainValue, Identifiable {
        /// The identity of the bubble; stable while it is shown.
        public let id: ID
        /// The author, which a screen reader says before the text.
        public let speaker: ExactText
        /// The text.
        public let text: ExactText
        /// The time of writing, or the server's time.
        public let time: WallTime
        /// The mark beside or below it, if there is one.
        public let mark: Mark?

        /// The identity of a bubble, and its author.
        public enum ID: PlainValue {
            /// A question of the person.
            case question(QuestionID)
            /// The assistant's answer to it.
            case answer(QuestionID)
        }
    }

    /// The mark beside or below a bubble.
    public enum Mark: PlainValue {
        /// It waits behind another question (A3).
        case waiting
        /// It waits for its slot; the sentence that says so (A8).
        case awaitingSlot(ExactText)
        /// Its answer is awaited; the sentence that says so (A2).
        case thinking(ExactText)
        /// It waits behind a question that pauses the queue; nothing is under way (A6).
        case held
        /// It failed, or it pauses the queue: a sentence, and the title of the retry button (A4, A6).
        case failed(ExactText, retry: ExactText)
        /// Its text was cut; the sentence that says so (C21).
        case cut(ExactText)
    }

    /// The content before the first question (A7).
    public struct Welcome: PlainValue {
        /// The greeting.
        public let text: ExactText
        /// Example questions; a tap on one is `exampleTapped` with its text.
        public let examples: [ExactText]
    }

    /// The composer.
    public struct Composer: PlainValue {
        /// The text.
        public let text: ExactText
        /// Whether there is anything to send.
        public let canSend: Bool
        /// Why the text was refused, if it was (A1).
        public let refusal: ExactText?
    }

    /// The bubbles in the order of writing, each answer below its question. O(n).
    public static func rows(_ state: State, _ copy: Copy) -> [Row] {
        guard let conversation = state.conversation else { return [] }
        var rows: [Row] = []
        var open = openRows(conversation.queue, copy)[...]
        for exchange in conversation.finished {
            while let first = open.first, first.question < exchange.question.id {
                rows.append(open.removeFirst().row)
            }
            rows += finishedRows(exchange, copy)
        }
        return rows + open.map { $0.row }
    }

    /// The welcome, while nothing has been asked.
    public static func welcome(_ state: State, _ copy: Copy) -> Welcome? {
        guard state.conversation?.exchangeCount == 0 else { return nil }
        return Welcome(text: copy.welcome, examples: copy.examples)
    }

    /// The composer.
    public static func composer(_ state: State, _ copy: Copy) -> Composer {
        let refusal = state.conversation?.refusal.map { sentence($0, copy) }
        return Composer(text: state.draft, canSend: !state.draft.trimmed.isEmpty, refusal: refusal)
    }

    /// The sentence while an answer is awaited; `nil` if none is (A2).
    public static func indicator(_ state: State, _ copy: Copy) -> ExactText? {
        state.conversation?.queue.asking.map { sentence($0.patience, copy) }
    }

    /// Whether the app should show log-in (A6).
    public static func wantsLogIn(_ state: State) -> Bool { state.conversation?.logIn == .wanted }

    // MARK: Rows

    /// The questions of the queue, in the order of writing: a retried question keeps its place.
    private static func openRows(_ queue: Queue, _ copy: Copy) -> [(question: QuestionID, row: Row)] {
        guard case .busy(let head, let behind) = queue else { return [] }
        let behindMark: Mark = if case .paused = head.stage { .held } else { .waiting }
        let marked = [(head.question, mark(head.stage, copy))] + behind.map { ($0, behindMark) }
        return marked.sorted { $0.0.id < $1.0.id }.map { ($0.0.id, row($0.0, $0.1, copy)) }
    }

    private static func finishedRows(_ exchange: Exchange, _ copy: Copy) -> [Row] {
        let question = exchange.question
        switch exchange.outcome {
        case .failed(let failure):
            return [row(question, .failed(sentence(failure, copy), retry: copy.retry), copy)]
        case .answered(let answer):
            let below = Row(
                id: .answer(question.id), speaker: copy.assistantSpeaker, text: answer.text,
                time: answer.time, mark: answer.isWhole ? nil : .cut(copy.replyTooLong))
            return [row(question, nil, copy), below]
        }
    }

    private static func row(_ question: Question, _ mark: Mark?, _ copy: Copy) -> Row {
        Row(
            id: .question(question.id), speaker: copy.personSpeaker, text: question.text,
            time: question.time, mark: mark)
    }

    private static func mark(_ stage: Stage, _ copy: Copy) -> Mark {
        switch stage {
        case .awaitingSlot: .awaitingSlot(copy.awaitingSlot)
        case .asking(let asking): .thinking(sentence(asking.patience, copy))
        case .paused(let obstacle): .failed(sentence(obstacle, copy), retry: copy.retry)
        }
    }

    // MARK: Sentences

    private static func sentence(_ patience: Patience, _ copy: Copy) -> ExactText {
        switch patience {
        case .thinking: copy.thinking
        case .stillThinking: copy.stillThinking
        }
    }

    private static func sentence(_ obstacle: Obstacle, _ copy: Copy) -> ExactText {
        switch obstacle {
        case .offline: copy.assistantOffline
        case .notSignedIn: copy.assistantSignIn
        }
    }

    private static func sentence(_ failure: Failure, _ copy: Copy) -> ExactText {
        switch failure {
        case .timedOut: copy.assistantTimedOut
        case .unavailable: copy.assistantUnavailable
        case .refused(let reason): copy.assistantError(reason)
        case .other: copy.assistantFailed
        }
    }

    private static func sentence(_ refusal: Refusal, _ copy: Copy) -> ExactText {
        switch refusal {
        case .empty: copy.emptyMessage
        case .tooLong: copy.longMessage
        case .queueFull: copy.assistantQueueFull
        case .conversationFull: copy.assistantConversationFull
        }
    }
}
