// Whether the chat is ready for a line of input, or work is in progress. A script's line is handled after the work of
// the line before.

import ChatDomain

extension ChatApp.State {
    /// Whether the program may handle a line of input now.
    var isReadyForInput: Bool {
        switch pairing.phase {
        case .idle, .enteringName, .failed: !isAsking
        case .restoring, .waitingForApproval: false
        case .paired: isAtRest && !isAsking && chat.conversations.allSatisfy { $0.isCopied }
        }
    }

    /// Whether the program may end, or handle a command that needs no connection: also while the connection only waits
    /// for its next attempt, if nothing is unanswered, and no reply broke off that it may complete.
    var isReadyWithoutConnection: Bool {
        if isReadyForInput { return true }
        guard case .paired = pairing.phase, case .reconnecting(.backoff) = chat.connection else {
            return false
        }
        return !isAsking && isAnswered && chat.conversations.allSatisfy { $0.isCopied }
    }

    /// Whether chat has nothing to wait for: no connection that can be made, and no answer.
    private var isAtRest: Bool {
        // Each question has a stream of its own; only the load of the records comes before it.
        if case .streams = chat.shared.carrier {
            return chat.shared.wish.isRestored && chat.conversations.allSatisfy { isOver($0) }
        }
        return switch chat.connection {
        case .connecting, .authenticating, .replaying: false
        case .disconnected: chat.shared.wish.presence != .foreground || account == nil || !isNetworkUp
        case .reconnecting(.backoff): false
        case .connected: chat.conversations.allSatisfy { isOver($0) }
        case .reconnecting, .failed: true
        }
    }

    /// Whether nothing happens in a conversation without an action of the person.
    private func isOver(_ conversation: Chat.Conversation) -> Bool {
        conversation.isAnswered || conversation.isHeld
    }

    /// Whether every message is sent and answered, in every conversation, and every question too.
    var isAnswered: Bool {
        if case .failed = pairing.phase { return false }
        return chat.conversations.allSatisfy { $0.isAnswered && !$0.hasFailed }
            && assistant.isAnswered
    }

    /// Whether a banner says that a typed line was refused.
    var hasRefusal: Bool {
        if assistant.conversation?.refusal != nil { return true }
        return switch chat.conversation.banner {
        case .outboxFull, .tooManyAttachments, .attachmentTooLarge, .filesNotTaken, .textTooLong,
            .tooManyConversations, .conversationHasUnsent, .notSaved:
            true
        case .notRestored, .serverError, .messageTooLong, .replayTruncated, nil: false
        }
    }

    /// Whether a question or a suggestion is in progress.
    private var isAsking: Bool {
        if smartReplies.reply.isRunning { return true }
        switch assistant.conversation?.queue.head?.stage {
        case .awaitingSlot, .asking: return true
        case .paused, nil: return false
        }
    }
}

extension Chat.Conversation {
    /// Whether every message is sent and answered.
    fileprivate var isAnswered: Bool { outbox.queue.isEmpty && !awaitsReply }

    /// Whether the bytes of every file of the draft are stored. A message waits for them, for a limited time.
    var isCopied: Bool { draft.copied.count == draft.attachments.count }

    /// Whether the queue waits for the person's consent, and everything sent is answered.
    fileprivate var isHeld: Bool { outbox.queue.elements.first?.consent == .asked && !awaitsReply }

    /// Whether a message or its reply has failed and can be retried.
    fileprivate var hasFailed: Bool {
        transcript.rows.newestFirst.contains { $0.value.wrappedValue.hasFailed }
    }
}

extension Message {
    fileprivate var hasFailed: Bool {
        guard !isHidden else { return false }
        if case .failed = status { return true }
        return switch body {
        case .text, .growing: false
        case .interrupted(_, let ending): ending.reason != .stopped
        }
    }
}

extension Assistant.State {
    fileprivate var isAnswered: Bool {
        guard let conversation else { return true }
        guard case .idle = conversation.queue else { return false }
        return conversation.finished.allSatisfy { $0.isAnswered }
    }
}
