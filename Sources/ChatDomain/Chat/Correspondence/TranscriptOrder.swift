// The order of rows (C16), pages that enter and leave memory (C21), and a history that the server withdraws (C5). Start
// with `place`, `load` and `withdraw`. A row is in one position, and a move, a page or a reset loses no unsent message.

extension ChatTranscript {
    // MARK: Order

    /// The most rows that a message moves over: twice the longest replay (500), which may come before an echo.
    static var reorderWindow: Int { 1_000 }

    /// Adds a message right after another one; at the end if that one is too far away. Returns its ordinal.
    @discardableResult mutating func insert(_ message: Message, behind ordinal: Int64) -> Int64 {
        let end = insert(message)
        guard end - ordinal <= Int64(ChatTranscript.reorderWindow) else { return end }
        var passed: [Int64] = []
        for next in stride(from: end - 1, to: ordinal, by: -1) where rows[next] != nil { passed.append(next) }
        return move(end, over: passed)
    }

    /// Moves a row to the position of its server time. Returns its new ordinal. O(k log n) for k rows passed.
    mutating func place(_ ordinal: Int64, _ time: WallTime) -> Int64 {
        let later = reach(from: ordinal, step: 1) { $0 < time }
        return move(ordinal, over: later.isEmpty ? reach(from: ordinal, step: -1) { $0 > time } : later)
    }

    /// Moves rows over the older ones behind them: a full replay may tell those before a page is loaded (C16). O(rows),
    /// and O(k log n) for k rows passed.
    mutating func settle(_ ordinals: Range<Int64>) {
        let behind = rows.rows(from: ordinals.upperBound)
        var next = behind.first { $0.value.wrappedValue.isPlaced }?.value.wrappedValue.time
        for row in rows.newestFirst(before: ordinals.upperBound) {
            guard row.ordinal >= ordinals.lowerBound else { break }
            let message = row.value.wrappedValue
            guard message.isPlaced else { continue }
            guard let older = next, older < message.time else {
                next = message.time
                continue
            }
            let passed = reach(from: row.ordinal, step: 1) { $0 < message.time }
            _ = move(row.ordinal, over: passed)
            pages.moved(row.ordinal, over: passed)
        }
    }

    /// Moves a row over its neighbours, nearest first; each takes the ordinal of the one before.
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

    /// The rows to pass in one direction: the placed rows that must be passed, and the rows between them.
    private func reach(from ordinal: Int64, step: Int64, mustPass: (WallTime) -> Bool) -> [Int64] {
        var passed: [Int64] = []
        var needed = 0
        var next = ordinal + step
        while rows.ordinals.contains(next), passed.count < ChatTranscript.reorderWindow {
            if let placed = read(next, { $0.isPlaced ? $0.time : nil }) {
                passed.append(next)
                if let placed {
                    guard mustPass(placed) else { break }
                    needed = passed.count
                }
            }
            next += step
        }
        return Array(passed.prefix(needed))
    }

    private mutating func put(_ row: Boxed<Message>, at ordinal: Int64) {
        guard rows.update(ordinal, { $0 = row }) != nil else { return }
        pages.changed(ordinal)
        index(row.wrappedValue, at: ordinal)
    }

    // MARK: Pages

    /// Puts a stored page before all rows. A row in memory is newer and stays (C6); only a deletion is merged, also one
    /// that only the contents name (C13). Returns the ordinals of the new rows.
    @discardableResult mutating func load(_ messages: [Message], page: Int64) -> Range<Int64> {
        let end = rows.ordinals.lowerBound
        for var message in messages.reversed() {
            forgetSharedID(of: &message)
            let known = ordinals(of: message)
            guard known.isEmpty else {
                merge(message, at: known)
                continue
            }
            if let question = message.question, byQuestion[question] != nil {
                // The newer reply of a question stays (S6). A stored reply without an id is identified by its question
                // alone.
                if case .interrupted = message.body { continue }
                guard message.id != nil else { continue }
                message.author = .assistant(to: nil)
            }
            index(message, at: rows.prepend(Boxed(wrappedValue: message)))
            unsent += message.unsentCount
            rememberIfHidden(message)
        }
        pages.loaded(page, from: rows.ordinals.lowerBound)
        hideDeleted()
        return rows.ordinals.lowerBound..<end
    }

