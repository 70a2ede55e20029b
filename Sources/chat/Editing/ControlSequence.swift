// The keys of control sequences. The tables are those of xterm (ctlseqs), rxvt, the Linux console (console_codes)
// and kitty's keyboard protocol; where they differ, each has its own line.

/// A complete control sequence.
struct ControlSequence {
    /// The numbers; a missing one is 0.
    private let numbers: [Int]
    private let final: UInt8

    /// Reads the numbers; nil for a sequence that is no key, such as a reply or a report of the mouse.
    init?(parameters: some Sequence<UInt8>, final: UInt8) {
        var numbers = [0]
        var isSubparameter = false
        for byte in parameters {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isSubparameter:
                // No key has a greater number than a character.
                numbers[numbers.count - 1] = min(
                    numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0")), 0x11_0000)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: ";"):
                numbers.append(0)
                isSubparameter = false
            case UInt8(ascii: ":"): isSubparameter = true
            default: return nil
            }
        }
        self.numbers = numbers
        self.final = final
    }

    private func number(_ index: Int) -> Int { numbers.indices.contains(index) ? numbers[index] : 0 }

    private var modifiers: Key.Modifiers {
        // Old terminals leave out the first number.
        Key.Modifiers(parameter: numbers.count > 1 ? number(1) : isArrow ? number(0) : 0)
    }

    private var isArrow: Bool { (UInt8(ascii: "A")...UInt8(ascii: "H")).contains(final) }

    /// The key; nil if it has no meaning here.
    var key: Key? {
        switch final {
        case UInt8(ascii: "A"): .named(.up, modifiers)
        case UInt8(ascii: "B"): .named(.down, modifiers)
        case UInt8(ascii: "C"): .named(.right, modifiers)
        case UInt8(ascii: "D"): .named(.left, modifiers)
        case UInt8(ascii: "H"): .named(.home, modifiers)
        case UInt8(ascii: "F"): .named(.end, modifiers)
        // rxvt: the arrows with shift.
        case UInt8(ascii: "a"): .named(.up, .shift)
        case UInt8(ascii: "b"): .named(.down, .shift)
        case UInt8(ascii: "c"): .named(.right, .shift)
        case UInt8(ascii: "d"): .named(.left, .shift)
        case UInt8(ascii: "Z"): .named(.tab, .shift)
        case UInt8(ascii: "~"): number(0) == 27 ? character(number(2)) : numbered(modifiers)
        // rxvt: with control, with shift, with both.
        case UInt8(ascii: "^"): numbered(.control)
        case UInt8(ascii: "$"): numbered(.shift)
        case UInt8(ascii: "@"): numbered([.control, .shift])
        case UInt8(ascii: "u"): character(number(0))
        default: nil
        }
    }

    /// The key after ESC O.
    var keypadKey: Key? {
        switch final {
        case UInt8(ascii: "M"): .named(.enter, modifiers)
        // rxvt: the arrows with control.
        case UInt8(ascii: "a"): .named(.up, .control)
        case UInt8(ascii: "b"): .named(.down, .control)
        case UInt8(ascii: "c"): .named(.right, .control)
        case UInt8(ascii: "d"): .named(.left, .control)
        case UInt8(ascii: "A")...UInt8(ascii: "H"): key
        // The numeric pad sends each character as a letter 64 above it.
        case UInt8(ascii: "j")...UInt8(ascii: "y"): .text(String(UnicodeScalar(final - 0x40)))
        default: nil
        }
    }

    private func numbered(_ modifiers: Key.Modifiers) -> Key? {
        switch number(0) {
        case 1, 7: .named(.home, modifiers)  // 7 and 8 are rxvt's
        case 4, 8: .named(.end, modifiers)
        case 2: .named(.insert, modifiers)
        case 3: .named(.delete, modifiers)
        case 5: .named(.pageUp, modifiers)
        case 6: .named(.pageDown, modifiers)
        default: nil
        }
    }

    /// A character by its number in Unicode, with modifiers.
    private func character(_ code: Int) -> Key? {
        let modifiers = Key.Modifiers(parameter: number(1))
        switch code {
        case 8, 127: return .named(.backspace, modifiers)
        case 9: return .named(.tab, modifiers)
        case 13: return .named(.enter, modifiers)
        case 27: return .named(.escape, modifiers)
        // Kitty numbers keys without a character in a private range.
        case 0..<32, 57_344...63_743: return nil
        default:
            guard let scalar = UInt32(exactly: code).flatMap(UnicodeScalar.init),
                !scalar.properties.isDefaultIgnorableCodePoint, scalar.properties.generalCategory != .control
            else { return nil }
            let isPlain = modifiers.isDisjoint(with: [.alt, .control])
            return isPlain ? .text(String(scalar)) : .letter(Character(scalar), modifiers)
        }
    }
}
