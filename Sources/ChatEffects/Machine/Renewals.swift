// The renewal of credentials (S9). A codec names the path and the secret's handle; the loop sends the request with the
// old secret, stores the new one under the same handle, and passes its expiry on. So every network and store can be
// used.
//
// Guarantees: one request for a secret at a time, for all calls that wait. No token enters the machine (L10): each
// waiting call gets the expiry of the new one, a refusal without secrets, or a failure, and a success only after the
// store has answered. Nothing is stored if no call waits any more, or under a name that was erased or replaced
// meanwhile. A call under way keeps the header with which it was opened.

import ChatDomain

/// The credentials that a loop is renewing.
@usableFromInline
package struct Renewals: PlainValue {
    /// A credential that is being renewed.
    private struct Renewal: PlainValue {
        let handle: SecretHandle
        /// The network's call. No call of the machine has its number: the rest of an answer that was given up is known.
        let call: CallNumber
        /// The waiting calls of the machine.
        var waiting: [CallNumber]
        var head: Arrival?
        var body: [UInt8] = []
        /// The arrivals to pass on once the new secret is stored; nil before the answer.
        var news: [Arrival]?

        /// The ticket of the save, which no operation of the machine has.
        var ticket: StorageTicket { StorageTicket(call.value) }

        /// Whether the answer's status is a refusal, which it stays wherever its body breaks off.
        var isRefused: Bool {
            if case .head(let status, _)? = head { !(200...299).contains(status) } else { false }
        }
    }

    /// The work for the loop.
    package struct Work: PlainValue {
        /// The calls that the network must close.
        package var close: [CallNumber] = []
        /// A new secret for the store.
        package var save: DriverOperation?
        /// The outcomes for the machine.
        package var tell: [Outcome] = []
    }

    /// The most bytes of an answer: a token with many claims has some KiB.
    private static let limit = 65_536

    private var underWay: [Renewal] = []

    @usableFromInline
    package init() {}

    @usableFromInline var isEmpty: Bool { underWay.isEmpty }

    /// Whether a new secret is being saved.
    var isSaving: Bool { underWay.contains { $0.news != nil } }

    // MARK: Waiting

    /// Adds a call of the machine. Returns the network's call for the request, if this is the first that waits for the
    /// secret; nil if it waits with others.
    package mutating func enter(_ call: CallNumber, for handle: SecretHandle) -> CallNumber? {
        if let index = underWay.firstIndex(where: { $0.handle == handle && !$0.waiting.isEmpty }) {
            underWay[index].waiting.append(call)
            return nil
        }
        // Later calls do not wait for a store that has not answered (L8).
        underWay.removeAll { $0.handle == handle }
        let own = CallNumber(~call.value)
        underWay.append(Renewal(handle: handle, call: own, waiting: [call]))
        return own
    }

    /// Removes a call that the machine has closed; nil if it waits for no secret.
    mutating func leave(_ call: CallNumber) -> Work? {
        guard let index = underWay.firstIndex(where: { $0.waiting.contains(call) }) else { return nil }
        underWay[index].waiting.removeAll { $0 == call }
        // A secret that the store already has stays there: it belongs to the person, and an erase would come after it.
        guard underWay[index].waiting.isEmpty, underWay[index].news == nil else { return Work() }
        return Work(close: [underWay.remove(at: index).call])
    }

    /// Gives up the renewals that a storage operation makes void: of a secret that is erased or replaced.
    mutating func giveUp(before operation: DriverOperation) -> Work {
        let void: RecordPath
        switch operation {
        case .erase(_, let path), .save(_, let path, .secret): void = path
        default: return Work()
        }
        var work = Work()
        for renewal in underWay where renewal.news == nil && void.leads(to: .secret(renewal.handle)) {
            work.close.append(renewal.call)
            work.tell += Self.outcomes([.ended(.failed(.secretMissing))], for: renewal)
        }
        underWay.removeAll { work.close.contains($0.call) }
        return work
    }

    // MARK: The answer

    /// Reads an outcome that belongs to a renewal. What comes for one that is over has no effect.
    package mutating func take(_ outcome: Outcome, at wall: WallTime) -> Work {
        switch outcome {
        case .arrived(let call, let arrival):
            guard let index = underWay.firstIndex(where: { $0.call == call && $0.news == nil }) else {
                return Work()
            }
            return take(arrival, at: index, wall)
        case .saved(let ticket), .failed(let ticket, _):
            guard let index = underWay.firstIndex(where: { $0.ticket == ticket }) else { return Work() }
            // A secret that could not be saved is usable until the process ends (P4).
            let renewal = underWay.remove(at: index)
            return Work(tell: Self.outcomes(renewal.news ?? [], for: renewal))
        case .loaded, .missing, .erased: return Work()
        }
    }

    private mutating func take(_ arrival: Arrival, at index: Int, _ wall: WallTime) -> Work {
        switch arrival {
        case .head: underWay[index].head = arrival
        case .body(let bytes):
            let room = Self.limit - underWay[index].body.count
            guard bytes.count <= room || underWay[index].isRefused else {
                let renewal = underWay.remove(at: index)
                return Work(
                    close: [renewal.call], tell: Self.outcomes([.ended(.failed(.tooLarge))], for: renewal))
            }
            underWay[index].body += bytes.prefix(room)
        case .ended(.completed): return finish(at: index, wall)
        case .ended(.failed) where underWay[index].isRefused: return finish(at: index, wall)
        case .ended:
            let renewal = underWay.remove(at: index)
            return Work(tell: Self.outcomes([arrival], for: renewal))
        case .sent, .opened, .text, .tooLong, .signOfLife: break
        }
        return Work()
    }

    /// Reads the whole answer. An answer without a token has extended the old one.
    private mutating func finish(at index: Int, _ wall: WallTime) -> Work {
        var renewal = underWay.remove(at: index)
        guard renewal.head != nil, !renewal.isRefused else {
            var mask = SecretMask()
            let told = [renewal.head, .body(renewal.body), .ended(.completed)].compactMap { $0 }
            return Work(tell: Self.outcomes(told, for: renewal).map { mask.masked($0) })
        }
        guard let answer = try? JSONReader().value(of: renewal.body), answer.object != nil else {
            return Work(tell: Self.outcomes([.ended(.failed(.malformed))], for: renewal))
        }
        let news = [
            Arrival.head(status: 200, headers: []), .body(Self.end(in: answer, wall)), .ended(.completed),
        ]
        guard let token = (answer["access_token"] ?? answer["token"])?.string, !token.isEmpty else {
            return Work(tell: Self.outcomes(news, for: renewal))
        }
        renewal.news = news
        underWay.append(renewal)
        return Work(save: .save(renewal.ticket, .secret(renewal.handle), .secret(Secret(token))))
    }

    /// The body with the expiry of the credential, for a codec. A lifetime in seconds (RFC 6749, section 5.1) precedes
    /// a time, which some servers send in seconds and others in milliseconds.
    private static func end(in answer: JSONValue, _ wall: WallTime) -> [UInt8] {
        let life = answer["expires_in"]?.number?.truncated.map { wall + Interval.seconds(max($0, 0)) }
        let end = life ?? answer["expires_at"].flatMap { Self.time($0, near: wall) }
        var body: [UInt8] = []
        JSONWriter.object(into: &body) { object in
            guard let end else { return }
            object.member("expires_at", end.millisecondsSince1970)
        }
        return body
    }

    /// A time in words, or as a number of the unit that leads nearer to now.
    private static func time(_ value: JSONValue, near wall: WallTime) -> WallTime? {
        guard let time = value.time, let number = value.number?.truncated else { return value.time }
        let other = WallTime(millisecondsSince1970: 0) + .seconds(number)
        func distance(_ time: WallTime) -> Interval { max(time - wall, wall - time) }
        return distance(other) < distance(time) ? other : time
    }

    private static func outcomes(_ arrivals: [Arrival], for renewal: Renewal) -> [Outcome] {
        renewal.waiting.flatMap { call in arrivals.map { .arrived(call, $0) } }
    }
}

extension Outcome {
    /// Whether the outcome belongs to a renewal, under way or over, and not to the machine: the machine's numbers count
    /// up from zero, the renewals' down from the greatest, and neither come to the middle.
    @inlinable
    var isOfRenewal: Bool {
        switch self {
        case .arrived(let call, _): call.value > UInt64.max / 2
        case .saved(let ticket), .failed(let ticket, _): ticket.value > UInt64.max / 2
        case .loaded, .missing, .erased: false
        }
    }
}
