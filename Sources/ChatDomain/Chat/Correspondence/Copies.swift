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
// resolved by at most one echo, and by none from before its message was sent. Copies with the same text are resolved in
// the order of sending, accepted ones first, and among equals those of deleted messages last. A doubtful echo may be of
// an older message, because the server replays a history that is not all in memory. It resolves only an accepted copy,
// if it is newer than what was known when its message was sent. An unconfirmed copy is sent again under its key, and is
// accepted or refused. That of a deleted message is not: it is resolved by an echo that is newer than all that was known
// before the replay, unless a visible message has the same text.

/// The copies without an echo, and the echoes without a copy.
package struct Copies: DomainValue {
    /// A key under which a message was sent.
    package struct Copy: DomainValue {
        let key: ClientID
        let client: ClientID
        let text: LongText
        /// The position among copies and echoes, in the order of time.
        let place: Int64
        /// A server time that is before that of its echo: of the newest message that was known when its message was sent,
        /// or of the echo of an earlier message. `nil` if unknown.
        var since: WallTime?
        /// Whether the server is known to have it. An accepted copy is echoed before any unconfirmed one.
        var isTaken = false
        /// Whether the person deleted the message. Other copies with its text come first.
        var isDeleted = false
    }

    /// An echo of this device's text that matches no copy.
    package struct Unclaimed: DomainValue {
        let id: MessageID
        package let text: LongText
        let time: WallTime
        let place: Int64
    }

    /// A copy that is resolved by an earlier unclaimed echo.
    struct Claim: Equatable {
        let client: ClientID
        let key: ClientID
        let echo: MessageID
    }

    /// How the server tells an echo.
    enum Telling: Equatable {
        /// As it happens, or after what is known.
        case live, replayed
        /// In a history that was not all in memory; `isNews` if it is newer than all that was known.
        case inDoubt(isNews: Bool)
    }

    enum Echo: Equatable {
        /// The echo of this message, sent under this key.
        case of(client: ClientID, key: ClientID)
        /// The echo matches no copy.
        case unclaimed
    }

    /// The copies that may still be echoed, oldest first.
    package private(set) var open: [Copy] = []
    /// The echoes without a copy, in the order of their ids, so each is found in O(log n).
    package private(set) var unclaimed: [Unclaimed] = []
    /// The used positions. Stored copies and echoes are older than all others, so they get negative ones.
    private var places: ClosedRange<Int64> = 0...0

    /// Twice the longest replay of 500 (limits). A server that never echoes leaves every copy open.
    static let limit = 1_000

    // MARK: Sent copies

    /// Adds a sent copy, unless it is there. Stored ones (`isOlder`) are added newest first, each before all others.
    mutating func sent(
        _ key: ClientID, of client: ClientID, saying text: LongText, since: WallTime?, isOlder: Bool = false
    ) {
        // Storage is read once, so a stored copy can only repeat one that was sent since; that has a positive position.
        let isHere = open.last { $0.key == key || isOlder && $0.place < 0 }?.key == key
        let isFull = open.count >= Copies.limit
        guard !isHere, !(isFull && isOlder) else { return }
        if isFull { open.removeFirst() }
        let place = nextPlace(isOlder: isOlder)
        // The echo of an open copy may still come, and resolve this one in its place.
        let former = isOlder ? nil : open.first { $0.client == client }
        let since = former.map { $0.since } ?? since
        let copy = Copy(key: key, client: client, text: text, place: place, since: since)
        open.insert(copy, at: isOlder ? open.startIndex : open.endIndex)
    }

    /// Marks a copy as accepted. Returns the echo that it claims.
    mutating func taken(_ key: ClientID) -> MessageID? {
        guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
        open[index].isTaken = true
        return claim(by: key)
    }

    /// Resolves a copy by an unclaimed echo with its text: the first from after it was sent, or the last if it is unknown
    /// when that was.
    mutating func claim(by key: ClientID) -> MessageID? {
        guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
        let copy = open[index]
        let echoes = unclaimed.indices.filter { [unclaimed] in
            let echo = unclaimed[$0]
            return echo.text == copy.text && echo.place > copy.place
                && copy.since.map { $0 < echo.time } != false
        }
        let first = echoes.min { unclaimed[$0].place < unclaimed[$1].place }
        let last = echoes.max { unclaimed[$0].place < unclaimed[$1].place }
        guard let echo = copy.since == nil ? last : first else { return nil }
        open.remove(at: index)
        return unclaimed.remove(at: echo).id
    }

    /// Ends a replay: the echo of every accepted copy was among the replayed messages.
    mutating func toldAll() -> [Claim] { claims { $0.isTaken } }

    /// Matches all unclaimed echoes to the open copies, once the whole known history is in memory.
    mutating func knowsAll() -> [Claim] { claims { _ in true } }

    private mutating func claims(_ isWanted: (Copy) -> Bool) -> [Claim] {
        guard !unclaimed.isEmpty else { return [] }
        return open.filter(isWanted).compactMap { copy in
            claim(by: copy.key).map { Claim(client: copy.client, key: copy.key, echo: $0) }
        }
    }

    /// Removes a copy that gets no further echo: the server refuses it, or has echoed it under its key.
    mutating func close(_ key: ClientID) { open.removeAll { $0.key == key } }

    mutating func deleted(_ client: ClientID) {
        for index in open.indices where open[index].client == client { open[index].isDeleted = true }
    }

    // MARK: Echoes

    /// Resolves an echo by its key or its text.
    mutating func echoed(
        _ id: MessageID, key: ClientID?, saying text: LongText, at time: WallTime, _ telling: Telling
    ) -> Echo {
        let known = first(saying: text) { copy in
            copy.isTaken
                && (telling == .live || telling == .replayed || copy.since.map { $0 < time } == true)
        }
        let guessed = first(saying: text) { copy in
            !copy.isTaken
                && (telling == .live || telling == .replayed && copy.since.map { $0 > time } != true)
        }
        let named = key.map { key in open.firstIndex { $0.key == key } }
        // A visible one is found first, and goes again.
        let possible = telling == .inDoubt(isNews: true) ? first(saying: text) { _ in true } : nil
        let deleted = possible.flatMap { open[$0].isDeleted ? $0 : nil }
        guard let index = named ?? known ?? guessed ?? deleted else {
            if key == nil { remember(id, saying: text, at: time) }
            return .unclaimed
        }
        let copy = open.remove(at: index)
        // A server echoes in order: of equal texts, what was sent later is echoed later.
        for later in open.indices where open[later].place > copy.place && open[later].text == text {
            guard open[later].client != copy.client else { continue }
            open[later].since = open[later].since.map { max($0, time) }
        }
        return .of(client: copy.client, key: copy.key)
    }

    private func first(saying text: LongText, _ fits: (Copy) -> Bool) -> Int? {
        let candidates = open.indices.filter { open[$0].text == text && fits(open[$0]) }
        return candidates.first { !open[$0].isDeleted } ?? candidates.last
    }

    /// Remembers an echo in memory that matches no message. At the limit the oldest is dropped.
    mutating func remember(_ id: MessageID, saying text: LongText, at time: WallTime, isOlder: Bool = false) {
        let isFull = unclaimed.count >= Copies.limit
        guard !(isFull && isOlder), !isUnclaimed(id) else { return }
        if isFull, let oldest = unclaimed.indices.min(by: { unclaimed[$0].place < unclaimed[$1].place }) {
            unclaimed.remove(at: oldest)
        }
        let echo = Unclaimed(id: id, text: text, time: time, place: nextPlace(isOlder: isOlder))
        unclaimed.insert(echo, at: position(of: id))
    }

    /// Forgets the unclaimed echoes, because a reset withdrew them.
    mutating func forgetEchoes() { unclaimed = [] }

    /// Resolves a copy whose row has the name of an unclaimed echo.
    mutating func found(_ id: MessageID, of key: ClientID) {
        guard isUnclaimed(id) else { return }
        unclaimed.remove(at: position(of: id))
        open.removeAll { $0.key == key }
    }

    // MARK: The lists

    private func position(of id: MessageID) -> Int { unclaimed.partitioningIndex { $0.id.text >= id.text } }

    private func isUnclaimed(_ id: MessageID) -> Bool { unclaimed[position(of: id)...].first?.id == id }

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
                place: rank(copy.place), since: form.normal(copy.since), isTaken: copy.isTaken,
                isDeleted: copy.isDeleted)
        }
        unclaimed = unclaimed.map { echo in
            Unclaimed(id: echo.id, text: echo.text, time: form.normal(echo.time), place: rank(echo.place))
        }
        let older = Int64(former.reduce(0) { $1 < 0 ? $0 + 1 : $0 })
        places = -older...(Int64(former.count) - older)
    }
}
