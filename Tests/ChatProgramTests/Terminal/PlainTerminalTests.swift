// What somebody sees at a terminal where nothing is redrawn.

import ChatDomain
import ChatEffects
import Testing

@testable import chat

/// A run of the program at a terminal, line by line, on virtual time.
struct PlainDesk {
    var chat: PlainTerminalChat<VirtualDriver>
    let window = Window()
    private(set) var status: Int32?

    init(
        store: MemoryStore = MemoryStore(), wall: WallTime = Desk.noon,
        _ change: (inout LocalServer) -> Void = { _ in }
    ) async {
        let window = window
        var loop = Setup.loop(store: store, wall: wall, seed: 7)
        change(&loop.server)
        chat = PlainTerminalChat(
            VirtualDriver(loop: loop),
            .init(write: { window.write($0) }, size: { window.size }), greeting: FrontEnd.greeting(nil))
        await chat.start()
        await wait(.seconds(1))
    }

    var state: ChatApp.State { chat.driver.state }

    /// The next run, where this one has left its records.
    func next() async -> PlainDesk {
        var loop = chat.driver.loop
        loop.advance(by: .seconds(5))
        var next = await PlainDesk(store: loop.store, wall: Desk.noon + .minutes(5))
        await next.wait(.seconds(5))
        return next
    }

    mutating func wait(_ interval: Interval) async {
        let end = chat.driver.loop.moment + interval
        while let deadline = chat.driver.loop.nextDeadline, deadline <= end.now {
            _ = chat.driver.loop.runToNextDeadline()
            await take(.state)
        }
        chat.driver.loop.advance(to: end)
        await take(.state)
    }

    mutating func take(_ event: TerminalEvent) async {
        if status == nil { status = await chat.take(event) }
    }

    mutating func press(_ keys: String) async { await take(.keys(Array(keys.utf8))) }

    mutating func type(_ lines: String...) async {
        for line in lines {
            await press(line + "\r")
            await wait(.seconds(5))
        }
    }
}

@Suite("Program: at a terminal, line by line")
struct PlainTerminalTests {
    @Test("output does not mix with the typed line, which stands below it again")
    func typing() {
        var echo = PlainEcho()
        var written = ["Hel", "Hello"].map { echo.edit($0, columns: 80) }
        written.append(echo.say([Line(.news, head: "* ", "Connected.")]))
        written += ["Hell", "Hell日", "Hell", "xHell"].map { echo.edit($0, columns: 80) }
        written.append(echo.submit())
        written.append(echo.say([Line(.news, "Bye")]))
        written += ["Your name: ", "Your name: "].map { echo.ask($0) }
        written.append(echo.say([Line(.news, "a\nb")]))
        #expect(
            written == [
                "Hel", "lo", "\r\n* Connected.\r\nHello", "\u{8} \u{8}", "日", "\u{8} \u{8}\u{8} \u{8}",
                "\r\nxHell", "\r\n", "Bye\r\n", "Your name: ", "", "\r\na\r\n  b\r\nYour name: ",
            ])
    }

    @Test(
        "after the shell had the terminal the line stands there once more, and a reply is shown as it was written"
    )
    func continued() async {
        var desk = await PlainDesk()
        await desk.press("Ad")
        desk.window.write("\r\n$ fg\r\n")
        await desk.take(.signal(.continued))
        #expect(desk.window.lines.suffix(3) == ["Your name: Ad", "$ fg", "Your name: Ad"])
    }

    @Test("a conversation only adds lines, and shows Markdown as it was written")
    func conversation() async {
        var desk = await PlainDesk()
        await desk.type("Ada")
        await desk.press("a **b**\rnext")
        await desk.wait(.seconds(5))
        #expect(
            desk.window.lines == [
                "Chat with a demo assistant in this program. Try /help; /quit ends.", "Your name: Ada",
                "Waiting for approval...", "Signed in as Ada. /help lists the commands.", "* Connecting...",
                "* Connected.", "a **b**", "1. Ada: a **b**", "(Assistant is typing)", "next",
                "2. assistant: You said: a **b**", "next",
            ])
        #expect(!desk.window.output.contains("\u{1B}["))
        await desk.press("\u{3}")
        #expect(desk.status == 130)
    }

    @Test("half-typed text is the draft of the next run, behind an earlier draft")
    func unsubmitted() async {
        var desk = await PlainDesk()
        await desk.type("Ada")
        await desk.press("half a thought")
        await desk.take(.signal(.end(15)))
        desk = await desk.next()
        #expect(desk.window.lines.contains("draft: half a thought (/send or /discard)"))
        await desk.press("more")
        await desk.take(.hangUp)
        desk = await desk.next()
        #expect(desk.state.chat.conversation.draft.text == "half a thought\nmore")
        await desk.press("/quit\r")
        #expect(desk.status == 0)
        desk = await desk.next()
        #expect(desk.state.chat.conversation.draft.text == "half a thought\nmore")
    }

    @Test("L5: a line of the history that is sent leaves the text that was typed before it in the line")
    func besideHistory() async {
        var desk = await PlainDesk()
        await desk.type("Ada", "Hello", "/files")
        for way in ["\u{1B}[A", "\u{1B}[A\u{1B}[A"] {
            await desk.press("\u{15}a thought\(way)")
            await desk.type("")
            #expect(desk.window.lines.last == "a thought")
        }
        await desk.press("\u{3}")
        desk = await desk.next()
        #expect(desk.state.chat.conversation.draft.text == "a thought")
    }

    @Test("a half typed command stands in the line of the next run, and is no draft there")
    func keptCommand() async {
        var desk = await PlainDesk()
        await desk.type("Ada")
        await desk.press("/new Oth")
        await desk.press("\u{3}")
        desk = await desk.next()
        #expect(desk.window.lines.last == "/new Oth" && !desk.window.text.contains("draft"))
        await desk.type("er")
        #expect(desk.window.text.contains("* You are in Other."))
        await desk.press("\u{3}")
        desk = await desk.next()
        #expect(!desk.window.text.contains("/new") && !desk.window.text.contains("draft"))
    }

    @Test("a mistyped line stays to be mended; a refused message is the draft")
    func mending() async {
        var desk = await PlainDesk()
        await desk.type("Ada", "/discrad")
        #expect(
            desk.window.lines.suffix(3) == [
                "/discrad", "There is no command /discrad; did you mean /discard?", "/discrad",
            ])
        await desk.press("\u{15}")
        await desk.type("/retry")
        #expect(desk.window.lines.last == "There is nothing to retry.")
        let long = String(repeating: "x", count: 300_000)
        await desk.type(long)
        #expect(desk.window.text.contains("(/send or /discard)"))
        #expect(desk.window.lines.last?.hasSuffix("xx") == false)
        #expect(desk.state.chat.conversation.draft.text.byteCount == 300_000)
    }

    @Test("^R begins no search, since nothing would show it")
    func noSearch() async {
        var desk = await PlainDesk()
        await desk.type("Ada", "Hello")
        await desk.press("\u{12}Hel")
        #expect(desk.window.lines.last == "Hel")
    }
}
