// What the list of conversations shows, computed from the state (SPEC R3, C19).

extension Chat {
    /// One conversation of the list.
    public struct ConversationRow: PlainValue, Identifiable {
        /// The conversation.
        public let id: ConversationID
        /// What it is called.
        public let title: ExactText
        /// Whether the person looks at it.
        public let isCurrent: Bool
        /// How many messages have come that the person has not seen.
        public let unread: Int64
        /// Whether something in it waits for the person: it was not sent, or stands in the composer.
        public let hasUnsent: Bool
        /// Whether a reply is coming in it of which nothing can be seen yet.
        public let isTyping: Bool
    }

    /// The conversations that are not closed, in the order in which they were begun. O(n²) in their number, which
    /// `conversationLimit` keeps small.
    public static func conversations(_ state: State, _ copy: Copy) -> [ConversationRow] {
        var rows: [ConversationRow] = []
        for entry in state.list.entries where !entry.isClosed {
            let isCurrent = state.conversation.id == entry.id
            guard
                let conversation = isCurrent
                    ? state.conversation : state.parked.first(where: { $0.id == entry.id })
            else { continue }
            rows.append(
                ConversationRow(
                    id: entry.id, title: title(entry, copy), isCurrent: isCurrent,
                    unread: conversation.viewport.unread, hasUnsent: conversation.hasUnsent,
                    isTyping: isTyping(conversation, state.connection)))
        }
        return rows
    }

    /// What a conversation is called.
    private static func title(_ entry: ConversationEntry, _ copy: Copy) -> ExactText {
        if !entry.title.isEmpty { return entry.title }
        return entry.id == .main ? copy.mainConversation : copy.untitledConversation
    }
}

extension Chat.Viewport {
    /// How many messages have come that the person has not seen.
    fileprivate var unread: Int64 {
        switch self {
        case .atEnd: 0
        case .elsewhere(let unread), .away(let unread, _): unread
        }
    }
}
