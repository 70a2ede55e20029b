// The input from a keyboard, without the bytes of a terminal.

/// A pressed key, or text.
enum Key: Equatable {
    /// Typed text, of any length.
    case text(String)
    /// Pasted text: no part of it is a key.
    case pasted(String)
    /// A key without a character.
    case named(Name, Modifiers)
    /// A character with control or alt.
    case letter(Character, Modifiers)

    /// A key without a character.
    enum Name: Equatable {
        case up, down, left, right, home, end, pageUp, pageDown, insert, delete, backspace, tab, enter, escape
    }

    /// The keys held down beside it.
    struct Modifiers: OptionSet {
        let rawValue: UInt8

        static let shift = Modifiers(rawValue: 1)
        static let alt = Modifiers(rawValue: 2)
        static let control = Modifiers(rawValue: 4)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Reads the number of xterm and its successors: one more than a sum of bits. The fourth bit is meta, which
        /// people call alt.
        init(parameter: Int) {
            let bits = UInt8(truncatingIfNeeded: max(parameter - 1, 0))
            self.init(rawValue: bits & 0b111)
            if bits & 0b1000 != 0 { insert(.alt) }
        }
    }
}
