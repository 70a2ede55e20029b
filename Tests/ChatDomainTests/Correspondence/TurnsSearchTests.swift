// Everything that can happen between questions, a server that answers them, and a wire, searched to closure.
// Which reply is really to which question stands in the reply's number, which `Turns` never sees.

import Testing

@testable import ChatDomain

/// A person with two devices, and a server that works off what it takes in that order. A question has a
/// number: twice that of its message and one for the second try; those of the other device follow.
private struct TurnsWorld: SearchedWorld {
    // MARK: The world

    /// How much of everything may happen, so that the space closes.
    struct Budget: Hashable {
        var messages: Int8 = 3
        var elsewhere: Int8 = 0
        var retries: Int8 = 0
        var cuts: Int8 = 0
        var retellings: Int8 = 0
        var restarts: Int8 = 0
        var stops: Int8 = 0
        /// Replies that fail, are empty, or fail by the name of their question.
        var failures: Int8 = 0
        /// Replies that the server loses without a word.
        var losses: Int8 = 0
        /// Deadlines that pass although the server is still at work.
        var impatience: Int8 = 0
        var lateAcknowledgements: Int8 = 0
        /// An old reply, on a page that is not loaded, which a retelling brings.
        var hasEarlier = false
        /// Whether replies may grow, rather than come whole.
        var growth = true
    }

    enum Status: Int8 { case queued, out, accepted, answered, partial, failed, unanswered }

    struct Mine: Hashable {
        var status = Status.queued
        var tries: Int8 = 0
        var isUnwanted = false
    }

    enum Event: Hashable {
        case question(Int8), acknowledged(Int8), grows(Int8), whole(Int8), empty(Int8), fails(Int8)
        case questionFails(Int8)

        var code: Int8 {
            switch self {
            case .question(let number): number
            case .acknowledged(let number): 16 + number
            case .grows(let number): 32 + number
            case .whole(let number): 48 + number
            case .empty(let number): 64 + number
            case .fails(let number): 80 + number
            case .questionFails(let number): 96 + number
            }
        }
    }

    enum Link: Int8 { case down, replaying, up }

    enum Move {
        case send, arrives(isEchoed: Bool), askElsewhere, answer(Event), lose, hear, acknowledgeLate
        case cut, reconnect, retellAll, replayed, stop, retry(Int8), timeIsOver(Int8), restart
    }

    var turns = Turns()
    var mine: [Mine]
    var queue: [Int8] = []
    /// What the server has taken, and what it says of that, in its order; finished things alone are told
    /// again.
    var log: [Event] = []
    var work: [Int8] = []
    var isGrowing = false
    var transit: Int8 = -1
    var late: [Int8] = []
    var line: [Event] = []
    var link = Link.down
    var cursor: Int8 = 0
    /// What has a row here: questions and replies that were told.
    var knownQuestions: Marks = []
    var knownReplies: Marks = []
    /// The question that each reply counts as one to; in the order in which they came.
    var links: [[Int8]] = []
    var timers: Marks = []
    /// The order of everything on the screen; a reply stands where it began, or where it ended if it was told
    /// then.
    var screen: [Event] = []
    var grown: Marks = []
    /// Whether the server has failed to answer, or nobody was told.
    var hasLost = false
    /// Whether the process ended: which reply began behind which question is not stored.
    var hasRestarted = false
    var budget: Budget
    var brokenLaw: String?

    init(_ budget: Budget) {
        self.budget = budget
        mine = [Mine](repeating: Mine(), count: Int(budget.messages))
        queue = Array(0..<budget.messages)
        if budget.hasEarlier {
            log = [.whole(Self.earlier)]
            cursor = 1
        }
    }

    static let elsewhere: Int8 = 8
    static let earlier: Int8 = 15
    /// No time passes here: when it is over is a move.
    static let wait = Turns.Wait.stopped(left: .zero)
    static let keys = ClientID.figures("c")
    static let ids = MessageID.figures("s")
    static let replies = MessageID.figures("r")

    private func isMine(_ question: Int8) -> Bool { question < Self.elsewhere }
    private func current(_ message: Int8) -> Int8 { message * 2 + mine[Int(message)].tries }
    private func isCurrent(_ question: Int8) -> Bool { isMine(question) && current(question / 2) == question }
    private var out: Int8? { queue.first { mine[Int($0)].status == .out } }

    private func name(_ question: Int8) -> Turns.Question {
        isMine(question) ? .written(Self.keys[Int(question)]) : .elsewhere(Self.ids[Int(question)])
    }

