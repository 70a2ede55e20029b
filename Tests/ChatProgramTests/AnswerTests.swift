// What somebody experiences with files, suggestions, the assistant and devices that ask to come in.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@testable import chat

@Suite("Program: files")
struct FileStoryTests {
    @Test("C14: files are added, listed, taken out, and go with the next message or alone")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(repeating: 1, count: 1_500).write(to: folder.appending(path: "a b.png"))
        try Data(repeating: 1, count: 10).write(to: folder.appending(path: "c.txt"))
        var desk = Desk()
        await desk.type("Ada")
        #expect(
            await desk.type("/attach \(folder.path)/a b.png", "/attach '\(folder.path)/c.txt'") == [
                "* a b.png (1.5 KB) goes with the next message, or with /send.",
                "* c.txt (10 bytes) goes with the next message, or with /send.",
            ])
        #expect(
            await desk.type("/files") == [
                "1. a b.png (1.5 KB), image/png", "2. c.txt (10 bytes), text/plain",
            ])
        #expect(await desk.type("/detach 1") == ["* a b.png (1.5 KB) is out again."])
        #expect(await desk.type("/detach 2") == ["There is no file 2; /files shows the numbers."])
        #expect(await desk.type("look").first == "1. Ada: look [c.txt (10 bytes)]")
        #expect(await desk.type("/detach") == ["There are no files."])
        #expect(
            await desk.type("/attach \(folder.path)/a b.png", "/send").contains("3. Ada: [a b.png (1.5 KB)]"))
        #expect(await desk.type("/attach \(folder.path)") == ["“\(folder.path)” is a folder."])
        #expect(await desk.type("/attach \(folder.path)/d") == ["There is no file “\(folder.path)/d”."])
        #expect(throws: UsageError.self) { try FileToAttach.read("\(folder.path)/c.txt", limit: 9) }
    }

    @Test("C14, L8: a script learns of a file that did not go with its message", arguments: [true, false])
    func refusedFile(_ isStoreFull: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(repeating: 1, count: 10).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var desk = Desk()
        await desk.type("Ada")
        for _ in 0..<4 where !isStoreFull { await desk.type("/attach \(file.path)") }
        #expect(!desk.hasRefused)
        if isStoreFull { desk.chat.loop.store.faults = [.full] }
        await desk.type("/attach \(file.path)")
        desk.chat.loop.store.faults = []
        await desk.type("Hello")
        #expect(desk.ending == .refused)
    }

    @Test("C14: a script waits until a file is stored, and a message before that is refused with a sentence")
    func fileBeingStored() async {
        var desk = Desk()
        await desk.type("Ada")
        let folder = Chat.Key.attachment("ada", AttachmentID("f")).path.components.dropLast()
        desk.chat.loop.store.faults = [.silent(Array(folder))]
        let file = PickedFile(kind: .image, mimeType: "image/png", name: "a.png", bytes: [1])
        desk.chat.handle(.chat(.attachmentPicked(file)))
        #expect(!desk.state.isReadyForInput)
        let situation = Situation(state: desk.state, numbers: Numbers(), wording: .neutral)
        for line in ["see", "/send"] { #expect(situation.steps(for: Input(line)) == [Situation.copying]) }
        await desk.type("/wait 5s")
        #expect(desk.state.isReadyForInput)
    }

    @Test(
        "a file without a name is shown by its type",
        arguments: [("", "image/png", "image/png"), ("", "", "file"), ("a.png", "image/png", "a.png")]
            as [(ExactText, ExactText, String)])
    func unnamedFile(_ name: ExactText, _ type: ExactText, _ title: String) {
        let file = Chat.Attachment(
            id: AttachmentID("f"), owner: "ada", kind: .image, mimeType: type, name: name, byteCount: 1_500,
            source: .inline)
        #expect(file.summary == title + " (1.5 KB)")
    }

    @Test("a device, a pipe and a file below a file are no files, and are not opened")
    func noFiles() {
        for path in ["/dev/zero", "/dev/null", "/etc/passwd/x"] {
            #expect(throws: UsageError.self) { try FileToAttach.read(path, limit: .max) }
        }
    }
}

@Suite("Program: answers")
struct AnswerStoryTests {
    @Test("S14: a suggestion is asked for, taken and sent, or dismissed")
    func suggestions() async {
        var desk = Desk()
        await desk.type("Ada")
        #expect(await desk.type("/suggest") == ["There is no message to answer yet."])
        await desk.type("Hello")
        let suggested = await desk.type("/suggest funny")
        #expect(suggested == ["suggestion: A funny answer to “You said: Hello” (/take or /dismiss)"])
        let taken = await desk.type("/take")
        #expect(taken == ["draft: A funny answer to “You said: Hello” (/send or /discard)"])
        #expect(await desk.type("/send").first == "3. Ada: A funny answer to “You said: Hello”")
        await desk.type("/suggest")
        #expect(await desk.type("/dismiss") == ["* Dismissed."])
        #expect(await desk.type("/take") == ["There is no suggestion. /suggest asks for one."])
    }

    @Test("S9: a suggestion that fails says why, and can be asked for again")
    func failedSuggestion() async {
        var desk = Desk { server in
            server.behaviour.rules = [
                .init(.suggestion(0), .refuse(code: "RESOURCE_EXHAUSTED", message: "no"), times: 1)
            ]
        }
        await desk.type("Ada", "Hello")
        #expect(await desk.type("/suggest").last?.hasSuffix("(/retry or /dismiss)") == true)
        #expect(await desk.type("/retry").last?.hasPrefix("suggestion: ") == true)
    }

