// The laws of Docs/Rules.md as functions of a session: what is cheap after every step, what is dear now and
// then, drawn from the same seed.

@testable import ChatDomain
@testable import ChatEffects
import Foundation

/// How every token of the in-process backend begins.
let tokenMark = "eyJhbGciOiJI"

extension Session {
    mutating func check() {
        if let stuck = stuckSpinner(loop.machine) { complain("L3: \(stuck)") }
        if let overgrown = overgrown { complain("L8: \(overgrown)") }
        for open in loop.machine.openCalls where !known.contains(open.call) {
            known.append(open.call)
            if known.count > 16 { known.removeFirst() }
        }
        if loop.state.saysStorageFails { ledger.isTold = true }
        switch dice.below(96) {
        case 0..<6: haunt()
        case 6..<10:
            checkTexts()
            checkKept()
        case 10: checkSecrecy()
        default: break
        }
    }

    // MARK: L1, L4: ghosts

    /// What belongs to a call, a timer or a save that is over is given to the reducer itself, which the
    /// machine would never do, and changes nothing.
    private mutating func haunt() {
        let open = loop.machine.openCalls.map { $0.call }
        for call in known where !open.contains(call) {
            for event in call.events { expectNothing(of: .received(event, on: call)) }
            expectNothing(of: .ended(call, .failed(.lost)))
            expectNothing(of: .ended(call, .refused(status: 401, retryAfter: nil, message: "")))
        }
        // Attempts are numbered from 1, so this one is nobody's.
        let nobody = Attempt(number: 0)
        let user = loop.state.account?.user ?? "nobody"
        let here = loop.state.chat.conversation.id
        let keys: [ChatApp.Key] = [
            .pairing(.device), .pairing(.credentials), .pairing(.request), .chat(.conversations(user)),
            .chat(.outbox(user, here)), .chat(.draft(user, here)), .chat(.contents(user, here)),
            .chat(.page(user, here, 0)), .chat(.outbox("nobody", here)), .chat(.outbox(user, "nowhere")),
            .assistant(.pacing(user)), .assistant(.pacing("nobody")),
        ]
        for key in keys {
            for answer: StorageAnswer<ChatApp.Record> in [.missing, .saved, .erased] {
                expectNothing(of: .stored(answer, under: key, nobody))
            }
        }
    }

    private mutating func expectNothing(of ghost: ChatApp.Action) {
        var state = loop.state
        var context = Context(moment: loop.moment, entropy: .seeded(1))
        let effects = app.reduce(&state, ghost, in: &context)
        if !effects.isEmpty || state != loop.state { complain("L4: \(ghost) yields \(effects)") }
    }

    // MARK: L8: bounds

    private var overgrown: String? {
        let chat = loop.state.chat
        let limits = app.chat.configuration
        // What comes back from the composer or the disk was accepted once, and is not dropped.
        for conversation in chat.conversations {
            if conversation.outbox.count > 2 * limits.outboxLimit { return "outbox" }
            if conversation.outbox.refused.count > Int(limits.outboxLimit) { return "refused messages" }
            if conversation.outbox.settled.count > Int(limits.outboxLimit) { return "settled messages" }
            if conversation.growing.count > limits.growingLimit { return "growing replies" }
            if conversation.pushed.copies.open.count > 1_000 { return "copies without an echo" }
            if conversation.pushed.copies.unclaimed.count > 1_000 { return "echoes without a copy" }
            if conversation.pushed.crowdedOut.count > 64 { return "replies without a place" }
            if conversation.pushed.turns.turns.count > 1_000 { return "turns" }
            if conversation.transcript.pages.hidden.count > 1_000 { return "deleted messages" }
            if conversation.draft.attachments.count > 3 * Int(limits.attachmentLimit) { return "files" }
        }
        if Int64(chat.list.entries.count) > 2 * limits.conversationLimit { return "conversations" }
        if chat.departed.count > 8 { return "people who have left" }
        if chat.departed.contains(where: { $0.account.user == chat.account?.user }) {
            return "somebody who has left and is here"
        }
        if chat.others.count >= chat.list.entries.count { return "conversations beside the list" }
        if let assistant = loop.state.assistant.conversation {
            let limits = app.assistant.configuration
            if assistant.queue.count > limits.queueLimit { return "questions" }
            if Int64(assistant.settled.count) > limits.exchangeLimit { return "answers" }
        }
        if loop.state.pairing.incoming.rows.rows.count > 100 { return "pairing requests" }
        if loop.machine.openCalls.count > 1 + 1 + 1 + 4 * chat.list.entries.count { return "calls" }
        return nil
    }

    // MARK: L5, L6, C19: texts

