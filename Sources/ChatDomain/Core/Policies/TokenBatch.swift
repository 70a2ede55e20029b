// Gathers the tokens of a reply, so that many of them cost one visible update (S2).
//
// The first token of a batch is reported, because it starts the timer. When that fires, or the reply ends,
// `flush()` returns all pending text. The division into batches changes no byte of the text (L9).

/// Received text that is not shown yet.
struct TokenBatch: DomainValue {
    /// The result of a token.
    enum Appended: PlainValue {
        /// It is the first of a batch: the timer must be started.
        case first
        /// It joined a batch whose timer runs.
        case further
        /// It was empty and changed nothing.
        case nothing
        /// The batch was full: its text must be shown now, and the token waits for the running timer.
        case displaced(ExactText)
    }

    /// The size beyond which a batch shows itself early: 64 KiB is many screens of text.
    static var byteLimit: Int64 { 65_536 }

    /// The batch interval (S2): 75 ms by default, from 50 ms (more often is not visible) to 100 ms (less often
    /// halts).
    static func interval(_ wanted: Interval = .milliseconds(75)) -> Interval {
        wanted.clamped(to: .milliseconds(50) ... .milliseconds(100))
    }

    /// The tokens that wait to be shown, joined.
    private var pending: ExactText = ""

    /// Whether nothing is pending. O(1).
    var isEmpty: Bool { pending.isEmpty }

    /// The number of pending UTF-8 bytes. O(1).
    var byteCount: Int64 { pending.byteCount }

    /// Takes one token. Amortised O(its length).
    mutating func append(_ token: ExactText) -> Appended {
        guard !token.isEmpty else { return .nothing }
        guard !isEmpty else {
            pending = token
            return .first
        }
        guard saturatingSum(byteCount, token.byteCount) <= TokenBatch.byteLimit else {
            let full = pending
            pending = token
            return .displaced(full)
        }
        pending.append(token)
        return .further
    }

    /// Returns all pending text at once; `nil` if there is none.
    mutating func flush() -> ExactText? {
        guard !isEmpty else { return nil }
        let all = pending
        pending = ""
        return all
    }
}
