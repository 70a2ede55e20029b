// Random operations and outcomes.

import ChatDomain
import ChatEffects

extension JSONRandom {
    /// Bytes that are text, or not, or nearly.
    mutating func someBytes() -> [UInt8] {
        let text = [UInt8](self.text().utf8)
        switch below(3) {
        case 0: return text
        case 1: return [UInt8](text.dropLast())
        default: return (0..<below(9)).map { _ in UInt8(truncatingIfNeeded: next()) }
        }
    }

    mutating func identity() -> UInt64 { flip() ? UInt64(below(100)) : next() }
    mutating func call() -> CallNumber { CallNumber(identity()) }
    mutating func ticket() -> StorageTicket { StorageTicket(identity()) }
    mutating func integer() -> Int64 { flip() ? Int64(below(1_000)) : Int64(bitPattern: next()) }
    mutating func headers() -> [Header] { list { Header($0.text(), $0.text()) } }

    mutating func path() -> RecordPath {
        RecordPath(list { $0.text() }, protection: flip() ? .plain : .secret)
    }

    mutating func payload() -> Payload {
        Payload(
            list { random in
                switch random.below(3) {
                case 0: .bytes(random.someBytes())
                case 1: .secret(SecretHandle(random.text()))
                default: .stored(random.path())
                }
            })
    }

    mutating func exchange() -> Exchange {
        guard flip() else {
            return flip()
                ? .socket(path: text())
                : .renewal(path: text(), headers: headers(), of: SecretHandle(text()))
        }
        return .http(
            method: text(), path: text(), headers: headers(), body: payload(),
            credential: maybe { SecretHandle($0.text()) })
    }

    mutating func operation() -> DriverOperation {
        switch below(9) {
        case 0: .open(call(), exchange())
        case 1: .send(call(), payload())
        case 2: .close(call())
        case 3: .load(ticket(), path())
        case 4: .save(ticket(), path(), .bytes(someBytes()))
        case 5: .save(ticket(), path(), .secret(Secret(ExactText(Secret.placeholder))))
        case 6: .erase(ticket(), path())
        case 7: .setAside(path())
        default: .haptic
        }
    }

    mutating func end() -> CallEnd {
        let failures: [CallFailure] = [
            .offline, .unreachable, .lost, .timedOut, .insecure, .tooLarge, .malformed, .secretMissing,
            .recordMissing,
        ]
        switch below(4) {
        case 0: return .completed
        case 1: return .closed(code: integer(), reason: text())
        case 2:
            let wait = maybe { Interval.milliseconds(Int64($0.below(1_000_000)) - 5) }
            return .refused(status: integer(), retryAfter: wait, message: text())
        default: return .failed(failures[below(failures.count)])
        }
    }

    mutating func arrival() -> Arrival {
        switch below(8) {
        case 0: .opened
        case 1: .head(status: integer(), headers: headers())
        case 2: .body(someBytes())
        case 3: .text(someBytes())
        case 4: .signOfLife
        case 5: .sent(integer(), of: integer())
        case 6: .tooLong
        default: .ended(end())
        }
    }

    mutating func outcome() -> Outcome {
        let failures: [StorageFailure] = [
            .full, .unreadable, .damaged, .newer(version: integer()), .unavailable,
        ]
        switch below(8) {
        case 0, 1, 2: return .arrived(call(), arrival())
        case 3: return .loaded(ticket(), someBytes())
        case 4: return .missing(ticket())
        case 5: return .saved(ticket())
        case 6: return .erased(ticket())
        default: return .failed(ticket(), failures[below(failures.count)])
        }
    }
}

func encoded(_ operation: DriverOperation) -> [UInt8] {
    var bytes: [UInt8] = []
    operation.encode(into: &bytes)
    return bytes
}

func encoded(_ outcome: Outcome) -> [UInt8] {
    var bytes: [UInt8] = []
    outcome.encode(into: &bytes)
    return bytes
}
