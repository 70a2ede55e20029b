// The transcript: every message of a conversation that was ever in flight, in order (C16). Start with `insert`,
// `update` and `resolve`.
//
// Rows are addressed by ordinal. Every id of a message leads to its row: the server's ids of its copies, its keys, and
// its local id; a question leads to its reply. The indexes hash with a seed of this device, because servers choose ids.
// A row keeps its position until the server's order is first known. Reads and updates cost O(log n), also while older
// values are held.

/// The messages of a conversation that were ever in flight, in order.
package struct ChatTranscript: Sendable {
    /// The messages by ordinal, oldest first. Boxed, because references reveal in O(1) whether a row has changed.
    package internal(set) var rows = OrdinalVector<Boxed<Message>>()
    /// The pages of the rows, and their state in storage.
    package internal(set) var pages: PageTable
    /// The number of unread messages, also of those on pages that have left the memory (C22).
    private(set) var unread: Int64 = 0
    /// The number of rows in memory that show that the server does not have them (L5).
    var unsent: Int64 = 0

    var byID: HashTrie<MessageID, Int64>
    var byClient: HashTrie<ClientID, Int64>
    var byQuestion: HashTrie<ClientID, Int64>

    /// Creates an empty transcript with the seed of its indexes and the number of rows of a page.
    init(seed: UInt64, pageLength: Int64) {
        byID = HashTrie(seed: seed)
        byClient = HashTrie(seed: seed)
        byQuestion = HashTrie(seed: seed)
        pages = PageTable(length: pageLength)
    }

    // MARK: Finding

    /// The row with this server id, also that of a former copy. O(log n).
    @inline(__always) package func ordinal(of id: MessageID) -> Int64? { byID[id] }

    /// The row of a message of this device, by its local id or any of its keys. O(log n).
    @inline(__always) func ordinal(of client: ClientID) -> Int64? { byClient[client] }

    /// The row of the reply to a message of this device; an interrupted reply stays until one with text replaces it.
    func answer(to client: ClientID) -> Int64? { byQuestion[client] }

    /// The message of a row; `nil` if there is none. O(log n).
    subscript(ordinal: Int64) -> Message? { rows[ordinal]?.wrappedValue }

    func reply(to client: ClientID) -> Message? { answer(to: client).flatMap { self[$0] } }

    func box(at ordinal: Int64) -> Boxed<Message>? { rows[ordinal] }

    package func message(_ client: ClientID) -> Message? { byClient[client].flatMap { self[$0] } }

    /// Reads a part of a message. A closure without captures lets the message stay uncopied; a copy retains all its
    /// texts.
    func read<Result>(_ ordinal: Int64, _ body: (Message) -> Result) -> Result? {
        rows.read(ordinal) { body($0.wrappedValue) }
    }

    // MARK: Changing

    /// Adds a message at the position of its server time, or else at the end. Returns its ordinal. O(k log n) for k
    /// rows passed.
    @discardableResult mutating func insert(_ message: Message) -> Int64 {
        let ordinal = rows.append(Boxed(wrappedValue: message))
        unread = saturatingSum(unread, message.unreadCount)
        unsent += message.unsentCount
        index(message, at: ordinal)
        rememberIfHidden(message)
        pages.appended(ordinal)
        return message.isPlaced ? place(ordinal, message.time) : ordinal
    }

    /// Adds a received message; one that was deleted on a page outside memory is hidden (C13). Returns its ordinal.
    mutating func receive(_ message: Message) -> Int64 {
        var message = message
        if let id = message.id, pages.hidden.contains(id) { message.isHidden = true }
        return insert(message)
    }

    /// Changes a message in place. The ids, the author and the time must stay, because the indexes depend on them.
    mutating func update(_ ordinal: Int64, _ change: (inout Message) -> Void) {
        if recount(ordinal, change) { pages.changed(ordinal) }
    }

    /// Changes a message without a save, and the counts with it. Returns whether there is a message.
    private mutating func recount(_ ordinal: Int64, _ change: (inout Message) -> Void) -> Bool {
        let gained = rows.update(ordinal) { row -> (unread: Int64, unsent: Int64) in
            let (unread, unsent) = (row.wrappedValue.unreadCount, row.wrappedValue.unsentCount)
            change(&row.wrappedValue)
            return (row.wrappedValue.unreadCount - unread, row.wrappedValue.unsentCount - unsent)
        }
        unread = saturatingSum(unread, gained?.unread ?? 0)
        unsent += gained?.unsent ?? 0
        return gained != nil
    }

    /// Counts a message as unread, once.
    mutating func markNew(_ ordinal: Int64) { _ = recount(ordinal) { $0.isNew = true } }

    /// Marks all messages as read. O(rows) if any is unread, otherwise O(1).
    mutating func readAll() {
        guard unread > 0 else { return }
        for row in rows.newestFirst where row.value.wrappedValue.isNew {
            _ = recount(row.ordinal) { $0.isNew = false }
        }
        unread = 0
    }

    /// Hides a message that the person deleted.
    mutating func hide(_ ordinal: Int64) {
        update(ordinal) { $0.isHidden = true }
        if let message = self[ordinal] { rememberIfHidden(message) }
    }

    /// Hides the messages that were replayed before the deletions were loaded, or stored before they were deleted (C13). A
    /// stream replays none. O(deletions log n).
    mutating func hideDeleted() {
        for id in pages.hidden {
            guard let row = ordinal(of: id), read(row, { $0.isPlaced && !$0.isHidden }) == true
            else { continue }
            hide(row)
        }
    }

    mutating func rememberIfHidden(_ message: Message) {
        guard message.isHidden else { return }
        for former in message.written?.former ?? [] { if let id = former.echo { pages.hid(id) } }
        if let id = message.id { pages.hid(id) }
    }

    /// Replaces the text of a finished reply without files. Returns `false`, without a change, for any other row.
    mutating func rewrite(_ ordinal: Int64, as message: Boxed<IncomingMessage>) -> Bool {
        // Fast path: one descent of the tree reads and changes the row.
        let isAnother = rows.update(ordinal, with: message) { $0.wrappedValue.rewrite(as: $1) }
        guard let isAnother = isAnother ?? nil else { return false }
        if isAnother { pages.changed(ordinal) }
        return true
    }

    /// Marks the newest page for a save, because it stores the cursor.
    mutating func touchNewest() { pages.changed(rows.ordinals.upperBound - 1) }

    /// Sets the server's id and time of a message or of one of its copies. Returns its ordinal, which may change.
    @discardableResult mutating func resolve(
        _ ordinal: Int64, id: MessageID, time: WallTime, key: ClientID? = nil
    ) -> Int64 {
        guard let message = self[ordinal] else { return ordinal }
        // An id in use stays with its message (C16).
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

    /// Sets the key of the next send. Former keys stay, because a replay may contain their copies (C12).
    mutating func rekey(_ ordinal: Int64, _ key: ClientID) {
        guard let message = self[ordinal], let written = message.written, written.key != key else { return }
        // The local id stays; of the other keys the oldest is dropped. 16 retries of one message are beyond use (L8).
        var former = written.former + [Message.Former(key: written.key, echo: message.id)]
        if former.count > ChatTranscript.formerLimit {
            let forgotten = former.remove(at: 1)
            byClient[forgotten.key] = nil
        }
        update(ordinal) { message in
            message.written?.former = former
            message.written?.key = key
        }
        byClient[key] = ordinal
    }

    /// Removes the key of the last send, which the server has refused; the one before it counts again (C12).
    mutating func dropKey(_ ordinal: Int64) {
        guard let written = self[ordinal]?.written, let former = written.former.last else { return }
        update(ordinal) { message in
            message.written?.former.removeLast()
            message.written?.key = former.key
            message.id = former.echo ?? message.id
        }
        byClient[written.key] = nil
    }

    private static let formerLimit = 16

    /// Merges a message that was written here with its echo, which was taken for a message of another device.
    mutating func join(_ client: ClientID, to echo: MessageID) {
        guard let sent = byClient[client], let row = byID[echo], row != sent, var message = self[sent],
            let told = self[row]
        else { return }
        remove(sent)
        (message.id, message.time, message.isPlaced) = (echo, told.time, told.isPlaced)
        update(row) { $0 = message }
        index(message, at: row)
        rememberIfHidden(message)
    }

    /// Links a reply to its question in place of an interrupted one (S6). A complete reply stays linked.
    mutating func link(_ ordinal: Int64, to client: ClientID) {
        if let earlier = byQuestion[client], earlier != ordinal {
            guard case .interrupted = self[earlier]?.body else { return }
            remove(earlier)
        }
        if let former = self[ordinal]?.question, former != client { byQuestion[former] = nil }
        update(ordinal) { $0.author = .assistant(to: client, isNamed: $0.namesQuestion) }
        byQuestion[client] = ordinal
    }

    /// Notes with a reply that it names its question. A key that is unknown here may be of a question on an older page,
    /// which is linked by it when its page is loaded (C12).
    mutating func noteNamed(_ ordinal: Int64, _ key: ClientID) {
        guard let reply = self[ordinal], reply.role == .assistant, !reply.namesQuestion else { return }
        update(ordinal) { $0.author = .assistant(to: $0.question, isNamed: true) }
        if byClient[key] == nil, byQuestion[key] == nil { link(ordinal, to: key) }
    }

    /// Takes a reply from a question that it cannot answer. A partial one stays linked, if it may be a reply to an earlier
    /// copy (`keepsPartial`).
    mutating func unlinkAnswer(to client: ClientID, keepsPartial: Bool = true) {
        guard let ordinal = byQuestion[client], let body = self[ordinal]?.body else { return }
        if keepsPartial, case .interrupted = body { return }
        update(ordinal) { $0.author = .assistant(to: nil) }
        byQuestion[client] = nil
    }

    /// Removes a row. The other rows keep their ordinals.
    mutating func remove(_ ordinal: Int64) {
        pages.changed(ordinal)
        guard let message = rows.remove(ordinal)?.wrappedValue else { return }
        unread = saturatingDifference(unread, message.unreadCount)
        unsent -= message.unsentCount
        unindex(message, at: ordinal)
    }

    // MARK: The indexes

    /// The rows with an id of this message, those with a server id first.
    func ordinals(of message: Message) -> [Int64] {
        var ordinals: [Int64] = []
        func add(_ ordinal: Int64?) {
            if let ordinal, !ordinals.contains(ordinal) { ordinals.append(ordinal) }
        }
        if let id = message.id { add(byID[id]) }
        guard case .here(let written) = message.author else { return ordinals }
        for former in written.former { if let echo = former.echo { add(byID[echo]) } }
        add(byClient[written.client])
        add(byClient[written.key])
        for former in written.former { add(byClient[former.key]) }
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
        case .assistant(let question?, _): byQuestion[question] = ordinal
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
        case .assistant(let question?, _): if byQuestion[question] == ordinal { byQuestion[question] = nil }
        case .elsewhere, .assistant, .system: break
        }
    }
}

// Equality ignores the indexes and `unsent`, because they follow from the rows.

extension ChatTranscript: Hashable {
    package static func == (left: ChatTranscript, right: ChatTranscript) -> Bool {
        left.rows == right.rows && left.pages == right.pages && left.unread == right.unread
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rows)
        hasher.combine(pages)
        hasher.combine(unread)
    }
}

#if !hasFeature(Embedded)
    extension ChatTranscript: Codable {
        private enum CodingKeys: CodingKey { case rows, pages, unread, seed }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let seed = try container.decode(UInt64.self, forKey: .seed)
            self.init(seed: seed, pageLength: 1)
            rows = try container.decode(OrdinalVector<Boxed<Message>>.self, forKey: .rows)
            pages = try container.decode(PageTable.self, forKey: .pages)
            unread = try container.decodeIfPresent(Int64.self, forKey: .unread) ?? 0
            for row in rows {
                index(row.value.wrappedValue, at: row.ordinal)
                unsent += row.value.wrappedValue.unsentCount
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(byID.seed, forKey: .seed)
            try container.encode(rows, forKey: .rows)
            try container.encode(pages, forKey: .pages)
            if unread != 0 { try container.encode(unread, forKey: .unread) }
        }
    }
#endif
