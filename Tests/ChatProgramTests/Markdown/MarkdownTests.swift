// Markdown as a terminal shows it, and as it grows.

import ChatDomain
import TestVolume
import Testing

@testable import chat

@Suite("Program: Markdown")
struct MarkdownTests {
    /// The cells of a line, with a letter for each style in angle brackets around what has it.
    private func marked(_ text: String) -> String {
        var reader = MarkdownReader()
        return described(reader.read(Array(text)).cells)
    }

    private func described(_ cells: [Cell]) -> String {
        let names: [(Style, String)] = [
            (.bold, "b"), (.italic, "i"), (.struck, "s"), (.code, "c"), (.underlined, "u"), (.faint, "f"),
        ]
        var text = ""
        var style: Style = []
        for cell in cells {
            if cell.style != style {
                if !style.isEmpty { text += ">" }
                style = cell.style
                if !style.isEmpty {
                    text += "<" + names.filter { style.contains($0.0) }.map { $0.1 }.joined() + ":"
                }
            }
            text.append(cell.character)
        }
        return text + (style.isEmpty ? "" : ">")
    }

    @Test(
        "emphasis, code and links lose their marks and get their style",
        arguments: [
            ("a **bold** b", "a <b:bold> b"), ("*it* and _it_", "<i:it> and <i:it>"),
            ("***both***", "<bi:both>"), ("~~gone~~", "<s:gone>"), ("`a*b*`", "<c:a*b*>"),
            ("`` a`b ``", "<c:a`b>"), ("**a *b* c**", "<b:a ><bi:b><b: c>"),
            ("**a `b` c**", "<b:a ><bc:b><b: c>"),
            ("[text](http://x.y)", "<u:text><f: (http://x.y)>"),
            ("[http://x.y](http://x.y)", "<u:http://x.y>"), ("<https://x.y/z>", "<u:https://x.y/z>"),
            ("![picture](http://x.y)", "<u:picture><f: (http://x.y)>"), (#"\*not\* this"#, "*not* this"),
            ("[a **b**](c_d_e)", "<u:a ><bu:b><f: (c_d_e)>"),
        ])
    func inlines(_ source: String, _ shown: String) {
        #expect(marked(source) == shown)
    }

    @Test(
        "text that is no Markdown is shown as written",
        arguments: [
            "2 * 3 * 4", "a ** b ** c", "snake_case_name and other_name", "**open", "`open",
            "[brackets] only",
            "[a](", "a < b > c", "<html>", "f(*args, **kwargs)", "~5 and ~6", "C:\\path", "*", "**",
            "1.5 is no list",
            "#hashtag", "-5 degrees", "5) ", "!", "a\\",
        ])
    func literal(_ source: String) {
        #expect(marked(source) == source.trimmedAtEnd || marked(source) == source)
    }

    @Test(
        "lines are headings, items, quotations and rules",
        arguments: [
            ("# Title", "<bu:Title>"), ("### A *b*", "<bu:A ><biu:b>"), ("- item", "• item"),
            ("* **item**", "• <b:item>"), ("  - inner", "  • inner"), ("10. ten", "10. ten"),
            ("3) three", "3) three"),
            ("> said", "<f:│ ><i:said>"), ("---", "<f:────────────────────>"),
            ("* * *", "<f:────────────────────>"),
        ])
    func blocks(_ source: String, _ shown: String) {
        #expect(marked(source) == shown)
    }

    private func rows(_ body: String, columns: Int = 40, isMarkdown: Bool = true) -> [String] {
        Screen.rows(Line(.theirs, head: "1. assistant: ", body, isMarkdown: isMarkdown), columns: columns)
            .map { $0.text }
    }

    @Test("a message is laid out with its blocks below the speaker, code with a background to the edge")
    func message() {
        let body = "Here:\n\n```swift\nlet a = \"*b*\"\n\n```\n- one two three four five six seven\n- two\n\n"
        #expect(
            rows(body, columns: 24) == [
                "1. assistant: Here:", "", "  let a = \"*b*\"         ", "                        ",
                "  • one two three four", "    five six seven", "  • two",
            ])
        #expect(rows("- one\n- two") == ["1. assistant: ", "  • one", "  • two"])
        #expect(rows("") == ["1. assistant: "])
        let code = Screen.rows(Line(.theirs, "```\nx\n```", isMarkdown: true), columns: 10)
        #expect(code.last?.dropFirst(2).allSatisfy { $0.style == .code } == true)
    }

