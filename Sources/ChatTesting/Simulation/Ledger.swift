// The account of every text of a person (L5, L6). Each text bears a mark; the ledger counts the places that show it
// (rows and composers). Only the person may change that number. The world may not, and neither may the end of a
// process, as long as the disk can be trusted and nothing was typed within the last second.

import ChatDomain
import ChatEffects

/// The account of every text that a person has written in a session.
struct Ledger: PlainValue {
    /// The known facts of a mark.
    struct Text: PlainValue {
        /// The author and the conversation.
        let user: UserID
        let home: ConversationID
        /// The number of places that show it.
        var copies = 0
        /// The greatest number of messages with it on the server.
        var taps = 0
        /// The number of those that were sent under a second id (C12). If the server replays all of its history, as it
        /// does without a cursor, they are messages of their own, like those of any other device.
        var repeats = 0
        /// The number of messages with it that the server has forgotten; they need not be shown any more.
        var lost = 0
    }

    private(set) var texts: [Int: Text] = [:]
    /// Every author.
    private(set) var users: [UserID] = []
    /// Whether every save since the start of the process has succeeded.
    var isDiskTrusted = true
    /// Whether the person has been told, since the disk began to fail, that it cannot be written or read.
    var isTold = false
    /// The marks that existed when the person was told and the disk began to fail in another way.
    var told: Set<Int> = []
    /// The marks with an unknown number of copies, until they are seen again.
    private(set) var loose: Set<Int> = []

    /// One of the latest marks of a conversation, to be written there a second time.
    func recent(
        of user: UserID?, in home: ConversationID, newest lastMark: Int, _ dice: inout Entropy
    ) -> Int? {
        let near = max(1, lastMark - 12)...max(1, lastMark)
        return dice.pick(near.filter { texts[$0]?.user == user && texts[$0]?.home == home })
    }

    // MARK: The person

    /// Enters an action, by the visible texts before and after it.
    mutating func note(_ action: ChatApp.Action, _ before: ChatApp.State, _ after: ChatApp.State) {
        guard let user = after.account?.user, case .chat(let action) = action else { return }
        if !users.contains(user) { users.append(user) }
        let (old, new) = (before.chat.conversation, after.chat.conversation)
        switch action {
        case .draftEdited:
            for mark in old.draft.text.marks { texts[mark]?.copies -= 1 }
            for mark in new.draft.text.marks {
                if texts[mark] == nil { texts[mark] = Text(user: user, home: new.id) }
                texts[mark]?.copies += 1
            }
        case .sent where old.draft.sent != new.draft.sent:
            for mark in old.draft.text.marks { texts[mark]?.taps += 1 }
        case .retried:
            // A message that is sent again under another key will be on the server a second time (L6).
            for row in new.transcript.rows {
                let message = row.value.wrappedValue
                guard let written = message.written, case .text(let text) = message.body,
                    let former = old.transcript.message(written.client)?.written, former.key != written.key
                else { continue }
                for mark in ExactText(text.string).marks {
                    texts[mark]?.taps += 1
                    texts[mark]?.repeats += 1
                }
            }
        case .deleted(let row):
            guard row.isShown(in: before), !row.isShown(in: after) else { return }
            for mark in row.text(in: before).marks { texts[mark]?.copies -= 1 }
        case .messageEdited(let client, let text):
            // A message that was never sent has another text now; one that was sent stays, with a new message.
            guard old != new else { return }
            let row = Chat.Row.ID.written(client)
            let (said, says) = (row.text(in: before), row.text(in: after))
            for mark in said.marks where said != says { texts[mark]?.copies -= 1 }
            guard said != says || old.draft.sent != new.draft.sent else { return }
            for mark in text.marks {
                if texts[mark] == nil { texts[mark] = Text(user: user, home: new.id) }
                texts[mark]?.copies += 1
                texts[mark]?.taps += 1
            }
        default: break
        }
    }

    // MARK: The server and other devices

