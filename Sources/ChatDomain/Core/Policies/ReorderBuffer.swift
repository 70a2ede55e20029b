// Puts the numbered chunks of one message in order (S15, L9). Every order of arrival, also with repeated chunks,
// gives the same sequence of elements, each once.
//
//     0 1 2 · 4 · 6!      0…2 were handed out, 3 is the next; 4 and 6 wait; 6 is final, so 7 is ignored
//
// A final chunk is either the next, and completes the message, or waits as the last. If two chunks claim to be
// final, the first counts, and the other is an ordinary chunk. Waiting chunks beyond a later final one are
// dropped, because they would have been ignored after it.

/// A bounded buffer that turns numbered elements into an ordered run.
struct ReorderBuffer<Element: DomainValue>: DomainValue {
    /// The result of an element.
    enum Accepted: PlainValue {
        /// These follow the elements handed out before. If they complete the message, nothing more comes.
        case ready([Element], completes: Bool)
        /// It waits, because one before it is missing.
        case waiting
        /// Its index is known; the first element counts.
        case duplicate
        /// Too much would wait. The buffer has ended, and hands out nothing more.
        case overflow
        /// Its index is negative or beyond the final one, or the buffer has ended.
        case ignored
    }

    private struct Chunk: DomainValue {
        let index: Int64
        let element: Element
        let byteCount: Int64
        var isFinal: Bool
    }

    private enum State: DomainValue {
        // The index that would be handed out, and chunks above it by rising index; only the last can be final.
        case open(next: Int64, waiting: [Chunk])
        case ended
    }

    /// The maximum number of waiting elements.
    let chunkLimit: Int64
    /// The maximum number of waiting bytes.
    let byteLimit: Int64
    private var state: State

    /// Creates a buffer that expects index 0. The defaults are the limits of the rules: 256 chunks or 1 MiB.
    init(chunkLimit: Int64 = 256, byteLimit: Int64 = 1_048_576) {
        self.chunkLimit = chunkLimit
        self.byteLimit = byteLimit
        state = .open(next: 0, waiting: [])
    }

    /// Whether an element waits for an earlier one; a timer should run meanwhile.
    var hasGap: Bool { if case .open(_, let waiting) = state { !waiting.isEmpty } else { false } }

    /// The awaited index, which shows whether a gap has moved; `nil` after the end.
    var awaitedIndex: Int64? { if case .open(let next, _) = state { next } else { nil } }

    /// Takes an element of that many bytes (below zero counts as zero). O(1) in order, else O(number waiting).
    mutating func accept(
        _ element: Element, at index: Int64, byteCount: Int64, isFinal: Bool
    ) -> Accepted {
        guard case .open(let next, let waiting) = state, index >= 0 else { return .ignored }
        guard index >= next else { return .duplicate }
        if let last = waiting.last, last.isFinal, index > last.index { return .ignored }
        if index == next { return release(element, index, waiting, isFinal: isFinal) }
        let place = waiting.firstIndex { $0.index >= index } ?? waiting.count
        if place < waiting.count, waiting[place].index == index { return .duplicate }
        let chunk = Chunk(index: index, element: element, byteCount: max(byteCount, 0), isFinal: isFinal)
        return hold(chunk, at: place, next, waiting)
    }

    /// Hands out the awaited element and all that follow it without a gap.
    private mutating func release(
        _ element: Element, _ index: Int64, _ waiting: [Chunk], isFinal: Bool
    ) -> Accepted {
        // A waiting final one came first, so this one is an ordinary chunk.
        var completes = isFinal && waiting.last?.isFinal != true
        var run = [element]
        var next = saturatingSum(index, 1)
        while !completes, run.count <= waiting.count, waiting[run.count - 1].index == next {
            let chunk = waiting[run.count - 1]
            run.append(chunk.element)
            completes = chunk.isFinal
            next = saturatingSum(next, 1)
        }
        state = completes ? .ended : .open(next: next, waiting: Array(waiting.dropFirst(run.count - 1)))
        return .ready(run, completes: completes)
    }

    /// Keeps a chunk that came early, if there is room.
    private mutating func hold(_ chunk: Chunk, at place: Int, _ next: Int64, _ waiting: [Chunk]) -> Accepted {
        var chunk = chunk
        var kept = waiting
        if waiting.last?.isFinal == true {
            chunk.isFinal = false
        } else if chunk.isFinal {
            kept.removeSubrange(place...)
        }
        kept.insert(chunk, at: place)
        let byteCount = kept.reduce(0) { saturatingSum($0, $1.byteCount) }
        guard Int64(kept.count) <= chunkLimit, byteCount <= byteLimit else {
            state = .ended
            return .overflow
        }
        state = .open(next: next, waiting: kept)
        return .waiting
    }
}
