import ChatDomain
import ChatEffects

// sample codec
public struct RemindersBackend: Backend {
    public typealias Subject = Reminders

    public init() {}

    public func open(_ request: Reminders.Request) -> (exchange: Exchange, progress: HTTPAnswer) {
        switch request {
        case .upload(let reminder, let secret):
            var body: [UInt8] = []
            JSONWriter.object(into: &body) { reminder.write(to: &$0) }
            let exchange = Exchange.http(
                method: "POST", path: "/reminders", headers: [Header("content-type", "application/json")],
                body: Payload(bytes: body), credential: secret)
            return (exchange, HTTPAnswer())
        }
    }

    public func receive(
        _ arrival: Arrival, progress: inout HTTPAnswer, reaction: inout Reaction<Reminders.Event>
    ) {
        guard progress.receive(arrival, &reaction) else { return }
        if progress.isGood {
            reaction.events.append(.taken)
        } else {
            reaction.end = progress.refusal(progress.json?["message"]?.string ?? "")
        }
    }
}
// end

// sample record
extension Reminders.Key: RecordKey {
    public var path: RecordPath { .person(user).appending("reminders") }
}

extension Reminders.Record: StoredRecord {
    private static var format: RecordFormat { RecordFormat("reminders") }

    public func content(written: WallTime) -> RecordContent {
        RecordEnvelope.content(Self.format, written: written) { record in
            record.objects("reminders", reminders) { $0.write(to: &$1) }
        }
    }

    public static func read(_ bytes: [UInt8], under key: Reminders.Key) -> RecordReading<Self> {
        RecordEnvelope.read(bytes, format) { (fields, version) throws(FieldError) in
            Self(reminders: try fields.objects("reminders", Reminders.Reminder.init))
        }
    }
}
// end

// sample json
extension Reminders.Reminder {
    func write(to object: inout JSONObjectWriter) {
        object.member("text", text)
        object.member("due", due.millisecondsSince1970)
        object.member("isOnServer", isOnServer)
    }

    init(_ fields: Fields) throws(FieldError) {
        text = try fields.text("text")
        due = try fields.time("due")
        isOnServer = try fields.bool("isOnServer")
    }
}
// end
