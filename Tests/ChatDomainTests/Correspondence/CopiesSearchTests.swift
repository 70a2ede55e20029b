// Everything that can happen between three messages, their copies and a server, searched to closure. What is
// really the server's stands in its log, which `Copies` never sees; the conversation around `Copies` is as
// small as can be.

import Testing

@testable import ChatDomain

/// A person, a server, and a wire between them. Message 0 and 1 say the same, and so does what the log holds
/// before.
private struct CopiesWorld: SearchedWorld {
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
    }

    enum Stage: Int8 { case unwritten, queued, out, accepted, delivered, refused, dropped }

    struct Mine: Hashable {
        var stage = Stage.unwritten
        /// Which copy goes now: the first or the second.
        var copy: Int8 = 0
        /// Whether this copy may have been on a wire.
        var wasSent = false
        var isDeleted = false
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
    /// Whether a history that is told anew, when not all of it was in memory, has not been told to its end.
    var isInDoubt = false
    /// The echoes in memory, those of rows that are not, and the rows of those that found no message.
    var known: Marks = []
    var unloaded: Marks = []
    var unclaimedRows: Marks = []
    /// Echoes that were told in doubt; and of those, what nobody can place because the process ended
    /// meanwhile.
    var doubtful: Marks = []
    var strangers: Marks = []
    /// Whether an echo was claimed by another copy: with equal texts, in doubt, after a loss.
    var isSwapped = false
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

    private func text(_ message: Int8) -> Int8 { message < 2 ? 0 : 1 }
    private func name(of copy: Int8) -> ClientID { Self.names[Int(copy)] }
    private func copy(_ message: Int8) -> Int8 { message * 2 + mine[Int(message)].copy }
    private func copy(named name: ClientID) -> Int8 { name.figure }
    private func isOnServer(_ copy: Int8) -> Bool { log.contains { $0.copy == copy } }
    private var out: Int8? { queue.first { mine[Int($0)].stage == .out } }

    var key: [Int8] {
        var key: [Int8] = [transit, cursor, (isSwapped ? 1 : 0) + (isInDoubt ? 2 : 0) + (isRebuilt ? 4 : 0)]
        for message in mine {
            key += [
                message.stage.rawValue, message.copy,
                (message.wasSent ? 1 : 0) + (message.isDeleted ? 2 : 0) + (message.isMerged ? 4 : 0),
            ]
            key += message.echoes
        }
        key += [100] + queue + [101] + log.map { $0.copy } + [102] + acknowledgements + [103] + line
        switch link {
        case .down: key.append(110)
        case .up: key.append(111)
        case .replaying(let rest, let isDoubtful): key += [isDoubtful ? 112 : 113] + rest
        }
        key += [104] + known.halves + [105] + unloaded.halves + [106] + unclaimedRows.halves + [107]
        key += doubtful.halves + [114] + strangers.halves + [115]
        for open in copies.open {
            key += [copy(named: open.key), (open.isTaken ? 1 : 0) + (open.isDeleted ? 2 : 0)]
        }
        key.append(108)
        for echo in copies.unclaimed { key.append(echo.id.figure) }
        key += [109, budget.cuts, budget.retellings, budget.restarts, budget.deletions, budget.retries]
        key += [budget.refusals, budget.acknowledgementsAgain]
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

    // MARK: The conversation around the value

    private mutating func send(_ message: Int8) {
        guard !mine[Int(message)].isDeleted else {
            queue.removeAll { $0 == message }
            return mine[Int(message)].stage = .dropped
        }
        mine[Int(message)].stage = .out
        mine[Int(message)].wasSent = true
        transit = copy(message)
        copies.sent(
            name(of: transit), of: Self.names[Int(message) * 2], saying: Self.texts[Int(text(message))])
    }

    private mutating func refused(_ copy: Int8) {
        let message = Int(copy / 2)
        copies.refused(name(of: copy))
        guard mine[message].stage == .out, self.copy(copy / 2) == copy else { return }
        queue.removeAll { $0 == copy / 2 }
        mine[message].stage = mine[message].isDeleted ? .dropped : .refused
        mine[message].wasSent = false
    }

    private mutating func acknowledged(_ copy: Int8) {
        let message = Int(copy / 2)
        let open = copies.open
        let claimed = copies.taken(name(of: copy))?.figure
        if let claimed { claim(claimed, copy, wasOpen: open.contains { $0.key == name(of: copy) }) }
        guard self.copy(copy / 2) == copy else { return }
        switch mine[message].stage {
        case .queued, .out, .accepted:
            queue.removeAll { $0 == copy / 2 }
            mine[message].stage = claimed == nil ? .accepted : .delivered
        case .unwritten, .delivered, .refused, .dropped: break
        }
    }

    private mutating func claim(_ echo: Int8, _ copy: Int8, wasOpen: Bool) {
        if !wasOpen || mine[Int(copy / 2)].echoes[Int(copy % 2)] >= 0 {
            brokenLaw = "L6: a copy is resolved twice"
        }
        if !unclaimedRows.contains(echo), !unloaded.contains(echo) {
            brokenLaw = "L6: a message claims an echo that is another's"
        }
        if log[Int(echo)].copy != copy { isSwapped = true }
        unclaimedRows.remove(echo)
        mine[Int(copy / 2)].echoes[Int(copy % 2)] = echo
        if mine[Int(copy / 2)].stage == .accepted, self.copy(copy / 2) == copy {
            mine[Int(copy / 2)].stage = .delivered
        }
    }

    private mutating func connect() {
        link = .replaying(Array(cursor + 1..<Int8(log.count)), isDoubtful: isInDoubt)
    }

    private mutating func replay() {
        guard case .replaying(let rest, let isDoubtful) = link else { return }
        guard let first = rest.first else {
            link = .up
            isInDoubt = false
            for claim in copies.toldAll() {
                self.claim(claim.echo.figure, copy(named: claim.key), wasOpen: true)
            }
            return
        }
        link = .replaying(Array(rest.dropFirst()), isDoubtful: isDoubtful)
        cursor = first
        told(first, isDoubtful: isDoubtful)
    }

    /// The server tells an entry of its log.
    private mutating func told(_ place: Int8, isDoubtful: Bool) {
        guard known.insert(place) else { return }
        let entry = log[Int(place)]
        let name = budget.isNamed && entry.copy >= 0 ? self.name(of: entry.copy) : nil
        let open = copies.open
        let echo = copies.echoed(
            Self.ids[Int(place)], key: name, saying: Self.texts[Int(entry.text)], isDoubtful: isDoubtful)
        switch echo {
        case .unclaimed:
            if name == nil { unclaimedRows.insert(place) }
            let same = open.filter { $0.text == Self.texts[Int(entry.text)] }
            if !isDoubtful, name == nil, !same.isEmpty {
                brokenLaw = "C10: an echo of an open copy finds none"
            }
            if isDoubtful { doubtful.insert(place) }
            if let name, !open.contains(where: { $0.key == name }), !unloaded.contains(place) {
                unclaimedRows.insert(place)
            }
        case .of(_, let key): resolved(self.copy(named: key), by: place, open)
        }
        if copies.open.count + (echo == .unclaimed ? 0 : 1) != open.count {
            brokenLaw = "L6: an echo resolves one copy at most"
        }
    }

    private mutating func resolved(_ copy: Int8, by place: Int8, _ open: [Copies.Copy]) {
        let message = Int(copy / 2)
        if !isOnServer(copy), !isSwapped {
            brokenLaw = "L5: an echo resolves what the server does not have: copy \(copy) by s\(place)"
        }
        if mine[message].echoes[Int(copy % 2)] >= 0 { brokenLaw = "L6: a copy is resolved twice" }
        if doubtful.isEmpty, !isRebuilt, !mine.contains(where: { $0.isDeleted }), log[Int(place)].copy != copy
        {
            brokenLaw = "C10: the echo of copy \(log[Int(place)].copy) is taken for that of copy \(copy)"
        }
        if mine[message].isDeleted, !budget.isNamed {
            let mate = open.first { other in
                let isSame =
                    other.text == Self.texts[Int(text(copy / 2))]
                    && !mine[Int(self.copy(named: other.key) / 2)].isDeleted
                return isSame && (other.isTaken || !open.contains { $0.key == name(of: copy) && $0.isTaken })
            }
            if mate != nil { brokenLaw = "C13: a deleted message takes the echo of a visible one" }
        }
        mine[message].echoes[Int(copy % 2)] = place
        guard self.copy(copy / 2) == copy else { return }
        switch mine[message].stage {
        case .queued, .out, .accepted:
            queue.removeAll { $0 == copy / 2 }
            mine[message].stage = .delivered
        case .unwritten, .delivered, .refused, .dropped: break
        }
    }

    private mutating func cut() {
        link = .down
        if let out { mine[Int(out)].stage = .queued }
        transit = -1
        acknowledgements = []
        line = []
    }

    private mutating func delete(_ message: Int8) {
        budget.deletions -= 1
        mine[Int(message)].isDeleted = true
        copies.deleted(Self.names[Int(message) * 2])
        switch mine[Int(message)].stage {
        case .queued, .refused:
            queue.removeAll { $0 == message }
            mine[Int(message)].stage = .dropped
        case .unwritten, .out, .accepted, .delivered, .dropped: break
        }
    }

    /// What has all its echoes leaves the memory.
    private mutating func unload() {
        for message in mine where message.stage == .delivered && message.copy == 0 {
            for echo in message.echoes where known.contains(echo) { unloaded.insert(echo) }
        }
        unloaded.formUnion(unclaimedRows)
        known.subtract(unloaded)
        unclaimedRows = []
    }

    /// An old page is in memory again. What the server has told anew meanwhile is known by its id.
    private mutating func load() {
        for echo in unloaded.sorted() {
            let owners = mine.indices.filter { mine[$0].echoes.contains(echo) }
            let isMine = !owners.isEmpty
            if let owner = owners.first, let copy = mine[owner].echoes.firstIndex(of: echo) {
                copies.found(Self.ids[Int(echo)], of: name(of: Int8(owner * 2 + copy)))
            }
            if owners.count > 1, let former = owners.first(where: { log[Int(echo)].copy == Int8($0) * 2 }) {
                mine[former].isMerged = true  // another has its place by a guess in doubt
                mine[former].echoes = [-1, -1]
            }
            if isMine { unclaimedRows.remove(echo) } else { unclaimedRows.insert(echo) }
            if !isMine {
                copies.remember(
                    Self.ids[Int(echo)], saying: Self.texts[Int(log[Int(echo)].text)], isOlder: true)
            }
            known.insert(echo)
        }
        unloaded = []
    }

    /// The process ends, and the next one reads what is stored.
    private mutating func restart() {
        cut()
        for row in doubtful where unclaimedRows.contains(row) && log[Int(row)].copy >= 0 {
            strangers.insert(row)
        }
        copies = Copies()
        isRebuilt = mine.contains { $0.copy > 0 }
        expectStored()
        for place in log.indices.reversed() where unclaimedRows.contains(Int8(place)) {
            copies.remember(Self.ids[place], saying: Self.texts[Int(log[place].text)], isOlder: true)
        }
    }

    /// What was not echoed stands last (C16), so it is newer than all echoes.
    private mutating func expectStored() {
        for (index, message) in mine.enumerated().reversed() where !message.isMerged {
            for tries in (0...message.copy).reversed() where message.echoes[Int(tries)] < 0 {
                let isFormer = tries < message.copy
                let isRefused = message.stage == .refused || message.stage == .unwritten
                guard isFormer || (message.wasSent && !isRefused) else { continue }
                let copy = Int8(index) * 2 + tries
                copies.sent(
                    name(of: copy), of: Self.names[index * 2], saying: Self.texts[Int(text(Int8(index)))],
                    isOlder: true)
                if isFormer || message.stage == .accepted { acknowledged(copy) }
            }
            if message.isDeleted { copies.deleted(Self.names[index * 2]) }
        }
    }

    // MARK: The laws

    private var isSettled: Bool {
        guard link == .up, queue.isEmpty, line.isEmpty, acknowledgements.isEmpty, unloaded.isEmpty else {
            return false
        }
        return known.count == log.count && mine.allSatisfy { $0.stage != .unwritten }
    }

    /// What is wrong with what the person sees, after everything was told.
    private var wrongScreen: String? {
        for place in log.indices {
            let rows =
                mine.count { $0.echoes.contains(Int8(place)) } + (unclaimedRows.contains(Int8(place)) ? 1 : 0)
            if rows != 1 { return "L6: s\(place) is shown by \(rows) rows" }
        }
        for (index, message) in mine.enumerated() where !message.isDeleted {
            let isThere = isOnServer(Int8(index) * 2) || isOnServer(Int8(index) * 2 + 1)
            if !isThere, message.stage != .refused, !isSwapped {
                return "L5: message \(index) is neither on the server nor unsent"
            }
        }
        let visible = unclaimedRows.count + mine.count { !$0.isDeleted && !$0.isMerged }
        let expected = log.count { $0.copy < 0 } + mine.count { !$0.isDeleted }
        if visible < expected { return "L5: \(visible) rows where \(expected) belong" }
        // Told in doubt, and the person has deleted it, or the process ended before it was known whose it is.
        let unplaced = doubtful.filter { place in
            let copy = log[Int(place)].copy
            return strangers.contains(place) || copy >= 0 && mine[Int(copy / 2)].isDeleted
        }
        if visible > expected + unplaced.count { return "L6: \(visible) rows where \(expected) belong" }
        return nil
    }

    private var brokenBound: String? {
        if Set(copies.open.map { $0.key }).count != copies.open.count {
            return "L6: a copy is expected twice"
        }
        if copies.unclaimed.contains(where: { echo in
            let place = echo.id.figure
            return !unclaimedRows.contains(place) && !unloaded.contains(place)
        }) {
            return "C10: an unclaimed echo has no row of its own"
        }
        return nil
    }
}

@Suite("Copies, searched to closure")
struct CopiesSearchTests {
    @Test(
        "C10, C13, L5, L6: each message is shown once, and none is lost",
        arguments: [
            (
                "lost connections, a retry", 5_000,
                CopiesWorld.Budget(
                    cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isWritten: true)
            ),
            (
                "echoes with a key", 5_000,
                .init(
                    cuts: 2, deletions: 1, retries: 1, acknowledgementsAgain: 1, isNamed: true,
                    isWritten: true)
            ),
            ("each message twice", 1_000, .init(retries: 3)),
            (
                "refused, deleted", 5_000,
                .init(deletions: 2, retries: 1, refusals: 1, hasEarlier: true)
            ),
            (
                "told anew", 5_000,
                .init(cuts: 2, retellings: 1, deletions: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "told anew, refused", 5_000,
                .init(cuts: 1, retellings: 1, refusals: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "told anew, asked again", 5_000,
                .init(cuts: 1, retellings: 1, retries: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "a restart", 5_000,
                .init(cuts: 1, restarts: 1, deletions: 1, retries: 1, hasEarlier: true, isWritten: true)
            ),
            (
                "told anew, a restart", 5_000,
                .init(cuts: 1, retellings: 1, restarts: 1, hasEarlier: true, isWritten: true)
            ),
        ])
    fileprivate func closure(_ name: String, _ least: Int, _ budget: CopiesWorld.Budget) {
        ClosureSearch(CopiesWorld(budget)).expectLawful("Copies, \(name)", atLeast: least)
    }

    @Test("L8: a server that never echoes, or echoes what nobody knows, fills no memory")
    func bounded() {
        var copies = Copies()
        for number in 0..<Copies.limit + 500 {
            copies.sent(ClientID("c\(number)"), of: ClientID("c\(number)"), saying: LongText("ok"))
            copies.remember(MessageID("s\(number)"), saying: LongText("no"))
        }
        #expect(copies.open.count == Copies.limit && copies.unclaimed.count == Copies.limit)
        #expect(copies.open.first?.key == "c500" && copies.unclaimed.first?.id == "s500")
        let rest = copies
        copies.sent("old", of: "old", saying: LongText("ok"), isOlder: true)
        copies.remember("old", saying: LongText("no"), isOlder: true)
        #expect(copies.open == rest.open && copies.unclaimed == rest.unclaimed)
    }
}
