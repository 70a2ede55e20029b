// The world in which `Turns` is searched: questions, a server that answers them, and a wire. Which reply is really to
// which question stands in the number of the reply, which `Turns` never sees. What the conversation around the value
// does stands in TurnsWorldSteps.swift.
//
// A deletion reaches `Turns` only where the message waits to be sent: then its turn is forgotten. A message in flight
// keeps its turn, and so does one that was accepted. An edit is a deletion, or a message after the others, or changes
// a text, which no turn has; so there is no move for it.

@testable import ChatDomain

/// A person with two devices, and a server that works off what it takes in that order. A question has a number: three
/// times that of its message, and one more for each further try. Those of the other device follow, and the names under
/// which the echo of a message is taken for one of them.
struct TurnsWorld: SearchedWorld {
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
        var deletions: Int8 = 0
        /// Echoes that a full replay brings in doubt: each has a row as a message of the other device, until an
        /// acknowledgement or the end of the replay shows whose it is.
        var strangers: Int8 = 0
        /// Replies that fail, are empty, or fail by the name of their question.
        var failures: Int8 = 0
        /// Replies that the server loses without a word.
        var losses: Int8 = 0
        /// Deadlines that pass although the server is still at work.
        var impatience: Int8 = 0
        var lateAcknowledgements: Int8 = 0
        /// An old reply, on a page that is not loaded, which a retelling brings.
        var hasEarlier = false
        /// Whether each message is echoed, rather than acknowledged alone.
        var isEchoed = false
        /// Whether replies may grow, rather than come whole.
        var growth = true
        /// Whether each reply to a question that was asked here names it.
        var isNamed = false

