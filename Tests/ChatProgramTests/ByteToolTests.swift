// The commands that look into bytes, with files as a person has them.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import Testing

@testable import chat

@Suite("Program: commands that look into bytes")
struct ByteToolTests {
    /// What a command said.
    private final class Said {
        var text = ""
        var complaints: [String] = []

        var output: ToolOutput {
            ToolOutput(write: { self.text += $0 }, complain: { self.complaints.append($0) })
        }
    }

    private static func file(_ bytes: [UInt8]) throws -> String {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func file(_ text: String) throws -> String { try file(Array(text.utf8)) }

    @Test("chat sse prints each event, and what is kept for the next connection, the same for every piece")
    func sse() throws {
        let path = try Self.file(
            "\u{FEFF}retry: 10\nid: 7\ndata: a\ndata: \"b\"\n\n: comment\nevent: add\ndata: é\n\ndata: lost")
        defer { unlink(path) }
        for chunk in [[], ["--chunk", "1"], ["--chunk", "7"], ["--chunk", "1000000"]] {
            let said = Said()
            #expect(try SSETool.run([path] + chunk, said.output) == 0)
            #expect(
                said.text == """
                    {"event":"message","data":"a\\n\\"b\\"","id":"7"}
                    {"event":"add","data":"é","id":"7"}
                    {"lastEventId":"7","retry":10}

                    """)
            #expect(said.complaints.isEmpty)
        }
        let empty = try Self.file("")
        defer { unlink(empty) }
        let said = Said()
        #expect(try SSETool.run([empty], said.output) == 0)
        #expect(said.text == "{\"lastEventId\":\"\",\"retry\":null}\n")
    }

    @Test("L8: chat sse says that a line is too long, behind the events before it, the same for every piece")
    func sseTooLong() throws {
        let path = try Self.file("data: a\n\ndata: " + String(repeating: "x", count: 1_100_000))
        defer { unlink(path) }
        for chunk in [[], ["--chunk", "1000000"], ["--chunk", "5000000"]] {
            let said = Said()
            #expect(try SSETool.run([path] + chunk, said.output) == 1)
            #expect(said.text == "{\"event\":\"message\",\"data\":\"a\",\"id\":\"\"}\n")
            #expect(
                said.complaints == ["chat sse: a line of the event stream is longer than 1048576 bytes"])
        }
    }

    private static let answer = """
        data: {"choices":[{"delta":{"content":"Hé"}}]}

        data: {"x":1}

        data: {"choices":[{"delta":{"content":" you"},"finish_reason":"stop"}],\
        "usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}

        data: [DONE]


        """

    @Test("chat decode prints exactly the text, or all that is known of the reply, the same for every piece")
    func decode() throws {
        let path = try Self.file(Self.answer)
        defer { unlink(path) }
        for chunk in [[], ["--chunk", "1"], ["--chunk", "13"]] {
            let said = Said()
            #expect(try DecodeTool.run(["--format", "openai", path] + chunk, said.output) == 0)
            #expect(said.text == "Hé you" && said.complaints.isEmpty)
            let json = Said()
            #expect(try DecodeTool.run(["--json", path, "--format", "openai"] + chunk, json.output) == 0)
            #expect(
                json.text == #"{"text":"Hé you","outcome":"finished","reason":null,"#
                    + #""usage":{"prompt":1,"completion":2,"total":3},"skipped":1}"# + "\n")
        }
    }

    @Test(
        "chat decode ends with 1 when a reply is interrupted or failed, and says why without moving the cursor"
    )
    func incomplete() throws {
        let interrupted = try Self.file(
            "data: {\"content\":\"a\"}\n\ndata: {\"error\":\"Oh\\u001b[2J.\"}\n\n")
        let failed = try Self.file("data: [DONE]\n\n")
        defer {
            unlink(interrupted)
            unlink(failed)
        }
        let said = Said()
        #expect(try DecodeTool.run(["--format", "smart-reply", interrupted], said.output) == 1)
        #expect(said.text == "a" && said.complaints == ["chat decode: Oh[2J."])
        let json = Said()
        #expect(try DecodeTool.run(["--format", "smart-reply", failed, "--json"], json.output) == 1)
        #expect(
            json.text == #"{"text":"","outcome":"failed","reason":"the reply is complete and has no text","#
                + #""usage":null,"skipped":0}"# + "\n" && json.complaints.isEmpty)
    }

    @Test("chat decode knows each format", arguments: ReplyFormat.allCases)
    func formats(_ format: ReplyFormat) throws {
        let path = try Self.file("data: {\n\n")
        defer { unlink(path) }
        let said = Said()
        #expect(try DecodeTool.run(["--format", format.rawValue, path, "--json"], said.output) == 1)
        #expect(said.text.contains(#""outcome":"failed""#) && said.text.contains(#""skipped":1"#))
        #expect(DecodeTool.help.contains(format.rawValue))
    }

    @Test("chat json accepts a text, or names the first byte that is wrong and why")
    func json() throws {
        for (text, complaint) in [
            ("{\"a\":[1,2]} \n", nil), ("{\"a\":01}", "byte 6: this is not a number in JSON"),
            ("", "byte 0: the text ends too early"), ("1 2", "byte 2: nothing may follow the value"),
        ] as [(String, String?)] {
            let path = try Self.file(text)
            defer { unlink(path) }
            let said = Said()
            #expect(try JSONTool.run([path], said.output) == (complaint == nil ? 0 : 1))
            #expect(said.text.isEmpty && said.complaints == (complaint.map { ["chat json: " + $0] } ?? []))
        }
    }

    @Test(
        "a wrong argument is said, and ends with 2",
        arguments: [
            ["sse", "a", "b"], ["sse", "--chunk"], ["sse", "--chunk", "0"], ["sse", "--chunk", "x"],
            ["sse", "--json"], ["sse", "/nowhere/at/all"], ["sse", "/"], ["decode"], ["decode", "--format"],
            ["decode", "--format", "pdf"], ["decode", "--format", "coach", "/nowhere/at/all"],
            ["decode", "--format", "coach", "a", "b"], ["decode", "--format", "coach", "--chunk", "-1"],
            ["json", "--chunk", "1", "a"], ["json", "a", "b"], ["json", "--x"], ["json", "/nowhere/at/all"],
        ])
    func wrong(_ arguments: [String]) async {
        #expect(await Tool.run(arguments) == 2)
    }

    @Test("each command explains itself")
    func help() async {
        for tool in ["sse", "decode", "json"] { #expect(await Tool.run([tool, "--help"]) == 0) }
    }
}
