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
        case .connected: isAnswered || isHeld
        case .reconnecting, .failed: true
        }
    }

    /// Whether every message has gone and is answered.
    var isAnswered: Bool {
        chat.conversation.outbox.queue.isEmpty && chat.conversation.awaitingReply.isEmpty
            && chat.conversation.growing.isEmpty
    }

    /// Whether what has not gone waits for the person's word, and all that has gone is answered.
    private var isHeld: Bool {
        chat.conversation.outbox.queue.elements.first?.consent == .asked
            && chat.conversation.awaitingReply.isEmpty && chat.conversation.growing.isEmpty
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
