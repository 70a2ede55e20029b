// Commands for conversations: the list, and the current one.

import ChatDomain

extension Situation {
    /// The list of conversations with their numbers.
    var conversations: [Line] {
        Chat.conversations(state.chat, wording).enumerated().map { index, row in
            var notes: [String] = row.isCurrent ? ["you are here"] : []
            if row.unread > 0 { notes.append("\(row.unread) unread") }
            if row.hasUnsent { notes.append("something unsent") }
            if row.isTyping { notes.append(wording.typing.string) }
            let behind = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
            return Line(.program, head: "\(index + 1). ", row.title.string + behind)
        }
    }

    func new(_ title: String?) -> [Step] {
        whenPaired {
            [
                .act([.chat(.bannerDismissed)]),
                .act([.chat(.conversationCreated(title: ExactText(title ?? "")))]),
            ]
        }
    }

    func switchTo(_ place: Command.Where) -> [Step] {
        whenPaired {
            guard let row = conversation(place) else { return noSuch(place) }
            guard !row.isCurrent else { return [.say("You are in \(row.title.string) already.")] }
            return [.act([.chat(.conversationSwitched(to: row.id))])]
        }
    }

    func close(_ place: Command.Where?) -> [Step] {
        whenPaired {
            let rows = Chat.conversations(state.chat, wording)
            guard let row = place.map({ conversation($0) }) ?? rows.first(where: { $0.isCurrent }) else {
                return place.map { noSuch($0) } ?? []
            }
            guard row.id != .main else { return [.refuse("\(row.title.string) is always there.")] }
            let close = Step.act([.chat(.bannerDismissed), .chat(.conversationClosed(row.id))])
            return row.hasUnsent
                ? [close, .refuse("\(row.title.string) stays open.")]
                : [close, .tell("\(row.title.string) is closed.")]
        }
    }

    private func conversation(_ place: Command.Where) -> Chat.ConversationRow? {
        let rows = Chat.conversations(state.chat, wording)
        switch place {
        case .number(let number): return rows.indices.contains(number - 1) ? rows[number - 1] : nil
        case .title(let title):
            let wanted = title.lowercased()
            return rows.first { $0.title.string.lowercased() == wanted }
                ?? rows.first { $0.title.string.lowercased().hasPrefix(wanted) }
        }
    }

    private func noSuch(_ place: Command.Where) -> [Step] {
        switch place {
        case .number(let number): [.refuse("There is no conversation \(number). /list shows them.")]
        case .title(let title): [.refuse("There is no conversation “\(title)”. /list shows them.")]
        }
    }
}
