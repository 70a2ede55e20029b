// The keys of terminals, in all their encodings, cut anywhere.

import ChatDomain
import Testing

@testable import chat

@Suite("Program: keys")
struct KeyParserTests {
    private func keys(_ text: String) -> [Key] {
        var parser = KeyParser()
        return parser.take(Array(text.utf8)) + parser.afterPause()
    }

    @Test(
        "Home and End are what xterm, tmux, screen, rxvt, the Linux console and kitty send for them",
        arguments: [
            ("\u{1B}[H", Key.named(.home, [])), ("\u{1B}OH", .named(.home, [])),
            ("\u{1B}[1~", .named(.home, [])), ("\u{1B}[7~", .named(.home, [])),
            ("\u{1B}[F", .named(.end, [])), ("\u{1B}OF", .named(.end, [])), ("\u{1B}[4~", .named(.end, [])),
            ("\u{1B}[8~", .named(.end, [])), ("\u{1B}[1;5H", .named(.home, .control)),
            ("\u{1B}[7^", .named(.home, .control)), ("\u{1B}[8$", .named(.end, .shift)),
        ])
    func homeAndEnd(_ bytes: String, _ key: Key) {
        #expect(keys(bytes) == [key])
    }

    @Test(
        "arrows, words, line breaks and deletions have all their encodings",
        arguments: [
            ("\u{1B}[D", Key.named(.left, [])), ("\u{1B}OC", .named(.right, [])),
            ("\u{1B}[1;5D", .named(.left, .control)), ("\u{1B}[1;3C", .named(.right, .alt)),
            ("\u{1B}[5C", .named(.right, .control)), ("\u{1B}Od", .named(.left, .control)),
            ("\u{1B}[1;9C", .named(.right, .alt)), ("\u{1B}b", .letter("b", .alt)),
            ("\u{1B}\r", .named(.enter, .alt)), ("\u{1B}[13;3u", .named(.enter, .alt)),
            ("\u{1B}[27;3;13~", .named(.enter, .alt)), ("\u{1B}[13;2u", .named(.enter, .shift)),
            ("\n", .letter("j", .control)), ("\u{1B}[106;5u", .letter("j", .control)),
            ("\u{7F}", .named(.backspace, [])), ("\u{8}", .named(.backspace, [])),
            ("\u{1B}\u{7F}", .named(.backspace, .alt)), ("\u{1B}[3~", .named(.delete, [])),
            ("\u{1B}[3;5~", .named(.delete, .control)), ("\u{1B}[3^", .named(.delete, .control)),
            ("\u{1B}[Z", .named(.tab, .shift)), ("\u{1B}OM", .named(.enter, [])), ("\u{1B}Oy", .text("9")),
            ("\u{1B}[97u", .text("a")), ("\u{1B}[8364;1:1u", .text("€")), ("\u{C}", .letter("l", .control)),
            ("\u{12}", .letter("r", .control)), ("\u{1B}", .named(.escape, [])),
        ])
    func encodings(_ bytes: String, _ key: Key) {
        #expect(keys(bytes) == [key])
    }

