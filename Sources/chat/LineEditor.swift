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
        /// The person wants the shell for a while: ^Z.
        case suspend
        /// The person wants the command completed whose name is being typed: the tabulator.
        case complete
    }

    /// More than any message may have (limits): what is longer is cut here and refused later (L8).
    static let limit = LineSplitter.limit

    /// The characters typed so far.
    private(set) var characters: [Character] = []
    /// Where the next character goes.
    private(set) var cursor = 0
    /// The bytes of a character or key that is not complete yet.
    private var partial: [UInt8] = []
    /// Text that is complete but not in the line yet: what is pasted goes there in one piece.
    private var pending: [UInt8] = []
    /// Whether the terminal says that what comes now is pasted: then no byte of it is a key.
    private var isPasting = false
    /// Whether the last byte of what is pasted was a carriage return, to which a line feed belongs.
    private var isAfterReturn = false

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
            // A scalar that was cut short must not swallow the key behind it.
            if let first = partial.first, first >= 0x80, !(0x80..<0xC0).contains(byte) {
                pending += partial
                partial = []
            }
            // Escape by itself means nothing here, and a sequence that is broken off must not swallow a key either.
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
        // What was pasted may hold what moves a cursor or turns the writing; it is echoed, so it goes.
        let text = ExactText(String(decoding: pending, as: UTF8.self)).withoutControlCharacters.string
        pending = []
        insert(text)
        return [.edited]
    }

    /// Joins what is typed with the character before it, because a scalar may go on that one.
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

    /// A pasted end of line is one in the text, and no key.
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

    /// Understands the arrow keys, home, end and delete (ECMA-48 control sequences) and the marks around what is
    /// pasted, and drops the others.
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
