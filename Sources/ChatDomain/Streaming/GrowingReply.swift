// One of the replies that grow at once on a socket (C17), with its name. Its text moves to the transcript when it
// ends.

/// A reply that is still growing.
public struct GrowingReply: DomainValue {
    /// The server's name for it.
    public let id: MessageID
    /// What has come of it.
    public internal(set) var growth: Growth

    /// A reply that begins, or goes on after what is shown already.
    public init(id: MessageID, shown: LongText = LongText(), at now: Instant) {
        self.id = id
        growth = Growth(shown: shown, at: now)
    }

    /// What a person can see of it.
    public var shown: LongText { growth.shown }
}
