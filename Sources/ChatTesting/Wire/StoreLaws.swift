// Laws of what a machine keeps, and of what keeps secrets out of it, under any bytes. What must hold:
//
// - A stored record that is read is stored so that it is read as the same record again; so are the values that cross the
//   border of a process. The choice of an input also chooses the key of the record.
// - The answer to the renewal of a credential gives for pieces of any size what it gives for the whole, and always a result.
// - A recording without secrets is the same for pieces of any size, stays a JSON text, and no string in it has the name
//   of a secret.

import ChatDomain
import ChatEffects

enum StoreLaws {
    /// The laws, each under the name of its decoder.
    static let all = [
        ByteLaw(name: "record", complaint: record), ByteLaw(name: "border", complaint: border),
        ByteLaw(name: "renewal", complaint: renewal),
        ByteLaw(name: "recording") { recording($0, $1, masked: masked) },
    ]

    /// A key of each kind of record.
    private static let keys: [ChatApp.Key] = [
        .pairing(.device), .pairing(.credentials), .pairing(.request), .chat(.conversations("u")),
        .chat(.pacing("u")), .chat(.draft("u", .main)), .chat(.outbox("u", .main)),
        .chat(.contents("u", .main)), .chat(.page("u", .main, 0)), .chat(.attachment("u", "f")),
        .assistant(.pacing("u")), .pairing(.secret(SecretHandle("h"))),
    ]

    private static func record(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let key = keys[Int(choice) % keys.count]
        guard case .record(let record) = ChatApp.Record.read(bytes, under: key) else { return nil }
        let written = WallTime(millisecondsSince1970: 1)
        guard case .bytes(let stored) = record.content(written: written) else { return nil }  // a secret
        return ChatApp.Record.read(stored, under: key) == .record(record)
            ? nil : "a record is stored as another one"
    }

    /// The values that cross the border of a process: operations of a machine, their outcomes, and actions.
    private static func border(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        guard let value = try? JSONReader().value(of: bytes) else { return nil }
        var encoded: [UInt8] = []
        if let outcome = try? Outcome(value) {
            outcome.encode(into: &encoded)
            return (try? Outcome(JSONReader().value(of: encoded))) == outcome
                ? nil : "an outcome is encoded as another one"
        }
        if let operation = try? DriverOperation(value) {
            operation.encode(into: &encoded)
            return (try? DriverOperation(JSONReader().value(of: encoded))) == operation
                ? nil : "an operation is encoded as another one"
        }
        guard let action = try? ChatApp.Action(intent: value) else { return nil }
        guard action.encodeIntent(into: &encoded) else { return "an intent is not encoded" }
        return (try? ChatApp.Action(intent: JSONReader().value(of: encoded))) == action
            ? nil : "an intent is encoded as another one"
    }

    // MARK: Secrets

    private static let call = CallNumber(1)

    /// What a renewal asks of its loop.
    private struct Renewed: Equatable {
        var close: [CallNumber] = []
        var save: DriverOperation?
        var tell: [Outcome] = []
    }

    private static func renewal(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let status: Int64 = choice > 200 ? 400 : 200
        func work(_ pieces: [[UInt8]]) -> Renewed {
            var renewals = Renewals()
            var all = Renewed()
            guard let own = renewals.enter(call, for: SecretHandle("h")) else { return all }
            let body = pieces.map { Arrival.body($0) }
            for arrival in [.head(status: status, headers: [])] + body + [.ended(.completed)] {
                let wall = WallTime(millisecondsSince1970: 1)
                let work = renewals.take(.arrived(own, arrival), at: wall)
                all.close += work.close
                all.tell += work.tell
                all.save = work.save ?? all.save
            }
            return all
        }
        let whole = work([bytes])
        // The recording of a refusal is one piece in both.
        guard work(ByteLaw.pieces(bytes, choice)) == whole else {
            return "the pieces give another result than the whole"
        }
        return whole.save == nil && whole.tell.isEmpty ? "an answer has no result" : nil
    }

    /// The pieces of an answer as they are recorded.
    static func masked(_ pieces: [[UInt8]]) -> [UInt8] {
        var mask = SecretMask()
        var masked: [UInt8] = []
        for piece in pieces {
            if case .arrived(_, .body(let bytes)) = mask.masked(.arrived(call, .body(piece))) {
                masked += bytes
            }
        }
        return masked
    }

    static func recording(
        _ choice: UInt8, _ bytes: [UInt8], masked: ([[UInt8]]) -> [UInt8]
    ) -> String? {
        let whole = masked([bytes])
        guard masked(ByteLaw.pieces(bytes, choice)) == whole else {
            return "the pieces are recorded otherwise than the whole"
        }
        guard (try? JSONReader().value(of: bytes)) != nil else { return nil }
        guard let value = try? JSONReader().value(of: whole) else { return "a recording is no JSON text" }
        // A mask knows only names without escapes.
        if !whole.contains(UInt8(ascii: "\\")), hasSecret(value) { return "a recording has secrets" }
        return masked([whole]) == whole ? nil : "a recording is masked again"
    }

    private static func hasSecret(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .number, .string: false
        case .array(let elements): elements.contains { hasSecret($0) }
        case .object(let object):
            object.members.contains { member in
                if case .string(let text) = member.value {
                    isSecret(member.name) && text != ExactText(Secret.placeholder)
                } else {
                    hasSecret(member.value)
                }
            }
        }
    }

    /// Whether a name ends like that of a secret. A mask takes a name over 64 bytes for a text.
    private static func isSecret(_ name: ExactText) -> Bool {
        let letters = name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            .map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        let ends = ["token", "apikey", "password", "secret", "authorization", "cookie"]
        return name.byteCount <= 64
            && ends.contains { letters.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
}
