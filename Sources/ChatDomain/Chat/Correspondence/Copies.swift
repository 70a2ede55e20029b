// Matches echoes to the messages of this device (C10, L6). A message is sent under a key, and under another one after
// the server had accepted it and failed. Each key is a copy, and the server may echo each copy. Most protocols name no
// key in an echo, so its text identifies the copy. Start with `sent` and `echoed`.
//
//     sent ──▶ open ──an echo names its key, or is the first with its text──▶ resolved
//               │ ──accepted, and an unclaimed echo from later has its text──▶ resolved
//               │ ──accepted, replay complete, and an unclaimed echo has its text──▶ resolved
//               └──refused, or forgotten──▶ gone
//
// `CopiesSearchTests` searches every reachable state for these laws. An echo resolves at most one copy; a copy is
// resolved by at most one echo, and by none from before it was sent. Copies with the same text are resolved in the
// order of sending, accepted ones first, and among equals those of deleted messages last. A doubtful echo resolves
// nothing: it may be of an older message, because the server replays a history that is not all in memory. An
// unconfirmed copy is then sent again under its key, and is accepted or refused; an accepted one claims its echo when
// the replay is complete.

/// The copies without an echo, and the echoes without a copy.
package struct Copies: DomainValue {
    /// A key under which a message was sent.
    package struct Copy: DomainValue {
        let key: ClientID
        let client: ClientID
        let text: LongText
        /// The position among copies and echoes, in the order of time.
        let place: Int64
        /// Whether the server is known to have it. An accepted copy is echoed before any unconfirmed one.
        var isTaken = false
        /// Whether the person deleted the message. Other copies with its text come first.
        var isDeleted = false
    }

    /// An echo of this device's text that matches no copy.
    package struct Unclaimed: DomainValue {
        let id: MessageID
        package let text: LongText
        let place: Int64
    }

    /// A copy that is resolved by an earlier unclaimed echo.
    struct Claim: Equatable {
        let client: ClientID
        let key: ClientID
        let echo: MessageID
    }

    /// Whether an unknown echo is older than a known message, and so than each unconfirmed copy; or may be.
    enum Doubt { case older, unknown }

    enum Echo: Equatable {
        /// The echo of this message, sent under this key.
        case of(client: ClientID, key: ClientID)
        /// The echo matches no copy.
        case unclaimed
    }

    /// The copies that may still be echoed, oldest first.
    package private(set) var open: [Copy] = []
    /// The echoes without a copy, oldest first.
    package private(set) var unclaimed: [Unclaimed] = []
    /// The used positions. Stored copies and echoes are older than all others, so they get negative ones.
    private var places: ClosedRange<Int64> = 0...0

    /// Twice the longest replay of 500 (limits). A server that never echoes leaves every copy open.
    static let limit = 1_000

    // MARK: Sent copies

    /// Adds a sent copy, unless it is there. Stored ones (`isOlder`) are added newest first, each before all others.
    mutating func sent(_ key: ClientID, of client: ClientID, saying text: LongText, isOlder: Bool = false) {
        // Storage is read once, so a stored copy can only repeat one that was sent since; that has a positive position.
        let isHere = open.last { $0.key == key || isOlder && $0.place < 0 }?.key == key
        guard !isHere, Copies.makeRoom(in: &open, isOlder) else { return }
        let copy = Copy(key: key, client: client, text: text, place: nextPlace(isOlder: isOlder))
        open.insert(copy, at: isOlder ? open.startIndex : open.endIndex)
    }

    /// Marks a copy as accepted. Returns the echo that it claims: the latest from after it was sent, with its text.
    mutating func taken(_ key: ClientID) -> MessageID? {
        guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
        open[index].isTaken = true
        let copy = open[index]
        let echo = unclaimed.lastIndex { $0.text == copy.text && $0.place > copy.place }
        guard let echo else { return nil }
        open.remove(at: index)
        return unclaimed.remove(at: echo).id
    }

    /// Ends a replay: the echo of every accepted copy was among the replayed messages. Newest first.
    mutating func toldAll() -> [Claim] {
        open.filter { $0.isTaken }.reversed().compactMap { copy in
            taken(copy.key).map { Claim(client: copy.client, key: copy.key, echo: $0) }
        }
    }

    /// Matches all unclaimed echoes to the open copies, once the whole known history is in memory. Oldest first.
    mutating func knowsAll() -> [Claim] {
        var claims: [Claim] = []
        for copy in open {
            let echo = unclaimed.firstIndex { $0.text == copy.text && $0.place > copy.place }
            guard let echo else { continue }
            open.removeAll { $0.key == copy.key }
            let id = unclaimed.remove(at: echo).id
            claims.append(Claim(client: copy.client, key: copy.key, echo: id))
        }
        return claims
    }

    /// Removes a copy that gets no further echo: the server refuses it, or has echoed it under its key.
    mutating func close(_ key: ClientID) { open.removeAll { $0.key == key } }

    mutating func deleted(_ client: ClientID) {
        for index in open.indices where open[index].client == client { open[index].isDeleted = true }
    }

    // MARK: Echoes

    /// Resolves an echo by its key or its text.
    mutating func echoed(_ id: MessageID, key: ClientID?, saying text: LongText, doubt: Doubt?) -> Echo {
        guard let index = meant(by: key, saying: text, doubt) else {
            let unconfirmed = doubt == .older ? open.first { !$0.isTaken } : nil
            if key == nil { remember(id, saying: text, at: unconfirmed?.place) }
            return .unclaimed
        }
        let copy = open.remove(at: index)
        return .of(client: copy.client, key: copy.key)
    }

    private func meant(by key: ClientID?, saying text: LongText, _ doubt: Doubt?) -> Int? {
        if let key { return open.firstIndex { $0.key == key } }
        if doubt != nil { return nil }
        return first(saying: text, isTaken: true) ?? first(saying: text, isTaken: false)
    }

    private func first(saying text: LongText, isTaken: Bool) -> Int? {
        let candidates = open.indices.lazy.filter { open[$0].isTaken == isTaken && open[$0].text == text }
        return candidates.first { !open[$0].isDeleted } ?? candidates.last
    }

    /// Remembers an echo in memory that matches no message; copies from its place on are newer.
    mutating func remember(
        _ id: MessageID, saying text: LongText, isOlder: Bool = false, at place: Int64? = nil
    ) {
        guard !unclaimed.contains(where: { $0.id == id }), Copies.makeRoom(in: &unclaimed, isOlder) else {
            return
        }
        let echo = Unclaimed(id: id, text: text, place: place ?? nextPlace(isOlder: isOlder))
        unclaimed.insert(echo, at: isOlder ? unclaimed.startIndex : unclaimed.endIndex)
    }

    /// Forgets the unclaimed echoes, because a reset withdrew them.
    mutating func forgetEchoes() { unclaimed = [] }

    /// The accepted copies of which one will claim an echo in doubt, oldest first.
    func claimants(of id: MessageID) -> [ClientID] {
        guard let echo = unclaimed.last(where: { $0.id == id }) else { return [] }
        return open.filter { $0.isTaken && $0.text == echo.text && $0.place < echo.place }.map { $0.key }
    }

    /// Resolves a copy whose row has the name of the echo.
    mutating func found(_ id: MessageID, of key: ClientID) {
        unclaimed.removeAll { $0.id == id }
        open.removeAll { $0.key == key }
    }

    // MARK: The lists

    /// Makes room for one element; the oldest is dropped. Returns whether there is room.
    private static func makeRoom<Element>(in list: inout [Element], _ isOlder: Bool) -> Bool {
        guard list.count >= limit else { return true }
        if !isOlder { list.removeFirst() }
        return !isOlder
    }

    private mutating func nextPlace(isOlder: Bool) -> Int64 {
        if isOlder {
            places = places.lowerBound - 1...places.upperBound
            return places.lowerBound
        }
        places = places.lowerBound...places.upperBound + 1
        return places.upperBound
    }
}

extension Copies: Normalizable {
    /// Replaces each position by its rank among those of its sign. Positions are compared, and a new one is beyond all.
    package mutating func normalize(_ form: inout NormalForm) {
        let former = open.map { $0.place } + unclaimed.map { $0.place }
        func rank(_ place: Int64) -> Int64 {
            var count: Int64 = 0
            for other in former where place < 0 ? (place..<0).contains(other) : (1...place).contains(other) {
                count += 1
            }
            return place < 0 ? -count : count
        }
        open = open.map { copy in
            Copy(
                key: form.renamed(copy.key), client: form.renamed(copy.client), text: copy.text,
                place: rank(copy.place), isTaken: copy.isTaken, isDeleted: copy.isDeleted)
        }
        unclaimed = unclaimed.map { Unclaimed(id: $0.id, text: $0.text, place: rank($0.place)) }
        let older = Int64(former.reduce(0) { $1 < 0 ? $0 + 1 : $0 })
        places = -older...(Int64(former.count) - older)
    }
}
