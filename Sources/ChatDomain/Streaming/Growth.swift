// The growth of a reply's text (S2, S3, S7, S15, C17, C21), shared by the stream of a question and the replies of
// a socket. Text arrives as increments, as the whole text so far, or in numbered chunks; it is batched for an
// interval and then shown. `shown` is a `LongText`, so a token costs the same at any length. Guarantees: every
// splitting and order of the chunks gives the same text; every arrival is a sign of life, also an early or duplicate
// chunk; an exceeded limit ends the reply and never traps. The caller owns the timers: `take` returns their changes.

/// A text that is still growing.
package struct Growth: DomainValue {
    /// The text of an earlier connection. It is in view until this one brings text (S6).
    private let earlier: LongText
    /// The text of this connection; `nil` until it has some or begins anew. Increments continue the earlier text.
    private var own: LongText?
    private var batch = TokenBatch()
    /// Replaces `own` with the next batch; `batch` is empty while this is set.
    private var replacement: LongText?
    /// When anything last arrived.
    private(set) var lastArrival: Instant
    /// The chunks that arrived early; `nil` until the first numbered chunk.
    private var order: ReorderBuffer<ExactText>?

    /// Creates a text that starts empty, or continues after `shown`.
    init(shown: LongText = LongText(), at now: Instant) {
        earlier = shown
        lastArrival = now
    }

    /// The text in view.
    package var shown: LongText { isEmpty ? earlier : own ?? earlier }

    /// Whether this connection has brought no text. White space alone is none, so it replaces nothing.
    var isEmpty: Bool { own?.isBlank ?? true }

    /// The length of the whole text, shown or pending, in UTF-8 bytes.
    var byteCount: Int64 {
        replacement?.byteCount ?? saturatingSum(own?.byteCount ?? earlier.byteCount, batch.byteCount)
    }

    /// Whether text is pending for the next batch.
    package var isPending: Bool { !batch.isEmpty || replacement != nil }

    /// Whether the text arrives in numbered chunks, so that a gap timer may run.
    var isNumbered: Bool { order != nil }

    /// Whether a chunk waits for an earlier one.
    package var hasGap: Bool { order?.hasGap ?? false }

    /// The rest of the allowed silence; `nil` when it is over (S7). Text restarts no timer, which would be one
    /// restart a token: the timer asks here when it fires.
    func silence(at now: Instant, limit: Interval) -> Interval? {
        let silent = now - lastArrival
        return silent < limit ? limit - silent : nil
    }
}

// MARK: Arrivals

extension Growth {
    /// One arrival of text.
    enum Piece: PlainValue {
        /// An increment.
        case token(ExactText)
        /// The whole text so far; it may be shorter than before.
        case whole(ExactText)
        /// A numbered chunk, counted from 0.
        case chunk(Int64, ExactText, isFinal: Bool)
    }

    /// The limits of a growing text (Rules, limits).
    struct Limits: PlainValue {
        /// The longest text, in UTF-8 bytes.
        let text: Int64
        /// The most chunks that may wait for an earlier one.
        let chunks: Int64
        /// The most bytes of waiting chunks.
        let chunkBytes: Int64

        /// Creates limits.
        init(text: Int64, chunks: Int64, chunkBytes: Int64) {
            (self.text, self.chunks, self.chunkBytes) = (text, chunks, chunkBytes)
        }
    }

    /// The consequences of a piece for the caller's timers.
    struct Taken: PlainValue {
        var batch = Batch.nothing
        /// The change to the gap timer.
        var gap = GapTimer.unchanged
        /// Why the reply is over, if it is; the caller then flushes the text and cancels every timer.
        var end: End?

        /// The change of the batch.
        enum Batch: PlainValue {
            /// The first text of a batch: start the batch timer.
            case first
            /// Text was added to a pending batch.
            case further
            /// The batch was full and is already shown; the batch timer keeps running.
            case displaced
            /// The piece was empty, or waits for an earlier one.
            case nothing
        }

        /// The change to the gap timer.
        enum GapTimer: PlainValue {
            case unchanged
            /// A different chunk is missing: start the timer, or restart it.
            case start
            /// No chunk is missing: cancel the timer.
            case cancel
        }

