// Cleans text of a person or a server: trims it, removes control and direction characters, cuts it between characters,
// and tells whether it is invisible. Each takes linear time.

extension ExactText {
    /// The text without white space at either end.
    public var trimmed: ExactText {
        let scalars = string.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return ExactText(String(scalars[first...last]))
    }

    /// Whether the whole text is invisible: white space, joiners, selectors (Default_Ignorable_Code_Point) or the
    /// empty Braille pattern. The time is linear in the invisible beginning.
    public var isBlank: Bool {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&rest) {
            let isInvisible = scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
            guard isInvisible || scalar == "\u{2800}" else { return false }
        }
        return true
    }

    /// The text without control characters (Cc) and without those that change the direction of writing, with which one
    /// name can look like another (Unicode Standard Annex 9).
    public var withoutControlCharacters: ExactText {
        var kept = String.UnicodeScalarView()
        for scalar in string.unicodeScalars where !scalar.isControlOrBidirectionalFormat {
            kept.append(scalar)
        }
        return ExactText(String(kept))
    }

    /// The longest beginning of at most that many UTF-8 bytes that ends between graphemes, or between scalars if the
    /// first grapheme is longer (P2).
    public func cut(toByteCount limit: Int64) -> ExactText {
        guard byteCount > limit else { return self }
        let string = string
        var end = string.startIndex
        var count: Int64 = 0
        while end < string.endIndex {
            let next = string.index(after: end)
            count += Int64(string.utf8.distance(from: end, to: next))
            if count > limit { break }
            end = next
        }
        guard end == string.startIndex else { return ExactText(String(string[..<end])) }
        count = 0
        for index in string.unicodeScalars.indices {
            count += Int64(UTF8.width(string.unicodeScalars[index]))
            if count > limit { break }
            end = string.unicodeScalars.index(after: index)
        }
        return ExactText(String(string[..<end]))
    }

    /// The longest beginning of at most that many UTF-8 bytes that ends between scalars. What follows it does not matter,
    /// as it does for graphemes.
    func cutBetweenScalars(toByteCount limit: Int64) -> ExactText {
        guard byteCount > limit else { return self }
        var cut: ExactText = ""
        let end = LongText.scalarBoundary(in: bytes[...], within: Int(clamping: max(limit, 0)))
        cut.bytes = Array(bytes[..<end])
        return cut
    }
}

extension Unicode.Scalar {
    fileprivate var isControlOrBidirectionalFormat: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true  // category Cc
        case 0x061C, 0x200E, 0x200F: true  // marks
        case 0x202A...0x202E, 0x2066...0x2069: true  // embeddings, overrides, isolates
        default: false
        }
    }
}
