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

    @Test("a wrong option is an error that names it", arguments: [["--nonsense"], ["x"], ["--state"]])
    func wrong(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Options.parse(arguments) }
    }
}

@Suite("Program: what a line means")
struct InputTests {
    @Test("a line is text, a command, something like a command, or nothing")
    func kinds() {
        #expect(Input("Hello") == .text("Hello"))
        #expect(Input("/help") == .command(.help))
        #expect(Input("  /QUIT now ") == .command(.quit))
        #expect(Input("//slash") == .text("/slash"))
        #expect(Input(" \t ") == .nothing)
    }

    @Test("a mistyped command suggests the nearest, a wild one none")
    func suggestions() {
        #expect(Input("/hlep") == .unknown("hlep", suggestion: .help))
        #expect(Input("/offl") == .unknown("offl", suggestion: .offline))
        #expect(Input("/xyzzyxyzzy") == .unknown("xyzzyxyzzy", suggestion: nil))
        #expect(editDistance(String(repeating: "a", count: 100_000), "help") == .max)
    }

    @Test("while an answer is waited for, a line is not taken for a name")
    func waiting() {
        let pairing = Pairing(configuration: .init(device: DeviceInfo(platform: "T", model: "T")))
        let app = App(pairing: pairing)
        var state = App.State(app)
        var context = Context(
            moment: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0)), entropy: .seeded(1))
        _ = app.reduce(&state, .launched, in: &context)
        #expect(Response(Input("Ada"), state) == .say(["please wait, or type /cancel"]))
        #expect(!state.isReadyForInput)
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

    @Test("bytes that are no text, and keys that are not known, do no harm")
    func hostile() {
        var entropy = Entropy.seeded(4)
        var editor = LineEditor()
        for _ in 0..<5_000 { _ = editor.take([UInt8(truncatingIfNeeded: entropy.next())]) }
        #expect(editor.cursor <= editor.characters.count)
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

    @Test("wide characters take two columns, combining marks none")
    func widths() {
        #expect(Layout.width("日本") == 4)
        #expect(Layout.width("e\u{301}") == 1)
        #expect(Layout.width("👋") == 2)
    }

    @Test("what a server says cannot move the cursor or turn the writing")
    func printable() {
        #expect(Narrator.printable("a\u{1B}[2Jb\u{202E}c\u{7}") == "a[2Jbc")
        #expect(Narrator.printable("one\ntwo") == "one\n  two")
    }
}
