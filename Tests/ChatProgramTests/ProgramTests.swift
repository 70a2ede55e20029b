// The parts of the terminal program that decide something, without a terminal.

import ChatDomain
import Testing

@testable import chat

@Suite("Program: the command line")
struct OptionsTests {
    @Test("without options the chat runs in real time and keeps its records")
    func defaults() throws {
        let options = try Options.parse([])
        #expect(options == Options())
        #expect(
            options.resolvedStorage(environment: [:], home: "/h") == .folder("/h/.local/state/chat"))
        #expect(
            options.resolvedStorage(environment: ["XDG_STATE_HOME": "/x"], home: "/h") == .folder("/x/chat"))
        #expect(
            options.resolvedStorage(environment: ["XDG_STATE_HOME": "relative"], home: "/h")
                == .folder("/h/.local/state/chat"))
    }

    @Test("on virtual time all stays in memory, unless a folder is named")
    func instant() throws {
        #expect(
            try Options.parse(["--instant"]).resolvedStorage(environment: [:], home: "/h") == .memory)
        #expect(
            try Options.parse(["--instant", "--state", "d"]).resolvedStorage(environment: [:], home: "/h")
                == .folder("d"))
    }

    @Test("a folder may stand behind = as well")
    func equals() throws {
        #expect(try Options.parse(["--state=d e"]).storage == .folder("d e"))
        #expect(try Options.parse(["--state=--x"]).storage == .folder("--x"))
    }

    @Test(
        "a wrong option is an error that names it",
        arguments: [["--nonsense"], ["x"], ["--state"], ["--state="], ["--state", "--plain"]])
    func wrong(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Options.parse(arguments) }
    }
}

@Suite("Program: the line being typed")
struct LineEditorTests {
    private func typed(_ bytes: [UInt8]) -> (LineEditor, [LineEditor.Event]) {
        var editor = LineEditor()
        let events = editor.take(bytes)
        return (editor, events)
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
        #expect(typed(Array("ab\u{1B}[D\u{1B}[Dc".utf8)).0.text == "cab")
        #expect(typed(Array("one two".utf8) + [0x17]).0.text == "one ")
        #expect(typed(Array("one".utf8) + [0x15]).0.text == "")
        #expect(typed(Array("ab\u{1B}[D\u{1B}[3~".utf8)).0.text == "a")
    }

    @Test("^C leaves, ^D only on an empty line")
    func leaving() {
        #expect(typed([0x03]).1 == [.quit])
        #expect(typed([0x04]).1 == [.quit])
        #expect(typed([0x61, 0x04]).1 == [.edited])
    }

    @Test("^Z gives the terminal back, ^K deletes to the end")
    func moreKeys() {
        #expect(typed([0x1A]).1 == [.suspend])
        #expect(typed(Array("abc\u{1B}[D\u{1B}[D".utf8) + [0x0B]).0.text == "a")
    }

    @Test("the tabulator completes the name of a command, and is a blank elsewhere")
    func completing() {
        #expect(typed(Array("/hel\t".utf8)).1 == [.edited, .complete])
        #expect(typed(Array("a\tb".utf8)).0.text == "a b")
        #expect(typed(Array("/attach a\tb".utf8)).0.text == "/attach a b")
        #expect(Verb.beginning("HE") == [.help])
        #expect(Verb.beginning("de") == [.delete, .detach, .deny])
        #expect(Verb.beginning("x") == [])
    }

    @Test("what is pasted is one edit, however long, and is not longer than may be read")
    func pasting() {
        let (editor, events) = typed([UInt8](repeating: 0x61, count: 100_000))
        #expect(events == [.edited])
        #expect(editor.cursor == 100_000)
        #expect(typed(Array("one\rtwo".utf8)).1 == [.edited, .submitted("one"), .edited])
    }

