// One of the replies that grow in a conversation at the same time (C17): a growing text and the name by which
// the server tells it from the others. The row in the transcript keeps the place; the text moves there when it
// ends.

/// A reply that is still growing.
public struct GrowingReply: DomainValue {
    /// The server's name for it.
    public let id: MessageID
    /// What has come of it.
    private var text: GrowingText
    /// The pieces that came too early, once it is told in numbered ones.
    public private(set) var chunks: ReorderBuffer<ExactText>?

    /// Whether text that came is the first of a batch.
    public typealias Taken = GrowingText.Taken

    /// A reply that begins, or goes on after what is shown already.
    public init(id: MessageID, shown: LongText = LongText(), at now: Instant) {
        self.id = id
        text = GrowingText(shown: shown, at: now)
    }

    /// What a person can see of it.
    public var shown: LongText { text.shown }

    /// What will be shown with the next batch.
    public var pending: GrowingText.Pending { text.pending }

    /// When something of it last arrived.
    public var lastArrival: Instant { text.lastArrival }

    /// How much there is of it, shown or not, in UTF-8 bytes.
    public var byteCount: Int64 { text.byteCount }

    /// Takes an increment. O(length of the increment), amortised.
    public mutating func append(_ token: ExactText, at now: Instant) -> Taken {
        text.append(token, at: now)
    }

    /// Takes the whole text so far, which may also be shorter than before. O(length of what arrived).
    public mutating func replace(_ whole: ExactText, at now: Instant) -> Taken {
        text.replace(whole, at: now)
    }

    /// Takes a numbered piece, and what waited for it. The first one takes the place of what is shown, which
    /// was told on an earlier connection and is told anew. O(length of what is added), amortised.
    public mutating func accept(
        _ piece: ExactText, index: Int64, isFinal: Bool, at now: Instant
    ) -> (ReorderBuffer<ExactText>.Accepted, Taken) {
        text.heard(at: now)
        var buffer = chunks ?? ReorderBuffer()
        chunks = nil  // so that the buffer is not shared while it changes
        let isFirst = buffer.awaitedIndex == 0
        let accepted = buffer.accept(piece, at: index, byteCount: piece.byteCount, isFinal: isFinal)
        chunks = buffer
        guard case .ready(let run, _) = accepted else { return (accepted, .nothing) }
        var taken = Taken.nothing
        for (offset, piece) in run.enumerated() {
            let next = isFirst && offset == 0 ? replace(piece, at: now) : append(piece, at: now)
            if taken != .first { taken = next }
        }
        return (accepted, taken)
    }

    /// Takes an increment that a batch begins with or that joins one, if the reply stays within a number of bytes.
    /// Changes nothing and returns `nil` when there is more to it. O(length of the increment), amortised.
    mutating func gather(_ token: ExactText, at now: Instant, limit: Int64) -> Taken? {
        guard !token.isEmpty, saturatingSum(byteCount, token.byteCount) <= limit else { return nil }
        if case .replacement = pending { return nil }
        return append(token, at: now)
    }

    /// Shows all that is pending. Returns whether anything changed.
    public mutating func flush() -> Bool {
        text.flush()
    }
}
