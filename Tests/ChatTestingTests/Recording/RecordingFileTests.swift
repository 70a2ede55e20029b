import ChatDomain
import ChatEffects
import Foundation
import TestVolume
import Testing

@testable import ChatTesting

@Suite("The file of a recording")
struct RecordingFileTests {
    @Test("another process on another day writes the same bytes: what the committed test holds")
    func isStable() throws {
        var chat = RecordedChat.paired()
        let test = try Recording.swiftTest(of: chat.finish())
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("RecordedRunTests.swift")
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            try test.write(to: file, atomically: true, encoding: .utf8)
        }
        let isSame = try test == String(contentsOf: file, encoding: .utf8)
        // A field that is new changes the file: UPDATE_DOCS=1 swift test --filter RecordingFileTests
        #expect(isSame, "RecordedRunTests.swift is of another build")
    }

    @Test("a literal ends where the recording ends, whatever the recording holds")
    func literal() throws {
        var chat = RecordedChat.paired()
        chat.send(.chat(.draftEdited("a \"\"\"## b")))
        let test = try Recording.swiftTest(of: chat.finish())
        #expect(test.contains("###\"\"\"\n") && test.contains("\n\"\"\"###\n"))
    }

    @Test("a recording that is cut or of another app gives no test, and says why")
    func refused() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        func problem(_ lines: [String]) -> RecordingProblem? {
            #expect(throws: RecordingProblem.self) {
                try Recording.swiftTest(of: Array(lines.joined().utf8))
            }
        }
        #expect(problem(lines.dropLast())?.reason == "the recording is cut behind step \(lines.count - 3)")
        lines[0] = lines[0].replacing(#""app":"chat""#, with: #""app":"mail""#)
        #expect(
            problem(lines)?.description
                == "line 1: the set-up is not that of the terminal program's app: “app” cannot be “mail”")
    }

    @Test("a recording that is cut anywhere gives the steps before the cut, and the line of it")
    func cut() throws {
        var chat = RecordedChat.paired()
        let bytes = chat.finish()
        let lines = RecordedChat.lines(bytes)
        let complete = try Recording(bytes).steps.count
        #expect(complete == lines.count - 3)
        for count in 2..<lines.count {
            let whole = try Recording(Array(lines[..<count].joined().utf8))
            #expect(whole.steps.count == count - 2 && whole.problem?.line == Int64(count + 1))
            #expect(whole.problem?.reason == "the recording is cut behind step \(count - 2)")
            let half = try Recording(Array((lines[..<count].joined() + lines[count].prefix(9)).utf8))
            #expect(half.steps.count == count - 2 && half.problem?.line == Int64(count + 1))
            #expect(half.problem?.reason == "the recording is cut in the middle of the line")
        }
        #expect(throws: RecordingProblem(line: 2, reason: "the recording is cut before its first state")) {
            try Recording(Array(lines[0].utf8))
        }
    }

    @Test("a recording of a newer version says so")
    func newer() {
        var chat = RecordedChat()
        var lines = RecordedChat.lines(chat.finish())
        lines[0] = lines[0].replacing(#""version":1"#, with: #""version":2"#)
        let problem = #expect(throws: RecordingProblem.self) { try Recording(Array(lines.joined().utf8)) }
        #expect(
            problem?.description == "line 1: the recording is of version 2; this build reads up to version 1")
    }

    @Test(
        "a text that is no recording is refused as one",
        arguments: [
            "", "\n", "x", "[]", "{}", "{\"recording\":\"film\"}\n", "\u{0}\u{FFFD}",
            "{\"recording\":\"chat\"}\n",
        ])
    func garbage(_ text: String) {
        let problem = #expect(throws: RecordingProblem.self) { try Recording(Array(text.utf8)) }
        #expect(problem?.line == 1)
    }

    @Test("no damage of a line traps, and each is a problem of that line or a divergence")
    func damaged() throws {
        var chat = RecordedChat.paired()
        let bytes = chat.finish()
        let second = try #require(
            bytes.firstIndex(of: 0x0A).flatMap { bytes[($0 + 1)...].firstIndex(of: 0x0A) })
        var entropy = Entropy.seeded(3)
        for _ in 0..<thoroughly(25, otherwise: 8) {
            var damaged = bytes
            let index = second + 1 + Int(entropy.next() % UInt64(bytes.count - second - 1))
            damaged[index] = UInt8(truncatingIfNeeded: entropy.next())
            guard damaged[index] != bytes[index] else { continue }
            let line = Int64(damaged[..<index].count { $0 == 0x0A } + 1)
            let recording = try Recording(damaged)
            if let problem = recording.problem { #expect(problem.line >= line) }
            var replay = try Replay(chat: recording)
            _ = try? replay.run()
            #expect(replay.step <= Int64(recording.steps.count))
        }
    }

    @Test("steps out of order, and lines behind the end, are problems")
    func order() throws {
        var chat = RecordedChat.paired()
        var lines = RecordedChat.lines(chat.finish())
        lines.append(lines[3])
        #expect(try Recording(Array(lines.joined().utf8)).problem?.line == Int64(lines.count))
        lines.swapAt(3, 4)
        let recording = try Recording(Array(lines.joined().utf8))
        #expect(
            recording.problem?.description == "line 4: “step” is out of range" && recording.steps.count == 1)
    }

    @Test("empty lines behind the end are nothing, and elsewhere a problem")
    func emptyLines() throws {
        var chat = RecordedChat.paired()
        let bytes = chat.finish()
        #expect(try Recording(bytes + Array("\n\n\n".utf8)).problem == nil)
        let count = Int64(RecordedChat.lines(bytes).count)
        #expect(try Recording(bytes + Array("\n{}\n".utf8)).problem?.line == count + 1)
        #expect(try Recording(bytes + Array("\u{FEFF}\n".utf8)).problem?.line == count + 1)
        var lines = RecordedChat.lines(bytes)
        lines.insert("\n", at: 3)
        #expect(try Recording(Array(lines.joined().utf8)).problem?.line == 4)
        #expect(throws: RecordingProblem(line: 1, reason: "this is not a recording")) {
            try Recording(Array("\u{FEFF}".utf8) + bytes)
        }
    }

    @Test("L10: no recording holds a token, whichever server gave it")
    func secrets() throws {
        var chat = RecordedChat.answered()
        let text = String(decoding: chat.finish(), as: UTF8.self)
        let handle = try #require(chat.loop.state.pairing.session?.credentials.secret)
        let secret = try #require(
            chat.loop.store.secret(at: RecordPath(["secrets", handle.name], protection: .secret)))
        #expect(secret.reveal().byteCount > 8)
        #expect(!text.contains(secret.reveal().string))
        #expect(
            text.contains(#"\"token\":\"<secret>\""#) && text.contains(#""content":{"secret":"<secret>"}"#))
    }
}
