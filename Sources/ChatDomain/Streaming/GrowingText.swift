// The text of one reply while it grows (S2, S3, C17). It arrives as increments or as the whole so far, gathers
// for a batch interval and is then shown at once. What has been shown is a `LongText`, so a token costs the
// same however long the text is. Chat's replies and the stream of one question grow by it alike.

/// A text that is still growing.
public struct GrowingText: DomainValue {
    /// What a person can see of it.
    public private(set) var shown = LongText()
    /// What will be shown with the next batch.
    public private(set) var pending: Pending = .nothing
    /// When something of it last arrived.
    public private(set) var lastArrival: Instant

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
    public enum Taken: PlainValue {
        /// It is: the batch's timer is to be started.
        case first
        /// Others wait already.
        case further
        /// Others waited, were too many, and have been shown at once; the timer runs on.
        case displaced
        /// There was nothing in it.
        case nothing
    }

    /// A text that begins, or goes on after what is shown already.
    public init(shown: LongText = LongText(), at now: Instant) {
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
            defer { pending = .addition(batch) }
            switch batch.append(token) {
            case .first: return .first
            case .further: return .further
            case .nothing: return .nothing
            case .displaced(let full):
                shown.append(full.text)
                return .displaced
            }
        case .replacement(var text):
            pending = .nothing
            text.append(token)
            pending = .replacement(text)
            return token.isEmpty ? .nothing : .further
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

    /// Notes that something came, although there is nothing to add yet.
    mutating func heard(at now: Instant) {
        lastArrival = now
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
