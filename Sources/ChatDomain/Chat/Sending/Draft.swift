// What stands in the composer (L5, L6). Its text and files are changed here alone; how it is saved and loaded stands in
// Storage/DraftStorage.swift.

extension Chat {
    /// What stands in the composer, and how it stands to storage.
    public struct Draft: DomainValue {
        /// The text.
        public internal(set) var text: ExactText = ""
        /// The files, in the order in which they were picked.
        public internal(set) var attachments: [Attachment] = []
        /// The files whose bytes are being stored; nothing is sent meanwhile.
        public internal(set) var copies: [Copying] = []
        /// Its name, once it has been saved. The message that it becomes carries it, so that a later launch knows
        /// whether what is stored was sent, however often the person writes the same text (L5, L6).
        public internal(set) var id: DraftID?
        /// Whether it was changed since its record was last told.
        public internal(set) var isDirty = false
        /// Whether the timer runs that saves it.
        var isTimed = false
        /// Whether the record also holds messages that the outbox could not save.
        var holdsUnsaved = false
        /// How its record stands to storage.
        public internal(set) var record = KeptRecord()
        /// The change of the outbox that carries what was sent from here last. Before that is durable, the record is
        /// not cleared.
        var sent = KeptRecord.Revision.loaded

        /// How long the text may be, in UTF-8 bytes: as any single text (L8). Four times the longest message leaves
        /// room for what several messages said that came back from the outbox.
        static let byteLimit: Int64 = 1_048_576

        /// An empty draft.
        init() {}

        /// Whether its record is known to say what stands here.
        var isStored: Bool { record.mayBeSaved && !isDirty && !holdsUnsaved && record.isClean }

        /// The files whose bytes are stored.
        var copied: [Attachment] {
            attachments.filter { attachment in !copies.contains { $0.id == attachment.id } }
        }

        /// Puts another text here, which is to be saved.
        mutating func edit(_ new: ExactText) {
            text = new
            isDirty = true
        }

        /// Nothing stands here any more, because it was sent.
        mutating func clear() {
            edit("")
            (attachments, id) = ([], nil)
        }

        /// Puts what could not be sent before what stands here. What it was may be on the disk as a message, and must
        /// not pass for what it is now (L5).
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
    /// A name for what is about to be stored. Whatever says something else gets another one, so that an older record is
    /// never taken for it.
    static func minted(_ context: inout Context) -> DraftID {
        DraftID("d_" + context.entropy.uuid())
    }
}