        /// Why a reply is over.
        enum End: PlainValue {
            /// All numbered chunks are there.
            case complete
            /// Too much waits for a missing chunk.
            case gap
            /// The text exceeds its limit, and has been cut there.
            case tooLong
        }
    }

    /// Takes a piece. O(length of the piece), amortised.
    mutating func take(_ piece: Piece, at now: Instant, _ limits: Limits) -> Taken {
        lastArrival = now
        var taken = Taken()
        switch piece {
        case .token(let text): add(text, limits, to: &taken)
        case .whole(let text): add(text, isAnew: true, limits, to: &taken)
        case .chunk(let index, let text, let isFinal):
            taken = accept(text, at: index, isFinal: isFinal, limits)
        }
        return taken
    }

    /// Adds a text as far as it fits. Between scalars, and not graphemes, the cut is at one place in any pieces (L9).
    private mutating func add(
        _ text: ExactText, isAnew: Bool = false, _ limits: Limits, to taken: inout Taken
    ) {
        let fitting = text.cutBetweenScalars(toByteCount: max(limits.text, 0) - (isAnew ? 0 : byteCount))
        let batch = isAnew ? replace(fitting) : append(fitting)
        taken.batch = taken.batch.followed(by: batch)
        if fitting.byteCount < text.byteCount { taken.end = .tooLong }
    }

    /// Shows all pending text; returns whether the visible text changed.
    mutating func flush() -> Bool {
        guard let whole = replacement else {
            guard let all = batch.flush() else { return false }
            extend(by: all)
            return !isEmpty
        }
        let former = shown
        (own, replacement) = (whole, nil)
        return shown != former
    }

    private mutating func extend(by text: ExactText) {
        if own == nil { own = earlier }
        own?.append(text)
    }

    private mutating func append(_ token: ExactText) -> Taken.Batch {
        guard replacement == nil else {
            replacement?.append(token)
            return token.isEmpty ? .nothing : .further
        }
        switch batch.append(token) {
        case .first: return .first
        case .further: return .further
        case .nothing: return .nothing
        case .displaced(let full):
            extend(by: full)
            return isEmpty ? .further : .displaced
        }
    }

    private mutating func replace(_ text: ExactText) -> Taken.Batch {
        let isFirst = !isPending
        let whole = LongText(text)
        if isFirst, whole == own ?? earlier {
            own = whole  // text of this connection, although it is in view already
            return .nothing
        }
        (batch, replacement) = (TokenBatch(), whole)
        return isFirst ? .first : .further
    }

    /// The first chunk replaces the text of an earlier connection.
    private mutating func accept(
        _ text: ExactText, at index: Int64, isFinal: Bool, _ limits: Limits
    ) -> Taken {
        var buffer = order ?? ReorderBuffer(chunkLimit: limits.chunks, byteLimit: limits.chunkBytes)
        order = nil  // so that the buffer is not shared while it changes
        defer { order = buffer }
        let missing = buffer.hasGap ? buffer.awaitedIndex : nil
        let isBeginning = buffer.awaitedIndex == 0
        var taken = Taken()
        switch buffer.accept(text, at: index, byteCount: text.byteCount, isFinal: isFinal) {
        case .overflow: taken.end = .gap
        case .waiting, .duplicate, .ignored: break
        case .ready(let run, let completes):
            for (place, part) in run.enumerated() where taken.end == nil {
                let isAnew = isBeginning && place == 0 && byteCount > 0
                add(part, isAnew: isAnew, limits, to: &taken)
            }
            if completes, taken.end == nil { taken.end = .complete }
        }
        let missingNow = buffer.hasGap ? buffer.awaitedIndex : nil
        if missing != missingNow { taken.gap = missingNow == nil ? .cancel : .start }
        return taken
    }
}

extension Growth.Taken.Batch {
    fileprivate func followed(by next: Self) -> Self {
        switch (self, next) {
        case (.first, _), (_, .nothing): self
        case (.nothing, _): next
        case (.displaced, _), (_, .displaced): .displaced
        case (.further, _): next
        }
    }
}

extension Growth: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        lastArrival.normalize(&form)
    }
}
