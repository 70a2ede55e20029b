// The fields of a stored throttle, the same in each record that has one.

import ChatDomain

extension Pacing {
    func write(to record: inout JSONObjectWriter) {
        record.array("asked") { array in
            for time in asked { array.element(time.millisecondsSince1970) }
        }
        if let notBefore { record.member("notBefore", notBefore.millisecondsSince1970) }
        if let written { record.member("written", written.millisecondsSince1970) }
    }

    init(_ fields: Fields) throws(FieldError) {
        var asked: [WallTime] = []
        for value in try fields.array("asked") { asked.append(try Fields.time(value, "asked")) }
        self.init(
            asked: asked, notBefore: try fields.optionalTime("notBefore"),
            written: try fields.optionalTime("written"))
    }
}

extension Assistant.Record: StoredRecord {
    /// The content to store.
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .pacing(let pacing):
            RecordEnvelope.content(.asking, written: written) { pacing.write(to: &$0) }
        }
    }

    /// Decodes the bytes that were stored under a key.
    public static func read(_ bytes: [UInt8], under key: Assistant.Key) -> RecordReading<Assistant.Record> {
        switch key {
        case .pacing:
            RecordEnvelope.read(bytes, .asking) { (fields, _) throws(FieldError) in
                .pacing(try Pacing(fields))
            }
        }
    }
}
