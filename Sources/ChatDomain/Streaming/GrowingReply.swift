// One of the replies that grow in a conversation at the same time (C17): a growing text and the name by which
// the server tells it from the others. The row in the transcript keeps the place; the text moves there when it
// ends.

/// A reply that is still growing.
public struct GrowingReply: DomainValue {
    /// The server's name for it.
    public let id: MessageID
    /// What has come of it.
    private var text: GrowingText

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

    /// Shows all that is pending. Returns whether anything changed.
    public mutating func flush() -> Bool {
        text.flush()
    }
}