    /// Forgets the id of a stored reply of a stream if the reply to another question has it. Some servers repeat their
    /// ids, and such a reply is that to its question (C16).
    private func forgetSharedID(of message: inout Message) {
        guard !message.isPlaced, let question = message.question, let id = message.id,
            let other = byID[id].flatMap({ self[$0]?.question }), other != question
        else { return }
        message.id = nil
    }

    /// Merges a stored message with its rows, so that one remains (L6): an unclaimed echo is the message itself, and so is
    /// a copy that was told as a message of its own.
    private mutating func merge(_ message: Message, at rows: [Int64]) {
        var (kept, isHidden) = (rows[0], message.isHidden)
        var latest: Message?
        var copies: [ClientID] = []
        for row in rows {
            guard let told = self[row] else { continue }
            if told.isHidden { isHidden = true }
            guard let stored = message.written else { continue }
            if told.isPlaced, row < kept || read(kept, { $0.isPlaced }) == false { kept = row }
            if latest == nil, told.written?.key == stored.key { latest = told }
            if let copy = told.client, copy != stored.client { copies.append(copy) }
        }
        if let stored = message.written {
            for other in rows where other != kept { remove(other) }
            if let row = self[kept], row.isCopy(of: message) {
                update(kept) { row in
                    (row.author, row.attachments) = (message.author, message.attachments)
                    row.id = latest?.id ?? message.id ?? row.id
                    row.status = latest?.status ?? row.status
                }
            }
            index(message, at: kept)
            if let row = self[kept] { index(row, at: kept) }
            for copy in copies { if let reply = byQuestion[copy] { link(reply, to: stored.client) } }
        }
        if isHidden { hide(kept) }
    }

    /// The messages of a page without growing replies, as storage keeps them.
    func messages(ofPage page: Int64) -> [Message] {
        guard let range = pages.ordinals(of: page, end: rows.ordinals.upperBound) else { return [] }
        let stored = rows.rows(from: range.lowerBound).prefix { $0.ordinal < range.upperBound }
        var messages = stored.map { $0.value.wrappedValue }.filter { $0.body != .growing }
        for index in messages.indices { messages[index].isNew = false }
        return messages
    }

    /// Drops whole stored pages from memory, oldest first, while there are more rows than `limit` (C21).
    mutating func trim(to limit: Int64) {
        while rows.count > limit, let end = pages.endOfOldestForgettable {
            let count = rows.prefix { $0.ordinal < end }.count
            for row in rows.removeOldest(Int64(count)) {
                unindex(row.value.wrappedValue, at: row.ordinal)
                unsent -= row.value.wrappedValue.unsentCount
            }
            pages.forgetOldest()
        }
    }

    // MARK: A withdrawn history

    /// The newest row with a server time, perhaps before another row. Further away than a message moves there is none: a
    /// server may tell no times.
    func newestPlaced(before ordinal: Int64? = nil) -> (ordinal: Int64, time: WallTime)? {
        let rows = rows.newestFirst(before: ordinal ?? rows.ordinals.upperBound)
            .prefix(ChatTranscript.reorderWindow)
        return rows.first { $0.value.wrappedValue.isPlaced }.map { ($0.ordinal, $0.value.wrappedValue.time) }
    }

    /// Withdraws the history. Returns it, because a full replay recognises messages by it. Unconfirmed messages stay
    /// (C5), and deletions are remembered (C13).
    mutating func withdraw() -> Chat.Retelling {
        let retelling = Chat.Retelling(of: self, isWithdrawn: true)
        let known = rows.map { $0.value.wrappedValue }
        let withdrawn = pages
        self = ChatTranscript(seed: byID.seed, pageLength: pages.length)
        pages = withdrawn
        pages.withdraw()
        keepUnconfirmed(of: known)
        return retelling
    }

