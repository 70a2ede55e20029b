// What `Turns` says of a question: how long it waits, which reply it has, and what a passed deadline leaves without one.

extension Turns {
    /// The wait for a reply. It counts only the time of a connection (C12).
    package enum Wait: DomainValue {
        /// Without a connection, with the rest of the time.
        case stopped(left: Interval)
        /// With a connection, and its deadline.
        case running(until: Instant)
    }

    /// The question of a reply that begins or fails.
    struct Attribution: Equatable {
        let question: Question
        let isWanted: Bool
        /// Whether a deadline was running.
        let wasWaiting: Bool
    }

    /// The consequence of a passed deadline.
    struct Missing: Equatable {
        /// The unanswered question; `nil` if it is of another device or unwanted.
        let unanswered: ClientID?
        /// The replies that count for another question from now on.
        let moved: [Moved]

        struct Moved: Equatable {
            let reply: MessageID
            let question: ClientID
        }
    }
}