    /// Enters a text that the person also writes on another device, as another message (C10).
    mutating func saidElsewhere(_ mark: Int) {
        texts[mark]?.taps += 1
        texts[mark]?.repeats += 1
    }

    /// Enters that the server has forgotten the messages of a log (C5).
    mutating func forgotten(_ log: [LocalServer.Entry]) {
        for entry in log where entry.author != .server {
            for mark in entry.text.marks { texts[mark]?.lost += 1 }
        }
    }

    // MARK: The end of a process

    /// Enters the end of a process. An unsaved draft may return in an earlier form, and so may every pending record.
    mutating func processEnded(_ loop: Loop<ClawlineBackend, Disk, Line>) {
        if !isDiskTrusted { loose.formUnion(texts.keys) }
        isDiskTrusted = isDiskTrusted || loop.store.faults.isEmpty
        let state = loop.state
        if !loop.store.isIdle || state.chat.conversations.contains(where: { $0.isBeingStored }) {
            for path in loop.store.paths {
                let durable = marks(in: loop.store.durableBytes(at: path) ?? [])
                let cached = marks(in: loop.store.storedBytes(at: path) ?? [])
                if durable != cached { loose.formUnion(durable + cached) }
            }
            let durable = loop.store.durablePaths.flatMap { marks(in: loop.store.durableBytes(at: $0) ?? []) }
            let shown = state.screens.flatMap { $0.marks }
            // Of two messages with one mark the disk may have either, and also a deleted one; and two records may have
            // one message. So a mark is certain only if each side has it once.
            loose.formUnion(
                (shown + durable).filter { $0.count(in: shown) != 1 || $0.count(in: durable) != 1 })
        }
        // The unsaved messages of people who have signed out are on no screen.
        for left in state.chat.departed {
            loose.formUnion(texts.keys.filter { texts[$0]?.user == left.account.user })
        }
        guard state.chat.conversations.contains(where: { $0.draft.isDirty }) else { return }
        for conversation in state.chat.conversations { loose.formUnion(conversation.draft.text.marks) }
        for path in loop.store.paths where path.components.last == "draft" {
            loose.formUnion(marks(in: loop.store.storedBytes(at: path) ?? []))
        }
    }

    /// Counts the unknown marks that a person sees now, except those that wait in a record from a launch: their echo
    /// may be visible beside them for a while. An invisible one may still be on the server, which may replay all of its
    /// history.
    mutating func countLoose(_ seen: [Int: Int], of user: UserID, waiting: [Int]) {
        for (mark, copies) in seen where texts[mark]?.user == user && !waiting.contains(mark) {
            guard loose.remove(mark) != nil else { continue }
            texts[mark]?.copies = copies
        }
    }
}

extension Int {
    fileprivate func count(in marks: [Int]) -> Int { marks.count { $0 == self } }
}

extension ExactText {
    /// The marks in it: a “t”, digits, and a full stop.
    var marks: [Int] { ChatTesting.marks(in: Array(utf8)) }
}

/// The marks in some bytes.
func marks(in bytes: [UInt8]) -> [Int] {
    var marks: [Int] = []
    var number: Int?
    var hasDigits = false
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "t"): (number, hasDigits) = (0, false)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            number = number.map { $0 * 10 + Int(byte - UInt8(ascii: "0")) }
            hasDigits = true
        case UInt8(ascii: "."):
            if hasDigits, let number { marks.append(number) }
            number = nil
        default: number = nil
        }
    }
    return marks
}

extension Chat.Row.ID {
    private func row(in state: ChatApp.State) -> Chat.Row? {
        Chat.rows(state.chat, newest: .max, .neutral).first { $0.id == self }
    }

    func isShown(in state: ChatApp.State) -> Bool { row(in: state) != nil }

    /// The text of the row, if it is the person's.
    func text(in state: ChatApp.State) -> ExactText {
        guard let row = row(in: state), row.role == .user else { return "" }
        return ExactText(row.text.string)
    }
}
