// The way that nearly every token takes. A hundred a second arrive while a reply grows: the first of a batch starts
// its timer, the others join, and when the timer fires all are shown. Nothing is to be saved, nobody else is to be
// told. So the root asks here first, and goes through the whole of the reducers when the answer is no.

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
}