    private func number(_ question: Turns.Question) -> Int8 {
        switch question {
        case .written(let key): key.figure
        case .elsewhere(let id): id.figure
        }
    }

    private func number(_ reply: MessageID) -> Int8 { reply.figure }

    var key: [Int8] {
        var key: [Int8] = [
            transit, cursor, link.rawValue, (isGrowing ? 1 : 0) + (hasLost ? 2 : 0) + (hasRestarted ? 4 : 0),
        ]
        for message in mine { key += [message.status.rawValue, message.tries, message.isUnwanted ? 1 : 0] }
        key += [120] + queue + [121] + log.map { $0.code } + [122] + work + [123] + late + [124]
        key += line.map { $0.code } + [125] + screen.map { $0.code } + [126] + timers.halves + [127]
        key +=
            knownQuestions.halves + [120] + knownReplies.halves + [121] + grown.halves + [126]
            + links.flatMap { $0 } + [122]
        for turn in turns.turns {
            key.append(number(turn.question))
            key.append((turn.isWanted ? 1 : 0) + (turn.isUntold ? 2 : 0))
            switch turn.stage {
            case .sent: key.append(20)
            case .waiting: key.append(21)
            case .overdue: key.append(22)
            case .answered(let reply, let last): key += [23, number(reply), number(last)]
            case .failed(let reply): key += [24, number(reply)]
            }
        }
        key += [123, budget.elsewhere, budget.retries, budget.cuts, budget.retellings, budget.restarts]
        key += [budget.stops, budget.failures, budget.losses, budget.impatience, budget.lateAcknowledgements]
        return key
    }

    // MARK: What can happen

    var moves: [Move] {
        var moves: [Move] = []
        if budget.elsewhere > 0 { moves.append(.askElsewhere) }
        if let next = work.first {
            if isGrowing {
                moves.append(.answer(.whole(next)))
                if budget.failures > 0 { moves.append(.answer(.fails(next))) }
            } else {
                moves.append(.answer(.whole(next)))
                if budget.growth { moves.append(.answer(.grows(next))) }
                if budget.failures > 0 {
                    moves += [.answer(.fails(next)), .answer(.empty(next))]
                    if isMine(next) { moves.append(.answer(.questionFails(next))) }
                }
                if budget.losses > 0 { moves.append(.lose) }
            }
        }
        switch link {
        case .down:
            moves.append(.reconnect)
            if budget.retellings > 0 { moves.append(.retellAll) }
        case .replaying:
            moves.append(line.isEmpty ? .replayed : .hear)
            if budget.cuts > 0, !line.isEmpty { moves.append(.cut) }
        case .up:
            if out == nil, !queue.isEmpty { moves.append(.send) }
            if transit >= 0 { moves += [.arrives(isEchoed: true), .arrives(isEchoed: false)] }
            if !line.isEmpty { moves.append(.hear) }
            if !late.isEmpty { moves.append(.acknowledgeLate) }
            if budget.cuts > 0 { moves.append(.cut) }
        }
        if budget.stops > 0, !turns.waiting.isEmpty || out != nil { moves.append(.stop) }
        for (index, message) in mine.enumerated() where budget.retries > 0 && message.tries == 0 {
            if [.unanswered, .failed, .partial].contains(message.status) {
                moves.append(.retry(Int8(index)))
            }
        }
        // Deadlines pass in the order in which they began.
        if let first = turns.turns.first(where: {
            timers.contains(number($0.question)) && $0.stage.isWaiting
        }),
            isQuiet || budget.impatience > 0
        {
            moves.append(.timeIsOver(number(first.question)))
        }
        if budget.restarts > 0 { moves.append(.restart) }
        return moves
    }

    private var isQuiet: Bool {
        link == .up && work.isEmpty && line.isEmpty && late.isEmpty && queue.isEmpty && transit < 0
    }

