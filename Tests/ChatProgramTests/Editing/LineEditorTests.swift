// The line being typed: what each key does to it.

import ChatDomain
import Testing

@testable import chat

@Suite("Program: the line being typed")
struct LineEditorTests {
    private func typed(_ bytes: [UInt8], _ history: [String] = []) -> (LineEditor, [LineEditor.Event]) {
        var editor = LineEditor()
        editor.history = History(history)
        let events = editor.take(bytes) + editor.afterPause()
        return (editor, events)
    }

    /// The text after these keys, with a bar at the cursor.
    private func text(_ keys: String, _ history: [String] = []) -> String {
        let editor = typed(Array(keys.utf8), history).0
        return String(editor.characters[..<editor.cursor]) + "|" + String(editor.characters[editor.cursor...])
    }

    @Test("a character is one character, however its bytes are split, and whatever joins it")
    func characters() {
        var editor = LineEditor()
        for byte in Array("e\u{301}👩‍👩‍👧".utf8) { _ = editor.take([byte]) }
        #expect(editor.characters.count == 2)
        _ = editor.take([0x7F])
        #expect(editor.text == "e\u{301}")
    }

    @Test("return finishes a line, and keys move and delete within it")
    func keys() {
        #expect(typed(Array("Hi\r".utf8)).1.last == .submitted("Hi"))
        #expect(text("ab\u{1B}[D\u{1B}[Dc") == "c|ab")
        #expect(text("one two\u{17}") == "one |")
        #expect(text("one\u{15}") == "|")
        #expect(text("ab\u{1B}[D\u{1B}[3~") == "a|")
        #expect(text("abc\u{1B}[D\u{1B}[D\u{B}") == "a|")
        #expect(text("abc\u{1}x\u{5}y\u{2}z\u{6}") == "xabczy|")
    }

    @Test(
        "Home and End go to the ends of the line, in every encoding",
        arguments: ["\u{1B}[1~", "\u{1B}[7~", "\u{1B}[H", "\u{1B}OH", "\u{1}"],
        ["\u{1B}[4~", "\u{1B}[8~", "\u{1B}[F", "\u{1B}OF", "\u{5}"])
    func ends(_ home: String, _ end: String) {
        #expect(text("abc\(home)x") == "x|abc")
        #expect(text("abc\(home)x\(end)y") == "xabcy|")
    }

    @Test(
        "Ctrl- and Alt-arrows and Alt-b and -f go by words, Alt-d, Ctrl-Delete and Alt-Backspace delete them")
    func words() {
        #expect(text("one, two_2 dré\u{1B}b\u{1B}[1;5D") == "one, |two_2 dré")
        #expect(text("one, two\u{1}\u{1B}f\u{1B}[1;3Cx") == "one, twox|")
        #expect(text("one, two\u{1}\u{1B}d") == "|, two")
        #expect(text("one two\u{1}\u{1B}[3;5~") == "| two")
        #expect(text("one/two\u{1B}\u{7F}") == "one/|")
        #expect(text("one/two\u{17}") == "|")
    }

    @Test("deleted text comes back with ^Y, kills in a row together; ^T exchanges")
    func killing() {
        #expect(text("one two\u{17}\u{17}\u{19}!") == "one two!|")
        #expect(text("one two\u{1}\u{1B}d\u{1B}d\u{5}\u{19}") == "one two|")
        #expect(text("one two\u{17}x\u{17}\u{19}") == "one x|")
        #expect(text("teh\u{14}") == "the|")
    }

    @Test(
        "Alt-Enter, Shift-Enter where it has a code, and Ctrl-J break the line",
        arguments: ["\u{1B}\r", "\u{1B}\n", "\n", "\u{1B}[13;3u", "\u{1B}[13;2u", "\u{1B}[27;2;13~"])
    func lineBreak(_ key: String) {
        let (editor, events) = typed(Array("one\(key)two".utf8))
        #expect(editor.text == "one\ntwo" && events.allSatisfy { $0 == .edited })
    }

    @Test("in a text of several lines the keys go by its lines, and from its ends into the history")
    func lines() {
        #expect(text("one\ntwo\nthree\u{1B}[A\u{1}x\u{1B}[Ay\u{5}z") == "oynez|\nxtwo\nthree")
        #expect(text("one\ntwo\u{1}\u{15}") == "one\n|two")
        #expect(text("one\ntwo\u{1}\u{B}") == "one\n|")
        #expect(text("one\ntwo\u{1B}[A\u{5}\u{B}") == "one|two")
        #expect(text("one\ntwo\u{1B}[A\u{1B}[A", ["old"]) == "old|")
        #expect(text("one\ntwo\u{1B}[A\u{1B}[A\u{1B}[B", ["old"]) == "one\ntwo|")
    }

