// Text that grows for a long time while its earlier values are still held: a reply that streams in. An append
// costs what is appended, whatever is there already; a copy shares everything but the newest piece.
//
// A piece is the longest run of whole scalars from the end of the piece before that fits 512 bytes. So the
// cuts depend only on the text, and equal text has equal pieces however it came in.

/// A long text that is what its UTF-8 bytes are, as `ExactText` is.
public struct LongText: Sendable {
    /// 512 bytes: an append copies at most that much of what is there, and a text of ordinary length is a
    /// single string without a tree. Every piece but the last holds more than 508, for a scalar has at most
    /// four.
    static let pieceSize = 512

    /// The last piece.
    private var tail: String
    /// The pieces before it; none in a text of ordinary length.
    private var sealed: Sealed?

    /// Behind a reference, because few messages have it: a leaf of messages is copied with each that changes
    /// while an earlier state is held, so a message is kept small.
    private indirect enum Sealed { case pieces(RadixVector<ExactText>, byteCount: Int64) }

    /// Creates an empty text. Allocates nothing.
    public init() { tail = "" }

    /// The pieces that another one follows.
    private var pieces: RadixVector<ExactText> {
        if case .pieces(let pieces, _) = sealed { pieces } else { RadixVector() }
    }

    /// The bytes of `pieces`.
    private var tailStart: Int64 {
        if case .pieces(_, let byteCount) = sealed { byteCount } else { 0 }
    }

    /// Creates a text from a string. O(n).
    public init(_ string: String) {
        self.init()
        guard string.utf8.count > LongText.pieceSize else {
            tail = string  // shares the bytes; appending would copy them
            return
        }
        append(string)
    }

    /// The number of UTF-8 bytes. O(1).
    public var byteCount: Int64 { tailStart + Int64(tail.utf8.count) }

    /// Whether there is no byte at all. O(1).
    public var isEmpty: Bool { tail.isEmpty }

    /// The beginning of the text, or all of a short one. O(1).
    var firstPiece: ExactText { pieces.element(at: 0) ?? ExactText(tail) }

    /// The whole text. O(n).
    public var string: String {
        guard !pieces.isEmpty else { return tail }
        var string = ""
        string.reserveCapacity(Int(clamping: byteCount))
        for piece in pieces { string += piece.string }
        string += tail
        return string
    }

    /// Adds text at the end. O(length of what is added), and a copy of the last piece when an earlier value
    /// is held.
    public mutating func append(_ text: ExactText) { append(text.string) }

    /// Adds text at the end. O(length of what is added), and a copy of the last piece when an earlier value
    /// is held.
    public mutating func append(_ string: String) {
        guard tail.utf8.count + string.utf8.count > LongText.pieceSize else {
            tail += string
            return
        }
        var string = string
        string.makeContiguousUTF8()  // so that counting bytes below takes no time
        var rest = Substring(string)
        while !rest.isEmpty {
            let room = LongText.pieceSize - tail.utf8.count
            let cut = LongText.lastScalarBoundary(in: rest, within: room)
            tail += rest[..<cut]
            rest = rest[cut...]
            if !rest.isEmpty { sealTail() }
        }
    }

    /// Makes the tail one of the pieces; more text must follow.
    private mutating func sealTail() {
        var pieces = pieces
        let byteCount = byteCount
        sealed = nil  // so that the pieces are not shared while they grow
        pieces.append(ExactText(tail))
        sealed = .pieces(pieces, byteCount: byteCount)
        tail = ""
    }

    /// The end of the longest run of whole scalars from the start that is no longer than `limit` bytes.
    private static func lastScalarBoundary(in text: Substring, within limit: Int) -> Substring.Index {
        let bytes = text.utf8
        guard var cut = bytes.index(bytes.startIndex, offsetBy: limit, limitedBy: bytes.endIndex) else {
            return bytes.endIndex
        }
        // Bytes of the form 10xxxxxx continue a scalar (RFC 3629, section 3).
        while cut < bytes.endIndex, cut > bytes.startIndex, bytes[cut] & 0xC0 == 0x80 {
            cut = bytes.index(before: cut)
        }
        return cut
    }
}

extension LongText {
    /// Whether this text begins with the bytes of another. Pieces that both share are not read.
    public func hasPrefix(_ prefix: LongText) -> Bool {
        // The pieces of a prefix are the first pieces of the text; only its last one may be cut earlier.
        guard prefix.byteCount <= byteCount, pieces.starts(with: prefix.pieces) else { return false }
        let own = pieces.element(at: prefix.pieces.count)?.string ?? tail
        return own.utf8.starts(with: prefix.tail.utf8)
    }

    /// Whether this text begins with the bytes of another.
    public func hasPrefix(_ prefix: ExactText) -> Bool { hasPrefix(LongText(prefix.string)) }

    /// What follows the first `offset` bytes: what is new to someone who has these. O(length of the answer).
    ///
    /// An offset within a scalar counts as the beginning of the scalar, a negative one as zero; past the end
    /// nothing follows.
    public func suffix(after offset: Int64) -> String {
        guard offset < byteCount else { return "" }
        var start = tailStart
        var index = pieces.count
        while start > offset, let piece = pieces.element(at: index - 1) {
            start -= piece.byteCount
            index -= 1
        }
        let skipped = Int(clamping: max(0, offset - start))  // less than a piece
        guard index < pieces.count else { return LongText.dropping(skipped, from: tail) }
        var suffix = LongText.dropping(skipped, from: pieces[index].string)
        for piece in pieces[(index + 1)...] { suffix += piece.string }
        suffix += tail
        return suffix
    }

    private static func dropping(_ count: Int, from piece: String) -> String {
        String(piece[lastScalarBoundary(in: Substring(piece), within: count)...])
    }
}

extension LongText: Hashable {
    /// Compares bytes, but not those that both texts share.
    public static func == (left: LongText, right: LongText) -> Bool {
        guard ExactText(left.tail) == ExactText(right.tail) else { return false }
        switch (left.sealed, right.sealed) {
        case (nil, nil): return true
        case (.pieces(let leftPieces, let leftCount), .pieces(let rightPieces, let rightCount)):
            return leftCount == rightCount && leftPieces == rightPieces
        case (nil, _), (_, nil): return false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(pieces)
        hasher.combine(ExactText(tail))
    }
}

#if !hasFeature(Embedded)
    extension LongText: Codable {
        /// Reads one string.
        public init(from decoder: any Decoder) throws {
            self.init(try decoder.singleValueContainer().decode(String.self))
        }

        /// Writes one string.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(string)
        }
    }
#endif