    mutating func take(_ move: Move) {
        switch move {
        case .send:
            mine[Int(queue[0])].status = .out
            transit = current(queue[0])
            turns.sent(Self.keys[Int(transit)], isWanted: !mine[Int(queue[0])].isUnwanted)
        case .arrives(let isEchoed): arrives(isEchoed: isEchoed)
        case .askElsewhere:
            let question = Self.elsewhere + budget.elsewhere
            budget.elsewhere -= 1
            takeIn(question, .question(question))
        case .answer(let event): answer(event)
        case .lose:
            budget.losses -= 1
            hasLost = true
            work.removeFirst()
        case .hear: hear(line.removeFirst())
        case .acknowledgeLate: acknowledged(late.removeFirst())
        case .cut:
            budget.cuts -= 1
            cut()
        case .reconnect: connect()
        case .retellAll:
            budget.retellings -= 1
            cursor = 0
            turns.beginRetelling()
            connect()
        case .replayed:
            link = .up
            turns.endRetelling()
        case .stop:
            budget.stops -= 1
            stop()
        case .retry(let message): retry(message)
        case .timeIsOver(let question): timeIsOver(question)
        case .restart:
            budget.restarts -= 1
            restart()
        }
        if brokenLaw == nil { brokenLaw = brokenOrder ?? (isSettled ? wrongScreen : nil) }
    }

    // MARK: The server

    private mutating func arrives(isEchoed: Bool) {
        let question = transit
        transit = -1
        guard !log.contains(.question(question)) else { return line.append(.acknowledged(question)) }
        takeIn(question, isEchoed ? .question(question) : .acknowledged(question))
        guard isEchoed, budget.lateAcknowledgements > 0 else { return }
        budget.lateAcknowledgements -= 1
        late.append(question)
    }

    private mutating func takeIn(_ question: Int8, _ event: Event) {
        log.append(.question(question))
        screen.append(.question(question))
        work.append(question)
        tell(event)
    }

    private mutating func answer(_ event: Event) {
        let question = work[0]
        switch event {
        case .grows:
            isGrowing = true
            screen.append(event)
        case .whole, .empty:
            log.append(event)
            screen.append(event)
        case .fails, .questionFails: if !knownReplies.contains(question), link != .up { hasLost = true }
        default: break
        }
        switch event {
        case .empty, .fails, .questionFails: budget.failures -= 1
        default: break
        }
        if case .grows = event {
        } else {
            work.removeFirst()
            isGrowing = false
        }
        tell(event)
    }

    private mutating func tell(_ event: Event) {
        if link != .down { line.append(event) }
    }

    private mutating func cut() {
        link = .down
        for event in line {
            switch event {
            case .fails(let reply) where !knownReplies.contains(reply): hasLost = true
            case .questionFails: hasLost = true
            default: break
            }
        }
        line = []
        late = []
        transit = -1
        turns.cut()
        if let out { mine[Int(out)].status = .queued }
    }

    private mutating func connect() {
        link = .replaying
        line = Array(log.dropFirst(Int(cursor)))
    }

    // MARK: The conversation around the value

    private mutating func hear(_ event: Event) {
        // The cursor is the last finished thing that was told.
        if let place = log.firstIndex(of: event) { cursor = max(cursor, Int8(place) + 1) }
        switch event {
        case .question(let question):
            turns.told(name(question))
            guard knownQuestions.insert(question) else { return }
            if isMine(question) { return acknowledged(question) }
            if turns.taken(elsewhere: Self.ids[Int(question)], Self.wait) { timers.insert(question) }
        case .acknowledged(let question): acknowledged(question)
        case .grows(let reply):
            if !knownReplies.contains(reply) { grown.insert(reply) }
            began(reply)
        case .whole(let reply):
            began(reply)
            end(reply, .answered)
        case .empty(let reply):
            if knownReplies.insert(reply) || turns.question(of: Self.replies[Int(reply)]) != nil {
                failed(reply)
            }
        case .fails(let reply):
            if knownReplies.contains(reply) { return end(reply, .partial) }
            failed(reply)
        case .questionFails(let question): questionFailed(question)
        }
    }

    private mutating func acknowledged(_ question: Int8) {
        let message = Int(question / 2)
        guard isCurrent(question) else { return }
        guard mine[message].status == .queued || mine[message].status == .out else { return }
        queue.removeAll { $0 == question / 2 }
        wait(for: question)
    }

    private mutating func wait(for question: Int8) {
        let message = Int(question / 2)
        mine[message].status = .accepted
        if turns.taken(Self.keys[Int(question)], isWanted: !mine[message].isUnwanted, Self.wait) {
            timers.insert(question)
        }
        if turns.reply(to: Self.keys[Int(question)]) != nil { mine[message].status = .answered }
    }

    private mutating func began(_ reply: Int8) {
        guard knownReplies.insert(reply) else { return }
        guard let attribution = turns.began(Self.replies[Int(reply)]) else { return attribute(reply, nil) }
        let question = number(attribution.question)
        attribute(reply, attribution)
        links.append([reply, question])
        if isCurrent(question), mine[Int(question / 2)].status != .out {
            mine[Int(question / 2)].status = .answered
        }
    }