    @Test(
        "bytes that are no key are dropped as a whole: function keys, reports, and a terminal's replies",
        arguments: [
            "\u{1B}[[A", "\u{1B}OP", "\u{1B}[15~", "\u{1B}[I", "\u{1B}[<0;10;20M", "\u{1B}[12;40R",
            "\u{1B}[?1;2c", "\u{1B}[?2026;1$y", "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}]11;rgb:0/0/0\u{1B}\\",
            "\u{1B}P1+r544e\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\", "\u{1B}[57399u", "\u{1B}[8238u",
        ])
    func dropped(_ bytes: String) {
        var parser = KeyParser()
        #expect(parser.take(Array((bytes + "x").utf8)) == [.text("x")])
    }

    @Test("a sequence that is cut off swallows no key, and after a pause its characters are text")
    func cutOff() {
        #expect(keys("\u{1B}[1\r") == [.named(.enter, [])])
        #expect(keys("\u{1B}[1;\u{3}") == [.letter("c", .control)])
        #expect(keys("\u{1B}]0;never ends\u{3}") == [.letter("c", .control)])
        #expect(keys("\u{1B}\u{1B}[D") == [.named(.escape, []), .named(.left, [])])
        #expect(keys("\u{1B}[12") == [.named(.escape, []), .text("[12")])
        var parser = KeyParser()
        #expect(parser.take([0x1B]).isEmpty)
        #expect(parser.isUndecided)
        #expect(parser.afterPause() == [.named(.escape, [])])
        #expect(!parser.isUndecided)
        #expect(parser.take([0x0D]) == [.named(.enter, [])])
        #expect(parser.take([0xE2, 0x82]).isEmpty)
        #expect(parser.afterPause() == [.text("\u{FFFD}")])
    }

    @Test("a sequence or a string without an end holds nothing back for long")
    func endless() {
        for begin in ["\u{1B}[", "\u{1B}]", "\u{1B}O", "\u{1B}P"] {
            var parser = KeyParser()
            _ = parser.take(Array(begin.utf8))
            _ = parser.take([UInt8](repeating: UInt8(ascii: "1"), count: 2_000))
            #expect(parser.take(Array("x".utf8)).last == .text("x"), "\(begin)")
        }
    }

    @Test("a paste is text, with its line ends as one, and keys within it have no effect")
    func pasted() {
        #expect(
            keys("\u{1B}[200~a\r\nb\rc\nd\t\u{3}\u{1B}[De\u{1B}[201~f")
                == [.pasted("a\nb\nc\nd [De"), .text("f")])
        // A sequence parts a line feed from the carriage return before it.
        #expect(keys("\u{1B}[200~a\r\u{1B}[\nb\u{1B}[201~") == [.pasted("a\n[\nb")])
        // Without its end a paste is shown as it comes, and a marker by itself is nothing.
        var parser = KeyParser()
        #expect(parser.take(Array("\u{1B}[200~long".utf8)) == [.pasted("long")])
        #expect(parser.take(Array("\u{1B}[20".utf8)).isEmpty)
        #expect(parser.take(Array("1~".utf8)).isEmpty)
        #expect(parser.take(Array("\u{1B}[201~x".utf8)) == [.text("x")])
    }

    @Test("a pause within a paste, or within its marks, changes nothing", arguments: 0...17)
    func pausedPaste(_ cut: Int) {
        let bytes = Array("\u{1B}[200~é\ry\u{1B}[201~z".utf8)
        var parser = KeyParser()
        let before = parser.take(bytes[..<cut]) + parser.afterPause()
        // By itself an escape, also with a bracket, is what somebody may have pressed.
        guard !(1...2).contains(cut) else { return #expect(before.first == .named(.escape, [])) }
        #expect(joined(before + parser.take(bytes[cut...])) == [.pasted("é\ny"), .text("z")])
    }

    @Test("^C by itself ends a paste that never ends, also within its mark, and what follows are keys")
    func endlessPaste() {
        for pasted in ["\u{1B}[200~hello", "\u{1B}[200~hello\u{1B}[20"] {
            var parser = KeyParser()
            #expect(parser.take(Array(pasted.utf8)) == [.pasted("hello")])
            #expect(parser.afterPause().isEmpty)
            #expect(
                parser.take(Array("\u{3}\r".utf8)).allSatisfy { if case .pasted = $0 { true } else { false } }
            )
            #expect(parser.take([0x03]) == [.letter("c", .control)])
            #expect(parser.take([0x0D]) == [.named(.enter, [])])
        }
    }

    @Test("for any bytes: any split gives the same keys, and nothing that moves a cursor is text")
    func anySplit() {
        var entropy = Entropy.seeded(11)
        let pieces =
            [
                "\u{1B}", "[", "O", "1", ";", "5", "~", "200~", "201~", "a", "é", "日", "\u{301}", "\r", "\n",
                "\u{3}",
                "]", "\u{7}", "\\", "D", "u", "\u{202E}", "\u{9B}", "x",
            ].map { Array($0.utf8) } + [[0xFF], [0xE9], [0xF0, 0x9F]]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<12 { bytes += pieces[Int(entropy.next() % UInt64(pieces.count))] }
            var (whole, split) = (KeyParser(), KeyParser())
            let expected = joined(whole.take(bytes) + whole.afterPause())
            var keys: [Key] = []
            // ^C by itself is a key also within a paste.
            var piece: [UInt8] = []
            for (index, byte) in bytes.enumerated() {
                piece.append(byte)
                if index + 1 < bytes.count, bytes[index + 1] == 0x03 || piece == [0x03] { continue }
                keys += split.take(piece)
                piece = []
            }
            keys += split.take(piece)
            #expect(joined(keys + split.afterPause()) == expected, "\(bytes)")
            for case .text(let text) in expected {
                #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
            }
        }
    }

    /// Neighbouring text as one.
    private func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { joined, key in
            switch (joined.last, key) {
            case (.text(let left)?, .text(let right)): joined[joined.count - 1] = .text(left + right)
            case (.pasted(let left)?, .pasted(let right)): joined[joined.count - 1] = .pasted(left + right)
            default: joined.append(key)
            }
        }
    }
}
