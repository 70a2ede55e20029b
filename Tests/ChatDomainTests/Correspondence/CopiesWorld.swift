// The world in which `Copies` is searched: messages, the copies under which they go, and a server that echoes them.
// What the conversation around the value does stands in CopiesWorldSteps.swift.

@testable import ChatDomain

/// A person, a server, and a wire between them. Message 0 and 1 say the same, and so does what the log holds
/// before.
struct CopiesWorld: SearchedWorld {
    // MARK: The world

    /// How many of the faults may happen, so that the space closes.
    struct Budget: Hashable {
        var cuts: Int8 = 0
        var retellings: Int8 = 0
        var restarts: Int8 = 0
        var deletions: Int8 = 0
        var retries: Int8 = 0
        var refusals: Int8 = 0
        var acknowledgementsAgain: Int8 = 0
        var isNamed = false
        var hasEarlier = false
        /// Whether all of them are written before anything else happens.
        var isWritten = false

        /// Adds what may still happen.
        func add(to key: inout SearchKey) {
            key += cuts
            key += retellings
            key += restarts
            key += deletions
            key += retries
            key += refusals
            key += acknowledgementsAgain
        }
    }

    enum Stage: Int8 { case unwritten, queued, out, accepted, delivered, refused, dropped }

    struct Mine: Hashable {
        var stage = Stage.unwritten
        /// Which copy goes now: the first or the second.
        var copy: Int8 = 0
        /// Whether this copy may have been on a wire.
        var wasSent = false
        var isDeleted = false
        /// The newest entry that was known when each copy was sent.
        var since: [Int8] = [-1, -1]
        /// The echo of each copy, as a place in the log.
        var echoes: [Int8] = [-1, -1]
        /// Whether its row left the screen because another has its place by a wrong guess.
        var isMerged = false
    }

    struct Entry: Hashable {
        let text: Int8
        /// The copy that it is: twice the message and one for the second; none for what was there before.
        let copy: Int8
    }

    enum Link: Hashable {
        case down
        case replaying([Int8], isDoubtful: Bool)
        case up
    }

    enum Move {
        case write(Int8), send(Int8), arrives, refuses, acknowledge, acknowledgeAgain, echo, echoEarly, cut,
            reconnect
        case retellAll, replay, delete(Int8), answerFails(Int8), retryRefused(Int8), unload, load, restart
    }

    var copies = Copies()
    var mine = [Mine](repeating: Mine(), count: 3)
    var queue: [Int8] = []
    var log: [Entry] = []
    var transit: Int8 = -1
    var acknowledgements: [Int8] = []
    var line: [Int8] = []
    var link = Link.down
    var cursor: Int8 = -1
    /// Whether a replayed history, when not all of it was in memory, has not been told to its end.
    var isInDoubt = false
    /// The newest entry that was known before the history was told anew.
    var newest: Int8 = -1
    /// The echoes in memory, those of rows that are not, and the rows of those that found no message.
    var known: Marks = []
    var unloaded: Marks = []
    var unclaimedRows: Marks = []
    /// Echoes that were told in doubt; and of those, what nobody can place because the process ended meanwhile, the
    /// message was deleted only then, or a visible one says the same.
    var doubtful: Marks = []
    var strangers: Marks = []
    /// Whether the order of copies was read from that of rows, where a retry stands at the place of its message.
    var isRebuilt = false
    var budget: Budget
    var brokenLaw: String?

    init(_ budget: Budget) {
        self.budget = budget
        if budget.isWritten {
            mine = [Mine](repeating: Mine(stage: .queued), count: mine.count)
            queue = [0, 1, 2]
        }
        if budget.hasEarlier { log.append(Entry(text: 0, copy: -1)) }
    }

    static let names = ClientID.figures("c")
    static let ids = MessageID.figures("s")
    static let texts = [LongText("ok"), LongText("no")]

    /// The server's time is the place in its log.
    func time(_ place: Int8) -> WallTime { WallTime(millisecondsSince1970: Int64(place)) }

    func text(_ message: Int8) -> Int8 { message < 2 ? 0 : 1 }
    func name(of copy: Int8) -> ClientID { Self.names[Int(copy)] }
    func copy(_ message: Int8) -> Int8 { message * 2 + mine[Int(message)].copy }
    func copy(named name: ClientID) -> Int8 { name.figure }
    func isOnServer(_ copy: Int8) -> Bool { log.contains { $0.copy == copy } }
    var newestKnown: Int8 { max(known.sorted().last ?? -1, unloaded.sorted().last ?? -1) }
    var out: Int8? { queue.first { mine[Int($0)].stage == .out } }

