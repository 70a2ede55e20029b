// The replies of a connection to an OpenClaw gateway, in the order of their questions. A question whose own run has
// yielded is answered by the next run that is named by no question. A history completes replies by the keys of their
// questions, and otherwise by position: an answer that was told as that of one run completes no other, and those that
// remain are of the newest questions. Start at `begin` and `complete`.

import ChatDomain

/// The latest runs of a connection. A run that has ended gives way first.
struct OpenClawRuns: DomainValue {
    private(set) var list: [OpenClawRun] = []

    /// The maximum number of replies that grow at once (limits).
    private static let limit = 16

    /// The consequence of a history.
    struct Ends {
        /// The replies that it completes, with the times that it tells.
        var completed: [(run: OpenClawRun, told: WallTime?)] = []
        var failed: OpenClawRun?
    }

    // MARK: Events

    /// The place of a run in the list.
    mutating func place(of id: MessageID, in conversation: ConversationID) -> Int {
        if let known = list.firstIndex(where: { $0.id == id }) {
            list[known].conversation = conversation
            return known
        }
        if list.count == Self.limit { list.remove(at: list.firstIndex { !$0.isOpen } ?? 0) }
        list.append(OpenClawRun(id: id, conversation: conversation))
        return list.endIndex - 1
    }

    /// Accepts a question. A run whose end has come before stays over.
    mutating func accepted(
        _ id: MessageID, _ question: ClientID, _ conversation: ConversationID, at time: WallTime?
    ) -> Int {
        let run = place(of: id, in: conversation)
        list[run].question = question
        list[run].asked = list[run].asked ?? time
        return run
    }

    /// Begins a run, or begins it anew after its end. One that is named by no question answers the earliest question
    /// whose own run has yielded.
    mutating func begin(_ id: MessageID, in conversation: ConversationID) -> Int {
        let isNew = !list.contains { $0.id == id }
        let run = place(of: id, in: conversation)
        if isNew, !list[run].isNamedByQuestion, let yielded = yielded(in: conversation) {
            (list[run].question, list[run].asked) = (list[yielded].question, list[yielded].asked)
            list[yielded].stage = .over
        }
        if !list[run].isOpen { (list[run].text, list[run].sure) = (nil, nil) }
        list[run].stage = .begun
        return run
    }

    private func yielded(in conversation: ConversationID) -> Int? {
        list.firstIndex { $0.conversation == conversation && $0.stage == .yielded && $0.question != nil }
    }

    /// Takes a piece of a reply. The text so far counts if it is sent; otherwise the increment is appended, or replaces
    /// the text.
    mutating func grow(_ run: Int, to whole: ExactText?, _ payload: JSONValue, limit: Int64) {
        if let whole {
            list[run].replace(by: whole)
        } else if let piece = payload["deltaText"]?.string {
            if payload["replace"]?.bool == true { list[run].replace(by: "") }
            list[run].append(piece, limit: limit)
        }
    }

    mutating func replace(_ run: Int, by whole: ExactText) { list[run].replace(by: whole) }

    /// Ends a run; without words it yields.
    mutating func end(_ run: Int) { list[run].stage = list[run].text == nil ? .yielded : .over }

    /// Ends a run whose question is answered or has failed.
    mutating func close(_ run: Int) { list[run].stage = .over }

    /// Whether a run of a conversation goes on.
    func isBusy(_ conversation: ConversationID) -> Bool {
        list.contains { $0.conversation == conversation && $0.isOpen }
    }

    /// Events are missing.
    mutating func missed() {
        for run in list.indices where list[run].isOpen && list[run].sure == nil {
            list[run].sure = list[run].text?.byteCount ?? 0
        }
    }

    // MARK: Histories

    /// Completes the requested reply, or those that go on, from a history. A requested one without words has failed if
    /// the history has come to its question, and nothing is under way there.
    mutating func complete(
        _ requested: MessageID?, in conversation: ConversationID, from history: OpenClawHistory
    ) -> Ends {
        let isMeant = list.map { run in
            guard run.conversation == conversation else { return false }
            guard let requested else { return run.isOpen }
            return run.id == requested && (run.text != nil || run.stage == .yielded)
        }
        let places = places(in: history, of: conversation, isMeant)
        var ends = Ends()
        for run in list.indices where isMeant[run] {
            let answer = places[run].map { history.exchanges[$0] }
            if let answer, !answer.text.isEmpty, list[run].isCompleted(by: answer) {
                (list[run].text, list[run].sure) = (answer.text, nil)
                close(run)
                ends.completed.append((list[run], answer.time))
            } else if requested != nil, list[run].text?.isEmpty ?? true {
                let last = history.exchanges.last?.time
                let isKnown = list[run].asked != nil && list[run].isAsked(before: last)
                let hasCome = history.isNamed ? answer != nil : isKnown
                let isUnanswered = list[run].question != nil && hasCome && !history.isUnderWay
                guard list[run].text != nil || isUnanswered else { continue }
                close(run)
                ends.failed = list[run]
            }
        }
        return ends
    }

    /// The place of each run's answer in a history. Keys say most; then the text of what has been told, the newest question
    /// if it has no answer, the beginning of what grows, and least the mere order of the questions.
    private func places(
        in history: OpenClawHistory, of conversation: ConversationID, _ isMeant: [Bool]
    ) -> [Int?] {
        var places: [Int?] = list.map { run in
            run.conversation == conversation ? history.exchanges.lastIndex { $0.key == run.key } : nil
        }
        func place(where isSought: (Int) -> Bool, _ choose: (OpenClawRun, [Int]) -> Int?) {
            for run in list.indices.reversed()
            where places[run] == nil && list[run].conversation == conversation && isSought(run) {
                let range = range(of: run, in: history, beside: places)
                let free = range.filter { history.exchanges[$0].key == nil && !places.contains($0) }
                places[run] = choose(list[run], free)
            }
        }
        place(where: { _ in true }) { run, free in
            free.last { !history.exchanges[$0].text.isEmpty && history.exchanges[$0].text == run.text }
        }
        let newest: (OpenClawRun, [Int]) -> Int? = { run, free in
            free.last.flatMap { run.isCompleted(by: history.exchanges[$0]) ? $0 : nil }
        }
        // A question without an answer is that of the newest run that goes on.
        place(where: { list[$0].stage == .begun }) { run, free in
            free.last.flatMap {
                let last = history.exchanges[$0]
                return last.text.isEmpty && run.isAsked(before: last.time) ? $0 : nil
            }
        }
        // A reply that is cut keeps its answer for its own history.
        place(where: { (isMeant[$0] || list[$0].sure != nil) && !list[$0].known.isEmpty }, newest)
        if !history.isNamed { place(where: { isMeant[$0] && list[$0].known.isEmpty }, newest) }
        return places
    }

    /// Where the answer of a run can be: those to the questions of this connection have the order of these.
    private func range(of run: Int, in history: OpenClawHistory, beside places: [Int?]) -> Range<Int> {
        guard list[run].question != nil else { return history.exchanges.indices }
        func found(_ others: Range<Int>) -> [Int] {
            others.compactMap { list[$0].question == nil ? nil : places[$0] }
        }
        let lower = found(0..<run).max().map { $0 + 1 } ?? 0
        let upper = found(run + 1..<list.endIndex).min() ?? history.exchanges.endIndex
        return lower..<max(lower, upper)
    }
}
