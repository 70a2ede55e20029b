// The short ways of what comes most often. The root asks here first, and goes through the whole of the reducers when
// the answer is no.
//
// Nearly every token goes one of them. A hundred a second arrive while a reply grows: the first of a batch starts its
// timer, the others join, and when the timer fires all are shown. Nothing is to be saved, nobody else is to be told.
//
// The other is that of a finished reply that arrives once more: a replay, a refetch, or a server that has changed its
// mind. It has its place and its row; at most its text is another.

extension Chat {
    /// Takes a token of a growing reply, when it leads to nothing but a batch. Returns whether the batch begins with
    /// it, and its timer is to be started; `nil` when nothing was changed and the reducer decides.
    ///
    /// What it does is what `reduce` would do with the same token, by a shorter way.
    func gather(
        _ text: ExactText, for id: MessageID, on attempt: Attempt, _ state: inout State, at now: Instant
    ) -> GrowingReply.Taken? {
        guard state.connection.link == attempt, !state.conversation.transcript.pages.isToBeSaved,
            let index = state.conversation.growing.firstIndex(where: { $0.id == id })
        else { return nil }
        return state.conversation.growing[index].gather(text, at: now, limit: configuration.replyTextLimit)
    }

    /// Shows the batch of a growing reply, when that leads to nothing but a longer text. Otherwise changes nothing
    /// and returns `false`: then the reducer decides.
    func showGathered(_ id: MessageID, _ state: inout State) -> Bool {
        guard state.conversation.replaced.isEmpty, !state.conversation.transcript.pages.isToBeSaved,
            let index = state.conversation.growing.firstIndex(where: { $0.id == id })
        else { return false }
        return state.conversation.growing[index].flush()
    }

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
