// What the list of conversations shows, computed from the state (R3, C19).

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

    /// The open conversations, in the order of their beginnings. O(n), at worst O(n²) in their small number.
    public static func conversations(_ state: State, _ copy: Copy) -> [ConversationRow] {
        var rows: [ConversationRow] = []
        var next = 0
        for entry in state.shared.list.entries where !entry.isClosed {
            let isHere = next < state.places.count && state.places[next].wrappedValue.id == entry.id
            guard
                let index = isHere ? next : state.places.firstIndex(where: { $0.wrappedValue.id == entry.id })
            else { continue }
            next = index + 1
            rows.append(
                row(entry, state.places[index], isCurrent: index == state.current, state.shared, copy))
        }
        return rows
    }

    private static func row(
        _ entry: ConversationEntry, _ conversation: Boxed<Conversation>, isCurrent: Bool, _ shared: Shared,
        _ copy: Copy
    ) -> ConversationRow {
        ConversationRow(
            id: entry.id, title: title(entry, copy), isCurrent: isCurrent,
            unread: conversation.wrappedValue.viewport.unread, hasUnsent: conversation.wrappedValue.hasUnsent,
            isTyping: isTyping(conversation, shared.link))
    }

    private static func title(_ entry: ConversationEntry, _ copy: Copy) -> ExactText {
        if !entry.title.isEmpty { return entry.title }
        return entry.id == .main ? copy.mainConversation : copy.untitledConversation
    }
}

extension Chat.Viewport {
    fileprivate var unread: Int64 {
        switch self {
        case .atEnd: 0
        case .elsewhere(let unread), .away(let unread, _): unread
        }
    }
}
