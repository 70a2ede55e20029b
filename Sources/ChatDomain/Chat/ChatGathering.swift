// The way that nearly every token takes. A hundred a second arrive while a reply grows, and all but the first
// of a batch only join it: no effect follows, nothing is to be saved, nobody else is to be told. So the root
// asks here first, and goes through the whole of the reducers when the answer is no.

extension Chat {
    /// Takes a token that joins the batch of a growing reply and leads to nothing else. Otherwise changes
    /// nothing and returns `false`: then the reducer decides.
    ///
    /// What it does is what `reduce` would do with the same token, by a shorter way.
    func gather(
        _ text: ExactText, for id: MessageID, on attempt: Attempt, _ state: inout State, at now: Instant
    ) -> Bool {
        guard state.connection.link == attempt, !state.conversation.transcript.pages.isToBeSaved,
            let index = state.conversation.growing.firstIndex(where: { $0.id == id })
        else { return false }
        return state.conversation.growing[index].join(text, at: now, limit: configuration.replyTextLimit)
    }
}