        /// Adds what may still happen.
        func add(to key: inout SearchKey) {
            key += elsewhere
            key += retries
            key += cuts
            key += retellings
            key += restarts
            key += stops
            key += deletions
            key += strangers
            key += failures
            key += losses
            key += impatience
            key += lateAcknowledgements
        }
    }

    enum Status: Int8 { case queued, out, accepted, answered, partial, failed, unanswered }

    struct Mine: Hashable {
        var status = Status.queued
        var tries: Int8 = 0
        var isUnwanted = false
        var isDeleted = false
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
        case hearStranger, cut, reconnect, retellAll, replayed, stop, retry(Int8), delete(Int8)
        case timeIsOver(Int8), restart
    }

    var turns = Turns()
    var mine: [Mine]
    /// The question of each message whose echo is taken for one of the other device; -1 without one.
    var strangers: [Int8]
    /// The rows of such echoes that note that no reply comes, by their names.
    var unansweredStrangers: Marks = []
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
    /// Whether the whole history is told, from the first connection for that on.
    var isRetelling = false
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
    var budget: Budget
    var brokenLaw: String?

    init(_ budget: Budget) {
        self.budget = budget
        mine = [Mine](repeating: Mine(), count: Int(budget.messages))
        strangers = [Int8](repeating: -1, count: mine.count)
        queue = Array(0..<budget.messages)
        if budget.hasEarlier {
            log = [.whole(Self.earlier)]
            cursor = 1
        }
    }

    static let tries: Int8 = 3
    /// Behind three questions of three messages; the first has the number above.
    static let elsewhere: Int8 = 9
    /// Behind two questions of the other device: the name of an echo that is taken for one, by its message.
    static let stranger: Int8 = 12
    static let earlier: Int8 = 15
    /// No time passes here: when it is over is a move.
    static let wait = Turns.Wait.stopped(left: .zero)
    static let keys = ClientID.figures("c")
    static let ids = MessageID.figures("s")
    static let replies = MessageID.figures("r")

    func isMine(_ question: Int8) -> Bool { 0..<Self.elsewhere ~= question }
    func message(_ question: Int8) -> Int { Int(question / Self.tries) }
    func current(_ message: Int8) -> Int8 { message * Self.tries + mine[Int(message)].tries }
    func isCurrent(_ question: Int8) -> Bool {
        isMine(question) && current(Int8(message(question))) == question
    }
    /// The question behind a number, which may be the name of an echo.
    func real(_ question: Int8) -> Int8 {
        Self.stranger..<Self.earlier ~= question ? strangers[Int(question - Self.stranger)] : question
    }
    var out: Int8? { queue.first { mine[Int($0)].status == .out } }

    func name(_ question: Int8) -> Turns.Question {
        isMine(question) ? .written(Self.keys[Int(question)]) : .elsewhere(Self.ids[Int(question)])
    }

    func number(_ question: Turns.Question) -> Int8 {
        switch question {
        case .written(let key): key.figure
        case .elsewhere(let id): id.figure
        }
    }

    func number(_ reply: MessageID) -> Int8 { reply.figure }

    var key: SearchKey {
        var key = SearchKey()
        key += transit
        key += cursor
        key += link.rawValue
        key += (isGrowing ? 1 : 0) + (hasLost ? 2 : 0) + (isRetelling ? 4 : 0)
        for message in mine {
            key += message.status.rawValue
            key += message.tries
            key += (message.isUnwanted ? 1 : 0) + (message.isDeleted ? 2 : 0)
        }
        for list in [queue, work, late, strangers] { key += list }
        for events in [log, line, screen] {
            key += Int8(events.count)
            for event in events { key += event.code }
        }
        for marks in [timers, knownQuestions, knownReplies, grown, unansweredStrangers] { key += marks }
        for link in links { key += link }
        key += Int8(turns.turns.count)
        for turn in turns.turns {
            key += number(turn.question)
            key += (turn.isWanted ? 1 : 0) + (turn.isUntold ? 2 : 0)
            switch turn.stage {
            case .sent: key += 20
            case .waiting: key += 21
            case .overdue: key += 22
            case .answered(let reply, let last):
                key += 23
                key += number(reply)
                key += number(last)
            case .failed(let reply):
                key += 24
                key += number(reply)
            }
        }
        budget.add(to: &key)
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
            if mayBeStranger { moves.append(.hearStranger) }
            if budget.cuts > 0, !line.isEmpty { moves.append(.cut) }
        case .up:
            if out == nil, !queue.isEmpty { moves.append(.send) }
            if transit >= 0 {
                moves.append(.arrives(isEchoed: true))
                if !budget.isEchoed { moves.append(.arrives(isEchoed: false)) }
            }
            if !line.isEmpty { moves.append(.hear) }
            if !late.isEmpty { moves.append(.acknowledgeLate) }
            if budget.cuts > 0 { moves.append(.cut) }
        }
        let isWaiting = turns.waiting.contains { !$0.isElsewhere }
        if budget.stops > 0, isWaiting || out != nil { moves.append(.stop) }
        for (index, message) in mine.enumerated() where !message.isDeleted {
            if budget.deletions > 0 { moves.append(.delete(Int8(index))) }
            if budget.retries > 0, message.tries + 1 < Self.tries,
                [.unanswered, .failed, .partial].contains(message.status)
            {
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

    /// Whether the next that is heard is an echo that finds no message for certain: that of a message which is not known to be
    /// accepted.
    var mayBeStranger: Bool {
        guard budget.strangers > 0, isRetelling, case .question(let question)? = line.first,
            isCurrent(question), !knownQuestions.contains(question)
        else { return false }
        return mine[message(question)].status == .queued
    }

    var isQuiet: Bool {
        link == .up && work.isEmpty && line.isEmpty && late.isEmpty && queue.isEmpty && transit < 0
    }

    mutating func take(_ move: Move) {
        switch move {
        case .send: send(queue[0])
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
        case .hearStranger: hearStranger(line.removeFirst())
        case .acknowledgeLate: acknowledged(late.removeFirst())
        case .cut:
            budget.cuts -= 1
            cut()
        case .reconnect: connect()
        case .retellAll:
            budget.retellings -= 1
            cursor = 0
            isRetelling = true
            turns.beginRetelling()
            connect()
        case .replayed:
            link = .up
            endRetelling()
        case .stop:
            budget.stops -= 1
            stop()
        case .retry(let message): retry(message)
        case .delete(let message): delete(message)
        case .timeIsOver(let question): timeIsOver(question)
        case .restart:
            budget.restarts -= 1
            restart()
        }
        if brokenLaw == nil { brokenLaw = brokenOrder ?? (isSettled ? wrongScreen : nil) }
    }

    // MARK: The server

    mutating func arrives(isEchoed: Bool) {
        let question = transit
        transit = -1
        guard !log.contains(.question(question)) else { return line.append(.acknowledged(question)) }
        takeIn(question, isEchoed ? .question(question) : .acknowledged(question))
        guard isEchoed, budget.lateAcknowledgements > 0 else { return }
        budget.lateAcknowledgements -= 1
        late.append(question)
    }

    mutating func takeIn(_ question: Int8, _ event: Event) {
        log.append(.question(question))
        screen.append(.question(question))
        work.append(question)
        tell(event)
    }

    mutating func answer(_ event: Event) {
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

    mutating func tell(_ event: Event) {
        if link != .down { line.append(event) }
    }

    mutating func cut() {
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

    mutating func connect() {
        link = .replaying
        line = Array(log.dropFirst(Int(cursor)))
    }
}
