// The transcript: everything of a conversation that was ever in flight, each message in its place (C16).
//
// Rows are addressed by ordinal. All names of a message lead to its row: the server's, those of its copies, and its
// own here; a question leads to the row of its reply. The tries that hold them hash with our own seed, because
// servers choose ids. A row keeps its place, unless the server's order moves it when that is first learnt. Reads and
// updates cost O(log n), also while older values are held. Start at `insert`, `update` and `resolve`.

/// The messages of a conversation that were ever on a wire, in their order.
public struct Transcript: Sendable {
    /// The messages by ordinal, oldest first; behind references, which tell whether a row has changed.
    public internal(set) var rows = OrdinalVector<Boxed<Message>>()
    /// The stretches in which the rows are stored.
    package internal(set) var pages: PageTable

    var byID: HashTrie<MessageID, Int64>
    var byClient: HashTrie<ClientID, Int64>
    var byQuestion: HashTrie<ClientID, Int64>

    /// An empty transcript whose indexes hash with a seed.
    init(seed: UInt64, pageLength: Int64) {
        byID = HashTrie(seed: seed)
        byClient = HashTrie(seed: seed)
        byQuestion = HashTrie(seed: seed)
        pages = PageTable(length: pageLength)
    }

    // MARK: Finding

    /// The row of a message that the server has named, also by the name of a former copy.
    @inline(__always) func ordinal(of id: MessageID) -> Int64? { byID[id] }

    /// The row of a message that was written here, by its name or any key under which it went.
    @inline(__always) func ordinal(of client: ClientID) -> Int64? { byClient[client] }

    /// The row of the reply to a message that was written here; what is left of the last one until text takes its
    /// place.
    func answer(to client: ClientID) -> Int64? { byQuestion[client] }

    /// The message of a row.
    subscript(ordinal: Int64) -> Message? { rows[ordinal]?.wrappedValue }

    func box(at ordinal: Int64) -> Boxed<Message>? { rows[ordinal] }

    func message(_ client: ClientID) -> Message? { byClient[client].flatMap { self[$0] } }

    /// A part of a message. The message is not copied, as long as the closure captures nothing: each of its texts
    /// would be retained.
    func read<Result>(_ ordinal: Int64, _ body: (Message) -> Result) -> Result? {
        rows.read(ordinal) { body($0.wrappedValue) }
    }

    func isNewest(_ id: MessageID) -> Bool {
        rows.read(rows.ordinals.upperBound - 1, with: id) { row, id in row.wrappedValue.id == id } ?? false
    }

    // MARK: Changing

    /// Adds a message, at the place of its server time or at the end. Returns its ordinal.
    @discardableResult mutating func insert(_ message: Message) -> Int64 {
        let ordinal = rows.append(Boxed(wrappedValue: message))
        index(message, at: ordinal)
        rememberIfHidden(message)
        pages.appended(ordinal)
        return message.isPlaced ? place(ordinal, message.time) : ordinal
    }

    /// Adds a message of the server, which may be deleted on a page that is not in memory (C13). Returns its ordinal.
    mutating func receive(_ message: Message) -> Int64 {
        var message = message
        if let id = message.id, pages.hidden.contains(id) { message.isHidden = true }
        return insert(message)
    }

    /// Changes a message in its place; its names and its time must not change here.
    mutating func update(_ ordinal: Int64, _ change: (inout Message) -> Void) {
        guard rows.update(ordinal, { change(&$0.wrappedValue) }) != nil else { return }
        pages.changed(ordinal)
    }

    /// Deletes a message for the person. It keeps its place, so that nothing brings it back.
    mutating func hide(_ ordinal: Int64) {
        update(ordinal) { $0.isHidden = true }
        if let message = self[ordinal] { rememberIfHidden(message) }
    }

    /// Hides what was told anew before it was known to be deleted (C13).
    mutating func hideDeleted() {
        for id in pages.hidden {
            guard let row = ordinal(of: id), read(row, { $0.isHidden }) == false else { continue }
            hide(row)
        }
    }

    mutating func rememberIfHidden(_ message: Message) {
        guard message.isHidden else { return }
        for former in message.written?.former ?? [] { if let id = former.echo { pages.hid(id) } }
        if let id = message.id { pages.hid(id) }
    }

    /// Rewrites a finished reply without files. Returns `false`, and changes nothing, for any other row.
    mutating func rewrite(_ ordinal: Int64, _ text: LongText) -> Bool {
        // One way through the tree for nearly all: it is changed where it is found.
        let isAnother = rows.update(ordinal, with: text) { row, text -> Bool? in
            guard case .text(let current) = row.wrappedValue.body, row.wrappedValue.isPlaced,
                !row.wrappedValue.isFromPerson, row.wrappedValue.attachments.isEmpty
            else { return nil }
            guard current != text else { return false }
            row.wrappedValue.body = .text(text)
            return true
        }
        guard let isAnother = isAnother ?? nil else { return false }
        if isAnother { pages.changed(ordinal) }
        return true
    }

    /// Has the newest page saved anew, because it tells the cursor.
    mutating func touchNewest() { pages.changed(rows.ordinals.upperBound - 1) }

