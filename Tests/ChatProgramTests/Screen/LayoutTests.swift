// Text in columns.

import ChatDomain
import Testing

@testable import chat

@Suite("Program: the screen")
struct LayoutTests {
    @Test("lines break at blanks, and no line is wider than the terminal", arguments: [8, 60, 200])
    func wraps(_ columns: Int) {
        let text = "a long line of words and averyveryverylongwordthatfitsnowhere 日本語のテキスト end"
        let lines = Layout.wrap(text, columns: columns)
        #expect(lines.allSatisfy { Layout.width($0) <= columns })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }

    @Test("rows that go on are moved to the right, where there is room for that")
    func hanging() {
        #expect(
            Layout.wrap("1. ada: one two three four", columns: 12, hanging: 2)
                == ["1. ada: one", "  two three", "  four"])
        #expect(Layout.wrap("abcdefghijkl", columns: 8, hanging: 2) == ["abcdefgh", "  ijkl"])
        #expect(Layout.wrap("abcdefghijkl", columns: 8, hanging: 7) == ["abcdefgh", "ijkl"])
    }

    @Test("wide characters take two columns, combining marks none, an emoji two however it is put together")
    func widths() {
        #expect(Layout.width("日本") == 4)
        #expect(Layout.width("e\u{301}") == 1)
        #expect(Layout.width("👋") == 2)
        #expect(Layout.width("👩‍👩‍👧") == 2)
        #expect(Layout.width("❤️") == 2)
        #expect(Layout.width("❤") == 1)
        #expect(Layout.width("🇩🇪") == 2)
        #expect(Layout.width("☕") == 2)
        #expect(Layout.width("1") == 1)
        // Letters that are one character to the reader and stand in columns of their own.
        #expect(Layout.width("น้ำ") == 2 && Layout.width("ภาษาไทย") == 7)
        #expect(Layout.width("क्षि") == 3 && Layout.width("போ") == 2)
        #expect(Layout.fold([Cell]("ab\ncd"), columns: 20).map { $0.text } == ["ab", "cd"])
    }

    @Test("text of a server cannot move the cursor, turn the writing, or pass for a line of the program")
    func printable() {
        #expect(Line.printable("a\u{1B}[2Jb\u{202E}c\u{7}") == "a[2Jbc")
        #expect(Line.printable("one\ntwo") == "one\n  two")
        #expect(Line.printable("one\r\ntwo\rthree\u{2028}four") == "one\n  two\n  three\n  four")
        #expect(Line.printable("a\tb") == "a b")
    }

    @Test("a row breaks beside wide characters, which have no blanks between")
    func wide() {
        #expect(Layout.wrap("ab 日本語", columns: 7) == ["ab 日本", "語"])
        #expect(Layout.wrap("日本ab", columns: 5) == ["日本", "ab"])
    }

    @Test("rows from a place within a line are those of the whole line from there on")
    func within() {
        let line = [Cell]("one two three four five six seven")
        let rows = Layout.wrap(line, columns: 9, margin: [Cell]("  "))
        for index in rows.indices.dropLast() {
            let rest = Layout.wrap(line, from: rows[index].end, columns: 9, margin: [Cell]("  "))
            #expect(rest == Array(rows[(index + 1)...]))
        }
    }

    @Test("in any window, also of one column, all is laid out", arguments: [-1, 0, 1, 2, 3])
    func tiny(_ columns: Int) {
        let text = "a 日 👩‍👩‍👧 क्षि words"
        let rows = Layout.wrap(text, columns: columns, hanging: 2)
        #expect(rows.joined().filter { $0 != " " } == text.filter { $0 != " " })
        let folded = Layout.fold([Cell](text), columns: columns)
        #expect(folded.map { $0.text }.joined() == text)
    }
}
