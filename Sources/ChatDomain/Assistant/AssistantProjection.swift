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
    public static func rows(_ state: State, _ wording: Wording) -> [Row] {
        guard let conversation = state.conversation else { return [] }
        var rows: [Row] = []
        var open = openRows(conversation.queue, wording)[...]
        for entry in conversation.finished {
            while let first = open.first, first.question < entry.question.id {
                rows.append(open.removeFirst().row)
            }
            rows += finishedRows(entry, wording)
        }
        return rows + open.map { $0.row }
    }

    /// The welcome, while nothing has been asked.
    public static func welcome(_ state: State, _ wording: Wording) -> Welcome? {
        guard state.conversation?.questionCount == 0 else { return nil }
        return Welcome(text: wording.welcome, examples: wording.examples)
    }

    /// The composer.
    public static func composer(_ state: State, _ wording: Wording) -> Composer {
        let refusal = state.conversation?.refusal.map { sentence($0, wording) }
        return Composer(text: state.draft, canSend: !state.draft.isBlank, refusal: refusal)
    }

    /// The sentence while an answer is awaited; `nil` if none is (A2).
    public static func indicator(_ state: State, _ wording: Wording) -> ExactText? {
        state.conversation?.queue.asking.map { sentence($0.patience, wording) }
    }

    /// Whether the app should show log-in (A6).
    public static func wantsLogIn(_ state: State) -> Bool { state.conversation?.logIn == .wanted }

    // MARK: Rows

    /// The questions of the queue, in the order of writing: a retried question keeps its place.
    private static func openRows(_ queue: Queue, _ wording: Wording) -> [(question: QuestionID, row: Row)] {
        guard case .busy(let head, let behind) = queue else { return [] }
        let behindMark: Mark = if case .paused = head.stage { .held } else { .waiting }
        let marked = [(head.question, mark(head.stage, wording))] + behind.map { ($0, behindMark) }
        return marked.sorted { $0.0.id < $1.0.id }.map { ($0.0.id, row($0.0, $0.1, wording)) }
    }

    private static func finishedRows(_ entry: FinishedQuestion, _ wording: Wording) -> [Row] {
        let question = entry.question
        switch entry.ending {
        case .failed(let failure):
            return [row(question, .failed(sentence(failure, wording), retry: wording.retry), wording)]
        case .answered(let answer):
            let below = Row(
                id: .answer(question.id), speaker: wording.assistantSpeaker, text: answer.text,
                time: answer.time, mark: answer.isWhole ? nil : .cut(wording.replyTooLong))
            return [row(question, nil, wording), below]
        }
    }

    private static func row(_ question: Question, _ mark: Mark?, _ wording: Wording) -> Row {
        Row(
            id: .question(question.id), speaker: wording.personSpeaker, text: question.text,
            time: question.time, mark: mark)
    }

    private static func mark(_ stage: Stage, _ wording: Wording) -> Mark {
        switch stage {
        case .awaitingSlot: .awaitingSlot(wording.awaitingSlot)
        case .asking(let asking): .thinking(sentence(asking.patience, wording))
        case .paused(let obstacle): .failed(sentence(obstacle, wording), retry: wording.retry)
        }
    }

    // MARK: Sentences

    private static func sentence(_ patience: Patience, _ wording: Wording) -> ExactText {
        switch patience {
        case .thinking: wording.thinking
        case .stillThinking: wording.stillThinking
        }
    }

    private static func sentence(_ obstacle: Obstacle, _ wording: Wording) -> ExactText {
        switch obstacle {
        case .offline: wording.assistantOffline
        case .notSignedIn: wording.assistantSignIn
        }
    }

    private static func sentence(_ failure: Failure, _ wording: Wording) -> ExactText {
        switch failure {
        case .timedOut: wording.assistantTimedOut
        case .unavailable: wording.assistantUnavailable
        case .refused(let reason): wording.assistantError(reason)
        case .other: wording.assistantFailed
        }
    }

    private static func sentence(_ refusal: TextRefusal, _ wording: Wording) -> ExactText {
        switch refusal {
        case .empty: wording.emptyMessage
        case .tooLong: wording.longMessage
        case .queueFull: wording.assistantQueueFull
        case .conversationFull: wording.assistantConversationFull
        }
    }
}
