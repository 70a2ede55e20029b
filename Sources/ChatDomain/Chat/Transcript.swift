// The transcript: everything of a conversation that was ever on a wire, each message in its place (C16).
//
// Rows are addressed by ordinal; ids lead to ordinals through tries whose hash is seeded by us, because
// servers choose ids. A row keeps its place once shown, except that the server's order, when it is first
// learnt, may move it. Reading and updating cost O(log n), also while older values are held.

/// The messages of a conversation that were ever on a wire, in their order.
public struct Transcript: Sendable {
    /// The messages by ordinal, oldest first.
    public private(set) var rows = OrdinalVector<Message>()
    /// The stretches in which the rows are stored.
    public internal(set) var pages: PageTable

    private var byID: HashTrie<MessageID, Int64>
    private var byClient: HashTrie<ClientID, Int64>
    /// The names that messages had before they were sent again (C12), oldest first; a replay may say them again.
    private var formerNames: [FormerName] = []

    /// A name that a message had, and the one that it has now.
    private struct FormerName: DomainValue {
        let name: MessageID
        var now: MessageID
    }

    /// How many rows a message may be moved over: twice the longest replay (500) that can come between a
    /// message and its echo. Beyond it a message stands where it arrived.
    private static let reorderWindow = 1_000

    /// How many former names are remembered (SPEC section 8).
    private static let formerNameLimit = 1_000

    /// An empty transcript whose indexes hash with a seed.
    public init(seed: UInt64, pageLength: Int64) {
        byID = HashTrie(seed: seed)
        byClient = HashTrie(seed: seed)
        pages = PageTable(length: pageLength)
    }

    // MARK: Finding

    /// The row of a message that the server has named, also by a name that it had before.
    public func ordinal(of id: MessageID) -> Int64? {
        byID[id] ?? formerNames.last { $0.name == id }.flatMap { byID[$0.now] }
    }

    /// The row of a message that was written here.
    public func ordinal(of client: ClientID) -> Int64? { byClient[client] }

    /// The message of a row.
    public subscript(ordinal: Int64) -> Message? { rows[ordinal] }

    /// A part of the message of a row. Unlike the subscript it does not copy the message, whose many texts
    /// would each be retained; but only when the closure captures nothing does the compiler see that.
    func read<Result>(_ ordinal: Int64, _ body: (Message) -> Result) -> Result? {
        rows.read(ordinal, body)
    }

    /// Whether the newest row is that of a message.
    func isNewest(_ id: MessageID) -> Bool {
        rows.read(rows.ordinals.upperBound - 1, with: id) { message, id in message.id == id } ?? false
    }

    // MARK: Changing

    /// Adds a message: where its server time belongs when the server has placed it, else at the end.
    /// Returns its ordinal.
    @discardableResult
    public mutating func insert(_ message: Message) -> Int64 {
        let ordinal = rows.append(message)
        index(message, at: ordinal)
        rememberIfHidden(ordinal)
        pages.appended(ordinal)
        return message.isPlaced ? settle(ordinal, message.time) : ordinal
    }

    /// Deletes a message for the person. It keeps its place, so that nothing brings it back.
    mutating func hide(_ ordinal: Int64) {
        update(ordinal) { $0.isHidden = true }
        rememberIfHidden(ordinal)
    }

    private mutating func rememberIfHidden(_ ordinal: Int64) {
        guard let id = read(ordinal, { $0.isHidden ? $0.id : nil }) ?? nil else { return }
        for former in formerNames where former.now == id { pages.hid(former.name) }
        pages.hid(id)
    }

    /// Adds a message right behind another, where it belongs whatever has come since; at the end when that is
    /// farther away than a message may be moved. Returns its ordinal.
    @discardableResult
    public mutating func insert(_ message: Message, behind ordinal: Int64) -> Int64 {
        let end = insert(message)
        guard end - ordinal <= Int64(Transcript.reorderWindow) else { return end }
        var passed: [Int64] = []
        for next in stride(from: end - 1, to: ordinal, by: -1) where rows[next] != nil { passed.append(next) }
        return move(end, over: passed)
    }

    /// Changes a message in its place; its id, client id and time must not change here.
    public mutating func update(_ ordinal: Int64, _ change: (inout Message) -> Void) {
        guard rows.update(ordinal, change) != nil else { return }
        pages.changed(ordinal)
    }

