// A line editor for a terminal without echo: bytes in, edits and finished lines out. It is a value, so tests need no
// terminal.

import ChatDomain

/// The line being typed.
struct LineEditor: Equatable {
    /// The effect of a key.
    enum Event: Equatable {
        case edited
        case submitted(String)
        /// A request to quit: ^C, or ^D on an empty line.
        case quit
        /// A request to suspend the program: ^Z.
        case suspend
        /// A request to complete the name of a command: the tab key.
        case complete
    }

    /// More than any message may have (limits): longer input is cut here and refused later (L8).
    static let limit = LineSplitter.limit

    /// The typed characters.
    private(set) var characters: [Character] = []
    /// The index for the next character.
    private(set) var cursor = 0
    /// The bytes of an incomplete character or key.
    private var partial: [UInt8] = []
    /// Complete text that is not yet in the line: a paste is inserted in one piece.
    private var pending: [UInt8] = []
    /// Whether the terminal has marked the input as pasted: then no byte of it is a key.
    private var isPasting = false
    /// Whether the last pasted byte was a carriage return, to which a line feed belongs.
    private var isAfterReturn = false

    /// The typed text.
    var text: String { String(characters) }

    /// Replaces the whole text and moves the cursor to its end.
    mutating func replace(with text: String) {
        characters = Array(text)
        cursor = characters.count
    }

    /// Handles bytes of the terminal, in any split, and returns their events.
    mutating func take(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            // An incomplete scalar must not consume the next key.
            if let first = partial.first, first >= 0x80, !(0x80..<0xC0).contains(byte) {
                pending += partial
                partial = []
            }
            // Escape by itself has no meaning, and an incomplete sequence must not consume a key either.
            if partial.first == 0x1B {
                let isBegun = partial.count > 1 || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
                if !isBegun || byte < 0x20 { partial = [] }
            }
            partial.append(byte)
            guard let first = partial.first else { continue }
            switch first {
            case 0x00..<0x20, 0x7F:
                events += insertPending()
                if let event = takeKey(first) { events.append(event) }
            default:
                guard partial.count >= LineEditor.length(ofScalarBeginningWith: first) else { continue }
                pending += partial
                partial = []
            }
        }
        return events + insertPending()
    }

    private mutating func takeKey(_ first: UInt8) -> Event? {
        if first == 0x1B { return takeEscape() }
        partial = []
        return isPasting ? takePasted(first) : takeControl(first)
    }

    private mutating func insertPending() -> [Event] {
        guard !pending.isEmpty else { return [] }
        // Pasted text is echoed, so characters that move the cursor or change the writing direction are removed.
        let text = ExactText(String(decoding: pending, as: UTF8.self)).withoutControlCharacters.string
        pending = []
        insert(text)
        return [.edited]
    }

    /// Joins the text with the character before the cursor, because a scalar may extend that character.
    private mutating func insert(_ text: String) {
        guard characters.count < Self.limit else { return }
        let start = max(cursor - 1, 0)
        let joined = Array(String(characters[start..<cursor]) + text)
        characters.replaceSubrange(start..<cursor, with: joined)
        cursor = start + joined.count
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
        case 0x1A: return .suspend
        case 0x08, 0x7F:
            guard cursor > 0 else { return nil }
            cursor -= 1
            characters.remove(at: cursor)
        case 0x01: cursor = 0
        case 0x05: cursor = characters.count
        case 0x09:
            if characters.first == "/", !characters.contains(" ") { return .complete }
            insert(" ")
        case 0x0B: characters.removeSubrange(cursor...)
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

    /// A pasted line end is part of the text, and no key.
    private mutating func takePasted(_ byte: UInt8) -> Event? {
        defer { isAfterReturn = byte == 0x0D }
        switch byte {
        case 0x0A where isAfterReturn: return nil
        case 0x0D, 0x0A: insert("\n")
        case 0x09: insert(" ")
        default: return nil
        }
        return .edited
    }

    private mutating func removeBeforeCursor() {
        cursor -= 1
        characters.remove(at: cursor)
    }

    /// Handles the arrow keys, home, end and delete (ECMA-48 control sequences) and the paste markers; drops all other
    /// sequences.
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
        case UInt8(ascii: "~") where sequence == Array("\u{1B}[200~".utf8):
            (isPasting, isAfterReturn) = (true, false)
            return nil
        case UInt8(ascii: "~") where sequence == Array("\u{1B}[201~".utf8):
            isPasting = false
            return nil
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