    /// Keeps the unconfirmed messages of a withdrawn history (C5). A confirmed one is the message that was told anew, or
    /// whose copies were (L6).
    mutating func keepUnconfirmed(of withdrawn: [Message]) {
        for var message in withdrawn where message.written != nil {
            let known = ordinals(of: message)
            let isConfirmed = message.id != nil && message.status?.isUnconfirmed == false
            if isConfirmed, !known.isEmpty { merge(message, at: known) }
            guard message.id == nil, known.isEmpty else { continue }
            message.isPlaced = false  // the order of the withdrawn history is void
            insert(message)
        }
    }

    /// Moves the unconfirmed messages after a replayed history (C16).
    mutating func putUnsentLast() {
        guard let newest = newestPlaced()?.ordinal else { return }
        for row in rows where row.ordinal < newest {
            let message = row.value.wrappedValue
            guard !message.isPlaced, let status = message.status, status != .accepted, status != .delivered
            else { continue }
            remove(row.ordinal)
            insert(message)
        }
    }
}

extension Message {
    /// Whether a server has told it as a message of its own, though it is a copy of this stored one.
    fileprivate func isCopy(of stored: Message) -> Bool {
        switch author {
        case .elsewhere: true
        case .here(let told):
            stored.status?.isUnconfirmed == false
                && (told.client != stored.client
                    || stored.written?.former.contains { $0.key == told.key } == true)
        case .assistant, .system: false
        }
    }
}

extension Chat {
    /// The former history during a full replay (C5).
    struct Retelling: DomainValue {
        /// Boxed, so that a copy of a conversation does not copy it.
        private var former: Boxed<ChatTranscript>?
        /// Whether not all of the history was in memory: an unknown message may be an old one.
        private let isPartial: Bool
        /// The server time of the newest message; `nil` if unknown.
        private var newest: WallTime?

        init(of transcript: ChatTranscript, isWithdrawn: Bool) {
            former = isWithdrawn ? Boxed(wrappedValue: transcript) : nil
            isPartial = !transcript.pages.isWhole
            newest = transcript.newestPlaced()?.time
        }

        /// How a message of this time is told, if it may be an old one.
        func doubt(at time: WallTime) -> Copies.Telling? {
            isPartial ? .inDoubt(isNews: newest.map { $0 < time } == true) : nil
        }

        var isOfWithdrawn: Bool { former != nil }

        /// Merges the history of a second reset: the server may have named messages of this device since the first.
        mutating func learn(from withdrawn: Chat.Retelling) {
            guard former != nil else { return former = withdrawn.former }
            for row in withdrawn.former?.wrappedValue.rows ?? OrdinalVector() {
                let message = row.value.wrappedValue
                guard message.written != nil, message.id != nil else { continue }
                guard let known = former?.wrappedValue.ordinals(of: message).first else {
                    former?.wrappedValue.insert(message)
                    continue
                }
                former?.wrappedValue.update(known) { $0 = message }
                former?.wrappedValue.index(message, at: known)
            }
        }

        func message(_ id: MessageID) -> Message? {
            guard let former = former?.wrappedValue, let ordinal = former.ordinal(of: id) else { return nil }
            return former[ordinal]
        }

        mutating func readAll() { former?.wrappedValue.readAll() }

        /// The former reply to a message of this device.
        func reply(to client: ClientID) -> Message? { former?.wrappedValue.reply(to: client) }

        func message(_ client: ClientID) -> Message? { former?.wrappedValue.message(client) }
    }
}

extension Chat.Retelling: Normalizable {
    mutating func normalize(_ form: inout NormalForm) {
        former.normalize(&form)
        newest.normalize(&form)
    }
}
