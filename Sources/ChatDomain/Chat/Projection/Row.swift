// One row of the chat screen (R3). RowContent.swift makes it from a message, and Rows.swift says which rows there
// are.

extension Chat {
    /// One row of the screen.
    public struct Row: PlainValue, Identifiable {
        /// The same for the same message as long as it is shown.
        public let id: ID
        /// Who says it.
        public let role: Message.Role
        /// The name of who says it, when there is one.
        public let sender: ExactText?
        /// What it says, as far as it has come.
        public let text: LongText
        /// Its files.
        public let attachments: [Attachment]
        /// When.
        public let time: WallTime
        /// The mark beside a message of the person.
        public let status: Message.Status?
        /// Whether more of it is coming.
        public let isGrowing: Bool
        let remark: Remark

        /// What is to be said below it.
        public var note: ExactText? { remark.note }
        /// What a person can do about it.
        public var offer: Offer { remark.offer }
        /// When the server may be asked again, if it has said so; the front end adds it to the note.
        public var waitUntil: WallTime? { remark.waitUntil }

        struct Remark: PlainValue {
            var note: ExactText?
            var offer: Offer
            var waitUntil: WallTime?
        }

        /// What a person can do about a message.
        public enum Offer: PlainValue {
            /// Delete it.
            case nothing
            /// Change it, or delete it.
            case edit
            /// Have it sent or answered after all, or change or delete it (C12).
            case retry
            /// Say whether it is to go, because it was written long ago (limits): approve it, or delete it.
            case consent
            /// Have it end (C20).
            case stop
        }

        /// Names a row.
        public enum ID: PlainValue {
            /// A message that was written here; the same over every retry.
            case written(ClientID)
            /// A message that the server has named.
            case received(MessageID)
            /// The reply to a message, where each has a stream of its own; the same before and after the server names
            /// it.
            case answer(to: ClientID)
            /// A message that has no name; there is none on the wire.
            case unnamed(Int64)
        }
    }
}

extension Chat.Row {
    /// What a screen reader says when it comes to the row (S17).
    public var label: LongText { text.isEmpty ? note.map { LongText($0.string) } ?? text : text }

    /// The button that asks again, if there is one (S17).
    public func retryButton(_ copy: Copy) -> Streaming.RetryButton? {
        offer == .retry ? Streaming.RetryButton(title: copy.retry, label: copy.retryLabel) : nil
    }
}
