// The way of a finished reply that arrives once more: a replay, a refetch, or a server that has changed its
// mind. It has its place and its row; at most its text is another. So the root asks here first, as it does for
// a token, and goes through the whole of the reducers when the answer is no.

extension Chat {
    /// Takes a finished reply whose row is finished too, when that leads to nothing but another text in that
    /// row. Otherwise changes nothing and returns `false`: then the reducer decides.
    ///
    /// What it does is what `reduce` would do with the same message, by a shorter way.
    func revise(_ message: IncomingMessage, on attempt: Attempt, _ state: inout State) -> Bool {
        guard case .connected(attempt) = state.connection, message.role != .user, !message.isGrowing,
            message.conversation == state.conversation.id, state.conversation.growing.isEmpty,
            state.conversation.replaced.isEmpty, state.conversation.delivered.isEmpty,
            !state.conversation.typing.isIncoming, message.files.isEmpty
        else { return false }
        // A page that is being saved keeps the next one waiting; otherwise the change is saved at once.
        if case .idle = state.conversation.transcript.pages.storage { return false }
        // A reply has one name, so the row that is found by it has it.
        guard let ordinal = state.conversation.transcript.ordinal(of: message.id),
            !state.conversation.isBehindCursor(ordinal),
            state.conversation.transcript.rewrite(ordinal, LongText(message.text.string))
        else { return false }
        _ = typingEnded(&state, by: message.time)  // nobody types: it only learns the time
        return true
    }
}
