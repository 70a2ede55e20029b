// The envelope of stored records; every version of the app can read it:
//
//     {"format":"draft","version":2,"written":1767225600000,"record":{"text":"Hi"}}
//
// Guarantees: a record round-trips, except that wall times are truncated to milliseconds. Reading distinguishes a
// record, a record of a newer version, and damage (R5). A record is read whole or not at all: an outbox with one
// unreadable entry is damaged, not shortened.

import ChatDomain

/// A record with the facts that every version can read.
public enum RecordEnvelope {
    /// Only memory limits the size, because a record that was written must be readable: a page of 50 replies
    /// of 1 MiB each is well over the limit for what a server sends.
    private static let reader = JSONReader(JSONPolicy(size: .max))

    /// The names of the envelope's fields, each made once: as a literal, each use would allocate.
    private enum Names {
        static let format: ExactText = "format"
        static let version: ExactText = "version"
        static let written: ExactText = "written"
        static let record: ExactText = "record"
    }

    /// Room for the envelope and a few fields; a larger record grows from here.
    private static let usualSize = 256

    /// The bytes of a record with its time of writing; the function writes the fields.
    @inline(never)
    public static func content(
        _ format: RecordFormat, written: WallTime, _ body: (inout JSONObjectWriter) -> Void
    ) -> RecordContent {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(usualSize)
        JSONWriter.object(into: &bytes) { envelope in
            envelope.member(Names.format, format.name)
            envelope.member(Names.version, format.version)
            envelope.member(Names.written, written.millisecondsSince1970)
            envelope.object(Names.record, body)
        }
        return .bytes(bytes)
    }

    /// Decodes the record of a format.
    ///
    /// Of a record of a newer version only the name of the format and the version are read. `body` reads an earlier one by
    /// its version.
    public static func read<Record: PlainValue>(
        _ bytes: [UInt8], _ format: RecordFormat,
        _ body: (_ fields: Fields, _ version: Int64) throws(FieldError) -> Record
    ) -> RecordReading<Record> {
        switch open(bytes, format) {
        case .damaged: return .damaged
        case .newer(let version): return .newer(version: version)
        case .fields(let fields, let version):
            guard let record = try? body(fields, version) else { return .damaged }
            return .record(record)
        }
    }

    /// The content of an envelope.
    private enum Contents {
        case fields(Fields, version: Int64)
        case newer(version: Int64)
        case damaged
    }

    /// The part of reading that does not depend on the type of the record, so that it exists once.
    private static func open(_ bytes: [UInt8], _ format: RecordFormat) -> Contents {
        guard let json = try? reader.value(of: bytes) else { return .damaged }
        do throws(FieldError) {
            let envelope = try Fields(json, in: "envelope")
            guard try envelope.text(Names.format) == format.name else { return .damaged }
            let version = try envelope.integer(Names.version, in: 1...Int64.max)
            guard version <= format.version else { return .newer(version: version) }
            _ = try envelope.time(Names.written)
            return .fields(try envelope.fields(Names.record), version: version)
        } catch {
            return .damaged
        }
    }
}

extension ChatApp.Record: StoredRecord {
    /// The content to store.
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .pairing(let record): record.content(written: written)
        case .chat(let record): record.content(written: written)
        case .assistant(let record): record.content(written: written)
        }
    }

    /// Decodes the bytes that were stored under a key.
    public static func read(_ bytes: [UInt8], under key: ChatApp.Key) -> RecordReading<ChatApp.Record> {
        switch key {
        case .pairing(let key): Pairing.Record.read(bytes, under: key).map(ChatApp.Record.pairing)
        case .chat(let key): Chat.Record.read(bytes, under: key).map(ChatApp.Record.chat)
        case .assistant(let key): Assistant.Record.read(bytes, under: key).map(ChatApp.Record.assistant)
        case .person: .damaged  // no record is there; the records below are only ever erased
        }
    }
}
