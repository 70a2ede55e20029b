// Short names for what tests say most often of messages and of the connection.

@testable import ChatDomain

extension SendFailure {
    /// The server has the message, and no reply came in its time (C12).
    static var noReply: SendFailure { .unanswered(ReplyEnding(.noReply, needsNewKey: true)) }

    /// The server has the message, and said that it will not answer it.
    static func replyFailed(_ sentence: ExactText) -> SendFailure {
        .unanswered(ReplyEnding(.reported(sentence), needsNewKey: true))
    }
}

extension Driver where F == Chat {
    /// How many attempts to connect have failed since the last success.
    var connectionAttempts: Int64 {
        if case .socket(let connection) = state.shared.carrier {
            connection.wrappedValue.backoff.attempts
        } else {
            0
        }
    }

    /// The keys of what may still be echoed in the current conversation, oldest first.
    var awaitedEchoes: [ClientID] { state.conversation.pushed.copies.open.map { $0.key } }

    /// The keys of what waits for its reply in the current conversation, oldest first.
    var awaitedReplies: [ClientID] {
        state.conversation.pushed.turns.waiting.compactMap { question in
            if case .written(let key) = question { key } else { nil }
        }
    }
}
