// Whether the chat waits for a line of input, or for something that was begun. A script is taken line by line,
// each when what the one before has begun is over.

import ChatDomain

extension App.State {
    /// Whether a line of input would be taken now: nothing that was begun is under way.
    var isReadyForInput: Bool {
        switch pairing.phase {
        case .idle, .enteringName, .failed: !isAsking
        case .restoring, .waitingForApproval: false
        case .paired: isSettled && !isAsking
        }
    }

    /// Whether older messages are stored than those in memory.
    var hasOlder: Bool { chat.conversation.transcript.pages.previousPage != nil }

    /// Whether a connection that is wanted and possible is there, and everything that was sent is answered.
    private var isSettled: Bool {
        switch chat.connection {
        case .connecting, .authenticating, .replaying: false
        case .disconnected: chat.presence != .foreground || account == nil || !isNetworkUp
        case .reconnecting(.backoff): false
        case .connected: isOver(chat.conversation) && chat.parked.allSatisfy { isOver($0) }
        case .reconnecting, .failed: true
        }
    }

    /// Whether nothing happens in a conversation before the person does something.
    private func isOver(_ conversation: Chat.Conversation) -> Bool {
        conversation.isAnswered || conversation.isHeld
    }

    /// Whether every message has gone and is answered, in every conversation.
    var isAnswered: Bool {
        chat.conversation.isAnswered && chat.parked.allSatisfy { $0.isAnswered }
    }

    /// Whether the assistant or a suggestion is being waited for.
    private var isAsking: Bool {
        if smartReplies.reply.isRunning { return true }
        switch assistant.conversation?.queue.head?.stage {
        case .awaitingSlot, .asking: return true
        case .paused, nil: return false
        }
    }
}

extension Chat.Conversation {
    /// Whether every message has gone and is answered.
    fileprivate var isAnswered: Bool { outbox.queue.isEmpty && hasNoReplyToCome }

    /// Whether what has not gone waits for the person's word, and all that has gone is answered.
    fileprivate var isHeld: Bool { outbox.queue.elements.first?.consent == .asked && hasNoReplyToCome }

    private var hasNoReplyToCome: Bool { awaitingReply.isEmpty && growing.isEmpty }
}
