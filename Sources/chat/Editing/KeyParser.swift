// The bytes of a terminal as keys: ECMA-48 control sequences as xterm, tmux, screen, rxvt, the Linux console and kitty
// send them. It is a value that takes the bytes in any split.
//
// Guarantees, for any bytes: text is lost only within a sequence; outside of a paste a control key is never swallowed,
// and ^C by itself ends a paste, so it always arrives; a sequence without an end holds back at most `longest` bytes;
// pasted text is no key, wherever a pause cuts it.

import ChatDomain

/// Parses the bytes of a terminal.
struct KeyParser: Equatable {
    /// The most bytes of one sequence. A reply of a terminal to a request is shorter, and the program sends no request.
    private static let longest = 256
    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// The bytes of an incomplete character or sequence.
    private var partial: [UInt8] = []
    /// Complete text that is not yet a key: text arrives in one piece.
    private var text: [UInt8] = []
    /// Whether the terminal has marked the input as pasted.
    private var isPasting = false
    /// Whether the last pasted byte was a carriage return, to which a line feed belongs.
    private var isAfterReturn = false
    private var keys: [Key] = []

    /// Whether the next byte decides the meaning of the last ones. After a pause, `afterPause` decides.
    var isUndecided: Bool { !partial.isEmpty }

    /// Takes bytes and returns the keys that they complete.
    mutating func take(_ bytes: some Collection<UInt8>) -> [Key] {
        // A ^C that comes alone was pressed, because a terminal pastes in larger pieces. So ^C ends a paste without an end.
        if bytes.elementsEqual([0x03]) { isPasting = false }
        for byte in bytes { take(byte) }
        return finish()
    }

    /// Ends an incomplete sequence after a pause: its bytes stand for themselves. Within a paste, and within the mark
    /// that begins one, a pause has no meaning: otherwise pasted lines would be keys, or the end mark would be text.
    mutating func afterPause() -> [Key] {
        guard !isPasting, partial.count < 3 || !Self.pasteStart.starts(with: partial) else { return [] }
        let bytes = partial
        partial = []
        guard bytes.first == 0x1B else {
            text += bytes
            return finish()
        }
        press(.named(.escape, []))
        text += bytes.dropFirst()
        return finish()
    }

    private mutating func finish() -> [Key] {
        flush()
        defer { keys = [] }
        return keys
    }

