// The laws about a person's texts while events happen (L5, L6, C19, P10): they compare the screens with the ledger and
// with the server.

import ChatDomain
import ChatEffects

extension Simulation {
    /// Checks that every text is visible as often as the ledger counts, in its own conversation.
    mutating func checkTexts() {
        guard let user = state.account?.user, state.isWhollyRestored, devices[here].loop.store.isIdle else {
            return
        }
        var whole = devices[here].loop
        whole.store.isSlow = false
        if !whole.loadAll() { return }
        var seen: [Int: Int] = [:]
        let screens = whole.state.screens
        let server = marksOnServer(of: user)
        for screen in screens {
            checkRows(of: screen, server)
            for mark in screen.marks {
                seen[mark, default: 0] += 1
                for device in devices {
                    guard let text = device.ledger.texts[mark], text.user != user || text.home != screen.id
                    else { continue }
                    complain("C19, P10: t\(mark). of \(text.home.text) is shown in \(screen.id.text)")
                }
            }
        }
        checkHomes(of: screens, user)
        // The texts that a disk has lost or could not return are unknown before the end.
        guard devices[here].ledger.isDiskTrusted else { return }
        checkDeleted(on: screens, user)
        // The server may have the texts that the disk has lost.
        if devices[here].isConnected {
            devices[here].ledger.countLoose(seen, of: user, waiting: state.marksFromOutbox)
        }
        let ledger = devices[here].ledger
        for mark in ledger.texts.keys.sorted() where !ledger.loose.contains(mark) {
            guard let text = ledger.texts[mark], text.user == user,
                screens.contains(where: { $0.id == text.home })
            else { continue }
            let count = seen[mark] ?? 0
            let doubts = state.chat.conversations.first { $0.id == text.home }?.doubts(about: mark) ?? 0
            let others = devices.indices.reduce(0) { sum, device in
                sum + (device == here ? 0 : devices[device].ledger.texts[mark]?.taps ?? 0)
            }
            if count < text.copies - text.lost || count > text.copies + text.repeats + doubts + others {
                let law = count < text.copies ? "L5" : "L6"
                complain("\(law): t\(mark). is shown \(count) times, not \(text.copies)")
            }
        }
    }

    /// Checks that no two rows have one name, no message counts as accepted that the server lacks, and no question
    /// reports a missing answer that is visible below it.
    private mutating func checkRows(of screen: Screen, _ server: [Int: Int]) {
        var ids: Set<Chat.Row.ID> = []
        for (index, row) in screen.rows.enumerated() {
            if !ids.insert(row.id).inserted { complain("L6: two rows under \(row.id)") }
            guard row.role == .user, let mark = ExactText(row.text.string).marks.first else { continue }
            switch row.status {
            case .accepted, .delivered:
                if server[mark] == nil, isLost(mark) == false {
                    complain("L5: t\(mark). counts as accepted, and the server does not have it")
                }
            case .failed(.unanswered):
                let isOne = screen.marks.count { $0 == mark } == 1 && server[mark] == 1
                let answer = screen.rows[(index + 1)...].first { other in
                    other.role == .assistant && other.note == nil
                        && ExactText(other.text.string).marks.first == mark
                }
                if isOne, answer != nil, !mayMistakeAnswers, !showsTwice(screen, server) {
                    complain("C12: t\(mark). says that its answer is missing, which stands below it")
                }
            default: break
            }
        }
    }

    /// Whether a message is sent again whose first sending a disk has forgotten. The server does not answer it again,
    /// so the order of the replies misleads.
    private func showsTwice(_ screen: Screen, _ server: [Int: Int]) -> Bool {
        screen.marks.contains { mark in
            let count = server[mark] ?? 0
            return count > 0 && screen.marks.count { $0 == mark } > count
        }
    }

    /// Whether the server may have forgotten a text; nil if nobody has written it.
    private func isLost(_ mark: Int) -> Bool? {
        let texts = devices.compactMap { $0.ledger.texts[mark] }
        return texts.isEmpty ? nil : texts.contains { $0.lost > 0 }
    }

    /// The number of messages on the server for each mark. Its order is undefined.
    func marksOnServer(of user: UserID) -> [Int: Int] {
        var marks: [Int: Int] = [:]
        for entry in server.log(of: user) where entry.author != .server {
            for mark in entry.text.marks { marks[mark, default: 0] += 1 }
        }
        return marks
    }

    /// Checks that the server has at most one message for each id of a device, and no text more often than it was sent.
    mutating func checkServer() {
        for log in server.logs {
            var known: Set<LocalServer.Author> = []
            for entry in log.entries where entry.author != .server {
                if !known.insert(entry.author).inserted {
                    complain("L6: \(entry.author) is on the server twice")
                }
                if case .device(_, let key) = entry.author, isWithheld(key) {
                    complain("C13: \(entry.id) was deleted before it was sent, and the server has it")
                }
            }
            let marks = marksOnServer(of: log.user)
            for mark in marks.keys.sorted() {
                let texts = devices.map { $0.ledger.texts[mark] }
                // A text that a disk has lost may have been sent, and the person no longer sees it.
                if devices.contains(where: { !$0.ledger.isDiskTrusted || $0.ledger.loose.contains(mark) }) {
                    continue
                }
                let taps = texts.reduce(0) { $0 + ($1?.taps ?? 0) }
                guard let count = marks[mark], count > taps, texts.contains(where: { $0 != nil }) else {
                    continue
                }
                complain("L6: t\(mark). is \(count) times on the server, and was sent \(taps) times")
            }
        }
    }

    /// Checks that, on a failing disk, every text of the person is stored, about to be stored or on the server, or the
    /// person has been told that storage fails.
    mutating func checkKept() {
        let device = devices[here]
        guard !device.ledger.isDiskTrusted, !device.ledger.isTold, device.loop.store.isIdle,
            let user = state.account?.user
        else { return }
        let store = device.loop.store
        var kept = Set(store.paths.flatMap { marks(in: store.storedBytes(at: $0) ?? []) })
        for entry in server.log(of: user) { kept.formUnion(entry.text.marks) }
        for (conversation, screen) in zip(state.chat.conversations, state.screens)
        where !conversation.isBeingStored {
            for mark in screen.marks
            where device.ledger.texts[mark] != nil && !kept.contains(mark)
                && !device.ledger.told.contains(mark)
            {
                complain("L5: t\(mark). is here alone, and nobody was told that the disk fails")
            }
        }
    }
}
