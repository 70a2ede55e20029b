// Who types (C18). What is heard is shown until it ends, a message of theirs comes, or nobody repeats it for
// 10 s. What is said is sparing: one start in 3 s at most, and one stop for each start.

extension Chat {
    // MARK: Somebody else

    /// Somebody types, or no longer does. What is older than their newest message says nothing.
    func typingHeard(_ state: inout State, _ isActive: Bool, _ time: WallTime?) -> [Effect] {
        guard isActive else { return typingEnded(&state, by: nil) }
        if let time, let newest = state.conversation.typing.newestMessage, time <= newest { return [] }
        state.conversation.typing.isIncoming = true
        return [.start(.typing(state.conversation.id), after: configuration.typingLimit)]
    }

    /// They have stopped, or their message has come, with the server's time for it.
    func typingEnded(_ state: inout State, by time: WallTime?) -> [Effect] {
        if let time {
            state.conversation.typing.newestMessage = max(
                time, state.conversation.typing.newestMessage ?? time)
        }
        guard state.conversation.typing.isIncoming else { return [] }
        state.conversation.typing.isIncoming = false
        return [.cancel(.typing(state.conversation.id))]
    }

    // MARK: The person

    func keyTyped(_ state: inout State, _ context: Context) -> [Effect] {
        guard !state.conversation.draft.text.isEmpty else { return stopTyping(&state) }
        guard case .connected(let attempt) = state.connection else { return [] }
        let pause = Effect.start(.typingStopped(state.conversation.id), after: configuration.typingInterval)
        guard !state.conversation.typing.isOutgoing else { return [pause] }
        if let last = state.conversation.typing.lastStart, context.now - last < configuration.typingInterval {
            return []
        }
        state.conversation.typing.isOutgoing = true
        state.conversation.typing.lastStart = context.now
        return [.send(.socket(attempt), .typing(true, in: state.conversation.id)), pause]
    }

    /// The person has stopped: no key for a while, nothing left to send, or gone.
    func stopTyping(_ state: inout State) -> [Effect] {
        guard state.conversation.typing.isOutgoing else { return [] }
        state.conversation.typing.isOutgoing = false
        let stopped = Effect.cancel(.typingStopped(state.conversation.id))
        guard let attempt = state.connection.link else { return [stopped] }
        return [stopped, .send(.socket(attempt), .typing(false, in: state.conversation.id))]
    }

    /// The connection is gone, and with it what was said on it.
    func typingCutOff(_ state: inout State) -> [Effect] {
        let isOutgoing = state.conversation.typing.isOutgoing
        state.conversation.typing.isOutgoing = false
        return typingEnded(&state, by: nil)
            + (isOutgoing ? [.cancel(.typingStopped(state.conversation.id))] : [])
    }
}
