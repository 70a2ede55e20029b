// What the conversation around `Copies` does with what it hears, and the laws of the world (CopiesWorld.swift).

@testable import ChatDomain

extension CopiesWorld {
    mutating func send(_ message: Int8) {
        guard !mine[Int(message)].isDeleted else {
            queue.removeAll { $0 == message }
            return mine[Int(message)].stage = .dropped
        }
        mine[Int(message)].stage = .out
        mine[Int(message)].wasSent = true
        transit = copy(message)
        let since = newestKnown
        mine[Int(message)].since[Int(mine[Int(message)].copy)] = since
        copies.sent(
            name(of: transit), of: Self.names[Int(message) * 2], saying: Self.texts[Int(text(message))],
            since: time(since))
    }

    mutating func refused(_ copy: Int8) {
        let message = Int(copy / 2)
        copies.close(name(of: copy))
        guard mine[message].stage == .out, self.copy(copy / 2) == copy else { return }
        queue.removeAll { $0 == copy / 2 }
        mine[message].stage = mine[message].isDeleted ? .dropped : .refused
        mine[message].wasSent = false
    }

    mutating func acknowledged(_ copy: Int8) {
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

    mutating func claim(_ echo: Int8, _ copy: Int8, wasOpen: Bool) {
        if !wasOpen || mine[Int(copy / 2)].echoes[Int(copy % 2)] >= 0 {
            brokenLaw = "L6: a copy is resolved twice"
        }
        if !unclaimedRows.contains(echo), !unloaded.contains(echo) {
            brokenLaw = "L6: a message claims an echo that is another's"
        }
        unclaimedRows.remove(echo)
        mine[Int(copy / 2)].echoes[Int(copy % 2)] = echo
        if mine[Int(copy / 2)].stage == .accepted, self.copy(copy / 2) == copy {
            mine[Int(copy / 2)].stage = .delivered
        }
    }

    mutating func connect() {
        link = .replaying(Array(cursor + 1..<Int8(log.count)), isDoubtful: isInDoubt)
    }

    mutating func replay() {
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
    mutating func told(_ place: Int8, isDoubtful: Bool) {
        guard known.insert(place) else { return }
        let entry = log[Int(place)]
        let name = budget.isNamed && entry.copy >= 0 ? self.name(of: entry.copy) : nil
        let open = copies.open
        let echo = copies.echoed(
            Self.ids[Int(place)], key: name, saying: Self.texts[Int(entry.text)], at: time(place),
            isDoubtful ? .inDoubt(isNews: place > newest) : link == .up ? .live : .replayed)
        switch echo {
        case .unclaimed:
            if name == nil { unclaimedRows.insert(place) }
            let same = open.filter { $0.text == Self.texts[Int(entry.text)] }
            if !isDoubtful, name == nil, !same.isEmpty {
                brokenLaw = "C10: an echo of an open copy finds none"
            }
            if isDoubtful {
                doubtful.insert(place)
                let isOfDeleted = entry.copy >= 0 && mine[Int(entry.copy / 2)].isDeleted
                if isOfDeleted, same.contains(where: { !$0.isDeleted }) { strangers.insert(place) }
            }
            if let name, !open.contains(where: { $0.key == name }), !unloaded.contains(place) {
                unclaimedRows.insert(place)
            }
        case .of(_, let key): resolved(self.copy(named: key), by: place, open)
        }
        if copies.open.count + (echo == .unclaimed ? 0 : 1) != open.count {
            brokenLaw = "L6: an echo resolves one copy at most"
        }
    }

    mutating func resolved(_ copy: Int8, by place: Int8, _ open: [Copies.Copy]) {
        let message = Int(copy / 2)
        if !isOnServer(copy) {
            brokenLaw = "L5: an echo resolves what the server does not have: copy \(copy) by s\(place)"
        }
        if mine[message].echoes[Int(copy % 2)] >= 0 { brokenLaw = "L6: a copy is resolved twice" }
        if !isRebuilt, !mine.contains(where: { $0.isDeleted }), log[Int(place)].copy != copy {
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

    mutating func cut() {
        link = .down
        if let out { mine[Int(out)].stage = .queued }
        transit = -1
        acknowledgements = []
        line = []
    }

    mutating func delete(_ message: Int8) {
        budget.deletions -= 1
        mine[Int(message)].isDeleted = true
        copies.deleted(Self.names[Int(message) * 2])
        for place in doubtful {
            let copy = log[Int(place)].copy
            if copy >= 0, copy / 2 == message { strangers.insert(place) }
        }
        switch mine[Int(message)].stage {
        case .queued, .refused:
            queue.removeAll { $0 == message }
            mine[Int(message)].stage = .dropped
        case .unwritten, .out, .accepted, .delivered, .dropped: break
        }
    }

    /// What has all its echoes leaves the memory, but for the newest page.
    mutating func unload() {
        for message in mine where message.stage == .delivered && message.copy == 0 {
            for echo in message.echoes where known.contains(echo) { unloaded.insert(echo) }
        }
        unloaded.formUnion(unclaimedRows)
        if let newest = known.sorted().last { unloaded.remove(newest) }
        known.subtract(unloaded)
        unclaimedRows.subtract(unloaded)
    }

    /// An old page is in memory again. What the server has told anew meanwhile is known by its id.
    mutating func load() {
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
                    Self.ids[Int(echo)], saying: Self.texts[Int(log[Int(echo)].text)], at: time(echo),
                    isOlder: true)
            }
            known.insert(echo)
        }
        unloaded = []
    }

    /// The process ends, and the next one reads what is stored.
    mutating func restart() {
        cut()
        for row in doubtful where unclaimedRows.contains(row) && log[Int(row)].copy >= 0 {
            strangers.insert(row)
        }
        copies = Copies()
        // The stored cursor ends the doubt.
        if cursor >= 0 { isInDoubt = false }
        isRebuilt = mine.contains { $0.copy > 0 }
        expectStored()
        for place in log.indices.reversed() where unclaimedRows.contains(Int8(place)) {
            copies.remember(
                Self.ids[place], saying: Self.texts[Int(log[place].text)], at: time(Int8(place)),
                isOlder: true)
        }
    }

    /// What was not echoed stands last (C16), so it is newer than all echoes.
    mutating func expectStored() {
        for (index, message) in mine.enumerated().reversed() where !message.isMerged {
            for tries in (0...message.copy).reversed() where message.echoes[Int(tries)] < 0 {
                let isFormer = tries < message.copy
                let isRefused = message.stage == .refused || message.stage == .unwritten
                guard isFormer || (message.wasSent && !isRefused) else { continue }
                let copy = Int8(index) * 2 + tries
                copies.sent(
                    name(of: copy), of: Self.names[index * 2], saying: Self.texts[Int(text(Int8(index)))],
                    since: time(message.since[0]), isOlder: true)  // the row stands where it was first sent
                if isFormer || message.stage == .accepted { acknowledged(copy) }
            }
            if message.isDeleted { copies.deleted(Self.names[index * 2]) }
        }
    }

    // MARK: The laws

    var isSettled: Bool {
        guard link == .up, queue.isEmpty, line.isEmpty, acknowledgements.isEmpty, unloaded.isEmpty else {
            return false
        }
        return known.count == log.count && mine.allSatisfy { $0.stage != .unwritten }
    }

    /// What is wrong with what the person sees, after everything was told.
    var wrongScreen: String? {
        for place in log.indices {
            let rows =
                mine.count { $0.echoes.contains(Int8(place)) } + (unclaimedRows.contains(Int8(place)) ? 1 : 0)
            if rows != 1 { return "L6: s\(place) is shown by \(rows) rows" }
        }
        for (index, message) in mine.enumerated() where !message.isDeleted {
            let isThere = isOnServer(Int8(index) * 2) || isOnServer(Int8(index) * 2 + 1)
            if !isThere, message.stage != .refused {
                return "L5: message \(index) is neither on the server nor unsent"
            }
        }
        let visible = unclaimedRows.count + mine.count { !$0.isDeleted && !$0.isMerged }
        let expected = log.count { $0.copy < 0 } + mine.count { !$0.isDeleted }
        if visible < expected { return "L5: \(visible) rows where \(expected) belong" }
        if visible > expected + strangers.count { return "L6: \(visible) rows where \(expected) belong" }
        return nil
    }

    var brokenBound: String? {
        var expected: Marks = []
        for open in copies.open where !expected.insert(copy(named: open.key)) {
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