    /// Every text is shown as often as the ledger says, in its own conversation, and on the server no more
    /// often than it was sent.
    mutating func checkTexts() {
        guard let user = loop.state.account?.user, loop.state.isWhollyRestored else { return }
        var whole = loop
        if !whole.loadAll() { return }
        var seen: [Int: Int] = [:]
        let screens = whole.state.screens
        for screen in screens {
            var ids: Set<Chat.Row.ID> = []
            for row in screen.rows {
                if !ids.insert(row.id).inserted { complain("L6: two rows under \(row.id)") }
            }
            for mark in screen.marks {
                seen[mark, default: 0] += 1
                if let text = ledger.texts[mark], text.user != user || text.home != screen.id {
                    complain("C19, P10: t\(mark). of \(text.home.text) is shown in \(screen.id.text)")
                }
            }
        }
        // What a disk has lost or could not be asked for is not known before the end.
        guard ledger.isDiskTrusted else { return }
        // What the disk has lost the server may have.
        if loop.isConnected { ledger.settleLoose(seen, of: user, waiting: loop.state.marksFromOutbox) }
        for (mark, text) in ledger.texts where text.user == user && !ledger.loose.contains(mark) {
            guard screens.contains(where: { $0.id == text.home }) else { continue }
            let count = seen[mark] ?? 0
            let doubts = loop.state.chat.conversations.first { $0.id == text.home }?.doubts(about: mark) ?? 0
            if count < text.copies - text.lost || count > text.copies + text.repeats + doubts {
                let law = count < text.copies ? "L5" : "L6"
                complain("\(law): t\(mark). is shown \(count) times, not \(text.copies)")
            }
        }
    }

    /// On a disk that fails, what the person has written is stored, about to be stored or with the server, or they
    /// have been told that storage fails.
    mutating func checkKept() {
        guard !ledger.isDiskTrusted, !ledger.isTold, let user = loop.state.account?.user else { return }
        var kept = Set(loop.store.paths.flatMap { marks(in: loop.store.bytes(at: $0) ?? []) })
        for entry in loop.server.log(of: user) { kept.formUnion(entry.text.marks) }
        for (conversation, screen) in zip(loop.state.chat.conversations, loop.state.screens)
        where !conversation.isBeingStored {
            for mark in screen.marks
            where ledger.texts[mark] != nil && !kept.contains(mark) && !ledger.told.contains(mark) {
                complain("L5: t\(mark). is here alone, and nobody was told that the disk fails")
            }
        }
    }

    /// In the end every text that is shown is with the server, or can be seen to be unsent; and everything
    /// that the server has said is shown once and whole.
    mutating func checkEnd(of user: UserID) {
        var whole = loop
        if !whole.loadAll() { return complain("R5: not all that is stored can be loaded in the end") }
        let log = loop.server.log(of: user)
        var server: [Int: Int] = [:]
        for entry in log where entry.author != .server {
            for mark in entry.text.marks { server[mark, default: 0] += 1 }
        }
        for screen in whole.state.screens {
            for row in screen.rows where row.role == .user && !row.isUnsent {
                for mark in ExactText(row.text.string).marks
                where server[mark] == nil && ledger.texts[mark]?.lost == 0 {
                    complain(
                        "L5: t\(mark). is shown as \(String(describing: row.status)), and not sent")
                }
            }
        }
        for (mark, count) in server {
            guard let text = ledger.texts[mark], ledger.isDiskTrusted else { continue }
            if count > text.taps { complain("L6: t\(mark). is \(count) times on the server") }
        }
        let screens = whole.state.screens
        for screen in screens {
            // Those that were muted before they had a name.
            var muted = muted[screen.id] ?? 0
            let here = log.filter { $0.conversation == screen.id && !$0.text.isEmpty }
            for entry in here where !entry.isWritten(on: loop.state.account?.device) {
                let shown = screens.flatMap { other in
                    other.rows.filter { $0.id == .received(entry.id) }.map { (other.id, $0.text.string) }
                }
                if shown.count == 1, shown[0] == (screen.id, entry.text.string) { continue }
                if shown.count <= 1, excused.contains(entry.id) { continue }
                if shown.isEmpty, entry.author != .server, mayHaveKeptEchoes { continue }
                muted -= entry.author == .server ? 1 : muted + 1
                if shown.count > 1 || muted < 0 {
                    complain("C16: \(entry.id) “\(entry.text)” is shown as \(shown.map { $0.1 })")
                }
            }
        }
    }

    // MARK: L10: secrets

    private mutating func checkSecrecy() {
        var machine = loop.machine
        machine.send(.chat(.sent), at: loop.moment)
        machine.send(.chat(.reconnectRequested), at: loop.moment)
        var told = String(reflecting: machine)
        machine.drain { told += String(reflecting: $0) }
        if told.contains(tokenMark) { complain("L10: a description holds a token") }
    }
}

