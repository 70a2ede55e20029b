// Which reply answers which question (C12, S6). On a socket nobody says so: a server works off the questions
// of an account in the order in which it has taken them, those of the person's other devices among them, and
// its replies begin in that order.
//
//     sent ──taken──▶ waiting ──a reply begins──▶ answered
//       │                │ ──its time is over──▶ overdue ──a late reply──▶ answered
//       └──a reply begins before anybody says that it was taken──▶ answered
//
// The laws, searched to closure in `TurnsSearchTests`: a reply belongs to one question at most, and a
// question has one reply at most. What the person no longer wants keeps its turn, because turns are told
// apart by their order alone; its reply is muted. As long as the server answers in order and loses nothing,
// each reply is that to its question. When a question is left over at the end, one was lost on the way and
// nobody knows which: the replies that stand behind several count as those to the nearest, so that no screen
// says above an answer that it is missing.

/// The questions that wait for their replies, and the latest that have had them.
public struct Turns: DomainValue {
    /// What may be answered.
    public enum Question: DomainValue {
        /// A message written here, by its key; under another key it has another turn.
        case written(ClientID)
        /// A message of another device, by the server's name for it.
        case elsewhere(MessageID)
    }

    /// The turn of one question.
    struct Turn: DomainValue {
        let question: Question
        var stage: Stage
        var isWanted: Bool
        /// Whether the server, which tells its history anew, has yet to name it: no reply is to it so far.
        var isUntold = false
    }

    enum Stage: DomainValue {
        /// The question is on a wire.
        case sent
        /// The server has it, and no reply has begun; how long one is waited for.
        case waiting(Wait)
        /// The same, and its time is over.
        case overdue
        /// This reply has begun; the last question that the server had taken by then.
        case answered(MessageID, after: Question)
        /// This reply has failed before anything of it came.
        case failed(MessageID)

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    /// How long a reply is waited for. The time passes only while there is a connection (C12).
    enum Wait: DomainValue {
        /// There is none; so much is left.
        case stopped(left: Interval)
        /// There is one.
        case running(until: Instant)
    }

    struct Attribution: Equatable {
        let question: Question
        let isWanted: Bool
        /// Whether a deadline for it was running.
        let wasWaiting: Bool
    }

    /// What the end of a question's time means.
    struct Missing: Equatable {
        /// The question that has no answer; none when it is of another device or no longer wanted.
        let unanswered: ClientID?
        /// The replies that count as those to another question from now on.
        let moved: [Moved]

        struct Moved: Equatable {
            let reply: MessageID
            let question: ClientID
        }
    }

    /// In the order in which the server has taken the questions, as far as that is known.
    private(set) var turns: [Turn] = []
    /// How many are remembered that wait for nothing: enough for what a server says late of its replies.
    static let answeredLimit = 64
    /// How many are remembered in all (limits).
    static let limit = 1_000

    // MARK: Questions

    mutating func sent(_ client: ClientID, isWanted: Bool = true) {
        guard index(of: .written(client)) == nil else { return }
        insert(Turn(question: .written(client), stage: .sent, isWanted: isWanted), at: turns.endIndex)
    }

