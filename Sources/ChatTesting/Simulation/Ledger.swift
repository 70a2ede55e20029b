// Where every text of the person has to be (L5, L6). Each text bears a mark; the ledger counts how many places
// show it (rows and composers). Only the person changes that number. What the world does must not, and neither
// may the end of a process, as long as the disk can be trusted and nothing was typed within the last second.

import ChatDomain
import ChatEffects

/// The account of every text that a person has written in a session.
struct Ledger: PlainValue {
    /// What is known of a mark.
    struct Text: PlainValue {
        /// Who wrote it, and where.
        let user: UserID
        let home: ConversationID
        /// How many places show it.
        var copies = 0
        /// How many messages with it the server may have at most.
        var taps = 0
        /// How many of those were sent under a second id (C12). Where the server tells all of its history again,
        /// as it does without a cursor, they are messages of their own, like on any other device.
        var repeats = 0
        /// How many messages with it the server has forgotten, so that they need not be shown any more.
        var lost = 0
    }

    private(set) var texts: [Int: Text] = [:]
    /// Every author.
    private(set) var users: [UserID] = []
    /// Whether all that was to be stored since the process began could be.
    var isDiskTrusted = true
    /// Whether the person was told, since the disk began to fail, that something cannot be stored or read.
    var isTold = false
    /// Marks that were here when the person was told so and the disk began to fail in another way.
    var told: Set<Int> = []
    /// Marks of which the number of copies is not known until they are seen again.
    private(set) var loose: Set<Int> = []

    /// One of the latest marks of a conversation, to be written there a second time.
    func recent(
        of user: UserID?, in home: ConversationID, newest lastMark: Int, _ dice: inout Entropy
    ) -> Int? {
        let near = max(1, lastMark - 12)...max(1, lastMark)
        return dice.pick(near.filter { texts[$0]?.user == user && texts[$0]?.home == home })
    }

    // MARK: What a person does

    /// Keeps account of an action by what is shown before and after it.
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
            // What was never on a wire says something else now; beside what was, there is a new message.
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

    // MARK: What the server and other devices do

    /// The person says on another device what they have said here; that message is another (C10).
    mutating func saidElsewhere(_ mark: Int) {
        texts[mark]?.taps += 1
        texts[mark]?.repeats += 1
    }

    /// The server has forgotten what a log holds (C5).
    mutating func forgotten(_ log: [LocalServer.Entry]) {
        for entry in log where entry.author != .server {
            for mark in entry.text.marks { texts[mark]?.lost += 1 }
        }
    }

    // MARK: What the end of a process takes along

    /// A draft that was not saved yet may come back as it was before, and so may whatever the disk has not done.
    mutating func processEnded(_ loop: Loop<ClawlineBackend, Disk, Line>) {
        if !isDiskTrusted { loose.formUnion(texts.keys) }
        isDiskTrusted = isDiskTrusted || loop.store.faults.isEmpty
        let state = loop.state
        if !loop.store.isIdle || state.chat.conversations.contains(where: { $0.isBeingStored }) {
            for path in loop.store.paths {
                let durable = marks(in: loop.store.durableBytes(at: path) ?? [])
                let cached = marks(in: loop.store.bytes(at: path) ?? [])
                if durable != cached { loose.formUnion(durable + cached) }
            }
            let durable = loop.store.durablePaths.flatMap { marks(in: loop.store.durableBytes(at: $0) ?? []) }
            let shown = state.screens.flatMap { $0.marks }
            // Of two messages with one mark the disk may have either, and one that was deleted; and two records may have
            // one message. So a mark is certain only if each side has it once.
            loose.formUnion(
                (shown + durable).filter { $0.count(in: shown) != 1 || $0.count(in: durable) != 1 })
        }
        // What somebody left behind whose saves have not ended is on no screen.
        for left in state.chat.departed {
            loose.formUnion(texts.keys.filter { texts[$0]?.user == left.account.user })
        }
        guard state.chat.conversations.contains(where: { $0.draft.isDirty }) else { return }
        for conversation in state.chat.conversations { loose.formUnion(conversation.draft.text.marks) }
        for path in loop.store.paths where path.components.last == "draft" {
            loose.formUnion(marks(in: loop.store.bytes(at: path) ?? []))
        }
    }

    /// What a person sees now counts for what was not known of theirs, unless it is still to go from a record
    /// that may be too old: then its echo may stand beside it until it goes. What is not there may still be with the
    /// server, which may tell all of its history again.
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

    /// What the row says if it is the person's.
    func text(in state: ChatApp.State) -> ExactText {
        guard let row = row(in: state), row.role == .user else { return "" }
        return ExactText(row.text.string)
    }
}