    @Test(
        "what a terminal marks as pasted is text: its ends of lines and its keys do nothing but stand there")
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
        #expect(editor.take([0x0D]) == [.submitted("keep")])
        #expect(typed(Array("\u{1B}\u{3}".utf8)).1 == [.quit])
        #expect(typed(Array("\u{1B}x".utf8)).0.text == "x")
        #expect(typed(Array("ab\u{1B}\u{1B}[Dc".utf8)).0.text == "acb")
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
        for _ in 0..<5_000 { _ = editor.take([UInt8(truncatingIfNeeded: entropy.next())]) }
        #expect(editor.cursor <= editor.characters.count)
        #expect(typed(Array("a\u{9B}2J\u{202E}b".utf8)).0.text == "a2Jb")
    }
}

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
        #expect(Layout.fold("ab\ncd", columns: 20) == ["ab", "cd"])
    }

    @Test("what a server says cannot move the cursor, turn the writing, or pass for a line of the program")
    func printable() {
        #expect(Line.printable("a\u{1B}[2Jb\u{202E}c\u{7}") == "a[2Jbc")
        #expect(Line.printable("one\ntwo") == "one\n  two")
        #expect(Line.printable("one\r\ntwo\rthree\u{2028}four") == "one\n  two\n  three\n  four")
        #expect(Line.printable("a\tb") == "a b")
    }
}

@Suite("Program: the screen")
struct ScreenTests {
    private let size = Terminal.Size(columns: 20, rows: 10)

    private func editor(_ text: String) -> LineEditor {
        var editor = LineEditor()
        editor.replace(with: text)
        return editor
    }

    @Test("colour is for terminals that can, and not for people who do not want it")
    func colour() {
        #expect(Paint(environment: ["TERM": "xterm"]).isOn)
        #expect(Paint(environment: ["TERM": "xterm", "NO_COLOR": ""]).isOn)
        #expect(!Paint(environment: ["TERM": "xterm", "NO_COLOR": "1"]).isOn)
        #expect(!Paint(environment: ["TERM": "dumb"]).isOn)
        #expect(!Paint(environment: [:]).isOn)
    }

    @Test("paint adds nothing but paint")
    func paint() {
        let line = Line(.theirs, head: "1. assistant: ", "some words that are wrapped")
        let painted = Paint(environment: ["TERM": "xterm"]).rows(line, columns: 20)
        let plain = Paint(environment: ["TERM": "dumb"]).rows(line, columns: 20)
        #expect(painted.first == "\u{1B}[1;36m1. assistant: \u{1B}[0msome")
        let scraped = painted.map { row in
            row.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        }
        #expect(scraped == plain)
    }

    @Test("a line longer than the screen is shown around the cursor, so that what is above stays in reach")
    func longLine() {
        var screen = Screen(Paint(environment: [:]))
        let text = String(repeating: "word ", count: 100)
        let moving = [Line(.theirs, String(repeating: "reply ", count: 100))]
        let output = screen.draw(
            staying: [], moving: moving, prompt: "> ", editor: editor(text), size)
        #expect(output.split(separator: "\r\n").count <= 10)
        // 4 rows that move, and of 5 that are typed the 4 above the cursor's.
        #expect(screen.clear().contains("\u{1B}[8A"))
    }

    @Test("of a line as long as a book, what is drawn fits the screen, wherever the cursor is")
    func bookOnOneLine() {
        var screen = Screen(Paint(environment: [:]))
        var editor = editor((0..<2_000).map { "\($0) " }.joined())
        let end = screen.draw(staying: [], moving: [], prompt: "> ", editor: editor, size)
        #expect(end.replacing("\r\n", with: "").contains("1998 1999 ") && end.utf8.count < 400)
        _ = editor.take([0x01])
        let start = screen.draw(staying: [], moving: [], prompt: "> ", editor: editor, size)
        #expect(start.contains("> 0 1 2") && start.utf8.count < 400)
    }

    @Test("L5: how much waits for a connection stands below the messages")
    func unsent() async {
        var desk = Desk()
        await desk.type("Ada", "/offline", "one", "two")
        let lines = desk.chat.narrator.live(desk.state, at: Desk.noon).map { $0.text }
        #expect(lines == ["2 messages are not sent yet"])
    }

    @Test("the cursor stands where the next character goes, also behind wide ones")
    func cursor() {
        var screen = Screen(Paint(environment: [:]))
        let output = screen.draw(staying: [], moving: [], prompt: "> ", editor: editor("日本"), size)
        #expect(output.hasSuffix("\r\u{1B}[6C"))
    }
}
