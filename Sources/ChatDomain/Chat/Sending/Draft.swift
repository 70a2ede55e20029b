// The draft: what stands in the composer (L5, L6). Its text and files change here alone; Storage/DraftStorage.swift
// saves it.

extension Chat {
    /// What stands in the composer, and how it stands to storage.
    package struct Draft: DomainValue {
        /// The text.
        package internal(set) var text: ExactText = ""
        /// The files, in the order in which they were picked.
        package internal(set) var attachments: [Attachment] = []
        /// The files whose bytes are being stored; nothing is sent meanwhile.
        package internal(set) var copies: [Copying] = []
        /// Its name, once it has been saved. The message carries it on, so that a later launch knows whether a stored
        /// draft was sent, whatever its text (L5, L6).
        var id: DraftID?
        /// Whether it was changed since its record was last told.
        var isDirty = false
        var isTimed = false
        /// Whether the record also holds messages that the outbox could not save.
        var holdsUnsaved = false
        /// How its record stands to storage.
        var record = KeptRecord()
        /// The outbox change that carries what was sent last. Before it is durable, the stored draft is not cleared.
        var sent = KeptRecord.Revision.loaded

        /// The longest text, in UTF-8 bytes (L8): four of the longest messages, which may come back from the outbox.
        static let byteLimit: Int64 = 1_048_576

        init() {}

        /// Whether its record is known to say what stands here.
        var isStored: Bool { record.mayBeSaved && !isDirty && !holdsUnsaved && record.isClean }

        var copied: [Attachment] {
            attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
        }

        mutating func edit(_ new: ExactText) {
            text = new
            isDirty = true
        }

        /// Nothing stands here any more, because it was sent.
        mutating func clear() {
            edit("")
            (attachments, id) = ([], nil)
        }

        /// Puts unsent messages before the text. Their draft may be stored as a message, so the draft gets a new name
        /// (L5).
        mutating func takeBack(_ entries: [OutboxEntry]) {
            attachments = entries.flatMap { $0.attachments } + attachments
            edit(ExactText.lines(entries.map { $0.text } + [text]))
            id = nil
        }

        /// Puts what was stored before what has been typed since (C6).
        mutating func putFirst(_ stored: ExactText, _ files: [Attachment], _ name: DraftID?) {
            (id, attachments) = (name, files + attachments)
            guard !text.isEmpty else { return text = stored }
            if !stored.isEmpty { edit(ExactText.lines([stored, text])) }
        }
    }
}

extension ExactText {
    /// Several texts as the lines of one, without those that are empty.
    static func lines(_ texts: [ExactText]) -> ExactText {
        let lines = texts.filter { !$0.isEmpty }
        return lines.count == 1 ? lines[0] : ExactText(lines.map { $0.string }.joined(separator: "\n"))
    }
}

extension DraftID {
    /// Mints a name for what is about to be stored. Other content gets another name.
    static func minted(_ context: inout Context) -> DraftID { DraftID("d_" + context.entropy.uuid()) }
}
