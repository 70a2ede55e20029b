// Text that grows for a long time while earlier values are held: a reply that streams in. An append costs the
// length of the new text, at any length of the whole; a copy shares everything but the newest piece.
//
// A piece is the longest run of whole scalars, from the end of the piece before, that fits 512 bytes. So the
// cuts depend only on the text, and equal texts have equal pieces, whatever the appends.

/// A long text, compared by its UTF-8 bytes like `ExactText`.
public struct LongText: Sendable {
    /// 512 bytes: an append copies at most that much of the earlier text, and a text of ordinary length is one string
    /// without a tree. Every piece but the last holds more than 508, because a scalar has at most four.
    static let pieceSize = 512

    private var tail: ExactText
    /// The pieces before it; none in a text of ordinary length.
    private var sealed: Sealed?

    /// Behind a reference, because few messages have it. A leaf of messages is copied with each change while an
    /// earlier state is held, so a message is kept small.
    private indirect enum Sealed { case pieces(RadixVector<ExactText>, byteCount: Int64) }

    /// Creates an empty text. Allocates nothing.
    public init() { tail = "" }

    /// The pieces before the last.
    private var pieces: RadixVector<ExactText> {
        if case .pieces(let pieces, _) = sealed { pieces } else { RadixVector() }
    }

    /// The number of bytes of `pieces`.
    private var tailStart: Int64 { if case .pieces(_, let byteCount) = sealed { byteCount } else { 0 } }

    /// Creates a text from a string. O(n).
    public init(_ string: String) { self.init(ExactText(string)) }

    /// Creates a text. O(1) up to the length of one piece, whose bytes are shared; otherwise O(n).
    public init(_ text: ExactText) {
        let isLong = text.byteCount > LongText.pieceSize
        tail = isLong ? "" : text
        if isLong { append(text) }
    }

    /// The number of UTF-8 bytes. O(1).
    public var byteCount: Int64 { tailStart + tail.byteCount }

    /// Whether the text is empty. O(1).
    public var isEmpty: Bool { tail.isEmpty }

    /// Whether the whole text is invisible, as `ExactText.isBlank` defines it. The time is linear in the invisible
    /// beginning.
    var isBlank: Bool { pieces.allSatisfy { $0.isBlank } && tail.isBlank }

    /// The beginning of the text, or all of a short one. O(1).
    var firstPiece: ExactText { pieces.element(at: 0) ?? tail }

    /// The whole text. O(n).
    public var string: String { suffix(after: 0) }

    /// Appends text. O(length of the new text), and a copy of the last piece while an earlier value is held.
    public mutating func append(_ string: String) { append(ExactText(string)) }

    /// Appends text. O(length of the new text), and a copy of the last piece while an earlier value is held.
    public mutating func append(_ text: ExactText) {
        guard tail.bytes.count + text.bytes.count > LongText.pieceSize else { return tail.append(text) }
        var rest = text.bytes[...]
        while tail.bytes.count + rest.count > LongText.pieceSize {
            let cut = LongText.scalarBoundary(in: rest, within: LongText.pieceSize - tail.bytes.count)
            tail.bytes += rest[..<cut]
            rest = rest[cut...]
            sealTail()
        }
        tail.bytes += rest
    }

    /// Makes the tail one of the pieces; more text must follow.
    private mutating func sealTail() {
        var pieces = pieces
        let byteCount = byteCount
        sealed = nil  // so that the pieces are not shared while they grow
        pieces.append(tail)
        sealed = .pieces(pieces, byteCount: byteCount)
        tail = ""
    }

    /// The end of the longest run of whole scalars from the start, of at most `limit` bytes.
    static func scalarBoundary(in bytes: ArraySlice<UInt8>, within limit: Int) -> Int {
        guard var cut = bytes.index(bytes.startIndex, offsetBy: limit, limitedBy: bytes.endIndex) else {
            return bytes.endIndex
        }
        // Bytes of the form 10xxxxxx continue a scalar (RFC 3629, section 3).
        while cut < bytes.endIndex, cut > bytes.startIndex, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }
}

extension LongText {
    /// Whether this text begins with the bytes of another. Shared pieces are not read.
    public func hasPrefix(_ prefix: LongText) -> Bool {
        // The pieces of a prefix are the first pieces of the text; only its last one may be cut earlier.
        guard prefix.byteCount <= byteCount, pieces.starts(with: prefix.pieces) else { return false }
        let own = pieces.element(at: prefix.pieces.count) ?? tail
        return own.bytes.starts(with: prefix.tail.bytes)
    }

    /// Whether this text begins with the bytes of another.
    public func hasPrefix(_ prefix: ExactText) -> Bool { hasPrefix(LongText(prefix)) }

    /// The text after the first `offset` bytes: the new part for a reader that has these. O(length of the result).
    ///
    /// An offset within a scalar counts as the beginning of the scalar, a negative one as zero; past the end the
    /// result is empty.
    public func suffix(after offset: Int64) -> String {
        guard offset < byteCount else { return "" }
        var start = tailStart
        var index = pieces.count
        while start > offset, let piece = pieces.element(at: index - 1) {
            start -= piece.byteCount
            index -= 1
        }
        var suffix: [UInt8] = []
        suffix.reserveCapacity(Int(clamping: byteCount - max(0, offset)))
        var skipped = Int(clamping: max(0, offset - start))  // less than a piece
        for piece in pieces[index...].map({ $0 }) + [tail] {
            suffix += piece.bytes[LongText.scalarBoundary(in: piece.bytes[...], within: skipped)...]
            skipped = 0
        }
        return String(decoding: suffix, as: UTF8.self)
    }
}

extension LongText: Hashable {
    /// Compares bytes, except those that both texts share.
    public static func == (left: LongText, right: LongText) -> Bool {
        guard left.tail == right.tail else { return false }
        switch (left.sealed, right.sealed) {
        case (nil, nil): return true
        case (.pieces(let leftPieces, let leftCount), .pieces(let rightPieces, let rightCount)):
            return leftCount == rightCount && leftPieces == rightPieces
        case (nil, _), (_, nil): return false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(pieces)
        hasher.combine(tail)
    }
}

#if !hasFeature(Embedded)
    extension LongText: Codable {
        /// Reads one string.
        public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }

        /// Writes one string.
        public func encode(to encoder: any Encoder) throws { try string.encode(to: encoder) }
    }
#endif
