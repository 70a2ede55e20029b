// The laws about deleted messages (C13) and about the places of messages (C19). A deletion counts once the disk has it;
// before that, the end of a process may undo it.

import ChatDomain
import ChatEffects

/// The messages that the person has deleted on a device.
struct Deletions: PlainValue {
    /// One of them.
    struct Deletion: PlainValue {
        let row: Chat.Row.ID
        /// The keys under which it may have been sent.
        let keys: [ClientID]
        /// Whether it can never have been sent.
        let wasNeverSent: Bool
        /// Whether the disk has the deletion.
        var isStored = false
    }

    private(set) var all: [Deletion] = []

    /// Whether a deletion waits for the disk.
    var isPending: Bool { all.last?.isStored == false }

    mutating func add(_ deletion: Deletion) {
        all.append(deletion)
        if all.count > 64 { all.removeFirst() }
    }

    mutating func stored() {
        for index in all.indices { all[index].isStored = true }
    }

    mutating func processEnded() { all.removeAll { !$0.isStored } }
}

extension Simulation {
    /// Enters a deletion.
    mutating func noteDeletion(_ action: ChatApp.Action, _ before: ChatApp.State) {
        guard case .chat(.deleted(let row)) = action, devices[here].ledger.isDiskTrusted,
            row.isShown(in: before), !row.isShown(in: state)
        else { return }
        guard case .written(let client) = row else {
            return devices[here].deletions.add(.init(row: row, keys: [], wasNeverSent: false))
        }
        let conversation = before.chat.conversation
        let written = conversation.transcript.message(client)?.written
        let entry = conversation.outbox.all.first { $0.entry.client == client }?.entry
        let keys = (written.map { $0.former.map { $0.key } + [$0.key] } ?? []) + [entry?.key ?? client]
        // An entry is marked before it is sent.
        let isUnmarked = entry?.wasSent == false && entry?.key == client
        devices[here].deletions.add(
            .init(row: row, keys: keys, wasNeverSent: written == nil && isUnmarked))
    }

    /// Whether the message of a key was deleted on a device before it was ever sent.
    func isWithheld(_ key: ClientID) -> Bool {
        devices.contains { device in
            device.deletions.all.contains { $0.wasNeverSent && $0.keys.contains(key) }
        }
    }

    /// Checks that no deleted message is visible, neither in its row nor as a message of another device.
    mutating func checkDeleted(on screens: [Screen], _ user: UserID) {
        let deleted = devices[here].deletions.all
        guard !deleted.isEmpty else { return }
        let log = server.log(of: user)
        for screen in screens {
            for row in screen.rows {
                if deleted.contains(where: { $0.row == row.id }) {
                    complain("C13: \(row.id) was deleted, and is shown again")
                }
                guard case .received(let id) = row.id, row.role == .user,
                    let entry = log.first(where: { $0.id == id }), case .device(_, let key) = entry.author,
                    deleted.contains(where: { $0.keys.contains(key) }),
                    // Of two messages with one text, either may count as the deleted one.
                    log.count(where: { $0.author != .server && $0.text == entry.text }) == 1
                else { continue }
                complain("C13: \(id) was deleted as \(key), and is shown as a message of another device")
            }
        }
    }

    /// Checks that each message of the server is shown to its person alone, in its conversation.
    mutating func checkHomes(of screens: [Screen], _ user: UserID) {
        var homes: [MessageID: (UserID, ConversationID)] = [:]
        for log in server.logs {
            for entry in log.entries { homes[entry.id] = (log.user, entry.conversation) }
        }
        for reply in server.replies { homes[reply.entry.id] = (reply.sender.user, reply.entry.conversation) }
        for screen in screens {
            for case .received(let id) in screen.rows.map({ $0.id }) {
                guard let (owner, home) = homes[id], owner != user || home != screen.id else { continue }
                complain("C19, P10: \(id) of \(home.text) is shown in \(screen.id.text)")
            }
        }
    }
}
