// The envelope of stored records; every version of the app can read it:
//
//     {"format":"draft","version":2,"written":1767225600000,"record":{"text":"Hi"}}
//
// Guarantees: a record round-trips, except that wall times are truncated to milliseconds. Reading distinguishes a
// record, a record of a newer version, and damage (R5). A record is read whole or not at all: an outbox with one
// unreadable entry is damaged, not shortened.

import ChatDomain

/// The codec of the envelope.
enum RecordEnvelope {
    /// Only memory limits the size, because every written record must be readable: a page of 50 replies of 1 MiB each
    /// is well over the limit for a server's message.
    private static let reader = JSONReader(JSONPolicy(size: .max))

    /// The content of a record in its envelope; `body` writes the record's fields.
    static func content(
        _ format: RecordFormat, written: WallTime, _ body: (inout JSONObjectWriter) -> Void
    ) -> RecordContent {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { envelope in
            envelope.member("format", format.name)
            envelope.member("version", format.version ?? 0)
            envelope.member("written", written.millisecondsSince1970)
            envelope.object("record", body)
        }
        return .bytes(bytes)
    }

    /// Decodes the record of a format.
    ///
    /// In a newer version, only the format's name and the version are read; an earlier version is decoded in its own
    /// format.
    static func read<Record: PlainValue>(
        _ bytes: [UInt8], _ format: RecordFormat?,
        _ body: (_ fields: Fields, _ version: Int64) throws(FieldError) -> Record
    ) -> RecordReading<Record> {
        guard let format, let json = try? reader.value(of: bytes) else { return .damaged }
        do throws(FieldError) {
            let envelope = try Fields(json, in: "envelope")
            guard try envelope.text("format") == format.name else { return .damaged }
            let version = try envelope.integer("version", in: 1...Int64.max)
            guard version <= format.version ?? 0 else { return .newer(version: version) }
            _ = try envelope.time("written")
            return .record(try body(envelope.fields("record"), version))
        } catch {
            return .damaged
        }
    }
}

extension App.Record: StoredRecord {
    /// The content to store: a secret as itself, any other record in an envelope.
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .pairing(let record): record.content(written: written)
        case .chat(let record): record.content(written: written)
        case .assistant(let record): record.content(written: written)
        }
    }

    /// Decodes the bytes stored under a key. A secret, whose bytes stay with the driver, decodes as the placeholder.
    public static func read(_ bytes: [UInt8], under key: App.Key) -> RecordReading<App.Record> {
        switch key {
        case .pairing(.secret): .record(.pairing(.secret(Secret(ExactText(Secret.placeholder)))))
        case .chat(.attachment): .record(.chat(.attachment(AttachmentData(bytes: bytes, isInline: false))))
        case .person: .damaged
        case .pairing(let pairing):
            RecordEnvelope.read(bytes, key.format) { (fields, _) throws(FieldError) in
                .pairing(try Pairing.Record(fields, under: pairing))
            }
        case .chat(let chat):
            RecordEnvelope.read(bytes, key.format) { (fields, version) throws(FieldError) in
                .chat(try Chat.Record(fields, under: chat, version: version))
            }
        case .assistant(.pacing):
            RecordEnvelope.read(bytes, key.format) { (fields, _) throws(FieldError) in
                .assistant(.pacing(try Pacing(fields)))
            }
        }
    }
}