    var key: SearchKey {
        var key = SearchKey()
        key += transit
        key += cursor
        key += newest
        key += (isInDoubt ? 1 : 0) + (isRebuilt ? 2 : 0)
        for message in mine {
            key += message.stage.rawValue
            key += message.copy
            key += (message.wasSent ? 1 : 0) + (message.isDeleted ? 2 : 0) + (message.isMerged ? 4 : 0)
            key += message.echoes
            key += message.since[0]
        }
        for list in [queue, acknowledgements, line] { key += list }
        key += Int8(log.count)
        for entry in log { key += entry.copy }
        switch link {
        case .down: key += 110
        case .up: key += 111
        case .replaying(let rest, let isDoubtful):
            key += isDoubtful ? 112 : 113
            key += rest
        }
        for marks in [known, unloaded, unclaimedRows, doubtful, strangers] { key += marks }
        key += Int8(copies.open.count)
        for open in copies.open {
            key += copy(named: open.key)
            key += (open.isTaken ? 1 : 0) + (open.isDeleted ? 2 : 0)
            key += Int8(truncatingIfNeeded: open.since?.millisecondsSince1970 ?? -2)
        }
        key += Int8(copies.unclaimed.count)
        for echo in copies.unclaimed.sorted(by: { $0.place < $1.place }) { key += echo.id.figure }
        budget.add(to: &key)
        return key
    }

    // MARK: What can happen

    var moves: [Move] {
        var moves: [Move] = []
        if let next = mine.firstIndex(where: { $0.stage == .unwritten }) { moves.append(.write(Int8(next))) }
        for index in mine.indices {
            let message = mine[index]
            let number = Int8(index)
            guard message.stage != .unwritten, !message.isDeleted, !message.isMerged else { continue }
            let isLoaded = message.echoes.allSatisfy { !unloaded.contains($0) }
            if budget.deletions > 0, message.stage != .dropped, isLoaded { moves.append(.delete(number)) }
            if message.stage == .refused { moves.append(.retryRefused(number)) }
            if budget.retries > 0, isLoaded, message.copy == 0,
                message.stage == .accepted || message.stage == .delivered, isOnServer(number * 2)
            {
                moves.append(.answerFails(number))
            }
        }
        switch link {
        case .down:
            moves.append(.reconnect)
            if budget.retellings > 0 { moves.append(.retellAll) }
        case .replaying(let rest, _):
            moves.append(.replay)
            if budget.cuts > 0, !rest.isEmpty { moves.append(.cut) }
        case .up:
            if out == nil, let head = queue.first { moves.append(.send(head)) }
            if transit >= 0 {
                moves.append(.arrives)
                if budget.refusals > 0, !isOnServer(transit) { moves.append(.refuses) }
            }
            if !acknowledgements.isEmpty {
                moves.append(.acknowledge)
                if budget.acknowledgementsAgain > 0 { moves.append(.acknowledgeAgain) }
            }
            if !line.isEmpty { moves.append(.echo) }
            if line.count > 1, budget.isNamed { moves.append(.echoEarly) }
            if budget.cuts > 0 { moves.append(.cut) }
        }
        if budget.retellings > 0, unloaded.isEmpty, !known.isEmpty { moves.append(.unload) }
        if !unloaded.isEmpty, budget.retellings == 0 || link == .up { moves.append(.load) }
        if budget.restarts > 0 { moves.append(.restart) }
        return moves
    }

    mutating func take(_ move: Move) {
        switch move {
        case .write(let message):
            mine[Int(message)].stage = .queued
            queue.append(message)
        case .send(let message): send(message)
        case .arrives:
            if !isOnServer(transit) {
                log.append(Entry(text: text(transit / 2), copy: transit))
                line.append(Int8(log.count - 1))
            }
            acknowledgements.append(transit)
            transit = -1
        case .refuses:
            budget.refusals -= 1
            refused(transit)
            transit = -1
        case .acknowledge: acknowledged(acknowledgements.removeFirst())
        case .acknowledgeAgain:
            budget.acknowledgementsAgain -= 1
            acknowledged(acknowledgements[0])
        case .echo:
            cursor = line.removeFirst()
            told(cursor, isDoubtful: false)
        case .echoEarly: told(line.removeLast(), isDoubtful: false)
        case .cut:
            budget.cuts -= 1
            cut()
        case .reconnect: connect()
        case .retellAll:
            budget.retellings -= 1
            isInDoubt = isInDoubt || !unloaded.isEmpty
            newest = newestKnown
            cursor = -1
            connect()
        case .replay: replay()
        case .delete(let message): delete(message)
        case .answerFails(let message):
            budget.retries -= 1
            mine[Int(message)].copy = 1
            mine[Int(message)].wasSent = false
            mine[Int(message)].stage = .queued
            queue.append(message)
        case .retryRefused(let message):
            mine[Int(message)].stage = .queued
            queue.append(message)
        case .unload: unload()
        case .load: load()
        case .restart:
            budget.restarts -= 1
            restart()
        }
        if brokenLaw == nil, isSettled { brokenLaw = wrongScreen }
        if brokenLaw == nil { brokenLaw = brokenBound }
    }
}