    /// The server has a question that was written here. Returns whether a reply is waited for from now on.
    mutating func taken(_ client: ClientID, isWanted: Bool = true, _ wait: Wait) -> Bool {
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

    /// The server has a question of another device. Returns whether a reply is waited for from now on.
    mutating func taken(elsewhere id: MessageID, _ wait: Wait) -> Bool {
        guard index(of: .elsewhere(id)) == nil else { return false }
        insertBeforeSent(Turn(question: .elsewhere(id), stage: .waiting(wait), isWanted: true))
        return true
    }

    /// The time of a question was over in an earlier launch; a late reply may still come.
    mutating func missed(_ key: ClientID) {
        guard index(of: .written(key)) == nil else { return }
        insertBeforeSent(Turn(question: .written(key), stage: .overdue, isWanted: true))
        forgetOldest()
    }

    /// A reply had begun in an earlier launch, and may go on.
    mutating func recall(_ reply: MessageID, to key: ClientID) {
        let question = Question.written(key)
        guard index(of: question) == nil else { return }
        insertBeforeSent(Turn(question: question, stage: .answered(reply, after: question), isWanted: true))
        forgetOldest()
    }

    /// What was on a wire may not have arrived: it waits for nothing until it goes again.
    mutating func cut() { turns.removeAll { $0.stage == .sent } }

    /// No reply to a question is waited for any more. Returns whether the person wanted one.
    @discardableResult mutating func forget(_ client: ClientID) -> Bool {
        guard let index = index(of: .written(client)) else { return true }
        return turns.remove(at: index).isWanted
    }

    /// The person no longer wants the replies that have not begun. Returns the questions that this concerns.
    mutating func stop() -> [ClientID] {
        var stopped: [ClientID] = []
        for index in turns.indices where turns[index].isWanted {
            guard case .written(let client) = turns[index].question else { continue }
            switch turns[index].stage {
            case .sent, .waiting:
                turns[index].isWanted = false
                stopped.append(client)
            case .overdue, .answered, .failed: break
            }
        }
        return stopped
    }

    /// The time of a question is over. Of the turns that its reply may belong to, the oldest is left over.
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

    /// The latest earlier question with a reply that began behind an index, when both are written here.
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

    /// A reply has begun that nothing was known of: whose it is, as far as its order says.
    mutating func began(_ reply: MessageID) -> Attribution? {
        guard question(of: reply) == nil else { return nil }
        let told = turns.indices.lazy.filter { [turns] in !turns[$0].isUntold }
        // A server may answer a slow question before it takes the next one.
        let place =
            told.first { turns[$0].stage.isWaiting } ?? told.last { turns[$0].stage == .overdue }
            ?? told.first { turns[$0].stage == .sent }
        guard let place else { return nil }
        let turn = turns[place]
        let last = told.last { index in
            switch turns[index].stage {
            case .waiting, .answered, .failed: true
            case .sent: turn.stage == .overdue
            case .overdue: false
            }
        }
        turns[place].stage = .answered(reply, after: turns[max(last ?? place, place)].question)
        forgetOldest()
        return Attribution(question: turn.question, isWanted: turn.isWanted, wasWaiting: turn.stage.isWaiting)
    }

    /// A reply has failed and nothing of it is shown: whose it was. Said again, it is nobody's.
    mutating func failed(_ reply: MessageID) -> Attribution? {
        let begun = turns.firstIndex { if case .answered(reply, _) = $0.stage { true } else { false } }
        guard let index = begun else {
            guard let attribution = began(reply) else { return nil }
            _ = failed(reply)
            return attribution
        }
        turns[index].stage = .failed(reply)
        let turn = turns[index]
        return Attribution(question: turn.question, isWanted: turn.isWanted, wasWaiting: false)
    }

    /// An echo was not another device's, but that of a message written here. Returns the reply that has begun to it.
    mutating func claim(_ id: MessageID, for key: ClientID) -> MessageID? {
        guard let index = index(of: .elsewhere(id)) else { return nil }
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

    /// The question of a reply that has begun or failed, if it is still remembered.
    func question(of reply: MessageID) -> Question? {
        turns.last { turn in
            switch turn.stage {
            case .answered(reply, _), .failed(reply): true
            case .sent, .waiting, .overdue, .answered, .failed: false
            }
        }?.question
    }

    /// The reply to a question written here, once it has begun.
    func reply(to client: ClientID) -> MessageID? {
        guard let index = index(of: .written(client)), case .answered(let reply, _) = turns[index].stage
        else { return nil }
        return reply
    }

    func isWaiting(_ question: Question) -> Bool { wait(for: question) != nil }

    /// How long the reply to a question is waited for, if it is.
    func wait(for question: Question) -> Wait? {
        guard let index = index(of: question), case .waiting(let wait) = turns[index].stage else {
            return nil
        }
        return wait
    }

    func isWaiting(_ key: ClientID) -> Bool { isWaiting(.written(key)) }

    var isAnyWaiting: Bool { turns.contains { $0.stage.isWaiting } }

    var waiting: [ClientID] {
        turns.compactMap { turn in
            guard case .written(let client) = turn.question, turn.stage.isWaiting else { return nil }
            return client
        }
    }

    func isWanted(_ client: ClientID) -> Bool {
        turns.contains { $0.question == .written(client) && $0.isWanted }
    }

    // MARK: Time

    /// The connection is gone, and with it no time passes. Returns the questions whose time was running.
    mutating func stopTime(at now: Instant) -> [Question] {
        var stopped: [Question] = []
        for index in turns.indices {
            guard case .waiting(.running(let until)) = turns[index].stage else { continue }
            turns[index].stage = .waiting(.stopped(left: max(until - now, .zero)))
            stopped.append(turns[index].question)
        }
        return stopped
    }

    /// There is a connection: time goes on where it was stopped. Returns the questions that this concerns.
    mutating func startTime(at now: Instant) -> [(question: Question, left: Interval)] {
        var started: [(question: Question, left: Interval)] = []
        for index in turns.indices {
            guard case .waiting(.stopped(let left)) = turns[index].stage else { continue }
            turns[index].stage = .waiting(.running(until: now + left))
            started.append((turns[index].question, left))
        }
        return started
    }

    // MARK: A history that is told anew

    /// The server tells its history anew: what waits has its turn when it is told, behind the replies before it.
    mutating func beginRetelling() {
        for index in turns.indices where turns[index].stage.isWaiting || turns[index].stage == .overdue {
            turns[index].isUntold = true
        }
    }

    /// The history is told to its end: what it did not name still waits, behind the others.
    mutating func endRetelling() {
        for turn in turns where turn.isUntold { told(turn.question) }
    }

    /// The server, which tells its history anew, has named a question: it has its turn here.
    mutating func told(_ question: Question) {
        guard let place = index(of: question), turns[place].isUntold else { return }
        var turn = turns.remove(at: place)
        turn.isUntold = false
        insertBeforeSent(turn)
    }

    // MARK: The list

    private func index(of question: Question) -> Int? { turns.lastIndex { $0.question == question } }

    /// What the server has taken comes before what it may not have yet.
    private mutating func insertBeforeSent(_ turn: Turn) {
        insert(turn, at: turns.firstIndex { $0.stage == .sent } ?? turns.endIndex)
    }

    private mutating func insert(_ turn: Turn, at place: Int) {
        turns.insert(turn, at: place)
        if turns.count > Turns.limit { turns.removeFirst() }
    }

    private mutating func forgetOldest() {
        var count = turns.count { !$0.stage.isWaiting && $0.stage != .sent }
        while count > Turns.answeredLimit,
            let oldest = turns.firstIndex(where: { !$0.stage.isWaiting && $0.stage != .sent })
        {
            turns.remove(at: oldest)
            count -= 1
        }
    }
}
