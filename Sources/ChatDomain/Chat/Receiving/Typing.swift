// Who types (C18). What is heard is shown until it ends, a message of theirs comes, or nobody repeats it for 10 s. What
// is told is sparing and suffices: while the person types, a start every 3 s, long before a peer forgets the last one
// and though one of them may be dropped, and one stop behind them.

extension Chat.Conversation {
    // MARK: Somebody else

    /// How much older than their newest message what says that they type may be: what is older by more says that a clock
    /// is wrong, and one message from the far future would mute typing for good.
    private static var reach: Interval { .hours(1) }

    /// Somebody types, or no longer does. What is older than their newest message says nothing.
    mutating func typingHeard(
        _ isActive: Bool, _ time: WallTime?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard isActive else { return typingEnded(by: nil, &step) }
        if let time, let newest = typing.newestMessage, time <= newest, newest - time < Self.reach { return }
        typing.isIncoming = true
        step.add(.start(.typing(id), after: step.configuration.typingLimit))
    }

    /// They have stopped, or their message has come, with the server's time for it.
    mutating func typingEnded(by time: WallTime?, _ step: inout Chat.Step) {
        if let time { typing.newestMessage = max(time, typing.newestMessage ?? time) }
        guard typing.isIncoming else { return }
        typing.isIncoming = false
        step.add(.cancel(.typing(id)))
    }

    // MARK: The person

    /// The text of the composer has changed.
    mutating func keyTyped(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard !draft.text.isEmpty else { return stopTyping(&shared, &step) }
        guard case .connected(let attempt) = shared.connection else { return }
        let interval = step.configuration.typingInterval
        if typing.lastStart.map({ step.now - $0 >= interval }) ?? true {
            (typing.isOutgoing, typing.lastStart) = (true, step.now)
            step.add(.send(.socket(attempt), .typing(true, in: id)))
        }
        if typing.isOutgoing { step.add(.start(.typingStopped(id), after: interval)) }
    }

    /// The person has stopped: no key for a while, nothing left to send, or gone.
    mutating func stopTyping(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard typing.isOutgoing else { return }
        typing.isOutgoing = false
        step.add(.cancel(.typingStopped(id)))
        if let attempt = shared.link { step.add(.send(.socket(attempt), .typing(false, in: id))) }
    }

    /// The connection is gone, and with it what was said on it.
    mutating func cutTyping(_ step: inout Chat.Step) {
        typingEnded(by: nil, &step)
        guard typing.isOutgoing else { return }
        typing.isOutgoing = false
        step.add(.cancel(.typingStopped(id)))
    }
}