/// What one conversation shows.
struct Screen {
    let id: ConversationID
    let rows: [Chat.Row]
    let draft: ExactText

    /// The marks of all that the person has written here.
    var marks: [Int] {
        rows.filter { $0.role == .user }.flatMap { ExactText($0.text.string).marks } + draft.marks
    }
}

extension LocalServer.Entry {
    /// Whether the person wrote it on this device, where it has a row of its own name.
    fileprivate func isWritten(on here: DeviceID?) -> Bool {
        if case .device(let device, _) = author { device == here } else { false }
    }
}

extension Chat.Conversation {
    /// How many messages with a mark are shown a second time because nobody knows yet whether an echo is theirs:
    /// they go again under their ids, and their acknowledgements will tell (C10).
    fileprivate func doubts(about mark: Int) -> Int {
        let echoes = pushed.copies.unclaimed.count { ExactText($0.text.string).marks.contains(mark) }
        let open = outbox.all.count { $0.entry.wasSent && $0.entry.text.marks.contains(mark) }
        return min(echoes, open)
    }

    /// Whether something of it waits for the disk, which has its limit of time; or for a later launch, because its
    /// draft could not be read, of which the person was told then.
    fileprivate var isBeingStored: Bool {
        if case .savingPage = transcript.pages.work { return true }
        if outbox.record.isPending || !isRestored { return true }
        return !draft.record.mayBeSaved || draft.isDirty || draft.record.isSaving || draft.record.isPending
    }
}

extension ChatApp.State {
    /// Whether the person can see that something cannot be stored or read.
    fileprivate var saysStorageFails: Bool {
        chat.conversations.contains { conversation in
            switch conversation.banner {
            case .notSaved, .notRestored: true
            default: false
            }
        }
    }

    /// Every conversation, as its screen would show it.
    var screens: [Screen] {
        chat.conversations.map { conversation in
            var view = chat
            view.conversation = conversation
            return Screen(
                id: conversation.id, rows: Chat.rows(view, newest: .max, .neutral),
                draft: conversation.draft.text)
        }
    }

    /// The marks of what was loaded from an outbox and waits.
    fileprivate var marksFromOutbox: [Int] {
        chat.conversations.flatMap { conversation in
            conversation.outbox.all.filter { $0.revision == .loaded }.flatMap { $0.entry.text.marks }
        }
    }

    /// Whether nothing is being loaded any more.
    fileprivate var isWhollyRestored: Bool {
        chat.shared.wish.isRestored
            && chat.conversations.allSatisfy { conversation in
                conversation.draft.record.mayBeSaved && conversation.outbox.record.access == .open
                    && conversation.isRestored
            }
    }
}

extension AppLoop {
    /// Scrolls up to the beginning of every conversation. Returns whether that can be done now.
    fileprivate mutating func loadAll() -> Bool {
        guard state.chat.conversations.contains(where: { $0.transcript.pages.previousPage != nil }) else {
            return true
        }
        for entry in state.chat.list.entries {
            send(.chat(.conversationSwitched(to: entry.id)))
            while let page = state.chat.conversation.transcript.pages.previousPage {
                send(.chat(.olderRequested))
                if page == state.chat.conversation.transcript.pages.previousPage { return false }
            }
        }
        return true
    }
}

extension Chat.Row {
    /// Whether the person can see that the server may not have it, and can have it sent again.
    fileprivate var isUnsent: Bool {
        switch status {
        case .queued, .uploading, .failed: true
        default: false
        }
    }
}

extension ChatApp.Call {
    /// What such a call could bring, the fatal things first.
    fileprivate var events: [ChatApp.Event] {
        let ghost = IncomingMessage(
            id: "ghost", role: .assistant, text: "ghost", time: Stage.epoch, isGrowing: false)
        return switch self {
        case .pairing:
            [.pairing(.granted(Secret("ghost"), "ghost", isAdmin: true)), .pairing(.refused(.timedOut))]
        case .chat:
            [
                .chat(.credentialsRefused(.tokenRevoked)), .chat(.sessionReplaced), .chat(.opened),
                .chat(.authenticated(replayCount: 1, isTruncated: true, isReset: true)),
                .chat(.message(ghost)), .chat(.delta("ghost", "ghost")), .chat(.cursorRefused),
                .chat(.chunk("ghost", index: 0, "ghost", isFinal: true)), .chat(.uploaded("ghost")),
                .chat(.typing(isActive: true, at: nil)), .chat(.gap), .chat(.alive), .chat(.failed("ghost")),
                .pairing(.resolved("d1")),
            ]
        case .assistant:
            [.assistant(.answered("ghost", conversation: "ghost", time: nil, tokens: nil))]
        case .smartReplies:
            [.smartReplies(.token("ghost")), .smartReplies(.failed("ghost")), .smartReplies(.done(nil, nil))]
        }
    }
}