    private mutating func press(_ key: Key) {
        flush()
        keys.append(key)
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        // Text is echoed, so characters that move the cursor or change the writing direction are removed.
        let cleaned = text.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            ExactText(String(decoding: $0, as: UTF8.self)).withoutControlCharacters.string
        }.joined(separator: "\n")
        text = []
        guard !cleaned.isEmpty else { return }
        keys.append(isPasting ? .pasted(cleaned) : .text(cleaned))
    }

    private mutating func take(_ byte: UInt8) {
        guard let first = partial.first else { return begin(byte) }
        if first == 0x1B { return isPasting ? takeEndMark(byte) : escape(byte) }
        // An incomplete character must not consume the next key.
        guard (0x80..<0xC0).contains(byte) else {
            text += partial
            partial = []
            return begin(byte)
        }
        partial.append(byte)
        guard partial.count >= Self.length(ofScalarBeginningWith: first) else { return }
        text += partial
        partial = []
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0x1B: (partial, isAfterReturn) = ([byte], false)
        case 0x00..<0x20, 0x7F: isPasting ? paste(byte) : press(Self.control(byte))
        default:
            isAfterReturn = false
            guard Self.length(ofScalarBeginningWith: byte) > 1 else { return text.append(byte) }
            partial = [byte]
        }
    }

    private static func length(ofScalarBeginningWith byte: UInt8) -> Int {
        switch byte {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0...: 4
        default: 1
        }
    }

    private static func control(_ byte: UInt8) -> Key {
        switch byte {
        case 0x08, 0x7F: .named(.backspace, [])
        case 0x09: .named(.tab, [])
        case 0x0D: .named(.enter, [])
        default: .letter(Character(UnicodeScalar(byte | 0x40)).lowercasedCharacter, .control)
        }
    }

    // MARK: Paste

    /// A pasted line end is part of the text, and no key.
    private mutating func paste(_ byte: UInt8) {
        switch byte {
        case 0x0A where isAfterReturn: break
        case 0x0D, 0x0A: text.append(0x0A)
        case 0x09: text.append(0x20)
        default: break
        }
        isAfterReturn = byte == 0x0D
    }

    /// Takes a byte of what may be the mark that ends a paste.
    private mutating func takeEndMark(_ byte: UInt8) {
        partial.append(byte)
        if partial == Self.pasteEnd {
            flush()
            (isPasting, partial) = (false, [])
        } else if !Self.pasteEnd.starts(with: partial) {
            text += partial.dropFirst().dropLast()
            partial = []
            begin(byte)
        }
    }

    // MARK: Sequences

    private mutating func escape(_ byte: UInt8) {
        switch partial.count > 1 ? partial[1] : 0 {
        case 0: introduce(byte)
        case UInt8(ascii: "["): takeControlSequence(byte)
        case UInt8(ascii: "O"): takeSingleShift(byte)
        default: takeString(byte)
        }
    }

    /// Takes the byte after an escape: the kind of sequence, or a character with alt.
    private mutating func introduce(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "O"), UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"),
            UInt8(ascii: "^"), UInt8(ascii: "X"):
            partial.append(byte)
        case 0x0D, 0x0A: end(.named(.enter, .alt))
        case 0x08, 0x7F: end(.named(.backspace, .alt))
        case 0x20..<0x7F: end(.letter(Character(UnicodeScalar(byte)), .alt))
        default: abort(byte, after: .named(.escape, []))
        }
    }

    private mutating func end(_ key: Key?) {
        partial = []
        if let key { press(key) }
    }

    /// Drops an incomplete sequence; the byte begins a new one.
    private mutating func abort(_ byte: UInt8, after key: Key? = nil) {
        end(key)
        begin(byte)
    }

    private mutating func takeControlSequence(_ byte: UInt8) {
        // The function keys of the Linux console: ESC [ [ A.
        if partial.count == 3, partial[2] == UInt8(ascii: "[") {
            return (0x40...0x7E).contains(byte) ? end(nil) : abort(byte)
        }
        switch byte {
        case UInt8(ascii: "[") where partial.count == 2: partial.append(byte)
        // rxvt ends keys with shift like this; elsewhere it is within a reply that begins with a question mark.
        case UInt8(ascii: "$")
        where partial.count > 2 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(partial[2]):
            finishControlSequence(byte)
        case 0x20...0x3F:
            partial.append(byte)
            if partial.count > Self.longest { end(nil) }
        case 0x40...0x7E: finishControlSequence(byte)
        default: abort(byte)
        }
    }

    private mutating func finishControlSequence(_ final: UInt8) {
        if partial + [final] == Self.pasteStart {
            flush()
            end(nil)
            (isPasting, isAfterReturn) = (true, false)
            return
        }
        end(ControlSequence(parameters: partial.dropFirst(2), final: final)?.key)
    }

    /// Takes a key of a terminal in application mode: ESC O and a letter, in old ones with a number between.
    private mutating func takeSingleShift(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            partial.append(byte)
            if partial.count > Self.longest { end(nil) }
        case 0x40...0x7E: end(ControlSequence(parameters: partial.dropFirst(2), final: byte)?.keypadKey)
        default: abort(byte)
        }
    }

    /// Takes a string that a terminal sends as a reply, up to its terminator: BEL, or ESC and a backslash.
    private mutating func takeString(_ byte: UInt8) {
        if partial.last == 0x1B, partial.count > 2 {
            if byte == UInt8(ascii: "\\") { return end(nil) }
            partial = [0x1B]
            return escape(byte)
        }
        switch byte {
        case 0x07: end(nil)
        case 0x00..<0x1B, 0x1C..<0x20, 0x7F: abort(byte)
        default:
            partial.append(byte)
            if partial.count > Self.longest { end(nil) }
        }
    }
}

extension Character {
    fileprivate var lowercasedCharacter: Character { lowercased().first ?? self }
}
