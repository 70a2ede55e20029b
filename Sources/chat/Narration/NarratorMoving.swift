// The lines that are not final: growing replies, typing, waits. A screen redraws them; plain output prints the
// passing ones once, when they begin, and never the growing ones.

import ChatDomain

extension Narrator {
    /// The lines that change now.
    mutating func live(_ state: ChatApp.State, at now: WallTime) -> [Line] {
        let suggestion = Streaming.bubble(state.smartReplies.reply, wording).flatMap { bubble -> [Line]? in
            bubble.isRunning && !bubble.text.isEmpty
                ? [Line(.assistant, head: "suggestion: ", bubble.text.string)] : nil
        }
        return growing(state, now) + (suggestion ?? []) + uploading(state) + unsent(state) + passing(state)
    }

    /// The growing replies. Each has its number from the beginning: on a screen, its rows stay.
    private mutating func growing(_ state: ChatApp.State, _ now: WallTime) -> [Line] {
        guard state.pairing.session != nil, !state.chat.conversation.growing.isEmpty else { return [] }
        return Chat.rows(state.chat, newest: 32, wording).filter { $0.isGrowing }.map {
            line($0, numbers.number(of: .row($0.id)), state, now)
        }
    }

    private func uploading(_ state: ChatApp.State) -> [Line] {
        guard state.pairing.session != nil, state.chat.conversation.outbox.queue.count > 0 else { return [] }
        return Chat.rows(state.chat, newest: 1, wording).compactMap { row in
            guard case .uploading(let percent) = row.status else { return nil }
            return Line(.passing, "Uploading, \(percent) %")
        }
    }

    /// The number of messages that wait for a connection; the messages themselves do not show it (L5).
    private func unsent(_ state: ChatApp.State) -> [Line] {
        guard state.pairing.session != nil else { return [] }
        if case .connected = state.chat.connection { return [] }
        let conversation = state.chat.conversation
        let count = conversation.outbox.queue.elements.count { !conversation.isDeleted($0) }
        guard count > 0 else { return [] }
        return [
            Line(.passing, count == 1 ? "1 message is not sent yet" : "\(count) messages are not sent yet")
        ]
    }

    /// The current waits, one sentence each.
    func passing(_ state: ChatApp.State) -> [Line] {
        var sentences: [ExactText] = []
        if state.pairing.session != nil, Chat.isTyping(state.chat) { sentences.append(wording.typing) }
        if let thinking = Assistant.indicator(state.assistant, wording) { sentences.append(thinking) }
        return sentences.map { Line(.passing, $0.string) }
    }
}
