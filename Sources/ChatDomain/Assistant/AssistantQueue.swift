// The questions without an answer, in the order of asking (A3). Only the head is asked, so at most one request is in
// flight.

extension Assistant {
    /// The questions without an answer.
    package enum Queue: DomainValue {
        /// No question.
        case idle
        /// The head, and the questions behind it.
        case busy(Head, behind: [Question])
    }

    /// The question whose turn it is.
    package struct Head: DomainValue {
        package let question: Question
        /// Its stage.
        package internal(set) var stage: Stage = .awaitingSlot
        /// The number of its deferrals in a row (A8).
        var deferrals: Int64 = 0

        init(_ question: Question) { self.question = question }
    }

    /// The stage of the head.
    package enum Stage: DomainValue {
        /// It may not be asked yet, or the record is not loaded; the timer `slot` or `restoring` runs (A8).
        case awaitingSlot
        /// It was asked; the timer `answer` runs.
        case asking(Asking)
        /// Neither it nor the questions behind it can be asked before the obstacle is gone (A6).
        case paused(Obstacle)
    }

    /// A question in flight.
    package struct Asking: DomainValue {
        package let attempt: Attempt
        /// When it was opened.
        let since: Instant
        /// The indicator that the person sees.
        package internal(set) var patience: Patience = .thinking
    }

    /// The indicator while an answer is awaited (A2).
    package enum Patience: DomainValue {
        /// The answer is awaited; the timer `notice` runs.
        case thinking
        /// The answer takes long.
        case stillThinking
    }
}

extension Assistant.Queue {
    /// The question whose turn it is.
    package var head: Assistant.Head? { if case .busy(let head, _) = self { head } else { nil } }

    /// The number of questions, the head included.
    package var count: Int64 { if case .busy(_, let behind) = self { Int64(behind.count) + 1 } else { 0 } }

    /// The question in flight, if there is one.
    var asking: Assistant.Asking? { if case .asking(let asking) = head?.stage { asking } else { nil } }

    mutating func append(_ question: Assistant.Question) {
        switch self {
        case .idle: self = .busy(Assistant.Head(question), behind: [])
        case .busy(let head, let behind): self = .busy(head, behind: behind + [question])
        }
    }

    mutating func removeHead() -> Assistant.Head? {
        guard case .busy(let head, let behind) = self else { return nil }
        self = behind.first.map { .busy(Assistant.Head($0), behind: Array(behind.dropFirst())) } ?? .idle
        return head
    }

    mutating func setStage(_ stage: Assistant.Stage) {
        guard case .busy(var head, let behind) = self else { return }
        head.stage = stage
        self = .busy(head, behind: behind)
    }

    /// Defers the head; returns the number of its deferrals in a row.
    mutating func deferHead() -> Int64 {
        guard case .busy(var head, let behind) = self else { return 0 }
        head.stage = .awaitingSlot
        head.deferrals = saturatingSum(head.deferrals, 1)
        self = .busy(head, behind: behind)
        return head.deferrals
    }
}

extension Assistant.Conversation {
    var questionCount: Int64 { saturatingSum(Int64(finished.count), queue.count) }

    /// Inserts a finished question in the order of writing. O(n).
    mutating func insert(_ entry: Assistant.FinishedQuestion) {
        let place = finished.lastIndex { $0.question.id < entry.question.id }.map { $0 + 1 } ?? 0
        finished.insert(entry, at: place)
    }

    func hasFailed(_ id: QuestionID) -> Bool { finished.contains { $0.question.id == id && !$0.isAnswered } }

    mutating func takeFailed(_ id: QuestionID) -> Assistant.Question? {
        let index = finished.firstIndex { $0.question.id == id && !$0.isAnswered }
        return index.map { finished.remove(at: $0).question }
    }

    /// Whether one more question fits, if answered ones are forgotten; the others are never forgotten (L8). O(n).
    func hasRoom(limit: Int64) -> Bool {
        var unanswered = queue.count
        for entry in finished where !entry.isAnswered { unanswered += 1 }
        return unanswered < limit
    }

    mutating func makeRoom(limit: Int64) {
        while questionCount >= limit, let oldest = finished.firstIndex(where: { $0.isAnswered }) {
            finished.remove(at: oldest)
        }
    }
}

extension Assistant.FinishedQuestion {
    package var isAnswered: Bool { if case .answered = ending { true } else { false } }
}
