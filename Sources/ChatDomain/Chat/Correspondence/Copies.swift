// Which message is which (C10, L6). A message goes to the server under a key, and again under another when
// the server had it and failed: each key that was put on a wire is a copy, and the server may echo each. Most
// protocols name no key in an echo, so it is known by its text.
//
//     sent ──▶ open ──echo that names it, or the first with that text──▶ resolved
//               │ ──taken, and an unclaimed echo since says the same──▶ resolved by that
//               │ ──taken, all is told, and an unclaimed echo says the same──▶ resolved by that
//               └──refused, or forgotten──▶ gone
//
// The laws, searched to closure in `CopiesSearchTests`: an echo resolves one copy at most, and a copy is
// resolved by one echo at most, never by one that came before it was sent. Copies with the same text are
// resolved in the order in which they were sent, those first that the server is known to have, and of equals
// those of deleted messages last. An echo that may be of an older message, because the server tells its
// history anew and not all of that is in memory, settles nothing: a copy that the server is not known to have
// goes again under its key, and is taken or refused; one that it has finds its echo among the unclaimed when
// all is told.

/// The copies that were put on a wire and have not been echoed, and the echoes that have found none.
struct Copies: DomainValue {
    /// A key under which a message was put on a wire.
    struct Copy: DomainValue {
        let key: ClientID
        let message: ClientID
        let text: LongText
        /// Where it stands among copies and echoes, in the order of time.
        let place: Int64
        /// Whether the server is known to have it: its echo comes before that of any copy that it may lack.
        var isTaken = false
        /// Whether the person has deleted the message: another with its text is meant sooner.
        var isDeleted = false
    }

    /// An echo of something written on this device, that has found no copy.
    struct Unclaimed: DomainValue {
        let id: MessageID
        let text: LongText
        let place: Int64
    }

    /// A copy that has found its echo late.
    struct Claim: Equatable {
        let message: ClientID
        let key: ClientID
        let echo: MessageID
    }

    enum Echo: Equatable {
        /// It is the echo of this message, as it went under this key.
        case of(message: ClientID, key: ClientID)
        /// It is of no message that is known here.
        case unclaimed
    }

    /// What may still be echoed, oldest first.
    private(set) var open: [Copy] = []
    /// What was echoed and is nobody's so far, oldest first.
    private(set) var unclaimed: [Unclaimed] = []
    /// The places that are used: what is loaded from storage is older than all that is here.
    private var places: ClosedRange<Int64> = 0...0

    /// Twice the longest replay (limits). A server that never echoes leaves every copy open.
    static let limit = 1_000

    // MARK: What was sent

    /// A copy is in flight, perhaps once more. Stored ones are added newest first, each older than all that is here.
    mutating func sent(_ key: ClientID, of message: ClientID, saying text: LongText, isOlder: Bool = false) {
        // What is read from storage is read once: only what went since, at places above 0, can be here already.
        let isHere = open.last { $0.key == key || isOlder && $0.place < 0 }?.key == key
        guard !isHere, Copies.makeRoom(in: &open, isOlder) else { return }
        let copy = Copy(key: key, message: message, text: text, place: nextPlace(isOlder: isOlder))
        open.insert(copy, at: isOlder ? open.startIndex : open.endIndex)
    }

    /// The server has a copy. The latest echo behind it that says the same and is nobody's is its own.
    mutating func taken(_ key: ClientID) -> MessageID? {
        guard let index = open.firstIndex(where: { $0.key == key }) else { return nil }
        open[index].isTaken = true
        let copy = open[index]
        let echo = unclaimed.lastIndex { $0.text == copy.text && $0.place > copy.place }
        guard let echo else { return nil }
        open.remove(at: index)
        return unclaimed.remove(at: echo).id
    }

    /// The server has told all that it has, so what it is known to have was among that.
    mutating func toldAll() -> [Claim] {
        open.filter { $0.isTaken }.reversed().compactMap { copy in
            taken(copy.key).map { Claim(message: copy.message, key: copy.key, echo: $0) }
        }
    }

    /// All that was ever known of the history is in memory: what was echoed and is nobody's is of what is still open.
    mutating func knowsAll() -> [Claim] {
        var claims: [Claim] = []
        for copy in open {
            let echo = unclaimed.firstIndex { $0.text == copy.text && $0.place > copy.place }
            guard let echo else { continue }
            open.removeAll { $0.key == copy.key }
            let id = unclaimed.remove(at: echo).id
            claims.append(Claim(message: copy.message, key: copy.key, echo: id))
        }
        return claims
    }

    /// The server does not take a copy, so it will not echo it.
    mutating func refused(_ key: ClientID) { open.removeAll { $0.key == key } }

    mutating func deleted(_ message: ClientID) {
        for index in open.indices where open[index].message == message { open[index].isDeleted = true }
    }

    // MARK: What is echoed

    /// Takes an echo, by its key or by its text. It is doubtful when an older message that is not in memory may be
    /// meant.
    mutating func echoed(_ id: MessageID, key: ClientID?, saying text: LongText, isDoubtful: Bool) -> Echo {
        guard let index = meant(by: key, saying: text, isDoubtful: isDoubtful) else {
            if key == nil { remember(id, saying: text) }
            return .unclaimed
        }
        let copy = open.remove(at: index)
        return .of(message: copy.message, key: copy.key)
    }

    private func meant(by key: ClientID?, saying text: LongText, isDoubtful: Bool) -> Int? {
        if let key { return open.firstIndex { $0.key == key } }
        if isDoubtful { return nil }
        return first(saying: text, isTaken: true) ?? first(saying: text, isTaken: false)
    }

    private func first(saying text: LongText, isTaken: Bool) -> Int? {
        let candidates = open.indices.lazy.filter { open[$0].isTaken == isTaken && open[$0].text == text }
        return candidates.first { !open[$0].isDeleted } ?? candidates.last
    }

    /// The row of an echo that has found no message is in memory.
    mutating func remember(_ id: MessageID, saying text: LongText, isOlder: Bool = false) {
        guard !unclaimed.contains(where: { $0.id == id }), Copies.makeRoom(in: &unclaimed, isOlder) else {
            return
        }
        let echo = Unclaimed(id: id, text: text, place: nextPlace(isOlder: isOlder))
        unclaimed.insert(echo, at: isOlder ? unclaimed.startIndex : unclaimed.endIndex)
    }

    /// The history was withdrawn, and with it what has found no message.
    mutating func forgetEchoes() { unclaimed = [] }

    /// The message of an echo is in memory, so nobody else may claim it, and its copy takes no other.
    mutating func found(_ id: MessageID, of key: ClientID) {
        unclaimed.removeAll { $0.id == id }
        open.removeAll { $0.key == key }
    }

    // MARK: The lists

    /// Forgets the oldest when there is no room; says whether there is some now.
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
