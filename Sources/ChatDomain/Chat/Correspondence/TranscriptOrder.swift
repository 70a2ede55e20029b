// Where a message stands in its transcript (C16), and what is in memory: whole pages that are loaded and forgotten
// again, and a history that the server withdraws and tells anew (C5, C21).

extension Transcript {
    // MARK: Order

    /// How many rows a message may move over: twice the longest replay (500), which can come before an echo.
    private static var reorderWindow: Int { 1_000 }

    /// Adds a message right behind another; at the end when that is too far away. Returns its ordinal.
    @discardableResult mutating func insert(_ message: Message, behind ordinal: Int64) -> Int64 {
        let end = insert(message)
        guard end - ordinal <= Int64(Transcript.reorderWindow) else { return end }
        var passed: [Int64] = []
        for next in stride(from: end - 1, to: ordinal, by: -1) where rows[next] != nil { passed.append(next) }
        return move(end, over: passed)
    }

    /// Moves a row that was just placed behind earlier or before later ones. O(k log n) for k rows passed.
    mutating func place(_ ordinal: Int64, _ time: WallTime) -> Int64 {
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

    /// The rows that a message must pass in one direction: placed rows whose times say so, and those between them.
    private func reach(from ordinal: Int64, step: Int64, mustPass: (WallTime) -> Bool) -> [Int64] {
        var passed: [Int64] = []
        var needed = 0
        var next = ordinal + step
        while rows.ordinals.contains(next), passed.count < Transcript.reorderWindow {
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

    /// Puts a stored page before all rows. Known rows came later and stay (C6), but for a deletion (C13). Returns the
    /// ordinals of the new ones.
    @discardableResult mutating func load(_ messages: [Message], page: Int64) -> Range<Int64> {
        let end = rows.ordinals.lowerBound
        for var message in messages.reversed() {
            let known = ordinals(of: message)
            guard known.isEmpty else {
                merge(message, at: known)
                continue
            }
            if let question = message.question, byQuestion[question] != nil {
                // A question keeps its newer reply (S6). A stored reply without a name is known by its question
                // alone.
                if case .interrupted = message.body { continue }
                guard message.id != nil else { continue }
                message.author = .assistant(to: nil)
            }
            index(message, at: rows.prepend(Boxed(wrappedValue: message)))
            rememberIfHidden(message)
        }
        pages.loaded(page, from: rows.ordinals.lowerBound)
        return rows.ordinals.lowerBound..<end
    }

    /// A stored message has these rows already. Its unclaimed echo is the message itself, which has one row (L6).
    private mutating func merge(_ message: Message, at rows: [Int64]) {
        let isHidden = rows.contains { read($0) { $0.isHidden } == true }
        if case .here = message.author {
            for other in rows.dropFirst() { remove(other) }
            if case .elsewhere = self[rows[0]]?.author { update(rows[0]) { $0.author = message.author } }
            index(message, at: rows[0])
        }
        if isHidden || message.isHidden { hide(rows[0]) }
    }

    /// The messages of a page, without those that are still growing.
    func messages(ofPage page: Int64) -> [Message] {
        guard let range = pages.ordinals(of: page, end: rows.ordinals.upperBound) else { return [] }
        var messages: [Message] = []
        for row in rows.rows(from: range.lowerBound) {
            guard row.ordinal < range.upperBound else { break }
            let message = row.value.wrappedValue
            if message.body != .growing { messages.append(message) }
        }
        return messages
    }

    /// Forgets whole pages at the old end while there are more rows than the limit; they stay stored (C21).
    mutating func trim(to limit: Int64) {
        while rows.count > limit, let end = pages.endOfOldestForgettable {
            let count = rows.rows(from: rows.ordinals.lowerBound).prefix { $0.ordinal < end }.count
            for row in rows.removeOldest(Int64(count)) { unindex(row.value.wrappedValue, at: row.ordinal) }
            pages.forgetOldest()
        }
    }

    // MARK: A history that is withdrawn

    /// Withdraws the history and returns it, because what is told anew is known by it. Unconfirmed messages stay
    /// (C5), and deleted ones are remembered (C13).
    mutating func withdraw() -> Chat.Retelling {
        let retelling = Chat.Retelling(of: self)
        let known = rows.map { $0.value.wrappedValue }
        let seed = byID.seed
        let withdrawn = pages
        self = Transcript(seed: seed, pageLength: pages.length)
        pages = withdrawn
        pages.withdraw()
        keepUnconfirmed(of: known)
        return retelling
    }

    /// Keeps what the server never confirmed of a history that it has withdrawn (C5).
    mutating func keepUnconfirmed(of withdrawn: [Message]) {
        for var message in withdrawn where message.written != nil && message.id == nil {
            guard ordinals(of: message).isEmpty else { continue }
            message.isPlaced = false  // the history that gave it its place is gone
            insert(message)
        }
    }

    /// Puts the messages that the server is not known to have behind a history that it has told anew (C16).
    mutating func putUnsentLast() {
        guard let newest = rows.newestFirst.first(where: { $0.value.wrappedValue.isPlaced })?.ordinal else {
            return
        }
        for row in rows where row.ordinal < newest {
            let message = row.value.wrappedValue
            switch message.status {
            case .queued, .uploading, .sending, .slow, .failed: break
            case .accepted, .delivered, nil: continue
            }
            guard !message.isPlaced else { continue }
            remove(row.ordinal)
            insert(message)
        }
    }
}

extension Chat {
    /// What was known before the server began to tell its history anew, while it does (C5).
    struct Retelling: DomainValue {
        /// In a box, so that it is not part of every copy of a conversation.
        private var former: Boxed<Transcript>?
        /// Whether all that was known of the history is in memory, so that what is told and not known is new.
        let isWhole: Bool

        init(of transcript: Transcript) {
            former = Boxed(wrappedValue: transcript)
            isWhole = transcript.pages.isWhole
        }

        init(isWhole: Bool) {
            former = nil
            self.isWhole = isWhole
        }

        var isOfWithdrawn: Bool { former != nil }

        /// The history was withdrawn once more: the server has named what the person wrote here.
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

        /// What there was of the reply to a message that was written here.
        func answer(to client: ClientID) -> Message? {
            guard let former = former?.wrappedValue else { return nil }
            return former.answer(to: client).flatMap { former[$0] }
        }

        func message(_ client: ClientID) -> Message? { former?.wrappedValue.message(client) }
    }
}
