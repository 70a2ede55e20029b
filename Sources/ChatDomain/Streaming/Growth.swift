// How a reply grows (S2, S3, S7, S15, C17, C21), once for the stream of a question and for a socket's replies. Text
// comes as increments, as the whole so far, or in numbered pieces. It gathers for a batch interval and is then shown
// at once. What is shown is a `LongText`, so a token costs the same however long the text is.
//
// The laws: every splitting and every order of the pieces gives the same text; whatever arrives is a sign of life, also
// a piece that waits for one before it or has come before; what exceeds a limit ends the reply and traps nothing. Who
// uses it owns the timers: `take` says what becomes of them.

/// A text that is still growing.
public struct Growth: DomainValue {
    /// What a person can see of it.
    public private(set) var shown: LongText
    /// What comes after what is shown, with the next batch.
    private var batch = TokenBatch()
    /// What takes the place of what is shown, with the next batch; the batch is empty then.
    private var replacement: LongText?
    /// When something of it last arrived.
    public private(set) var lastArrival: Instant
    /// The pieces that came too early, once it is told in numbered ones.
    private var order: ReorderBuffer<ExactText>?

    /// A text that begins, or goes on after what is shown already.
    public init(shown: LongText = LongText(), at now: Instant) {
        self.shown = shown
        lastArrival = now
    }

    /// How much there is of it, shown or not, in UTF-8 bytes.
    public var byteCount: Int64 { replacement?.byteCount ?? saturatingSum(shown.byteCount, batch.byteCount) }

    /// Whether something will be shown with the next batch.
    public var isPending: Bool { !batch.isEmpty || replacement != nil }

    /// Whether it is told in numbered pieces, so that a timer for a missing one may run.
    public var isNumbered: Bool { order != nil }

    /// Whether a piece waits for one before it.
    public var hasGap: Bool { order?.hasGap ?? false }

    /// What is left of the silence that is allowed; `nil` when it is over (S7). Text restarts no timer, which would
    /// be one a token: the timer that fires asks here.
    public func silence(at now: Instant, limit: Interval) -> Interval? {
        let silent = now - lastArrival
        return silent < limit ? limit - silent : nil
    }
}

// MARK: What comes

extension Growth {
    /// What comes of it.
    public enum Piece: PlainValue {
        /// What follows what has come.
        case token(ExactText)
        /// All of it so far, which may also be shorter than before.
        case whole(ExactText)
        /// A numbered piece, counted from 0.
        case chunk(Int64, ExactText, isFinal: Bool)
    }

    /// How much of it there may be (limits).
    public struct Limits: PlainValue {
        /// How long it may be, in UTF-8 bytes.
        public let text: Int64
        /// So many numbered pieces may wait for one before them.
        public let chunks: Int64
        /// So many bytes of them may wait.
        public let chunkBytes: Int64

        /// Creates limits.
        public init(text: Int64, chunks: Int64, chunkBytes: Int64) {
            self.text = text
            self.chunks = chunks
            self.chunkBytes = chunkBytes
        }
    }

    /// What follows from a piece.
    public struct Taken: PlainValue {
        /// What became of its text.
        public var batch = Batch.nothing
        /// What becomes of the timer for a missing piece.
        public var gap = GapTimer.unchanged
        /// Why the reply is over, if it is. What has come is to be shown then, and every timer to be cancelled.
        public var end: End?

        /// Whether text came.
        public enum Batch: PlainValue {
            /// It is the first of a batch: the batch's timer is to be started.
            case first
            /// Others wait already.
            case further
            /// Others waited, were too many, and have been shown at once; the timer runs on.
            case displaced
            /// There was nothing in it, or it waits for a piece before it.
            case nothing
        }

        /// What becomes of the timer for a missing piece.
        public enum GapTimer: PlainValue {
            /// It goes on as it was.
            case unchanged
            /// Another piece than before is missing: it starts, from the beginning if it runs.
            case start
            /// Nothing is missing any more: it is cancelled.
            case cancel
        }

        /// Why a reply is over.
        public enum End: PlainValue {
            /// All numbered pieces are there.
            case complete
            /// So much waited for a missing piece that there is no room for more.
            case gap
            /// There is more of it than there may be.
            case tooLong
        }
    }

    /// Takes what comes. O(length of what comes), amortised.
    public mutating func take(_ piece: Piece, at now: Instant, _ limits: Limits) -> Taken {
        lastArrival = now
        var taken = Taken()
        switch piece {
        case .token(let text): taken.batch = append(text)
        case .whole(let text): taken.batch = replace(text)
        case .chunk(let index, let text, let isFinal):
            taken = accept(text, at: index, isFinal: isFinal, limits)
        }
        if byteCount > limits.text { taken.end = .tooLong }
        return taken
    }

    /// Shows all that is pending. Returns whether anything changed.
    public mutating func flush() -> Bool {
        guard let whole = replacement else {
            guard let all = batch.flush() else { return false }
            shown.append(all.text)
            return true
        }
        replacement = nil
        guard whole != shown else { return false }
        shown = whole
        return true
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
            shown.append(full.text)
            return .displaced
        }
    }

    private mutating func replace(_ text: ExactText) -> Taken.Batch {
        let isFirst = !isPending
        let whole = LongText(text.string)
        if isFirst, whole == shown { return .nothing }
        (batch, replacement) = (TokenBatch(), whole)
        return isFirst ? .first : .further
    }

    /// Takes a piece, and those that waited for it. The first piece replaces what another connection told.
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
            for (place, part) in run.enumerated() where byteCount <= limits.text {
                let next = isBeginning && place == 0 && byteCount > 0 ? replace(part) : append(part)
                taken.batch = taken.batch.followed(by: next)
            }
            if completes { taken.end = .complete }
        }
        let missingNow = buffer.hasGap ? buffer.awaitedIndex : nil
        if missing != missingNow { taken.gap = missingNow == nil ? .cancel : .start }
        return taken
    }
}

extension Growth.Taken.Batch {
    /// What became of two texts that came one after the other.
    fileprivate func followed(by next: Self) -> Self {
        switch (self, next) {
        case (.first, _), (_, .nothing): self
        case (.nothing, _): next
        case (.displaced, _), (_, .displaced): .displaced
        case (.further, _): next
        }
    }
}
