// What the device that acts shows, for the laws about texts.

import ChatDomain
import ChatEffects

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

extension Chat.Conversation {
    /// How many messages with a mark are shown a second time because nobody knows yet whether an echo is theirs:
    /// they are sent again under their ids, and their acknowledgements will tell (C10).
    func doubts(about mark: Int) -> Int {
        let echoes = pushed.copies.unclaimed.count { ExactText($0.text.string).marks.contains(mark) }
        let open = outbox.all.count { $0.entry.wasSent && $0.entry.text.marks.contains(mark) }
        return min(echoes, open)
    }

    /// Whether something of it waits for the disk, which has its limit of time; or for a later launch, because its
    /// draft could not be read, of which the person was told then.
    var isBeingStored: Bool {
        if case .savingPage = transcript.pages.work { return true }
        if outbox.record.isPending || !isRestored { return true }
        return !draft.record.mayBeSaved || draft.isDirty || draft.record.isSaving || draft.record.isPending
    }
}

extension ChatApp.State {
    /// Whether the person can see that something cannot be stored or read.
    var saysStorageFails: Bool {
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
    var marksFromOutbox: [Int] {
        chat.conversations.flatMap { conversation in
            conversation.outbox.all.filter { $0.revision == .loaded }.flatMap { $0.entry.text.marks }
        }
    }

    /// Whether nothing is being loaded any more.
    var isWhollyRestored: Bool {
        chat.shared.wish.isRestored
            && chat.conversations.allSatisfy { conversation in
                conversation.draft.record.mayBeSaved && conversation.outbox.record.access == .open
                    && conversation.isRestored
            }
    }
}

extension Loop<ClawlineBackend, Disk, Line> {
    /// Scrolls up to the beginning of every conversation. Returns whether that can be done now.
    mutating func loadAll() -> Bool {
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
    var isUnsent: Bool {
        switch status {
        case .queued, .uploading, .failed: true
        default: false
        }
    }
}