    private mutating func failed(_ reply: Int8) {
        let wasKnown = turns.question(of: Self.replies[Int(reply)]) != nil
        guard let attribution = turns.failed(Self.replies[Int(reply)]) else { return }
        if !wasKnown { attribute(reply, attribution) }
        unanswered(number(attribution.question), .failed, isWanted: attribution.isWanted)
    }

    /// Whose a reply is, beside whose it really is.
    private mutating func attribute(_ reply: Int8, _ attribution: Turns.Attribution?) {
        guard let attribution else {
            if !hasLost, reply != Self.earlier { brokenLaw = "C12: the reply to \(reply) finds no question" }
            return
        }
        let question = number(attribution.question)
        if attribution.wasWaiting, !timers.remove(question) { brokenLaw = "L3: \(question) had no deadline" }
        if reply == Self.earlier { brokenLaw = "C12: an old reply is taken for that to \(question)" }
        if !hasLost, question != reply {
            brokenLaw = "C12: the reply to \(reply) is taken for that to \(question)"
        }
        if isMine(question), isCurrent(question), attribution.isWanted == mine[Int(question / 2)].isUnwanted {
            brokenLaw = "S10: what the person wants of \(question) is forgotten"
        }
    }

    /// What was said of a reply ends it.
    private mutating func end(_ reply: Int8, _ status: Status) {
        guard case .written(let key) = turns.question(of: Self.replies[Int(reply)]) else { return }
        let question = number(.written(key))
        guard isCurrent(question) else { return }
        if mine[Int(question / 2)].status == .answered || mine[Int(question / 2)].status == .partial {
            mine[Int(question / 2)].status = status
        }
    }

    private mutating func questionFailed(_ question: Int8) {
        guard isCurrent(question) else { return }
        let key = Self.keys[Int(question)]
        if turns.reply(to: key) != nil {
            mine[Int(question / 2)].status = .partial
            return
        }
        guard turns.isWaiting(key) || mine[Int(question / 2)].status == .out else { return }
        let isWanted = turns.forget(key)
        timers.remove(question)
        unanswered(question, .failed, isWanted: isWanted)
    }

    private mutating func unanswered(_ question: Int8, _ status: Status, isWanted: Bool) {
        guard isMine(question), isCurrent(question) else { return }
        queue.removeAll { $0 == question / 2 }
        mine[Int(question / 2)].status = isWanted ? status : .answered
    }

    private mutating func timeIsOver(_ question: Int8) {
        timers.remove(question)
        if !isQuiet {
            budget.impatience -= 1
            hasLost = true
        }
        guard let missing = turns.timeIsOver(name(question)) else {
            brokenLaw = "L3: a deadline passes and nothing comes of it"
            return
        }
        for moved in missing.moved {
            let reply = number(moved.reply)
            let receiver = number(.written(moved.question))
            links.removeAll { $0[0] == reply }
            links.append([reply, receiver])
            if isCurrent(receiver), mine[Int(receiver / 2)].status == .accepted {
                mine[Int(receiver / 2)].status = .answered
            }
        }
        if let key = missing.unanswered { unanswered(number(.written(key)), .unanswered, isWanted: true) }
        if !hasLost, isMine(question), missing.unanswered != nil {
            brokenLaw = "C12: \(question) is said to be unanswered, and nothing was lost"
        }
    }

    private mutating func stop() {
        var stopped = turns.stop().map { number(.written($0)) }
        if let out { stopped.append(current(out)) }
        for question in stopped where isCurrent(question) { mine[Int(question / 2)].isUnwanted = true }
    }

    private mutating func retry(_ message: Int8) {
        budget.retries -= 1
        let key = Self.keys[Int(current(message))]
        if !turns.isWaiting(key) { turns.forget(key) }
        let former = current(message)
        links.removeAll { $0[1] == former }
        mine[Int(message)] = Mine(status: .queued, tries: 1)
        queue.append(message)
    }

    /// The process ends; what is stored is the rows, with their replies.
    private mutating func restart() {
        cut()
        let waiting = turns.turns.filter { $0.stage.isWaiting }
        if waiting.contains(where: { if case .elsewhere = $0.question { true } else { false } }) {
            hasLost = true
        }
        turns = Turns()
        timers = []
        hasRestarted = true
        for case .question(let question) in screen where isCurrent(question) {
            switch mine[Int(question / 2)].status {
            case .accepted: wait(for: question)
            case .unanswered: turns.missed(Self.keys[Int(question)])
            case .queued, .out, .answered, .partial, .failed: break
            }
        }
    }

