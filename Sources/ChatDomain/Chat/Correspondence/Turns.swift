// Matches replies to questions: by name where a reply names its question, else by their order (C12, S6). A server answers
// the questions of an account in the order of acceptance, those of the person's other devices included, and the replies
// begin in that order. Start with `taken` and `began`.
//
//     sent ──accepted──▶ waiting ──a reply begins──▶ answered
//       │                   │ ──deadline──▶ overdue ──a late reply──▶ answered
//       └──a reply begins before the acknowledgement──▶ answered
//
// `TurnsSearchTests` searches every reachable state for these laws. A reply belongs to at most one question, and a
// question has at most one reply. An unwanted question keeps its turn, because only the order distinguishes turns; its
// reply is muted. While the server answers in order and loses nothing, each reply belongs to its question. If one
// question remains, a reply was lost, and it is unknown which: each reply after several questions then counts for the
// nearest, so that no screen reports a missing reply above the reply. A reply that names its question is never moved.

/// The questions without a reply, and the latest questions with one.
package struct Turns: DomainValue {
    package typealias Question = Chat.QuestionKey

    /// The state of one question.
    package struct Turn: DomainValue {
        package fileprivate(set) var question: Question
        package var stage: Stage
        var isWanted: Bool
        /// Whether a full replay has not placed it yet; no reply is attributed to it before.
        var isUntold = false
    }

    package enum Stage: DomainValue {
        /// In flight.
        case sent
        /// Accepted; a deadline limits the wait for a reply.
        case waiting(Wait)
        /// Accepted; the deadline has passed.
        case overdue
        /// The reply has begun. `after` is the last question that the server had accepted by then.
        case answered(MessageID, after: Question)
        /// The reply has failed before any text.
        case failed(MessageID)

        package var isWaiting: Bool { if case .waiting = self { true } else { false } }
        var isOpen: Bool { self == .sent || isWaiting }
    }

    /// The turns in the order of acceptance, as far as it is known.
    package private(set) var turns: [Turn] = []
    /// The most finished turns. Late events concern recent replies, and 64 is more than a person asks in that time.
    static let answeredLimit = 64
    /// The most turns in all (limits).
    static let limit = 1_000

    // MARK: Questions

    mutating func sent(_ client: ClientID, isWanted: Bool) {
        guard index(of: .written(client)) == nil else { return }
        turns.append(Turn(question: .written(client), stage: .sent, isWanted: isWanted))
    }

    /// Marks a question of this device as accepted. Returns whether a wait for its reply begins.
    mutating func taken(_ client: ClientID, isWanted: Bool, _ wait: Wait) -> Bool {
        let question = Question.written(client)
        told(question)
        guard let index = index(of: question) else {
            insertBeforeSent(Turn(question: question, stage: .waiting(wait), isWanted: isWanted))
            return true
        }
        guard case .sent = turns[index].stage else { return false }
        turns[index].stage = .waiting(wait)
        return true
    }

    /// Adds an accepted question of another device. Returns whether a wait for its reply begins.
    mutating func taken(elsewhere id: MessageID, _ wait: Wait) -> Bool {
        guard index(of: .elsewhere(id)) == nil else { return false }
        insertBeforeSent(Turn(question: .elsewhere(id), stage: .waiting(wait), isWanted: true))
        return true
    }

    /// Restores a question whose deadline passed in an earlier launch; a late reply may still come. Those of older pages
    /// (`isOlder`) are restored newest first, each before all others.
    mutating func missed(_ key: ClientID, isOlder: Bool = false) { restore(key, .overdue, isOlder: isOlder) }

    /// Restores a reply that began in an earlier launch, after the last of these questions.
    mutating func recall(
        _ reply: MessageID, to key: ClientID, after last: ClientID? = nil, isOlder: Bool = false
    ) {
        restore(key, .answered(reply, after: .written(last ?? key)), isOlder: isOlder)
    }

    private mutating func restore(_ key: ClientID, _ stage: Stage, isOlder: Bool) {
        guard index(of: .written(key)) == nil else { return }
        let turn = Turn(question: .written(key), stage: stage, isWanted: true)
        if isOlder { turns.insert(turn, at: turns.startIndex) } else { insertBeforeSent(turn) }
        forgetOldest()
    }

    /// Drops the turns of messages in flight, which may not have arrived. The next send adds them again.
    mutating func cut() { turns.removeAll { $0.stage == .sent } }

    /// Drops the turn of a question.
    mutating func forget(_ client: ClientID) { turns.removeAll { $0.question == .written(client) } }

    /// Marks every question without a reply as unwanted. Returns the affected keys.
    mutating func stop() -> [ClientID] {
        var stopped: [ClientID] = []
        for index in turns.indices where turns[index].isWanted && turns[index].stage.isOpen {
            guard case .written(let client) = turns[index].question else { continue }
            turns[index].isWanted = false
            stopped.append(client)
        }
        return stopped
    }

    /// Ends the wait for a reply. Its turns move to the nearest replies, and the oldest question is left over.
    mutating func timeIsOver(_ question: Question) -> Missing? {
        guard var left = index(of: question), turns[left].stage.isWaiting else { return nil }
        guard case .written = question, turns[left].isWanted else {
            turns.remove(at: left)
            return Missing(unanswered: nil, moved: [])
        }
        let isUntold = turns[left].isUntold
        var moved: [Missing.Moved] = []
        while case .written(let client) = turns[left].question, let earlier = answeredBehind(left) {
            guard case .answered(let reply, _) = turns[earlier].stage else { break }
            turns[left].stage = turns[earlier].stage
            turns[left].isUntold = false
            moved.append(Missing.Moved(reply: reply, question: client))
            left = earlier
        }
        turns[left].stage = .overdue
        turns[left].isUntold = isUntold
        guard case .written(let client) = turns[left].question else { return nil }
        return Missing(unanswered: client, moved: moved)
    }

    /// The latest answered question before `index`, if its reply began after that question and both are of this device.
    private func answeredBehind(_ index: Int) -> Int? {
        let answered = turns.indices.prefix(index).last { earlier in
            if case .answered = turns[earlier].stage { true } else { false }
        }
        guard let answered, case .written = turns[answered].question, turns[answered].isWanted,
            case .answered(_, let last) = turns[answered].stage, let place = self.index(of: last),
            place >= index
        else { return nil }
        return answered
    }

    // MARK: Replies

    /// The turn of the next new reply; `nil` if no question is left.
    private var next: Int? {
        let told = turns.indices.lazy.filter { !turns[$0].isUntold }
        // A server may answer a slow question before it accepts the next one.
        return told.first { turns[$0].stage.isWaiting } ?? told.last { turns[$0].stage == .overdue }
            ?? told.first { turns[$0].stage == .sent }
    }

    /// The stage of the question that the next new reply answers; `nil` if no question is left.
    var nextStage: Stage? { next.map { turns[$0].stage } }

    /// Attributes a new reply by its order; `nil` if it is known or no question is left.
    mutating func began(_ reply: MessageID) -> Attribution? {
        guard question(of: reply) == nil, let place = next else { return nil }
        let turn = turns[place]
        let last = turns.indices.last { index in
            switch turns[index].stage {
            case .waiting: !turns[index].isUntold
            case .answered, .failed: true
            case .sent: turn.stage == .overdue
            case .overdue: false
            }
        }
        turns[place].stage = .answered(reply, after: turns[max(last ?? place, place)].question)
        forgetOldest()
        return Attribution(question: turn.question, isWanted: turn.isWanted, wasWaiting: turn.stage.isWaiting)
    }

    /// Attributes a reply to the question that it names, whatever the place of that. A question without a turn gets one;
    /// one that is answered keeps its first reply.
    mutating func began(_ reply: MessageID, to key: ClientID, isWanted: Bool) -> Attribution {
        let question = Question.written(key)
        let former = index(of: question).map { turns[$0] }
        let turn = former ?? Turn(question: question, stage: .overdue, isWanted: isWanted)
        if former == nil { insertBeforeSent(turn) }
        if let place = index(of: question), self.reply(to: key).map({ $0 == reply }) ?? true {
            turns[place].stage = .answered(reply, after: question)
            turns[place].isUntold = false
            forgetOldest()
        }
        return Attribution(
            question: question, isWanted: isWanted && turn.isWanted, wasWaiting: turn.stage.isWaiting)
    }

    /// Takes a reply from a question that only order gave it to; the question waits again. Returns that question.
    mutating func release(_ reply: MessageID, unlessTo key: ClientID, _ wait: Wait) -> Question? {
        guard let question = question(of: reply), question != .written(key),
            let place = index(of: question), case .answered = turns[place].stage
        else { return nil }
        turns[place].stage = .waiting(wait)
        return question
    }

    /// Attributes a reply that failed before any text; `nil` if it is repeated or no question is left.
    mutating func failed(_ reply: MessageID) -> Attribution? {
        let new = began(reply)
        let begun = turns.firstIndex { if case .answered(reply, _) = $0.stage { true } else { false } }
        guard let begun else { return nil }
        turns[begun].stage = .failed(reply)
        let turn = turns[begun]
        return new ?? Attribution(question: turn.question, isWanted: turn.isWanted, wasWaiting: false)
    }

    /// Moves the turn of an echo, taken for another device's message, to its own question. Returns a begun reply.
    mutating func claim(_ id: MessageID, for key: ClientID) -> MessageID? {
        guard let index = index(of: .elsewhere(id)) else { return nil }
        for other in turns.indices {
            guard case .answered(let reply, after: .elsewhere(id)) = turns[other].stage else { continue }
            turns[other].stage = .answered(reply, after: .written(key))
        }
        let own = self.index(of: .written(key))
        guard reply(to: key) == nil else {
            turns.remove(at: index)
            return nil
        }
        let isWanted = own.map { turns[$0].isWanted } ?? true
        turns[index] = Turn(question: .written(key), stage: turns[index].stage, isWanted: isWanted)
        if let own { turns.remove(at: own) }
        return reply(to: key)
    }

    /// The question of a reply that has begun or failed; `nil` if it is no longer remembered.
    func question(of reply: MessageID) -> Question? {
        turns.last { turn in
            switch turn.stage {
            case .answered(reply, _), .failed(reply): true
            case .sent, .waiting, .overdue, .answered, .failed: false
            }
        }?.question
    }

    /// The reply to a question of this device, once it has begun.
    func reply(to client: ClientID) -> MessageID? {
        if case .answered(let reply, _)? = stage(of: .written(client)) { reply } else { nil }
    }

    /// The wait for the reply to a question; `nil` if there is none.
    func wait(for question: Question) -> Wait? {
        if case .waiting(let wait)? = stage(of: question) { wait } else { nil }
    }

    func isWaiting(_ key: ClientID) -> Bool { wait(for: .written(key)) != nil }

    var isAnyWaiting: Bool { turns.contains { $0.stage.isWaiting } }

    var waiting: [Question] { turns.filter { $0.stage.isWaiting }.map { $0.question } }

    func isWanted(_ client: ClientID) -> Bool {
        turns.contains { $0.question == .written(client) && $0.isWanted }
    }

    // MARK: Time

    /// Stops the deadlines with the connection. Returns the affected questions.
    mutating func stopTime(at now: Instant) -> [Question] {
        var stopped: [Question] = []
        for index in turns.indices {
            guard case .waiting(.running(let until)) = turns[index].stage else { continue }
            turns[index].stage = .waiting(.stopped(left: max(until - now, .zero)))
            stopped.append(turns[index].question)
        }
        return stopped
    }

    /// Starts the stopped deadlines with a connection. Returns the affected questions and the rest of their time.
    mutating func startTime(at now: Instant) -> [(question: Question, left: Interval)] {
        var started: [(question: Question, left: Interval)] = []
        for index in turns.indices {
            guard case .waiting(.stopped(let left)) = turns[index].stage else { continue }
            turns[index].stage = .waiting(.running(until: now + left))
            started.append((turns[index].question, left))
        }
        return started
    }

    // MARK: A replayed history

    /// Begins a full replay: every waiting turn gets its place again, after the replies before it.
    mutating func beginRetelling() {
        for index in turns.indices where turns[index].stage.isWaiting || turns[index].stage == .overdue {
            turns[index].isUntold = true
        }
    }

    /// Ends a full replay. A question of another device that it did not contain is lost, and no reply comes to it; the
    /// other turns that it did not contain follow the rest.
    mutating func endRetelling() {
        turns.removeAll { $0.question.isElsewhere && $0.isUntold }
        for turn in turns where turn.isUntold { told(turn.question) }
    }

    /// Places the turn of a replayed question at its position in the history.
    mutating func told(_ question: Question) {
        guard let place = index(of: question), turns[place].isUntold else { return }
        var turn = turns.remove(at: place)
        turn.isUntold = false
        insertBeforeSent(turn)
    }

    // MARK: The list

    private func index(of question: Question) -> Int? { turns.lastIndex { $0.question == question } }

    private func stage(of question: Question) -> Stage? { index(of: question).map { turns[$0].stage } }

    /// Accepted turns precede those in flight.
    private mutating func insertBeforeSent(_ turn: Turn) {
        turns.insert(turn, at: turns.firstIndex { $0.stage == .sent } ?? turns.endIndex)
    }

    /// Drops the oldest question above the limit, and returns it. Of another device, if possible: no row here waits for
    /// that.
    mutating func forgetExcess() -> Question? {
        guard turns.count > Turns.limit else { return nil }
        return turns.remove(at: turns.firstIndex { $0.question.isElsewhere } ?? turns.startIndex).question
    }

    private mutating func forgetOldest() {
        while turns.count(where: { !$0.stage.isOpen }) > Turns.answeredLimit,
            let oldest = turns.firstIndex(where: { !$0.stage.isOpen })
        {
            turns.remove(at: oldest)
        }
    }
}

extension Turns: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        for index in turns.indices {
            turns[index].question = form.normal(turns[index].question)
            let stage = turns[index].stage
            turns[index].stage =
                switch stage {
                case .waiting(.running(let until)): .waiting(.running(until: form.normal(until)))
                case .answered(let reply, let last): .answered(reply, after: form.normal(last))
                case .sent, .waiting, .overdue, .failed: stage
                }
        }
    }
}