    /// Puts another text into the row of a finished reply without files that the server has placed. Returns
    /// `false`, and changes nothing, when the row is anything else.
    mutating func rewrite(_ ordinal: Int64, _ text: LongText) -> Bool {
        let isAnother = rows.update(ordinal, with: text) { message, text -> Bool? in
            guard case .text(let current) = message.body, message.isPlaced, message.role != .user,
                message.attachments.isEmpty
            else { return nil }
            guard current != text else { return false }
            message.body = .text(text)
            return true
        }
        guard let isAnother = isAnother ?? nil else { return false }
        if isAnother { pages.changed(ordinal) }
        return true
    }

    /// Has the newest page saved anew, because it tells the cursor.
    mutating func touchNewest() {
        pages.changed(rows.ordinals.upperBound - 1)
    }

    /// Learns what the server calls a message and where it belongs. Returns its ordinal, which is another
    /// one when it had to move.
    @discardableResult
    public mutating func resolve(_ ordinal: Int64, id: MessageID, time: WallTime) -> Int64 {
        guard let isPlaced = read(ordinal, { $0.isPlaced }) else { return ordinal }
        guard !isPlaced else {
            // It has its place, and the time that gave it. Sent again it has another name (C12).
            name(ordinal, id)
            return ordinal
        }
        retireName(of: ordinal, for: id)
        update(ordinal) {
            $0.id = id
            $0.time = time
            $0.isPlaced = true
        }
        byID[id] = ordinal
        rememberIfHidden(ordinal)
        return settle(ordinal, time)
    }

    /// Learns which message that was written here an echo meant.
    mutating func name(_ ordinal: Int64, _ client: ClientID) {
        update(ordinal) { $0.client = client }
        byClient[client] = ordinal
    }

    /// Learns what the server calls a message that keeps its place. A name that another message has stays with
    /// that one, whatever a server says (C16).
    mutating func name(_ ordinal: Int64, _ id: MessageID) {
        guard self.ordinal(of: id) == nil, rows[ordinal] != nil else { return }
        retireName(of: ordinal, for: id)
        update(ordinal) { $0.id = id }
        byID[id] = ordinal
        rememberIfHidden(ordinal)
    }

    /// Remembers the name that a message had before another. It leads to the new name and not to the row, because
    /// rows move.
    private mutating func retireName(of ordinal: Int64, for id: MessageID) {
        guard let old = rows[ordinal]?.id, old != id else { return }
        byID[old] = nil
        for index in formerNames.indices where formerNames[index].now == old { formerNames[index].now = id }
        if formerNames.count >= Transcript.formerNameLimit { formerNames.removeFirst() }
        formerNames.append(FormerName(name: old, now: id))
    }

    /// Gives a message that was written here another client id, under which it is sent again (C12).
    mutating func rename(_ ordinal: Int64, _ client: ClientID) {
        if let old = rows[ordinal]?.client { byClient[old] = nil }
        name(ordinal, client)
    }

    /// Takes a row out for good. Those after it keep their ordinals.
    mutating func remove(_ ordinal: Int64) {
        pages.changed(ordinal)
        guard let message = rows.remove(ordinal) else { return }
        if let id = message.id { byID[id] = nil }
        if let client = message.client { byClient[client] = nil }
    }

    // MARK: Pages

    /// Puts a stored page before all that is here. What is here already came from the network later and
    /// stays as it is (C6), but that the person has deleted it the network does not know (C13).
    public mutating func load(_ messages: [Message], page: Int64) {
        for message in messages.reversed() {
            if let known = ordinal(of: message) {
                if message.isHidden { hide(known) }
            } else {
                let ordinal = rows.prepend(message)
                index(message, at: ordinal)
                rememberIfHidden(ordinal)
            }
        }
        pages.loaded(page, from: rows.ordinals.lowerBound)
    }

    /// The messages of a page, without those that are still growing.
    public func messages(ofPage page: Int64) -> [Message] {
        guard let range = pages.ordinals(of: page, end: rows.ordinals.upperBound) else { return [] }
        var messages: [Message] = []
        for row in rows.rows(from: range.lowerBound) {
            guard row.ordinal < range.upperBound else { break }
            if row.value.body != .growing { messages.append(row.value) }
        }
        return messages
    }