    // MARK: The laws

    private var brokenOrder: String? {
        let names = turns.turns.map { number($0.question) }
        if Set(names).count != names.count { return "C12: a question has two turns" }
        let begun = turns.turns.compactMap { turn in
            switch turn.stage {
            case .answered(let reply, _), .failed(let reply): reply
            case .sent, .waiting, .overdue: nil
            }
        }
        if Set(begun).count != begun.count { return "C12: a reply belongs to two questions" }
        if Set(links.map { $0[1] }).count != links.count { return "C12: a question has two replies" }
        for turn in turns.turns where turn.stage.isWaiting && !timers.contains(number(turn.question)) {
            return "L3: \(turn.question) is waited for without end"
        }
        return nil
    }

    private var isSettled: Bool { isQuiet && timers.isEmpty }

    /// What is wrong with what the person sees when nothing more can come.
    private var wrongScreen: String? {
        if turns.isAnyWaiting { return "L3: something is waited for without end" }
        for (index, message) in mine.enumerated() {
            let question = current(Int8(index))
            let hasReply = links.contains { $0[1] == question }
            switch message.status {
            case .accepted where !message.isUnwanted:
                return "C12: nobody says that message \(index) has no answer"
            case .unanswered:
                if hasReply { return "C12: message \(index) is answered and said to be unanswered" }
                if !hasRestarted, isShownAnswered(question) {
                    return "C12: the row behind message \(index) is its answer"
                }
            case .answered where !message.isUnwanted && !hasReply:
                return "C12: message \(index) counts as answered by nothing"
            case .queued, .out, .accepted, .answered, .partial, .failed: break
            }
        }
        return nil
    }

    /// Whether a reply that counts as one to a question written here stands right behind a question, among
    /// those.
    private func isShownAnswered(_ question: Int8) -> Bool {
        let rows = screen.filter { row in
            switch row {
            case .question(let other): isMine(other)
            case .whole(let reply), .grows(let reply):
                grown.contains(reply) == (row == .grows(reply))
                    && links.contains {
                        $0[0] == reply && isCurrent($0[1]) && !mine[Int($0[1] / 2)].isUnwanted
                    }
            default: false
            }
        }
        guard let place = rows.firstIndex(of: .question(question)), place + 1 < rows.count else {
            return false
        }
        if case .question = rows[place + 1] { return false }
        return true
    }
}

@Suite("Turns, searched to closure")
struct TurnsSearchTests {
    @Test(
        "C12, S6: each reply is that to its question, and what has none is said so",
        arguments: [
            ("three questions, one reply fails", 3_000, TurnsWorld.Budget(failures: 1, growth: false)),
            ("three questions with retries", 15_000, .init(retries: 1, failures: 2, growth: false)),
            ("growing replies", 10_000, .init(messages: 2, retries: 1, failures: 1, lateAcknowledgements: 1)),
            (
                "another device", 15_000,
                .init(messages: 2, elsewhere: 1, stops: 1, failures: 1, growth: false)
            ),
            ("a lost connection", 3_000, .init(messages: 2, elsewhere: 1, cuts: 1, growth: false)),
            (
                "two of another device", 4_000,
                .init(messages: 1, elsewhere: 2, cuts: 1, stops: 1, growth: false)
            ),
            ("two lost connections", 3_000, .init(cuts: 2, growth: false)),
            (
                "a history that is told anew", 8_000,
                .init(messages: 2, elsewhere: 1, cuts: 1, retellings: 1, hasEarlier: true, growth: false)
            ),
            (
                "told anew while a deadline passes", 5_000,
                .init(messages: 2, cuts: 1, retellings: 1, impatience: 1, hasEarlier: true)
            ),
            ("lost on the way", 10_000, .init(losses: 2)),
            (
                "lost, failed and cut", 5_000,
                .init(messages: 2, retries: 1, cuts: 1, failures: 1, losses: 1, growth: false)
            ),
            ("slow replies", 2_000, .init(impatience: 2, growth: false)),
            ("a restart", 10_000, .init(messages: 2, elsewhere: 1, cuts: 1, restarts: 1, growth: false)),
            ("a restart after a loss", 5_000, .init(messages: 2, retries: 1, restarts: 1, losses: 1)),
        ])
    fileprivate func closure(_ name: String, _ least: Int, _ budget: TurnsWorld.Budget) {
        ClosureSearch(TurnsWorld(budget)).expectLawful("Turns, \(name)", atLeast: least)
    }
}
