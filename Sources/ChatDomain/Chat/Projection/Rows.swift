// The rows of the chat screen (R3): what is in the transcript, and after it what waits in the outbox. `Rows` is what
// a front end keeps: it makes anew only the rows whose message or circumstances have changed since the last time,
// which it knows by comparing references. `Chat.rows` makes all of them, for those that ask once.

extension Chat {
    /// The newest rows, kept from one state to the next.
    ///
    ///     var rows = Chat.Rows(.neutral)
    ///     rows.update(state, newest: 20)      // after each action; then draw them
    public struct Rows: Sendable {
        /// What is said in the rows.
        @Boxed private var copy: Copy
        /// The rows of the transcript, newest first.
        private var kept: [Boxed<Kept>] = []
        /// The rows of what waits in the outbox, oldest first.
        private var waiting: [Row] = []

        /// A row, and what it was made from.
        private struct Kept: Sendable {
            let ordinal: Int64
            let message: Boxed<Message>
            let circumstance: Conversation.Circumstance
            let row: Row
        }

        /// No rows yet.
        public init(_ copy: Copy) {
            self.copy = copy
        }

        /// Brings the rows up to date: the newest of the transcript, at most that many, and all that waits in the
        /// outbox. O(rows), of which those that have not changed cost a comparison of references.
        public mutating func update(_ state: State, newest limit: Int64) {
            keep(state.conversation, newest: limit)
            if !waiting.isEmpty { waiting = [] }
            Chat.appendWaiting(state.conversation, state.shared, copy, to: &waiting)
        }

        private mutating func keep(_ conversation: Conversation, newest limit: Int64) {
            let around = conversation.surroundings
            var place = 0
            for (ordinal, message) in conversation.transcript.rows.newestFirst {
                guard place < limit else { break }
                while place < kept.count, kept[place].wrappedValue.ordinal > ordinal {
                    kept.remove(at: place)
                }
                let isKept = place < kept.count && kept[place].wrappedValue.ordinal == ordinal
                if isKept, isCurrent(place, message, conversation, around) {
                    place += 1
                } else if let made = make(message, ordinal, conversation, around) {
                    if isKept { kept[place] = made } else { kept.insert(made, at: place) }
                    place += 1
                } else if isKept {
                    kept.remove(at: place)
                }
            }
            kept.removeLast(kept.count - place)
        }

        /// Whether a row that is kept is what would be made now.
        private func isCurrent(
            _ place: Int, _ message: Boxed<Message>, _ conversation: Conversation,
            _ around: Conversation.Surroundings
        ) -> Bool {
            let ordinal = kept[place].wrappedValue.ordinal
            guard kept[place].wrappedValue.message.isIdentical(to: message), around.openReply != ordinal
            else {
                return false
            }
            switch kept[place].wrappedValue.circumstance {
            case .none: return true
            case .growing: return false
            case let before:
                return conversation.circumstance(of: message.wrappedValue, at: ordinal, around) == before
            }
        }

        private func make(
            _ message: Boxed<Message>, _ ordinal: Int64, _ conversation: Conversation,
            _ around: Conversation.Surroundings
        ) -> Boxed<Kept>? {
            guard !message.wrappedValue.isHidden else { return nil }
            let circumstance = conversation.circumstance(of: message.wrappedValue, at: ordinal, around)
            guard
                let row = conversation.row(message.wrappedValue, at: ordinal, circumstance, around, copy)
            else { return nil }
            return Boxed(
                wrappedValue: Kept(
                    ordinal: ordinal, message: message, circumstance: circumstance, row: row))
        }
    }

    /// The newest rows, at most that many, and after them what waits in the outbox. O(rows returned), and what is
    /// passed over among them because it is deleted.
    public static func rows(_ state: State, newest limit: Int64, _ copy: Copy) -> [Row] {
        var rows: [Row] = []
        appendNewest(limit, of: state.conversation, copy, to: &rows)
        rows.reverse()
        appendWaiting(state.conversation, state.shared, copy, to: &rows)
        return rows
    }

    /// Appends the newest rows of a transcript, newest first.
    private static func appendNewest(
        _ limit: Int64, of conversation: Conversation, _ copy: Copy, to rows: inout [Row]
    ) {
        let around = conversation.surroundings
        for (ordinal, message) in conversation.transcript.rows.newestFirst {
            guard rows.count < limit else { break }
            let circumstance = conversation.circumstance(of: message.wrappedValue, at: ordinal, around)
            let row = conversation.row(message.wrappedValue, at: ordinal, circumstance, around, copy)
            if let row { rows.append(row) }
        }
    }

    /// Appends what waits and has no row in the transcript: first what waits for the person because a file of it was
    /// not uploaded, then what goes by itself.
    private static func appendWaiting(
        _ conversation: Conversation, _ shared: Shared, _ copy: Copy, to rows: inout [Row]
    ) {
        for outgoing in conversation.outbox.parked where !conversation.hasRow(outgoing) {
            let failure = outgoing.failure ?? .uploadFailed("")
            rows.append(Row(outgoing.entry, .failed(failure), Row.Remark(failure, copy)))
        }
        guard !conversation.outbox.queue.isEmpty else { return }
        let isHeldBack = shared.uploads.pausedUntil != nil
        for outgoing in conversation.outbox.queue.elements where !conversation.hasRow(outgoing) {
            let percent = conversation.outbox.percent(of: outgoing.id)
            var remark = Row.Remark(offer: .edit)
            if outgoing.consent == .asked {
                remark = Row.Remark(note: copy.heldMessage, offer: .consent)
            } else if isHeldBack, !outgoing.entry.isReady {
                remark.note = copy.serverAskedToWait
            }
            rows.append(Row(outgoing.entry, percent.map { .uploading(percent: $0) } ?? .queued, remark))
        }
    }
}

extension Chat.Rows: RandomAccessCollection {
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { kept.count + waiting.count }

    /// A row; 0 is the oldest. The index must be within the rows, as for an array.
    public subscript(index: Int) -> Chat.Row {
        index < kept.count ? kept[kept.count - 1 - index].wrappedValue.row : waiting[index - kept.count]
    }
}

extension Chat.Row {
    /// The row of a message that is in the outbox alone.
    fileprivate init(_ entry: OutboxEntry, _ status: Message.Status, _ remark: Remark) {
        self.init(
            id: .written(entry.message), role: .user, sender: nil, text: LongText(entry.text.string),
            attachments: entry.attachments, time: entry.written, status: status, isGrowing: false,
            remark: remark)
    }
}

extension Chat.Conversation {
    /// Whether a message of the outbox has a row in the transcript: a launch joins the two only once all that it loads
    /// is there (L6).
    fileprivate func hasRow(_ outgoing: Outgoing) -> Bool {
        (transcript.ordinal(of: outgoing.entry.message) ?? transcript.ordinal(of: outgoing.id)) != nil
    }
}
