// What becomes of text that stands beside a submitted line, or was in its place.

import ChatDomain
import ChatEffects
import Testing

@testable import chat

@Suite("Program: text beside a line")
struct BesideLineTests {
    @Test("L5: a line of the history that is sent leaves the text that was typed before it in the line")
    func besideHistory() async {
        for way in ["\u{1B}[A", "\u{12}Hel\r", "\u{1B}[A!"] {
            var desk = await TerminalDesk()
            await desk.signIn()
            await desk.type("Hello")
            await desk.press("a thought")
            await desk.press(way)
            await desk.type("")
            #expect(desk.typedRow == "Chat> a thought")
            #expect(desk.state.chat.conversation.draft.text == "a thought")
            #expect(desk.window.text.contains("3. Ada: Hello"))
            // The keys of one piece are the same keys.
            await desk.press("\u{15}more\(way)\r and more")
            await desk.wait(.seconds(5))
            #expect(desk.typedRow == "Chat> more and more")
            #expect(desk.state.chat.conversation.draft.text == "more and more")
        }
    }

    @Test("P2, C7: a name that follows an empty one leaves the line, and the next message is what was typed")
    func nameAfterEmpty() async {
        var desk = await TerminalDesk()
        await desk.press("\r")
        await desk.press("Ada\r")
        #expect(desk.typedRow == ">")
        await desk.wait(.seconds(5))
        await desk.type("hello")
        #expect(desk.window.text.contains("1. Ada: hello"))
    }

    @Test(
        "L5: lines that arrive together and are refused all stay, in the order of typing",
        arguments: [("one\rtwo\rthree\r", "one\ntwo\nthree"), ("one\rtwo\rthr", "one\ntwo\nthr")])
    func refusedTogether(_ keys: String, _ line: String) async {
        var desk = await TerminalDesk { $0.behaviour.rules = [.init(.pairing, .silence)] }
        await desk.press("Ada\r")
        await desk.press(keys)
        #expect(desk.window.text.hasSuffix("> " + line))
        var plain = await PlainDesk { $0.behaviour.rules = [.init(.pairing, .silence)] }
        await plain.press("Ada\r")
        await plain.press(keys)
        #expect(plain.window.text.hasSuffix("\n" + line))
    }

    @Test("L5: refused lines that arrive together are the draft of the next run")
    func refusedDraft() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        let long = String(repeating: "x", count: 70_000)
        await desk.press(long + "\rtwo\r" + long + "\rend")
        await desk.wait(.seconds(5))
        let draft = desk.state.chat.conversation.draft.text.string
        #expect(draft == [long, long, "end"].joined(separator: "\n"))
        #expect(desk.window.everything.contains("1. Ada: two"))
        desk = await desk.next()
        #expect(desk.state.chat.conversation.draft.text.string == draft)
    }

    @Test("a command that is not finished is no draft beside a line of the history")
    func besideCommand() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("/send")
        await desk.press("/se")
        await desk.press("\u{1B}[A")
        await desk.type("")
        #expect(desk.typedRow == "Chat> /se")
        #expect(desk.state.chat.conversation.draft.text.isEmpty)
        #expect(!desk.window.text.contains("Ada: /se"))
    }

    @Test("a draft beside a line that /edit fills in comes back behind it")
    func besideEdit() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.type("Hello", "/edit 1")
        await desk.press("\u{15}a thought")
        await desk.press("\u{1B}[A")
        await desk.type("")
        #expect(desk.typedRow == "Chat> /edit 1 Hello")
        await desk.type("!")
        #expect(desk.typedRow == "Chat> a thought")
    }

    @Test("text that is made a command is no draft any more, and a refused line stays as it is")
    func textMadeCommand() async {
        var desk = await TerminalDesk()
        await desk.signIn()
        await desk.press("help")
        await desk.press("\u{1B}[H/")
        await desk.type("")
        #expect(desk.typedRow == "Chat>")
        #expect(desk.state.chat.conversation.draft.text.isEmpty)
        await desk.press("Call Bob")
        await desk.press("\u{1B}[H/aks ")
        await desk.press("\u{1B}[F tomorrow")
        await desk.type("")
        #expect(desk.window.text.contains("did you mean /ask?"))
        #expect(desk.typedRow.hasSuffix("/aks Call Bob tomorrow"))
    }
}
