// Typing indicators (C18). The incoming one shows until its end, the message, the end of the connection, or 10 s. The
// outgoing one is a start at most every 3 s, which makes up for a dropped one, and one stop.

extension Chat.Conversation {
    // MARK: Incoming

    /// An event that is older than the newest message is dropped, unless more than this: then the clock of that message
    /// was wrong, and would mute typing for good.
    private static var maxAge: Interval { .hours(1) }

    mutating func typingHeard(_ isActive: Bool, _ time: WallTime?, _ step: inout Chat.Step) {
        guard isActive else { return typingEnded(by: nil, &step) }
        if isOlderThanMessage(time) { return }
        typing.isIncoming = true
        step.add(.start(.typing(id), after: step.configuration.typingLimit))
    }

    /// Whether an event of this time is older than the newest message.
    func isOlderThanMessage(_ time: WallTime?) -> Bool {
        guard let time, let newest = typing.newestMessage else { return false }
        return time <= newest && newest - time < Self.maxAge
    }

    mutating func typingEnded(by time: WallTime?, _ step: inout Chat.Step) {
        if let time { typing.newestMessage = max(time, typing.newestMessage ?? time) }
        guard typing.isIncoming else { return }
        typing.isIncoming = false
        step.add(.cancel(.typing(id)))
    }

    // MARK: Outgoing

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

    /// Ends both indicators with the connection; no stop can be sent.
    mutating func cutTyping(_ step: inout Chat.Step) {
        typingEnded(by: nil, &step)
        guard typing.isOutgoing else { return }
        typing.isOutgoing = false
        step.add(.cancel(.typingStopped(id)))
    }
}
