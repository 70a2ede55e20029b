// Places in the typed text: words as readline counts them (letters and digits), blanks, and lines.

extension LineEditor {
    /// The beginning of the word before a place.
    func wordStart(before place: Int) -> Int {
        var place = place
        while place > 0, !characters[place - 1].isOfWord { place -= 1 }
        while place > 0, characters[place - 1].isOfWord { place -= 1 }
        return place
    }

    /// The end of the word after a place.
    func wordEnd(after place: Int) -> Int {
        var place = place
        while place < characters.count, !characters[place].isOfWord { place += 1 }
        while place < characters.count, characters[place].isOfWord { place += 1 }
        return place
    }

    /// The beginning of the text between blanks before a place.
    func blankStart(before place: Int) -> Int {
        var place = place
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    /// The beginning of the cursor's line.
    var lineStart: Int { characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }

    /// The end of the cursor's line.
    var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

    /// The cursor's place in the line above; nil in the first line.
    var cursorOnLineAbove: Int? {
        let start = lineStart
        guard start > 0 else { return nil }
        let above = characters[..<(start - 1)].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return min(above + cursor - start, start - 1)
    }

    /// The cursor's place in the line below; nil in the last line.
    var cursorOnLineBelow: Int? {
        let end = lineEnd
        guard end < characters.count else { return nil }
        let below = characters[(end + 1)...].firstIndex(of: "\n") ?? characters.count
        return min(end + 1 + cursor - lineStart, below)
    }
}

extension Character {
    /// Whether it belongs to a word. Code has names with an underscore.
    fileprivate var isOfWord: Bool { isLetter || isNumber || self == "_" }
}
