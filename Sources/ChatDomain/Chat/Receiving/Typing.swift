// Who types (C18). What is heard shows until it ends, their message comes, or 10 s pass. What is told is a start
// every 3 s, so that a peer does not forget one that was dropped, and one stop.

extension Chat.Conversation {
    // MARK: Somebody else

    /// Older news of typing than this, measured by their newest message, comes of a wrong clock: one message from the
    /// far future would mute typing for good.
    private static var reach: Interval { .hours(1) }

    mutating func typingHeard(
        _ isActive: Bool, _ time: WallTime?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard isActive else { return typingEnded(by: nil, &step) }
        if let time, let newest = typing.newestMessage, time <= newest, newest - time < Self.reach { return }
        typing.isIncoming = true
        step.add(.start(.typing(id), after: step.configuration.typingLimit))
    }

    mutating func typingEnded(by time: WallTime?, _ step: inout Chat.Step) {
        if let time { typing.newestMessage = max(time, typing.newestMessage ?? time) }
        guard typing.isIncoming else { return }
        typing.isIncoming = false
        step.add(.cancel(.typing(id)))
    }

    // MARK: The person

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

    mutating func stopTyping(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard typing.isOutgoing else { return }
        typing.isOutgoing = false
        step.add(.cancel(.typingStopped(id)))
        if let attempt = shared.link { step.add(.send(.socket(attempt), .typing(false, in: id))) }
    }

    mutating func cutTyping(_ step: inout Chat.Step) {
        typingEnded(by: nil, &step)
        guard typing.isOutgoing else { return }
        typing.isOutgoing = false
        step.add(.cancel(.typingStopped(id)))
    }
}
