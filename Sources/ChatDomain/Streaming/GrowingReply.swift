// One of the replies that stream concurrently on a socket (C17), keyed by its id. Its text moves to the transcript
// when it ends.

/// A reply that is still streaming on a socket.
package struct GrowingReply: DomainValue {
    /// The server's id of the reply.
    package let id: MessageID
    package var growth: Growth
    /// Whether it counts as an unread message already: once it has text in view (C22).
    var isCounted: Bool

    /// Creates a reply that starts empty, or continues after `shown`.
    init(id: MessageID, shown: LongText = LongText(), at now: Instant) {
        self.id = id
        growth = Growth(shown: shown, at: now)
        isCounted = !shown.isEmpty
    }

    /// The visible part of the text.
    var shown: LongText { growth.shown }
}