    @Test("A7, A2: without text come the welcome and the examples, and an answer that takes long says so")
    func asking() async {
        var desk = Desk { $0.behaviour.rules = [.init(.answer, .delay(.seconds(4)), times: 1)] }
        await desk.type("Ada")
        let welcome = await desk.type("/ask")
        #expect(welcome.first == Wording.neutral.welcome.string)
        #expect(welcome.contains("  2. Summarize my conversation with [client]"))
        #expect(await desk.type("/example 4") == ["The examples are 1 to 3."])
        #expect(
            await desk.type("/example 1").first?.hasSuffix("/ask \(Wording.neutral.examples[0].string)")
                == true)
        #expect(
            await desk.type("/ask Who?") == [
                "1. asked AI: Who?", "(AI is thinking...)", "(This may take a moment...)",
                "   AI: You asked: Who?",
            ])
        #expect(await desk.type("/example 1") == ["Examples are for the first question."])
        #expect(await desk.type("/forget").count == 1)
        #expect(await desk.type("/forget") == ["The assistant is not open."])
        #expect(await desk.type("/ask Who?").first == "2. asked AI: Who?")
    }

    @Test("A4, A6: a question that fails can be asked again by its number")
    func askingAgain() async {
        var desk = Desk { server in
            server.behaviour.rules = [.init(.answer, .refuse(code: "UNAVAILABLE", message: ""), times: 1)]
        }
        await desk.type("Ada", "Hello")
        let said = await desk.type("/ask Who?")
        #expect(said.last == "   ! \(Wording.neutral.assistantUnavailable.string) (/retry 3)")
        #expect(await desk.type("/retry").last == "   AI: You asked: Who?")
        #expect(await desk.type("/retry 3") == ["Question 3 needs no retry."])
        #expect(await desk.type("/delete 3") == ["There is no message 3."])
    }
}

@Suite("Program: letting devices in")
struct RequestStoryTests {
    /// A program, when devices of these names have asked to come in.
    private func state(_ names: String...) async throws -> (ChatApp.State, Numbers, [Line]) {
        var desk = Desk()
        await desk.type("Ada")
        let info = DeviceInfo(platform: "T", model: "T")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: info)))
        var state = desk.state
        var context = Context(moment: desk.chat.loop.moment, entropy: .seeded(1))
        let link = try #require(state.chat.connection.link)
        for (index, name) in names.enumerated() {
            let request = PairingRequest(
                device: DeviceID("d\(index)"), claimedName: ExactText(name),
                info: DeviceInfo(platform: "iOS", model: "Phone\u{1B}[2J"))
            _ = app.reduce(
                &state, .received(.pairing(.requested(request)), on: .chat(.socket(link))), in: &context)
        }
        var narrator = Narrator(wording: .neutral)
        let lines = narrator.news(state, at: Desk.noon)
        return (state, narrator.numbers, lines)
    }

    private func steps(_ line: String, _ state: ChatApp.State, _ numbers: Numbers) -> [Step] {
        Situation(state: state, numbers: numbers, wording: .neutral).steps(for: Input(line))
    }

    @Test("P9: a device that asks has a number, and what it says about itself can do no harm")
    func showing() async throws {
        let (state, numbers, lines) = try await state("Grace", "Bob\u{202E}")
        let shown = lines.map { $0.text }
        #expect(
            shown.contains(
                "1. Grace asks to come in, with Phone[2J (iOS). (/approve 1 as USER or /deny 1)"))
        #expect(shown.contains { $0.hasPrefix("2. Bob asks") })
        guard case .say(let list) = steps("/requests", state, numbers).first else {
            Issue.record("the list is not shown")
            return
        }
        #expect(list.count == 2)
    }

    @Test("P9: a person who claims to be an admin is one, is asked about a visitor, and decides once")
    func visitor() async {
        var desk = Desk()
        let said = await desk.type("admin")
        #expect(said.contains("Signed in as admin, an admin. /help lists the commands."))
        #expect(
            said.last == "1. Grace asks to come in, with Phone (iOS). (/approve 1 as USER or /deny 1)")
        #expect(await desk.type("/requests") == ["1. Grace asks to come in, with Phone (iOS)"])
        #expect(await desk.type("/approve 1 as grace") == ["* Grace is let in as grace."])
        #expect(desk.chat.loop.server.user(of: "visitor-1") == "grace")
        #expect(await desk.type("/deny 1") == ["No such device asks to come in; /requests lists them."])
        #expect(await desk.type("/requests") == ["No device asks to come in."])
    }

    @Test("P9: when the admin has left, devices are let in without one")
    func adminLeft() async {
        var desk = Desk()
        await desk.type("admin", "/signout")
        #expect(desk.chat.loop.server.behaviour.approval == .automatic)
        #expect(await desk.type("admin").contains { $0.hasPrefix("2. Linus asks to come in") })
    }

    @Test("P9: it is let in by number or name, or turned away, and nobody else is")
    func deciding() async throws {
        let (state, numbers, _) = try await state("Grace", "Grace", "Bob")
        #expect(
            steps("/approve 2 as grace", state, numbers).contains(
                .act([.pairing(.approved("d1", as: "grace"))])))
        #expect(
            steps("/approve bob as robert", state, numbers).contains(
                .act([.pairing(.approved("d2", as: "robert"))])))
        #expect(
            steps("/approve bob", state, numbers).contains(.act([.pairing(.approved("d2", as: nil))])))
        #expect(
            steps("/approve Grace as grace", state, numbers)
                == [.refuse("Several are called so; /requests shows their numbers.")])
        #expect(
            steps("/deny 3 who?", state, numbers).contains(.act([.pairing(.denied("d2", reason: "who?"))])))
        for line in ["/approve 4 as x", "/approve Eve as x", "/deny 9"] {
            #expect(
                steps(line, state, numbers)
                    == [.refuse("No such device asks to come in; /requests lists them.")])
        }
    }
}
