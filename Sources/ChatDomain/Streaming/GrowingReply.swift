// One reply while it grows (S2, S3, C17). Text arrives as increments or as the whole so far; it gathers for a
// batch interval and is then shown at once. What has been shown is a `LongText`, so a token costs the same
// however long the reply is. The row in the transcript keeps the place; the text moves there when it ends.

/// A reply that is still growing.
public struct GrowingReply: DomainValue {
    /// The server's name for it.
    public let id: MessageID
    /// What a person can see of it.
    public private(set) var shown = LongText()
    /// What will be shown with the next batch.
    public private(set) var pending: Pending = .nothing
    /// When something of it last arrived.
    public private(set) var lastArrival: Instant
    /// The pieces that came too early, once it is told in numbered ones.
    public private(set) var chunks: ReorderBuffer<ExactText>?

    /// What will be shown with the next batch.
    public enum Pending: DomainValue {
        /// Nothing is new.
        case nothing
        /// This comes after what is shown.
        case addition(TokenBatch)
        /// This takes the place of what is shown.
        case replacement(LongText)
    }

    /// Whether text that came is the first of a batch.
    public enum Taken: DomainValue {
        /// It is: the batch's timer is to be started.
        case first
        /// Others wait already.
        case further
        /// There was nothing in it.
        case nothing
    }

    /// A reply that begins, or goes on after what is shown already.
    public init(id: MessageID, shown: LongText = LongText(), at now: Instant) {
        self.id = id
        self.shown = shown
        lastArrival = now
    }

    /// How much there is of it, shown or not, in UTF-8 bytes.
    public var byteCount: Int64 {
        switch pending {
        case .nothing: shown.byteCount
        case .addition(let batch): saturatingSum(shown.byteCount, batch.byteCount)
        case .replacement(let text): text.byteCount
        }
    }

    /// Takes an increment. O(length of the increment), amortised.
    public mutating func append(_ token: ExactText, at now: Instant) -> Taken {
        lastArrival = now
        switch pending {
        case .nothing:
            var batch = TokenBatch()
            guard case .first = batch.append(token) else { return .nothing }
            pending = .addition(batch)
            return .first
        case .addition(var batch):
            pending = .nothing  // so that the batch is not shared while it grows
            switch batch.append(token) {
            case .displaced(let full): shown.append(full.text)
            case .first, .further, .nothing: break
            }
            pending = .addition(batch)
            return .further
        case .replacement(var text):
            pending = .nothing
            text.append(token)
            pending = .replacement(text)
            return .further
        }
    }

    /// Takes the whole text so far, which may also be shorter than before. O(length of the text), which is
    /// the length of what arrived.
    public mutating func replace(_ text: ExactText, at now: Instant) -> Taken {
        lastArrival = now
        let isFirst = pending == .nothing
        let whole = LongText(text.string)
        if isFirst, whole == shown { return .nothing }
        pending = .replacement(whole)
        return isFirst ? .first : .further
    }

    /// Takes a numbered piece, and what waited for it. The first one takes the place of what is shown, which
    /// was told on an earlier connection and is told anew. O(length of what is added), amortised.
    public mutating func accept(
        _ text: ExactText, index: Int64, isFinal: Bool, at now: Instant
    ) -> (ReorderBuffer<ExactText>.Accepted, Taken) {
        lastArrival = now
        var buffer = chunks ?? ReorderBuffer()
        chunks = nil  // so that the buffer is not shared while it changes
        let isFirst = buffer.awaitedIndex == 0
        let accepted = buffer.accept(text, at: index, byteCount: text.byteCount, isFinal: isFinal)
        chunks = buffer
        guard case .ready(let run, _) = accepted else { return (accepted, .nothing) }
        var taken = Taken.nothing
        for (offset, piece) in run.enumerated() {
            let next = isFirst && offset == 0 ? replace(piece, at: now) : append(piece, at: now)
            if taken != .first { taken = next }
        }
        return (accepted, taken)
    }

    /// Shows all that is pending. Returns whether anything changed.
    public mutating func flush() -> Bool {
        switch pending {
        case .nothing:
            return false
        case .addition(var batch):
            pending = .nothing
            guard let all = batch.flush() else { return false }
            shown.append(all.text)
            return true
        case .replacement(let text):
            pending = .nothing
            guard text != shown else { return false }
            shown = text
            return true
        }
    }
}
