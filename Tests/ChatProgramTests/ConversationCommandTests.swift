import ChatDomain
@testable import ChatEffects
import Testing

@testable import chat

@Suite("The program: conversations")
struct ConversationCommandTests {
    private func ada() async -> Desk {
        var desk = Desk()
        await desk.type("Ada")
        return desk
    }

    @Test("C19: a conversation is begun, listed, turned to and closed by command")
    func life() async {
        var desk = await ada()
        #expect(await desk.type("/new Work").contains("* You are in Work."))
        await desk.type("Hello work")
        #expect(await desk.type("/list") == ["1. Chat", "2. Work (you are here)"])
        #expect(await desk.type("/switch 1") == ["* You are in Chat."])
        let back = await desk.type("/switch wor")
        #expect(back.first == "* You are in Work." && back.contains { $0.hasSuffix("Ada: Hello work") })
        #expect(await desk.type("/close").contains("* Work is closed."))
        #expect(await desk.type("/list") == ["1. Chat (you are here)"])
        #expect(!desk.hasRefused)
    }

    @Test("C19: a message in another conversation is announced with the way there")
    func news() async {
        var desk = await ada()
        await desk.type("/new Work", "/offline", "Hello", "/switch 1")
        let lines = await desk.type("/online")
        #expect(lines.contains("* 1 new message in Work (/switch 2)."))
        #expect(!lines.contains { $0.contains("You said") })
        #expect(await desk.type("/list") == ["1. Chat (you are here)", "2. Work (1 unread)"])
    }

    @Test(
        "C19: an impossible request is answered in a line",
        arguments: [
            ("/switch", "Usage: /switch"), ("/switch 7", "no conversation 7"), ("/switch zoo", "“zoo”"),
            ("/close 1", "always there"), ("/close 9", "no conversation 9"), ("/list all", "takes nothing"),
        ])
    func wrong(line: String, part: String) async {
        var desk = await ada()
        let lines = await desk.type(line)
        #expect(lines.count == 1 && lines[0].contains(part) && desk.hasRefused, "\(lines)")
    }

    @Test("L5: a conversation with something unsent stays, and that is said")
    func unsent() async {
        var desk = await ada()
        await desk.type("/new Work", "/offline", "Hello")
        let lines = await desk.type("/close")
        #expect(lines.contains { $0.contains("Work stays open") })
        #expect(await desk.type("/list").last == "2. Work (you are here, something unsent)")
    }

    @Test("L5, C19: conversations are there after a restart")
    func restart() async {
        var desk = await ada()
        await desk.type("/new Work", "Hello")
        var again = Desk(store: desk.store.restarted())
        #expect(await again.type("/list") == ["1. Chat", "2. Work (you are here)"])
    }
}
