// The rows of the chat screen (R3): the transcript, then the outbox. Start with `Rows`, which a front end keeps: an
// update makes a row again only if its message, compared by reference, or its circumstance has changed.

extension Chat {
    /// The newest rows, reused from one state to the next.
    ///
    ///     var rows = Chat.Rows()
    ///     rows.update(state, newest: 20, wording)    // after each action; then draw them
    ///
    /// Rows keep the wording that they were made with; another wording needs a new `Rows`.
    public struct Rows: Sendable {
        private var kept: [Kept] = []
        private var waiting: [Row] = []
        private var source: Source?

        private struct Kept: Sendable {
            let ordinal: Int64
            let message: Boxed<Message>
            let circumstance: RowMaker.Circumstance
            let row: Boxed<Row>
        }

        /// The inputs of the outbox rows. A message with a row in the transcript has none here.
        private struct Source: Sendable {
            let outbox: Boxed<Outbox>
            let haveRows: [Bool]
            let isHeldBack: Bool
        }

        /// Creates an empty list.
        public init() {}

        /// Updates the rows: the newest `limit` rows of the transcript, then the outbox. O(rows); an unchanged row
        /// costs a comparison of references.
        public mutating func update(_ state: State, newest limit: Int64, _ wording: Wording) {
            let maker = RowMaker(state)
            keep(maker, newest: limit, wording)
            let now = Source(
                outbox: maker.conversation.wrappedValue.outboxReference,
                haveRows: maker.haveRows,
                isHeldBack: maker.isHeldBack)
            if let source, source.outbox.isIdentical(to: now.outbox), source.haveRows == now.haveRows,
                source.isHeldBack == now.isHeldBack
            {
                return
            }
            source = now
            waiting.removeAll()
            maker.appendWaiting(to: &waiting, wording)
        }

        private mutating func keep(_ maker: RowMaker, newest limit: Int64, _ wording: Wording) {
            var place = 0
            for (ordinal, message) in maker.conversation.wrappedValue.transcript.rows.newestFirst {
                guard place < limit else { break }
                // Those of rows that are gone, or do not show any more.
                while place < kept.count, kept[place].ordinal > ordinal { kept.remove(at: place) }
                let isKept = place < kept.count && kept[place].ordinal == ordinal
                if isKept, isCurrent(place, message, maker) {
                    place += 1
                    continue
                }
                guard !message.wrappedValue.isHidden else { continue }
                let circumstance = maker.circumstance(of: message, at: ordinal)
                if let row = maker.row(message, at: ordinal, circumstance, wording) {
                    let made = Kept(
                        ordinal: ordinal, message: message, circumstance: circumstance,
                        row: Boxed(wrappedValue: row))
                    if isKept { kept[place] = made } else { kept.insert(made, at: place) }
                    place += 1
                }
            }
            kept.removeLast(kept.count - place)
        }

        @inline(__always)
        private func isCurrent(_ place: Int, _ message: Boxed<Message>, _ maker: RowMaker) -> Bool {
            guard kept[place].message.isIdentical(to: message) else { return false }
            let (ordinal, before) = (kept[place].ordinal, kept[place].circumstance)
            switch before {
            case .none: return maker.openReply != ordinal
            case .growing: return false
            case .waiting, .unanswered, .partial:
                return maker.circumstance(of: message, at: ordinal) == before
            }
        }
    }

    /// The newest `limit` rows of the transcript, then the outbox. O(rows, and the deleted ones between them).
    public static func rows(_ state: State, newest limit: Int64, _ wording: Wording) -> [Row] {
        var rows = Rows()
        rows.update(state, newest: limit, wording)
        return Array(rows)
    }
}

extension Chat.RowMaker {
    /// Appends the messages without a row in the transcript: the parked ones, then the queue.
    fileprivate func appendWaiting(to rows: inout [Chat.Row], _ wording: Wording) {
        for outgoing in conversation.wrappedValue.outbox.parked where !hasRow(outgoing) {
            let failure = outgoing.failure ?? .uploadFailed("")
            rows.append(Chat.Row(outgoing.entry, .failed(failure), Chat.Row.Remark(failure, wording)))
        }
        guard !conversation.wrappedValue.outbox.queue.isEmpty else { return }
        for outgoing in conversation.wrappedValue.outbox.queue.elements where !hasRow(outgoing) {
            let status = outgoing.entry.percent.map { Chat.SendStatus.uploading(percent: $0) } ?? .queued
            rows.append(Chat.Row(outgoing.entry, status, remark(hold(of: outgoing), wording)))
        }
    }

    /// Whether each message of the outbox has a row in the transcript. O(outbox).
    fileprivate var haveRows: [Bool] {
        let outbox = conversation.wrappedValue.outboxReference
        return outbox.wrappedValue.count == 0 ? [] : outbox.wrappedValue.all.map(hasRow)
    }

    /// Whether the transcript has a row of the message; both records may hold it after a launch (L6).
    private func hasRow(_ outgoing: Outgoing) -> Bool {
        conversation.wrappedValue.transcript.ordinal(of: outgoing.entry.client) != nil
            || conversation.wrappedValue.transcript.ordinal(of: outgoing.id) != nil
    }
}

extension Chat.Rows: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { kept.count + waiting.count }

    /// A row; 0 is the oldest. The index must be within the rows, as for an array.
    public subscript(index: Int) -> Chat.Row {
        index < kept.count ? kept[kept.count - 1 - index].row.wrappedValue : waiting[index - kept.count]
    }
}

extension Chat.Row {
    fileprivate init(_ entry: OutboxEntry, _ status: Chat.SendStatus, _ remark: Remark) {
        self.init(
            id: .written(entry.client), role: .user, sender: nil, text: LongText(entry.text),
            attachments: entry.attachments, time: entry.written, status: status, isGrowing: false,
            flags: [], remark: remark)
    }
}
