// What somebody sees who sits at the program's terminal, told as the keys that they press and what the window shows.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@testable import chat

@Suite("Program: at a terminal")
struct TerminalStoryTests {
    @Test("the first screen names the program, its backend, and the ways to help and out, in one line")
    func firstScreen() async {
        let desk = await TerminalDesk()
        #expect(
            desk.window.lines == [
                "Chat with a demo assistant in this program. Try /help; /quit ends.", "Your name:",
            ])
    }

    @Test("the greeting names the model or the server, and fits a line of 80 columns")
    func greetings() throws {
        func greeting(_ arguments: String...) throws -> String {
            let options = try Options.parse(arguments)
            return FrontEnd.greeting(
                try RealServer(options, options.backend ?? "", environment: ["CHAT_API_KEY": "k"]))
        }
        let long = String(repeating: "m", count: 100)
        let model = try greeting(
            "--backend", "openai", "--url", "http://localhost:1/v1", "--model", "llama3.2")
        #expect(model == "Chat with llama3.2 at localhost. Try /help; /quit ends.")
        #expect(
            try greeting("--backend", "openai", "--url", "https://\(long).org", "--model", long).count < 80)
        #expect(
            try greeting("--backend", "clawline", "--url", "ws://\(long).org", "--allow-unencrypted").count
                < 80)
    }

    @Test("a name is shown as it was typed, also by the next run")
    func name() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = PersonalFiles(state: folder.path)
        var desk = await TerminalDesk(files: files)
        await desk.type("Ada Lovelace", "Hello")
        #expect(desk.window.text.contains("Signed in as Ada Lovelace. /help lists the commands."))
        #expect(desk.window.text.contains("1. Ada Lovelace: Hello"))
        let store = desk.chat.driver.loop.store
        let next = await TerminalDesk(store: store, wall: Desk.noon + .minutes(5), files: files)
        #expect(next.window.text.contains("1. Ada Lovelace (4m ago): Hello"))
    }

    @Test("the prompt says where one is, and the state of a connection that is not there")
    func prompt() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        #expect(desk.typedRow == "Chat>")
        await desk.type("/new Holiday plans")
        #expect(desk.typedRow == "Holiday plans>")
        await desk.type("/offline")
        #expect(desk.typedRow == "Holiday plans (offline)>")
        await desk.press("/online\r")
        #expect(desk.typedRow == "Holiday plans (connecting)>")
        await desk.wait(.seconds(5))
        await desk.type("/new A title that is far too long for any prompt")
        #expect(desk.typedRow == "A title that is far too …>")
    }

    @Test(
        "a command that is refused because of the state leaves the line; one that is mistyped stays to be mended"
    )
    func refusedCommands() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("/retry")
        #expect(desk.window.text.contains("There is nothing to retry."))
        #expect(desk.typedRow == "Chat>")
        await desk.type("/delete 7", "/example 3")
        #expect(desk.typedRow == "Chat>")
        await desk.type("/discrad")
        #expect(desk.window.text.contains("did you mean /discard?"))
        #expect(desk.typedRow == "Chat> /discrad")
        await desk.press("\u{15}")
        await desk.type("/attach /no/such/file")
        #expect(desk.typedRow == "Chat> /attach /no/such/file")
    }

    @Test("a message that is refused stays in the line")
    func refusedText() async {
        var desk = await TerminalDesk { $0.behaviour.rules = [.init(.pairing, .silence)] }
        await desk.press("Ada\r")
        await desk.press("Hello\r")
        #expect(desk.window.text.contains("Not sent: please wait, or type /cancel."))
        #expect(desk.typedRow.hasSuffix("Hello"))
    }

    @Test("Up brings back messages and commands, ^R finds them, and a name is not among them")
    func history() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("Hello", "/show 1", "Bye")
        await desk.press("half\u{1B}[A\u{1B}[A")
        #expect(desk.typedRow == "Chat> /show 1")
        #expect(desk.state.chat.conversation.draft.text == "half")
        await desk.press("\u{1B}[B\u{1B}[B")
        #expect(desk.typedRow == "Chat> half")
        await desk.press("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A")
        #expect(desk.typedRow == "Chat> Hello")
        await desk.press("\u{12}sh")
        #expect(desk.typedRow == "search “sh”: /show 1")
        await desk.press("\u{7}")
        #expect(desk.typedRow == "Chat> Hello")
    }

    @Test("the history is found by the next run of the person, not by another's, and /erase erases it")
    func keptHistory() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = PersonalFiles(state: folder.path)
        var desk = await TerminalDesk(files: files)
        await desk.signIn()
        await desk.type("Hello", " hidden", "/show")
        desk = await TerminalDesk(
            store: desk.chat.driver.loop.store, wall: Desk.noon + .minutes(5), files: files)
        await desk.press("\u{1B}[A\u{1B}[A")
        #expect(desk.typedRow.hasSuffix("> Hello"))
        await desk.press("\u{1B}[B\u{1B}[B")
        await desk.type("/signout", "Bob")
        await desk.press("\u{1B}[A")
        #expect(desk.typedRow == "Chat>")
        await desk.type("/signout", "Ada", "/erase")
        #expect(files.history(of: "ada").lines.isEmpty)
    }

    @Test("a long reply scrolls up as it comes, and no row of it is written twice")
    func growing() async {
        var desk = await TerminalDesk(Window(columns: 40, rows: 12))
        await desk.signIn()
        _ = desk.window.takeOutput()
        let words = (0..<120).map { "word\($0)" }.joined(separator: " ")
        await desk.press(words + "\r")
        await desk.wait(.seconds(60))
        let output = desk.window.takeOutput()
        // Once in the line, once as a message, once in the reply, where the last row may be written with each word.
        #expect(output.split(separator: "word77", omittingEmptySubsequences: false).count - 1 <= 3 + 6)
        let all = desk.window.everything
        let start = all.firstIndex { $0.hasPrefix("2. assistant: You said:") } ?? 0
        let reply = all[start...].dropLast().joined(separator: " ").split(separator: " ")
        #expect(reply.joined(separator: " ") == "2. assistant: You said: " + words)
    }

    @Test("an event during a reply stands between its rows, and the reply goes on below")
    func interrupted() async {
        var desk = await TerminalDesk(Window(columns: 40, rows: 20)) {
            $0.behaviour.wordInterval = .seconds(1)
        }
        await desk.signIn()
        await desk.press((0..<20).map { "word\($0)" }.joined(separator: " ") + "\r")
        await desk.wait(.seconds(14))
        await desk.press("/help send\r")
        await desk.wait(.seconds(60))
        let all = desk.window.everything
        let help = all.firstIndex { $0.hasPrefix("/send [NUMBER]: send the draft") } ?? 0
        let goesOn = all.firstIndex { $0 == "2. assistant: …" } ?? 0
        #expect(help > 0 && goesOn > help)
        #expect(all[goesOn...].joined(separator: " ").contains("word19"))
        #expect(all.count { $0.contains("word19") } == 2)
    }

    @Test("C20: a reply that was stopped is marked so, and the mark stays in /show")
    func stopped() async {
        var desk = await TerminalDesk { $0.behaviour.rules = [.init(.token(3), .delay(.seconds(60)))] }
        await desk.signIn()
        await desk.press("one two three\r")
        await desk.wait(.seconds(10))
        #expect(desk.window.lines.contains("2. assistant: You"))
        await desk.type("/stop")
        #expect(desk.window.lines.suffix(3) == ["2. assistant: You said:", "   (stopped)", "Chat>"])
        await desk.type("/show 1")
        #expect(
            desk.window.lines.suffix(3) == ["2. assistant (Just now): You said:", "   (stopped)", "Chat>"])
    }

    @Test(
        "C12: after a restart in the middle of a reply, nobody is typing, and what can be done is said at once"
    )
    func restart() async {
        var desk = await TerminalDesk { $0.behaviour.rules = [.init(.reply, .silence)] }
        await desk.signIn()
        await desk.type("Hello")
        #expect(desk.window.text.contains("Assistant is typing"))
        desk = await TerminalDesk(store: desk.chat.driver.loop.store, wall: Desk.noon + .seconds(20))
        await desk.wait(.seconds(4))
        #expect(!desk.window.text.contains("typing"))
        #expect(
            desk.window.text.contains("! The answer was lost when the program ended. (/retry 1 or /delete 1)")
        )
        await desk.type("/retry")
        #expect(desk.window.text.contains("2. assistant: You said: Hello"))
    }

    @Test("numbers stay what they are: through /show, a switch, and replies that grow")
    func numbers() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("one", "two", "/new Other", "three", "/switch 1")
        await desk.press("\u{C}")
        await desk.type("/show")
        #expect(
            desk.window.lines == [
                "1. Ada (Just now): one (delivered)", "2. assistant (Just now): You said: one",
                "3. Ada (Just now): two (delivered)", "4. assistant (Just now): You said: two", "Chat>",
            ])
        await desk.type("/switch 2")
        #expect(desk.window.lines.contains("6. assistant: You said: three"))
    }

    @Test("/help fits a window of 24 rows and 80 columns, each of its pages too")
    func help() async {
        for topic in [nil] + Verb.Group.allCases.map({ Help.Topic.group($0) }) + [.keys] {
            let rows = Help.lines(topic).flatMap { Screen.rows($0, columns: 79) }
            #expect(rows.count <= 22 && Help.lines(topic).count == rows.count)
        }
        var desk = await TerminalDesk()
        await desk.type("/help", "/help messages", "/help keys", "/help /files", "/help files")
        #expect(
            desk.window.everything.contains(
                "  messages      /send /discard /edit /delete /retry /stop /show /older"))
        #expect(desk.window.everything.contains("Files"))
        #expect(desk.window.everything.contains("/files: list the files of the next message."))
    }

    @Test(
        "at any width, wide characters, combining marks and writing from right to left stay whole",
        arguments: [20, 60, 80, 200])
    func scripts(_ columns: Int) async {
        var desk = await TerminalDesk(Window(columns: columns, rows: 24))
        await desk.signIn()
        let text = "日本語のテキスト e\u{301}te\u{301} שלום עולם ภาษาไทย 👩‍👩‍👧 end"
        await desk.type(text)
        let all = desk.window.everything.joined().filter { $0 != " " }
        #expect(all.contains("2.assistant:Yousaid:" + text.filter { $0 != " " }))
        #expect(desk.window.unknown.isEmpty)
        await desk.press(text)
        #expect(desk.window.lines.joined().filter { $0 != " " }.hasSuffix(text.filter { $0 != " " }))
    }

    @Test(
        "a pasted megabyte, a window of one column, and a terminal that goes away lose nothing that was typed"
    )
    func badInput() async {
        var desk = await TerminalDesk(Window(columns: 1, rows: 1))
        await desk.signIn()
        // More than fits, in one piece, and then more.
        await desk.take(.keys([UInt8](repeating: UInt8(ascii: "x"), count: 1_100_000)))
        await desk.press("y")
        desk.window.resize(columns: 80, rows: 24)
        await desk.take(.signal(.resized))
        #expect(desk.typedRow.hasSuffix("xxx"))
        await desk.take(.hangUp)
        #expect(desk.status == 129)
        #expect(desk.state.chat.conversation.draft.text.byteCount == 1_048_576)
    }

    @Test("typed text is the draft when a signal ends the program, with the status that shells expect")
    func signals() async {
        for (event, status) in [
            (TerminalEvent.signal(.end(15)), 143), (.signal(.end(1)), 129), (.keys([3]), 130), (.hangUp, 129),
        ] as [(TerminalEvent, Int32)] {
            var desk = await TerminalDesk()
            await desk.signIn()
            await desk.press("half a thought")
            await desk.take(event)
            #expect(desk.status == status)
            desk.chat.driver.loop.advance(by: .seconds(5))
            let next = await TerminalDesk(store: desk.chat.driver.loop.store, wall: Desk.noon + .minutes(1))
            #expect(next.typedRow.hasSuffix("> half a thought"))
            #expect(desk.window.lines.last != "half a thought")
        }
    }

    @Test(
        "half-typed text is the line of the next run: a command, and a changed line of the history",
        arguments: [
            ("/edit 1 a long text", "/edit 1 a long text"),
            ("draft text\u{1B}[A\u{1B}[AZ", "draft text\nHelloZ"),
            ("draft text\u{1B}[A", "draft text"), ("draft\u{1B}[A2", "draft\n/show 12"),
            ("draft\u{1B}[A\r", "draft"), ("/quit\r", ""),
        ])
    func unsubmitted(_ keys: String, _ line: String) async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("Hello", "/show 1")
        for key in keys { await desk.press(String(key)) }
        await desk.take(.signal(.end(15)))
        let next = await desk.next()
        #expect(next.state.chat.conversation.draft.text == ExactText(line))
        #expect(next.window.text.hasSuffix("Chat> " + line) || line.isEmpty)
    }

    @Test("a command that the last run left is a command: submitted or deleted, it does not come back")
    func keptCommand() async {
        for keys in ["\r", "\u{15}", " and more\r"] {
            var desk = await TerminalDesk()
            await desk.signIn()
            await desk.press("/new Other")
            await desk.take(.hangUp)
            desk = await desk.next()
            await desk.press(keys)
            await desk.wait(.seconds(5))
            #expect(
                desk.typedRow == (keys == "\u{15}" ? "Chat>" : keys == "\r" ? "Other>" : "Other and more>"))
            #expect(Chat.conversations(desk.state.chat, .neutral).count == (keys == "\u{15}" ? 1 : 2))
            await desk.take(.hangUp)
            desk = await desk.next()
            #expect(desk.typedRow.hasSuffix(">"))
        }
    }

    @Test("C12: a reply that had begun is lost with the program, and that is said at once")
    func restartWithinReply() async {
        var desk = await TerminalDesk { $0.behaviour.rules = [.init(.token(3), .delay(.seconds(60)))] }
        await desk.signIn()
        await desk.type("Hello")
        #expect(desk.window.text.contains("2. assistant: You"))
        desk = await TerminalDesk(store: desk.chat.driver.loop.store, wall: Desk.noon + .seconds(20))
        await desk.wait(.seconds(4))
        #expect(desk.window.lines.last == "Chat>" && !desk.window.text.contains("typing"))
        #expect(desk.window.text.contains("(/retry 1 or /delete 1)"))
    }

    @Test("without colours, Markdown is shown as it was written")
    func withoutColour() async {
        var desk = await TerminalDesk(colour: false)
        await desk.signIn()
        await desk.type("a **b** `c`")
        #expect(desk.window.lines.contains("2. assistant: You said: a **b** `c`"))
        #expect(!desk.window.output.contains("\u{1B}[1m"))
    }

    @Test("^L draws the window anew; after the shell had the terminal all is drawn below")
    func redraw() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.press("abc\u{C}")
        #expect(desk.window.lines == ["Chat> abc"])
        desk.window.write("\r\n$ fg\r\n")
        await desk.take(.signal(.continued))
        #expect(desk.window.lines == ["Chat> abc", "$ fg", "Chat> abc"])
        #expect(desk.window.column == 9)
    }
}
