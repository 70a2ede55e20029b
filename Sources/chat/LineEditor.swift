// A line of input in a terminal that echoes nothing: bytes in, edits and finished lines out. A value, so that
// it can be tested without a terminal.

import ChatDomain

/// The line being typed.
struct LineEditor: Equatable {
    /// What a key led to.
    enum Event: Equatable {
        /// The line changed.
        case edited
        /// The line is finished.
        case submitted(String)
        /// The person wants to leave: ^C, or ^D on an empty line.
        case quit
    }

    /// The characters typed so far.
    private(set) var characters: [Character] = []
    /// Where the next character goes.
    private(set) var cursor = 0
    /// The bytes of a character or key that is not complete yet.
    private var partial: [UInt8] = []

    /// The text typed so far.
    var text: String { String(characters) }

    /// Puts another text in place of what was typed.
    mutating func replace(with text: String) {
        characters = Array(text)
        cursor = characters.count
    }

    /// Takes what a terminal sent, in whatever pieces it sent it.
    mutating func take(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            partial.append(byte)
            if let event = takePartial() { events.append(event) }
        }
        return events
    }

    private mutating func takePartial() -> Event? {
        guard let first = partial.first else { return nil }
        switch first {
        case 0x1B: return takeEscape()
        case 0x00..<0x20, 0x7F:
            partial = []
            return takeControl(first)
        default:
            guard partial.count >= LineEditor.length(ofScalarBeginningWith: first) else { return nil }
            // What was pasted may hold what moves a cursor or turns the writing; it is echoed, so it goes.
            let text = ExactText(String(decoding: partial, as: UTF8.self)).withoutControlCharacters.string
            partial = []
            insert(text)
            return .edited
        }
    }

    /// Joins what is typed with what stands before it, because a scalar may go on a character.
    private mutating func insert(_ text: String) {
        let before = String(characters[..<cursor]) + text
        let joined = Array(before)
        characters = joined + characters[cursor...]
        cursor = joined.count
    }

    private mutating func takeControl(_ byte: UInt8) -> Event? {
        switch byte {
        case 0x0D, 0x0A:
            let line = text
            replace(with: "")
            return .submitted(line)
        case 0x03: return .quit
        case 0x04:
            if characters.isEmpty { return .quit }
            return nil
        case 0x08, 0x7F:
            guard cursor > 0 else { return nil }
            cursor -= 1
            characters.remove(at: cursor)
        case 0x01: cursor = 0
        case 0x05: cursor = characters.count
        case 0x15:
            characters.removeSubrange(..<cursor)
            cursor = 0
        case 0x17:
            while cursor > 0, characters[cursor - 1] == " " { removeBeforeCursor() }
            while cursor > 0, characters[cursor - 1] != " " { removeBeforeCursor() }
        default: return nil
        }
        return .edited
    }

    private mutating func removeBeforeCursor() {
        cursor -= 1
        characters.remove(at: cursor)
    }

    /// Understands the arrow keys, home, end and delete (ECMA-48 control sequences), and drops the others.
    private mutating func takeEscape() -> Event? {
        guard partial.count >= 2 else { return nil }
        guard partial[1] == UInt8(ascii: "[") || partial[1] == UInt8(ascii: "O") else {
            partial = []
            return nil
        }
        guard partial.count >= 3, let last = partial.last, (0x40...0x7E).contains(last) else { return nil }
        let sequence = partial
        partial = []
        switch last {
        case UInt8(ascii: "D"): cursor = max(0, cursor - 1)
        case UInt8(ascii: "C"): cursor = min(characters.count, cursor + 1)
        case UInt8(ascii: "H"): cursor = 0
        case UInt8(ascii: "F"): cursor = characters.count
        case UInt8(ascii: "~") where sequence[2] == UInt8(ascii: "3"):
            guard cursor < characters.count else { return nil }
            characters.remove(at: cursor)
        default: return nil
        }
        return .edited
    }

    private static func length(ofScalarBeginningWith byte: UInt8) -> Int {
        switch byte {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0...: 4
        default: 1
        }
    }
}
