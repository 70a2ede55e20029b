// The row of a message on the chat screen (R3), with the actions that it offers. Start with `Row`; RowContent.swift
// makes it, and Rows.swift lists the rows.

extension Chat {
    /// The row of a message.
    public struct Row: PlainValue, Identifiable {
        /// The identity of the row; stable while the message is visible.
        public let id: ID
        /// The role of the author.
        public let role: Chat.Role
        /// The name of the author, if the server gave one.
        public let sender: ExactText?
        /// The visible text.
        public let text: LongText
        /// The files.
        public let attachments: [Attachment]
        /// The time of the message.
        public let time: WallTime
        /// The delivery status; `nil` for messages of others.
        public let status: Chat.SendStatus?
        /// Whether it is a growing reply.
        public let isGrowing: Bool
        /// The marks that the backend gave the message, as a coach does.
        public let flags: [ExactText]
        let remark: Remark

        /// The sentence below the text.
        public var note: ExactText? { remark.note }
        /// The actions of the person on the message.
        public var offer: Offer { remark.offer }
        /// When the server accepts questions again, if it said so; the front end adds it to the note.
        public var waitUntil: WallTime? { remark.waitUntil }

        struct Remark: PlainValue {
            var note: ExactText?
            var offer: Offer
            var waitUntil: WallTime?
        }

        /// The actions of the person on a message.
        public enum Offer: PlainValue {
            /// Only deletion.
            case nothing
            /// Edit or delete.
            case edit
            /// Retry, edit or delete (C12).
            case retry
            /// Approve an old unsent message, or delete it (limits).
            case consent
            /// Stop a growing reply (C20).
            case stop
        }

        /// The identity of a row.
        public enum ID: PlainValue {
            /// A message of this device; the same over every retry.
            case written(ClientID)
            /// A message with an id of the server.
            case received(MessageID)
            /// The reply on a question's stream; the same before and after the server gives it an id.
            case answer(to: ClientID)
            /// A message without an id, by its place; no protocol sends one.
            case unnamed(Int64)
        }
    }
}

extension Chat.Row {
    /// The accessibility label (S17): the text, or else the note.
    public var label: LongText { text.isEmpty ? note.map { LongText($0.string) } ?? text : text }

    /// The retry button; `nil` if the row offers none (S17).
    public func retryButton(_ wording: Wording) -> Streaming.RetryButton? {
        offer == .retry ? Streaming.RetryButton(title: wording.retry, label: wording.retryLabel) : nil
    }
}