    @Test("^C ends at once, ^D only on an empty line; ^Z gives the terminal back, ^L draws anew")
    func leaving() {
        #expect(typed([0x03]).1 == [.interrupted])
        #expect(typed([0x04]).1 == [.quit])
        #expect(typed([0x61, 0x04]).1 == [.edited, .edited])
        #expect(typed([0x1A]).1 == [.suspend])
        #expect(typed(Array("a".utf8) + [0x0C]).1 == [.edited, .redraw])
    }

    @Test("the tabulator completes the name of a command, and is a blank elsewhere")
    func completing() {
        #expect(typed(Array("/hel\t".utf8)).1 == [.edited, .complete])
        #expect(text("a\tb") == "a b|")
        #expect(text("/attach a\tb") == "/attach a b|")
        #expect(Verb.beginning("HE") == [.help])
        #expect(Verb.beginning("de") == [.delete, .detach, .deny])
        #expect(Verb.beginning("x") == [])
    }

    @Test("a paste is one edit, however long, and is not longer than may be read")
    func pasting() {
        let (editor, events) = typed([UInt8](repeating: 0x61, count: 100_000))
        #expect(events == [.edited])
        #expect(editor.cursor == 100_000)
        #expect(typed(Array("one\rtwo".utf8)).1 == [.edited, .submitted("one"), .edited])
        var book = LineEditor()
        for _ in 0..<20 { _ = book.take([UInt8](repeating: 0x61, count: 65_536)) }
        #expect(book.characters.count == LineEditor.limit)
        #expect(book.take(Array("\r".utf8)) == [.submitted(String(repeating: "a", count: LineEditor.limit))])
    }

    @Test("L8: the limit of a line is one of bytes, in one piece or many, and what is deleted makes room")
    func limit() {
        var editor = LineEditor()
        _ = editor.take(Array(String(repeating: "é", count: LineEditor.limit).utf8))
        #expect(editor.text.utf8.count == LineEditor.limit)
        _ = editor.take([0x7F, 0x7F] + Array("abcdef".utf8))
        #expect(editor.text.utf8.count == LineEditor.limit && editor.text.hasSuffix("éabcd"))
        _ = editor.take([0x15] + Array("new".utf8))
        #expect(editor.text == "new")
    }

    @Test(
        "pasted text is text: its line ends and its keys have no effect of their own")
    func marked() {
        let (editor, events) = typed(Array("a\u{1B}[200~Dear\r\n/erase\rb\tc\u{3}\u{4}\u{1B}[201~".utf8))
        #expect(editor.text == "aDear\n/erase\nb c" && events.allSatisfy { $0 == .edited })
        var split = LineEditor()
        for byte in Array("\u{1B}[200~x\r/quit\u{1B}[201~\r".utf8) {
            let events = split.take([byte])
            if byte == 0x0D, !events.contains(.edited) { #expect(events == [.submitted("x\n/quit")]) }
        }
        #expect(split.text.isEmpty)
    }

    @Test("escape by itself, or a sequence that is broken off, swallows no key")
    func escape() {
        var editor = LineEditor()
        #expect(editor.take(Array("keep\u{1B}".utf8)) == [.edited])
        #expect(editor.isUndecided)
        #expect(editor.afterPause().isEmpty)
        #expect(editor.take([0x0D]) == [.submitted("keep")])
        #expect(typed(Array("\u{1B}\u{3}".utf8)).1 == [.interrupted])
        #expect(text("\u{1B}x") == "x|")
        #expect(text("ab\u{1B}\u{1B}[Dc") == "ac|b")
        #expect(typed(Array("a\u{1B}[1\r".utf8)).1 == [.edited, .submitted("a")])
    }

    @Test("a character of another encoding does not swallow the key behind it")
    func cutScalar() {
        #expect(typed([0x61, 0xE9, 0x0D]).1 == [.edited, .submitted("a\u{FFFD}")])
        #expect(typed([0xE9, 0x62]).0.text == "\u{FFFD}b")
    }

    @Test("bytes that are no text, and keys that are not known, do no harm")
    func hostile() {
        var entropy = Entropy.seeded(4)
        var editor = LineEditor()
        editor.history = History(["one", "two"])
        for _ in 0..<20_000 {
            _ = editor.take([UInt8(truncatingIfNeeded: entropy.next())])
            #expect((0...editor.characters.count).contains(editor.cursor))
        }
        #expect(text("a\u{9B}2J\u{202E}b") == "a2Jb|")
    }
}