    /// Forgets whole pages at the old end while there are more rows than the limit; they stay stored (C21).
    public mutating func trim(to limit: Int64) {
        while rows.count > limit, let end = pages.endOfOldestForgettable {
            var count: Int64 = 0
            for row in rows.rows(from: rows.ordinals.lowerBound) {
                guard row.ordinal < end else { break }
                if let id = row.value.id { byID[id] = nil }
                if let client = row.value.client { byClient[client] = nil }
                count += 1
            }
            rows.removeOldest(count)
            pages.forgetOldest()
        }
    }

    /// Drops the history that the server has withdrawn. What it never confirmed stays (C5), and what the person has
    /// deleted is remembered, so that a replay does not bring it back (C13).
    public mutating func withdraw() {
        let kept = rows.filter { $0.value.role == .user && $0.value.id == nil }
        rows = OrdinalVector()
        byID = HashTrie(seed: byID.seed)
        byClient = HashTrie(seed: byClient.seed)
        pages.withdraw()
        for row in kept {
            var message = row.value
            message.isPlaced = false  // the history that gave it its place is gone
            insert(message)
        }
        formerNames.removeAll { byID[$0.now] == nil }
    }

    // MARK: Order

    /// Moves a row that has just been placed: behind younger-standing rows of an earlier time, or before
    /// older-standing ones of a later time. The rows it passes keep their order among themselves. O(k log n)
    /// for k rows passed.
    private mutating func settle(_ ordinal: Int64, _ time: WallTime) -> Int64 {
        let later = reach(from: ordinal, step: 1) { $0 < time }
        return move(ordinal, over: later.isEmpty ? reach(from: ordinal, step: -1) { $0 > time } : later)
    }

    /// Moves a row over its neighbours, nearest first, each of which takes the place of the one before.
    private mutating func move(_ ordinal: Int64, over passed: [Int64]) -> Int64 {
        guard let target = passed.last, let message = rows[ordinal] else { return ordinal }
        var hole = ordinal
        for next in passed {
            if let value = rows[next] { put(value, at: hole) }
            hole = next
        }
        put(message, at: target)
        if target < ordinal { pages.moved(back: target, from: ordinal) }
        return target
    }

    /// The rows from the neighbour of one to the farthest that a message must pass, going one way: placed
    /// rows whose times say so, and what stands between them.
    private func reach(from ordinal: Int64, step: Int64, mustPass: (WallTime) -> Bool) -> [Int64] {
        var passed: [Int64] = []
        var needed = 0
        var next = ordinal + step
        while rows.ordinals.contains(next), passed.count < Transcript.reorderWindow {
            if let row = rows[next] {
                passed.append(next)
                if row.isPlaced {
                    guard mustPass(row.time) else { break }
                    needed = passed.count
                }
            }
            next += step
        }
        return Array(passed.prefix(needed))
    }

    private mutating func put(_ message: Message, at ordinal: Int64) {
        update(ordinal) { $0 = message }
        index(message, at: ordinal)
    }

    private func ordinal(of message: Message) -> Int64? {
        message.id.flatMap { byID[$0] } ?? message.client.flatMap { byClient[$0] }
    }

    private mutating func index(_ message: Message, at ordinal: Int64) {
        if let id = message.id { byID[id] = ordinal }
        if let client = message.client { byClient[client] = ordinal }
    }
}

// The indexes follow from the rows and take no part in what a transcript is.

extension Transcript: Hashable {
    public static func == (left: Transcript, right: Transcript) -> Bool {
        left.rows == right.rows && left.pages == right.pages && left.formerNames == right.formerNames
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rows)
        hasher.combine(pages)
        hasher.combine(formerNames)
    }
}

#if !hasFeature(Embedded)
    extension Transcript: Codable {
        private enum CodingKeys: CodingKey {
            case rows, pages, formerNames, seed
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let seed = try container.decode(UInt64.self, forKey: .seed)
            rows = try container.decode(OrdinalVector<Message>.self, forKey: .rows)
            pages = try container.decode(PageTable.self, forKey: .pages)
            formerNames = try container.decode([FormerName].self, forKey: .formerNames)
            byID = HashTrie(seed: seed)
            byClient = HashTrie(seed: seed)
            for row in rows { index(row.value, at: row.ordinal) }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(byID.seed, forKey: .seed)
            try container.encode(rows, forKey: .rows)
            try container.encode(pages, forKey: .pages)
            try container.encode(formerNames, forKey: .formerNames)
        }
    }
#endif
