// The commands that read and write recordings, with files as a person has them.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import Testing

@testable import chat

@Suite("Program: recordings")
struct ToolTests {
    /// A file in a folder of its own, with a recording of a short chat.
    private static func recorded(_ lines: String...) async throws -> String {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".jsonl"
        let file = try RecordingFile(path)
        var desk = Desk()
        desk.chat.record { file.write($0) }
        for line in lines { await desk.type(line) }
        _ = desk.chat.end(.complete)
        return path
    }

    @Test("a chat on virtual time is recorded, and replayed from the file")
    func recordsAndReplays() async throws {
        let path = try await Self.recorded("Ada", "Hello", "/wait 1m")
        defer { unlink(path) }
        let (recording, bytes) = try RecordingFile.read(path)
        #expect(recording.problem == nil && recording.steps.count > 40)
        #expect(try Recording.swiftTest(of: bytes).contains(#"{"intent":"chat.sent"}"#))
        #expect(await Tool.run(["replay", path]) == 0)
        #expect(await Tool.run(["replay", path, "--json", "--at", "3"]) == 0)
        #expect(await Tool.run(["replay", path, "--swift-test"]) == 0)
        #expect(await Tool.run(["trace", path, "--format", "svg"]) == 0)
        #expect(await Tool.run(["replay", path, "--at", "99999"]) == 2)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o077 == 0)
    }

    @Test("a recording may come from a pipe", arguments: ["replay", "trace"])
    func pipe(_ tool: String) async throws {
        let path = try await Self.recorded("Ada")
        let pipe = path + ".pipe"
        defer { for path in [path, pipe] { unlink(path) } }
        #expect(mkfifo(pipe, 0o600) == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        Thread.detachNewThread { try? bytes.write(to: URL(fileURLWithPath: pipe)) }
        #expect(await Tool.run([tool, pipe]) == 0)
        #expect(throws: Never.self) {
            _ = try ReplayTool(["-"])
            _ = try TraceTool(["-"])
        }
    }

    @Test("an earlier recording stays until the next one begins, and two are not written to one file")
    func keepsEarlier() async throws {
        let path = try await Self.recorded("Ada", "Hello")
        defer { unlink(path) }
        func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
        let earlier = try bytes()
        #expect(!earlier.isEmpty && chmod(path, 0o644) == 0)
        let file = try RecordingFile(path)
        #expect(throws: UsageError("another chat is recorded in “\(path)”")) { try RecordingFile(path) }
        #expect(try bytes() == earlier)
        file.write(Array("{}\n".utf8))
        #expect(try bytes() == Data("{}\n".utf8))
        // Its texts are the owner's own, whoever could read the file before.
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a divergence ends with 1; a cut, newer or foreign file with 2")
    func statuses() async throws {
        let path = try await Self.recorded("Ada")
        defer { unlink(path) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        func status(_ text: String, _ arguments: String...) async throws -> Int32? {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return await Tool.run([arguments[0], path] + arguments.dropFirst())
        }
        #expect(
            try await status(
                text.replacing(#"["chat.current","0"]"#, with: #"["chat.current","5"]"#), "replay")
                == 1)
        #expect(try await status(String(text.dropLast(30)), "replay", "--json") == 2)
        #expect(try await status(String(text.dropLast(30)), "trace") == 2)
        #expect(try await status(String(text.dropLast(30)), "replay", "--swift-test") == 2)
        #expect(
            try await status(text.replacing(#""version":1,"setup""#, with: #""version":2,"setup""#), "replay")
                == 2)
        #expect(try await status(text.replacing(#""app":"chat""#, with: #""app":"mail""#), "replay") == 2)
        #expect(try await status("Dear diary", "trace") == 2)
        #expect(await Tool.run(["replay", path + ".none"]) == 2)
    }

    @Test(
        "a wrong argument is said, and ends with 2",
        arguments: [
            ["replay"], ["replay", "a", "b"], ["replay", "a", "--at"], ["replay", "a", "--at", "-1"],
            ["replay", "a", "--nonsense"], ["replay", "a", "--swift-test", "--json"], ["trace"],
            ["trace", "a", "--format", "pdf"], ["trace", "a", "--format"],
            ["explore"], ["explore", "nothing"], ["explore", "--all", "pairing", "--states", "1"],
            ["simulate", "--seed", "18446744073709551615", "--runs", "3", "--hours", "0.001"],
            ["simulate", "--runs", "1", "--hours", "0x1p-9"],
            ["simulate", "--runs", "1", "--hours", "1e-3"],
        ])
    func wrong(_ arguments: [String]) async {
        #expect(await Tool.run(arguments) == 2)
    }

    @Test("no line of a help is wider than a terminal of 80 columns, and each names its own command")
    func helpFits() {
        let helps = [
            "diagram": DiagramTool.help, "decode": DecodeTool.help, "explore": ExploreTool.help,
            "json": JSONTool.help, "replay": ReplayTool.help, "serve": ServeTool.help,
            "simulate": SimulateTool.help, "sse": SSETool.help, "trace": TraceTool.help, "": Options.help,
        ]
        #expect(Set(helps.keys) == Set(Tool.allCases.map { $0.rawValue } + [""]))
        for (name, help) in helps {
            #expect(help.contains("chat \(name)".trimmingCharacters(in: .whitespaces)))
            for line in help.split(separator: "\n") { #expect(line.count < 80, "\(name): \(line)") }
        }
    }

    @Test("each command explains itself, and no option is taken for a command")
    func help() async {
        #expect(ReplayTool.help.contains("Usage: chat replay FILE"))
        #expect(TraceTool.help.contains("Usage: chat trace FILE"))
        for tool in ["replay", "trace"] { #expect(await Tool.run([tool, "--help"]) == 0) }
        #expect(await Tool.run(["--instant"]) == nil)
    }

    @Test("a recording is asked for by option or by command, and replaces an earlier one")
    func options() throws {
        #expect(Options.help.contains("An earlier FILE is"))
        #expect(try Options.parse(["--record", "f", "--instant"]).recording == "f")
        #expect(
            try Options.parse(["record", "f", "--instant"]) == Options.parse(["--record", "f", "--instant"]))
        #expect(try Options.parse(["record", "--help"]).command == .help)
        #expect(throws: UsageError.self) { try Options.parse(["record"]) }
        #expect(throws: UsageError.self) { try Options.parse(["--record"]) }
        #expect(throws: UsageError.self) { try RecordingFile("/nowhere/at/all") }
    }
}
