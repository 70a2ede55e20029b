// What the screen writes, and what a window shows after it.

import ChatDomain
import TestVolume
import Testing

@testable import chat

@Suite("Program: the screen")
struct ScreenTests {
    private let size = Terminal.Size(columns: 20, rows: 10)

    private func editor(_ text: String) -> LineEditor {
        var editor = LineEditor()
        editor.replace(with: text)
        return editor
    }

    @Test("colour is for terminals that have it, and for people who want it")
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
        let rows = Screen.rows(line, columns: 20)
        let painted = rows.map(Paint(environment: ["TERM": "xterm"]).painted)
        #expect(painted.first == "\u{1B}[1;36m1. assistant: \u{1B}[0msome")
        let scraped = painted.map { row in
            row.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        }
        #expect(scraped == rows.map(Paint(environment: ["TERM": "dumb"]).painted))
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
        #expect(end.replacing("\u{1B}[K\r\n", with: "").contains("1998 1999 ") && end.utf8.count < 400)
        _ = editor.take([0x01])
        let start = screen.draw(staying: [], moving: [], prompt: "> ", editor: editor, size)
        #expect(start.contains("> 0 1 2") && start.utf8.count < 400)
    }

    @Test("L5: how much waits for a connection stands below the messages")
    func unsent() async {
        var desk = Desk()
        await desk.type("Ada", "/offline", "one", "two")
        var narrator = desk.chat.narrator
        let lines = narrator.live(desk.state, at: Desk.noon).map { $0.text }
        #expect(lines == ["2 messages are not sent yet"])
    }

    @Test("the cursor stands where the next character goes, also behind wide ones")
    func cursor() {
        var screen = Screen(Paint(environment: [:]))
        let output = screen.draw(staying: [], moving: [], prompt: "> ", editor: editor("日本"), size)
        #expect(output.hasSuffix("\r\u{1B}[6C"))
    }

    // MARK: What a window shows

    /// A screen with a window that its output goes to.
    private struct Drawn {
        var screen: Screen
        let window: Window

        init(window: Window, rewraps: Bool = true) {
            screen = Screen(Paint(environment: ["TERM": "xterm"]), rewraps: rewraps)
            self.window = window
        }

        mutating func draw(
            _ staying: [String] = [], moving: [String] = [], typed: String = "", prompt: String = "> "
        ) {
            var editor = LineEditor()
            editor.replace(with: typed)
            window.write(
                screen.draw(
                    staying: staying.map { Line(.news, $0) }, moving: moving.map { Line(.passing, $0) },
                    prompt: prompt, editor: editor, window.size))
        }
    }

    @Test("keys in the top row of a window put nothing into what has scrolled up")
    func topRow() {
        var drawn = Drawn(window: Window(columns: 20, rows: 6))
        for count in 1...10 { drawn.draw(typed: String(repeating: "x", count: count)) }
        drawn.draw(moving: ["typing"])
        drawn.draw()
        #expect(drawn.window.lines == [">"] && drawn.window.scrollback.isEmpty)
        drawn.window.write(drawn.screen.clear())
        #expect(drawn.window.lines.isEmpty && drawn.window.scrollback.isEmpty)
    }

    @Test("a row that is the same is not written again, and a key writes its row alone")
    func onlyChanges() {
        var drawn = Drawn(window: Window(columns: 40, rows: 10))
        drawn.draw(["one"], moving: ["Assistant is typing"], typed: "a")
        _ = drawn.window.takeOutput()
        drawn.draw(moving: ["Assistant is typing"], typed: "a")
        #expect(drawn.window.takeOutput().isEmpty)
        drawn.draw(moving: ["Assistant is typing"], typed: "ab")
        let output = drawn.window.takeOutput()
        #expect(output.contains("ab") && !output.contains("typing"))
        #expect(drawn.window.lines == ["one", "Assistant is typing", "> ab"])
        #expect(drawn.window.column == 4 && drawn.window.row == 2)
    }

    @Test(
        "after a resize no row of before is left over",
        arguments: [(20, 30), (9, 30), (60, 30), (3, 60), (1, 200), (20, 8)], [true, false])
    func resize(_ size: (columns: Int, rows: Int), _ rewraps: Bool) {
        let (columns, rows) = size
        var drawn = Drawn(
            window: Window(columns: 40, rows: 30, rewraps: rewraps), rewraps: rewraps)
        let typed = "some words that are typed and take two rows of it"
        drawn.draw(["final"], moving: ["Assistant is typing", "Uploading, 5 %"], typed: typed)
        drawn.window.resize(columns: columns, rows: rows)
        drawn.draw(moving: ["Assistant is typing", "Uploading, 5 %"], typed: typed)
        drawn.draw(moving: [], typed: "x")
        let final = rewraps ? "final" : String("final".prefix(columns))
        #expect(drawn.window.everything.joined().filter { $0 != " " } == final + ">x")
    }

    @Test(
        "the environment tells which terminals cut a row: xterm, rxvt and GNU screen, and tmux within them not",
        arguments: [
            ([:], true), (["TERM": "xterm-256color"], true), (["XTERM_VERSION": "XTerm(379)"], false),
            (["STY": "1.tty"], false), (["STY": "1.tty", "TMUX": "/tmp/a"], true), (["TERM": "rxvt"], false),
            (["XTERM_VERSION": "XTerm(379)", "TMUX": "/tmp/a"], true),
        ] as [([String: String], Bool)])
    func rewraps(_ environment: [String: String], _ rewraps: Bool) {
        #expect(Terminal.rewraps(environment) == rewraps)
    }

    @Test(
        "for any sequence of drawings and sizes: final lines are all there, in order, once, and then the typed line",
        arguments: [true, false])
    func anySequence(_ rewraps: Bool) {
        var entropy = Entropy.seeded(21)
        func number(_ limit: Int) -> Int { Int(entropy.next() % UInt64(limit)) }
        for _ in 0..<thoroughly(300, otherwise: 60) {
            // Where a window that becomes narrow has no room, the terminal itself scrolls what is moving out of reach.
            let isResized = number(2) == 0
            let rows = isResized ? 60 : 8
            var drawn = Drawn(window: Window(columns: 30, rows: rows, rewraps: rewraps), rewraps: rewraps)
            var said: [String] = []
            for step in 0..<12 {
                let staying = (0..<number(3)).map { "line \(step).\($0)" }
                let moving = (0..<number(4)).map {
                    "moving \($0)" + String(repeating: " more", count: number(9))
                }
                said += staying
                drawn.draw(staying, moving: moving, typed: String(repeating: "日x", count: number(30)))
                if isResized, number(4) == 0 { drawn.window.resize(columns: 16 + number(40), rows: rows) }
            }
            drawn.draw(typed: "end")
            #expect(drawn.window.everything == said + ["> end"])
            #expect(drawn.window.unknown.isEmpty)
        }
    }
}
