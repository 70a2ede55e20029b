// The draft: the content of the composer (L5, L6). This file is the only one that changes its text and files;
// Storage/DraftStorage.swift saves them. Guarantee: typed text is kept, also beside restored or returned text.

extension Chat {
    /// The content of the composer, and the state of its stored record.
    package struct Draft: DomainValue {
        /// The typed text.
        package internal(set) var text: ExactText = ""
        /// The files, in the order of the picks.
        package internal(set) var attachments: [Attachment] = []
        /// The files whose bytes are being saved. The message waits for those that the composer still has.
        package internal(set) var copies: [Copying] = []
        /// The id of the stored draft; `nil` before the first save. Its message keeps the id, so that a later launch
        /// knows whether a stored draft was sent, whatever its text (L5, L6).
        var id: DraftID?
        /// Whether a change is not yet counted by the record.
        package var isDirty = false
        var isTimed = false
        /// Whether the record also holds messages that the outbox could not save.
        var holdsUnsaved = false
        package var record = KeptRecord()
        /// The outbox revision with the last sent message. Until it is durable, the stored draft is not cleared.
        package var sent = KeptRecord.Revision.loaded

        /// The longest text, in UTF-8 bytes (L8): 16 messages of the default limit, which may return from the outbox.
        static let byteLimit: Int64 = 1_048_576

        /// Whether the stored draft is this draft.
        var isStored: Bool { record.mayBeSaved && !isDirty && !holdsUnsaved && record.isClean }

        /// Whether the bytes of every file are stored.
        var isCopied: Bool { !attachments.contains { isCopying($0.id) } }

        package var copied: [Attachment] {
            attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
        }

        package func isCopying(_ file: AttachmentID) -> Bool { copy(of: file) != nil }

        func copy(of file: AttachmentID) -> Int? { copies.firstIndex { $0.id == file } }

        mutating func edit(_ new: ExactText) {
            text = new
            isDirty = true
        }

        /// Empties the draft after it was sent.
        mutating func clear() {
            edit("")
            (attachments, id) = ([], nil)
        }

        /// Puts unsent messages before the text. Their draft may be stored as a message, so this draft gets a new id
        /// (L5).
        mutating func takeBack(_ entries: [OutboxEntry]) {
            attachments = entries.flatMap { $0.attachments } + attachments
            edit(ExactText.lines(entries.map { $0.text } + [text]))
            id = nil
        }

        /// Puts the stored draft before what was typed since the launch (C6).
        mutating func putFirst(_ stored: ExactText, _ files: [Attachment], _ name: DraftID?) {
            (id, attachments) = (name, files + attachments)
            guard !text.isEmpty else { return text = stored }
            if !stored.isEmpty { edit(ExactText.lines([stored, text])) }
        }
    }
}

extension ExactText {
    /// Joins texts with line breaks, without the empty ones.
    static func lines(_ texts: [ExactText]) -> ExactText {
        let lines = texts.filter { !$0.isEmpty }
        return lines.count == 1 ? lines[0] : ExactText(lines.map { $0.string }.joined(separator: "\n"))
    }
}

extension DraftID {
    /// A new id. A stored draft with other content has another id.
    static func minted(_ context: inout Context) -> DraftID { DraftID("d_" + context.entropy.uuid()) }
}