    /// Learns the server's name for a message or a copy of it, and its place. Returns its ordinal, which may be
    /// another.
    @discardableResult mutating func resolve(
        _ ordinal: Int64, id: MessageID, time: WallTime, key: ClientID? = nil
    ) -> Int64 {
        guard let message = self[ordinal] else { return ordinal }
        // A name that another message has stays with that one, whatever a server says (C16).
        let isNew = byID[id] == nil
        update(ordinal) { message in
            if !message.isPlaced {
                message.time = time
                message.isPlaced = true
            }
            guard isNew else { return }
            let place = message.written?.former.firstIndex { $0.key == key }
            if let place { message.written?.former[place].echo = id }
            if place == nil || message.id == nil { message.id = id }
        }
        if isNew { byID[id] = ordinal }
        if let known = self[ordinal] { rememberIfHidden(known) }
        return message.isPlaced ? ordinal : place(ordinal, time)
    }

    /// Sets the key under which a message goes next. Former keys are kept, because a replay may tell their copies
    /// (C12).
    mutating func rekey(_ ordinal: Int64, _ key: ClientID) {
        guard let message = self[ordinal], let written = message.written, written.key != key else { return }
        // The first is its name here; of the others the oldest is forgotten, for nobody asks so often in vain (L8).
        var former = written.former + [Message.Former(key: written.key, echo: message.id)]
        if former.count > Transcript.formerLimit {
            let forgotten = former.remove(at: 1)
            byClient[forgotten.key] = nil
        }
        update(ordinal) { message in
            message.written?.former = former
            message.written?.key = key
        }
        byClient[key] = ordinal
    }

    private static let formerLimit = 16

    /// Joins a message that was written here with the row of its echo, which was taken for another device's.
    mutating func join(_ client: ClientID, to echo: MessageID) {
        guard let sent = byClient[client], let row = byID[echo], row != sent, var message = self[sent],
            let told = self[row]
        else { return }
        remove(sent)
        (message.id, message.time, message.isPlaced) = (echo, told.time, told.isPlaced)
        update(row) { $0 = message }
        index(message, at: row)
    }

    /// Links a reply to its question and drops what was left of an earlier one (S6). A complete reply stays linked.
    mutating func link(_ ordinal: Int64, to client: ClientID) {
        if let earlier = byQuestion[client], earlier != ordinal {
            guard case .interrupted = self[earlier]?.body else { return }
            remove(earlier)
        }
        if let former = self[ordinal]?.question, former != client { byQuestion[former] = nil }
        update(ordinal) { $0.author = .assistant(to: client) }
        byQuestion[client] = ordinal
    }

    /// Takes a row out for good. Those after it keep their ordinals.
    mutating func remove(_ ordinal: Int64) {
        pages.changed(ordinal)
        guard let message = rows.remove(ordinal)?.wrappedValue else { return }
        unindex(message, at: ordinal)
    }

    // MARK: The indexes

    /// The rows that the names of a message lead to, those by the server's names first.
    func ordinals(of message: Message) -> [Int64] {
        var ordinals: [Int64] = []
        func add(_ ordinal: Int64?) {
            if let ordinal, !ordinals.contains(ordinal) { ordinals.append(ordinal) }
        }
        if let id = message.id { add(byID[id]) }
        guard case .here(let written) = message.author else { return ordinals }
        for former in written.former { if let echo = former.echo { add(byID[echo]) } }
        add(byClient[written.client])
        return ordinals
    }

    mutating func index(_ message: Message, at ordinal: Int64) {
        if let id = message.id { byID[id] = ordinal }
        switch message.author {
        case .here(let written):
            byClient[written.client] = ordinal
            if written.key != written.client { byClient[written.key] = ordinal }
            for former in written.former {
                byClient[former.key] = ordinal
                if let echo = former.echo { byID[echo] = ordinal }
            }
        case .assistant(let question?): byQuestion[question] = ordinal
        case .elsewhere, .assistant, .system: break
        }
    }

    mutating func unindex(_ message: Message, at ordinal: Int64) {
        if let id = message.id, byID[id] == ordinal { byID[id] = nil }
        switch message.author {
        case .here(let written):
            byClient[written.client] = nil
            byClient[written.key] = nil
            for former in written.former {
                byClient[former.key] = nil
                if let echo = former.echo, byID[echo] == ordinal { byID[echo] = nil }
            }
        case .assistant(let question?): if byQuestion[question] == ordinal { byQuestion[question] = nil }
        case .elsewhere, .assistant, .system: break
        }
    }
}

// The indexes follow from the rows and take no part in what a transcript is.

extension Transcript: Hashable {
    public static func == (left: Transcript, right: Transcript) -> Bool {
        left.rows == right.rows && left.pages == right.pages
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rows)
        hasher.combine(pages)
    }
}

#if !hasFeature(Embedded)
    extension Transcript: Codable {
        private enum CodingKeys: CodingKey { case rows, pages, seed }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let seed = try container.decode(UInt64.self, forKey: .seed)
            self.init(seed: seed, pageLength: 1)
            rows = try container.decode(OrdinalVector<Boxed<Message>>.self, forKey: .rows)
            pages = try container.decode(PageTable.self, forKey: .pages)
            for row in rows { index(row.value.wrappedValue, at: row.ordinal) }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(byID.seed, forKey: .seed)
            try container.encode(rows, forKey: .rows)
            try container.encode(pages, forKey: .pages)
        }
    }
#endif
