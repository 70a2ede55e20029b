// The screens of the acting device, for the laws about texts.

import ChatDomain
import ChatEffects

/// The screen of one conversation.
struct Screen {
    let id: ConversationID
    let rows: [Chat.Row]
    let draft: ExactText
    /// Whether somebody seems to type.
    let isTyping: Bool

    /// The marks of all that the person has written here.
    var marks: [Int] {
        rows.filter { $0.role == .user }.flatMap { ExactText($0.text.string).marks } + draft.marks
    }
}

extension Chat.Conversation {
    /// The number of messages with a mark that are visible a second time, because it is unknown whether an echo is
    /// theirs: they are sent again under their ids, and their acknowledgements will show it (C10).
    func doubts(about mark: Int) -> Int {
        let echoes = pushed.copies.unclaimed.count { ExactText($0.text.string).marks.contains(mark) }
        let open = outbox.all.count { $0.entry.wasSent && $0.entry.text.marks.contains(mark) }
        return min(echoes, open)
    }

    /// Whether a part of it waits for the disk, with a time limit; or for a later launch, because its draft was not
    /// readable, and the person was told so.
    var isBeingStored: Bool {
        if case .savingPage = transcript.pages.work { return true }
        if outbox.record.isPending || !isRestored { return true }
        return !draft.record.mayBeSaved || draft.isDirty || draft.record.isSaving || draft.record.isPending
    }
}

extension ChatApp.State {
    /// Whether the person is told that the disk cannot be written or read.
    var saysStorageFails: Bool {
        chat.conversations.contains { conversation in
            switch conversation.banner {
            case .notSaved, .notRestored: true
            default: false
            }
        }
    }

    /// The screen of every conversation.
    var screens: [Screen] {
        chat.conversations.map { conversation in
            var view = chat
            view.conversation = conversation
            return Screen(
                id: conversation.id, rows: Chat.rows(view, newest: .max, .neutral),
                draft: conversation.draft.text, isTyping: Chat.isTyping(view))
        }
    }

    /// The marks of waiting messages that were loaded from an outbox.
    var marksFromOutbox: [Int] {
        chat.conversations.flatMap { conversation in
            conversation.outbox.all.filter { $0.revision == .loaded }.flatMap { $0.entry.text.marks }
        }
    }

    /// Whether no record is being loaded any more.
    var isWhollyRestored: Bool {
        chat.shared.wish.isRestored
            && chat.conversations.allSatisfy { conversation in
                conversation.draft.record.mayBeSaved && conversation.outbox.record.access == .open
                    && conversation.isRestored
            }
    }
}

extension Loop<ClawlineBackend, Disk, Line> {
    /// Scrolls to the beginning of every conversation. Returns whether that is possible now.
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
    /// Whether the person sees that the server may not have it, and can send it again.
    var isUnsent: Bool {
        switch status {
        case .queued, .uploading, .failed: true
        default: false
        }
    }
}
