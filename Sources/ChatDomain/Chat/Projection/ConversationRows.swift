// The rows of the list of conversations (R3, C19). Start with `conversations`. A closed conversation has no row, and a
// title is never empty.

extension Chat {
    /// One conversation of the list.
    public struct ConversationRow: PlainValue, Identifiable {
        /// The conversation.
        public let id: ConversationID
        /// The title, or a default one.
        public let title: ExactText
        /// Whether it is the current conversation.
        public let isCurrent: Bool
        /// The number of unread messages.
        public let unread: Int64
        /// Whether it has unsent messages or a draft.
        public let hasUnsent: Bool
        /// Whether the typing indicator shows (S1, C18).
        public let isTyping: Bool
    }

    /// The open conversations, in the order of creation. O(n) while the list and the conversations have the
    /// same order, otherwise O(n²); n is at most `conversationLimit`.
    public static func conversations(_ state: State, _ wording: Wording) -> [ConversationRow] {
        var rows: [ConversationRow] = []
        var next = 0
        for entry in state.shared.list.entries where !entry.isClosed {
            let isHere = next < state.places.count && state.places[next].wrappedValue.id == entry.id
            guard
                let index = isHere ? next : state.places.firstIndex(where: { $0.wrappedValue.id == entry.id })
            else { continue }
            next = index + 1
            rows.append(
                row(entry, state.places[index], isCurrent: index == state.current, state.shared, wording))
        }
        return rows
    }

    private static func row(
        _ entry: ConversationEntry, _ conversation: Boxed<Conversation>, isCurrent: Bool, _ shared: Shared,
        _ wording: Wording
    ) -> ConversationRow {
        ConversationRow(
            id: entry.id, title: title(entry, wording), isCurrent: isCurrent,
            unread: conversation.wrappedValue.transcript.unread,
            hasUnsent: conversation.wrappedValue.hasUnsent, isTyping: isTyping(conversation, shared.link))
    }

    private static func title(_ entry: ConversationEntry, _ wording: Wording) -> ExactText {
        if !entry.title.isEmpty { return entry.title }
        return entry.id == .main ? wording.mainConversation : wording.untitledConversation
    }
}
