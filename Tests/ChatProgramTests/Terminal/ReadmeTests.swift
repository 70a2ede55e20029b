// The conversation in the README is one of the program's own. `UPDATE_DOCS=1 swift test --filter ReadmeTests` writes it.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@testable import chat

@Suite("Program: the README")
struct ReadmeTests {
    private static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../README.md").standardizedFileURL
    private static let mark = "<!-- A window of 80 columns and 24 rows, written by a test. -->\n\n```text\n"

    @Test("the README shows a window of 80 columns and 24 rows, as the program fills it")
    func window() async throws {
        var desk = await TerminalDesk(Window(columns: 80, rows: 24))
        await desk.type("Ada", "What do we need for *pancakes*?")
        await desk.press("Let me see:\n- **200 g** flour\n- 2 eggs\n- 300 ml milk\r")
        await desk.wait(.seconds(10))
        await desk.type("/offline", "And sugar?", "/online")
        await desk.type("/new Holiday plans")
        await desk.press("Shall we go by t")
        let lines = desk.window.lines
        #expect(lines.count <= 24 && lines.allSatisfy { Layout.width($0) < 80 })
        let shown = lines.joined(separator: "\n") + "\n```\n"
        var readme = try String(contentsOf: Self.path, encoding: .utf8)
        let start = try #require(readme.range(of: Self.mark)).upperBound
        let end = try #require(readme[start...].range(of: "\n```\n")).upperBound
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            readme.replaceSubrange(start..<end, with: shown)
            try readme.write(to: Self.path, atomically: true, encoding: .utf8)
        } else {
            #expect(String(readme[start..<end]) == shown)
        }
    }
}
