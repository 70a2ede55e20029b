// The fields of chat's records: draft, outbox, pacing, conversations, the contents (which pages a transcript has) and
// each page. The fields of a message are in MessageRecord.swift, those of earlier versions in EarlierRecords.swift.

import ChatDomain

extension Chat.Record: StoredRecord {
    /// The content to store: the bytes of a file unchanged, any other record in an envelope.
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .conversations(let entries, let current):
            RecordEnvelope.content(.conversations, written: written) { record in
                record.member("current", current.text)
                record.objects("entries", entries) { $0.write(to: &$1) }
            }
        case .pacing(let pacing, let uploadsNotBefore):
            RecordEnvelope.content(.pacing, written: written) { record in
                pacing.write(to: &record)
                if let notBefore = uploadsNotBefore {
                    record.member("uploadsNotBefore", notBefore.millisecondsSince1970)
                }
            }
        case .draft(let text, let attachments, let id):
            RecordEnvelope.content(.draft, written: written) { record in
                if let id { record.member("id", id.text) }
                record.member("text", text)
                attachments.write(to: &record)
            }
        case .outbox(let entries):
            RecordEnvelope.content(.outbox, written: written) { record in
                record.objects("entries", entries) { $0.write(to: &$1) }
            }
        case .contents(let contents):
            RecordEnvelope.content(.contents, written: written) { record in
                record.member("oldestPage", contents.oldestPage)
                record.member("newestPage", contents.newestPage)
                if !contents.hidden.isEmpty {
                    record.array("hidden") { array in for id in contents.hidden { array.element(id.text) } }
                }
            }
        case .page(let page):
            RecordEnvelope.content(.page, written: written) { page.write(to: &$0) }
        case .attachment(let data):
            // A message carries the bytes as Base64, and a driver inserts a stored record unchanged.
            .bytes(data.isInline ? Array(Base64.encode(data.bytes).utf8) : data.bytes)
        }
    }

    /// Decodes the bytes that were stored under a key.
    public static func read(_ bytes: [UInt8], under key: Chat.Key) -> RecordReading<Chat.Record> {
        switch key {
        case .conversations:
            RecordEnvelope.read(bytes, .conversations) { (fields, _) throws(FieldError) in
                .conversations(
                    try fields.objects("entries", ConversationEntry.init),
                    current: try fields.identifier("current"))
            }
        case .pacing:
            RecordEnvelope.read(bytes, .pacing) { (fields, _) throws(FieldError) in
                .pacing(try Pacing(fields), uploadsNotBefore: try fields.optionalTime("uploadsNotBefore"))
            }
        case .draft:
            RecordEnvelope.read(bytes, .draft) { (fields, _) throws(FieldError) in
                .draft(
                    try fields.text("text"), attachments: try [Chat.Attachment](in: fields),
                    id: try fields.optionalIdentifier("id"))
            }
        case .outbox:
            RecordEnvelope.read(bytes, .outbox) { (fields, version) throws(FieldError) in
                .outbox(
                    try fields.objects("entries") { (entry) throws(FieldError) in
                        try version < 3 ? OutboxEntry(earlier: entry) : OutboxEntry(entry)
                    })
            }
        case .contents:
            RecordEnvelope.read(bytes, .contents) { (fields, _) throws(FieldError) in
                .contents(try Contents(fields))
            }
        case .page:
            RecordEnvelope.read(bytes, .page) { (fields, version) throws(FieldError) in
                .page(try Page(fields, version: version))
            }
        // The bytes as they are stored. The machine never loads them: a driver inserts them.
        case .attachment: .record(.attachment(AttachmentData(bytes: bytes, isInline: false)))
        }
    }
}

extension Contents {
    /// Page numbers are bounded, so a damaged record overflows no count. The oldest page may come after the newest: then
    /// all stored pages were withdrawn.
    fileprivate init(_ fields: Fields) throws(FieldError) {
        let pages = 0...Fields.greatestInteger
        self.init(
            oldestPage: try fields.integer("oldestPage", in: pages),
            newestPage: try fields.integer("newestPage", in: pages),
            hidden: try fields.optionalIdentifiers("hidden"))
    }
}

extension ConversationEntry {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.member("id", id.text)
        object.member("title", title)
        object.member("isClosed", isClosed)
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        self.init(
            id: try fields.identifier("id"), title: try fields.text("title"),
            isClosed: try fields.bool("isClosed"))
    }
}

extension OutboxEntry {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.member("key", key.text)
        if client != key { object.member("message", client.text) }
        object.member("text", text)
        object.member("written", written.millisecondsSince1970)
        object.member("wasSent", wasSent)
        if let draft { object.member("draft", draft.text) }
        attachments.write(to: &object)
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        self.init(
            key: try fields.identifier("key"), client: try fields.optionalIdentifier("message"),
            text: try fields.text("text"), written: try fields.time("written"),
            wasSent: try fields.bool("wasSent"), attachments: try [Chat.Attachment](in: fields),
            draft: try fields.optionalIdentifier("draft"))
    }
}

extension Page {
    fileprivate func write(to record: inout JSONObjectWriter) {
        if let cursor { record.member("cursor", cursor.text) }
        // A growing reply is never stored: the cursor is before it, so it is replayed.
        record.objects("messages", messages.filter { $0.body != .growing }) { $0.write(to: &$1) }
    }

    fileprivate init(_ fields: Fields, version: Int64) throws(FieldError) {
        let cursor: MessageID? = try fields.optionalIdentifier("cursor")
        let messages = try fields.objects("messages") { (message) throws(FieldError) in
            try version < 3 ? Message(earlier: message) : Message(message)
        }
        self.init(messages: version < 3 ? Page.renamed(messages) : messages, cursor: cursor)
    }
}