    @Test("text of a person, and all that is no reply, is shown as it is")
    func plain() {
        #expect(rows("**a**\n- b", isMarkdown: false) == ["1. assistant: **a**", "  - b"])
    }

    @Test("a fence that is never closed, and one within another, hold code")
    func fences() {
        #expect(
            rows("```\na\n~~~\n``\nb", columns: 16).map(\.trimmedAtEnd).dropFirst() == [
                "  a", "  ~~~", "  ``", "  b",
            ])
        #expect(
            rows("````\n```\n````\nend", columns: 16).map(\.trimmedAtEnd).dropFirst() == ["  ```", "  end"])
        #expect(rows("```inline``` code") == ["1. assistant: inline code"])
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

@Suite("Program: a reply that grows")
struct MessageFlowTests {
    private static let pieces = [
        "word ", "longer-word ", "averyveryverylongwordthatfitsnowhere", " ", "\n", "\n\n", "**", "*", "_",
        "`",
        "```", "```swift\n", "- ", "1. ", "# ", "> ", "[", "](", ")", "http://x.y", "<http", ">", "!", "\\",
        "~~",
        "---", "日本語", "👩‍👩‍👧", "e\u{301}", "\u{301}", "שלום ", "12", ".", "#", "-", "\t", "| a |", "\r\n", "(",
        "a",
    ]

    @Test(
        "finished rows stay: in any pieces, the rows are those of the whole", arguments: [7, 24, 60, 200])
    func law(_ columns: Int) {
        var entropy = Entropy.seeded(UInt64(columns))
        func number(_ limit: Int) -> Int { Int(entropy.next() % UInt64(limit)) }
        for _ in 0..<thoroughly(250, otherwise: 50) {
            var flow = MessageFlow()
            var text = ""
            var given: [[Cell]] = []
            var opened: [(index: Int, row: [Cell])] = []
            for _ in 0..<(4 + number(30)) {
                text += Self.pieces[number(Self.pieces.count)]
                let line = Line(.theirs, head: "2. assistant: ", text, isMarkdown: true)
                #expect(flow.continues(with: line.body))
                let rows = flow.take(line, columns: columns, isWhole: false)
                given += rows.finished
                if let open = rows.open { opened.append((given.count, open)) }
            }
            let line = Line(.theirs, head: "2. assistant: ", text, isMarkdown: true)
            given += flow.take(line, columns: columns, isWhole: true).finished
            let whole = Screen.rows(line, columns: columns)
            #expect(given == whole, "\(text.debugDescription)")
            // Also what is read in the last row does not move.
            for (index, row) in opened {
                let shown = trimmed(row)
                let final = whole.indices.contains(index) ? whole[index] : []
                #expect(
                    Array(final.prefix(shown.count)) == shown,
                    "\(text.debugDescription): \(row.text) became \(final.text)")
            }
        }
    }

    private func trimmed(_ row: [Cell]) -> [Cell] {
        var row = row
        while row.last?.character == " " { row.removeLast() }
        return row
    }

    @Test("a word that may still move is not shown, and what is bold is so from its first letter")
    func heldBack() {
        func open(_ text: String) -> String? {
            var flow = MessageFlow()
            return flow.take(
                Line(.theirs, head: "2. bot: ", text, isMarkdown: true), columns: 40, isWhole: false
            ).open?.text
        }
        #expect(open("You said") == "2. bot: You ")
        #expect(open("You **sa") == "2. bot: You ")
        #expect(open("You **said** th") == "2. bot: You said ")
        #expect(open("-") == "2. bot: " && open("") == "2. bot: ")
    }

    @Test(
        "a line of any length and depth takes time that grows with its length alone", .timeLimit(.minutes(5)))
    func hostile() {
        for piece in ["*", "_a*", "`", "` `` ", "[", "[](", "**a ", "<http", "\\", "![", "> ", "- "] {
            let text = String(repeating: piece, count: thoroughly(10_000, otherwise: 2_000) / piece.count)
            let line = Line(.theirs, head: "1. a: ", text, isMarkdown: true)
            #expect(!Screen.rows(line, columns: 80).isEmpty)
        }
    }
}
