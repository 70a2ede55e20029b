// Docs/Diagrams.md has the diagrams of the features as searches see them, and one run as a sequence. A change of a
// feature's phases is seen in review. After such a change:
//
//     UPDATE_DOCS=1 swift test --filter DiagramsPageTests

import ChatTesting
import Foundation
import TestVolume
import Testing

@Suite("The page of diagrams")
struct DiagramsPageTests {
    /// The features with phases, by the explorations that close in a second.
    private static let features = ["streaming", "chat-connection", "pairing", "smart-replies", "assistant"]

    @Test("the diagrams of the documents are those of a search and of a run")
    func isUpToDate() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 1...4 { root.deleteLastPathComponent() }
        let file = root.appendingPathComponent("Docs/Diagrams.md")
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            let parts = try [Self.introduction] + Self.features.map(Self.diagram) + [Self.trace()]
            try parts.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: file, encoding: .utf8)
        let names = Self.features.prefix(thoroughly(Self.features.count, otherwise: 1))
        for part in try [Self.introduction] + names.map(Self.diagram) + [Self.trace()] {
            #expect(page.contains(part), "Docs/Diagrams.md is out of date; see the top of this file")
        }
    }

    private static let introduction = """
        # Diagrams

        What a search has seen of each feature: its phases, and what leads from one to the next. A step that stays in
        its phase is not shown. `chat diagram FEATURE` draws them anew, also as SVG; a test keeps this page true.

        """

    private static func diagram(_ name: String) throws -> String {
        let exploration = try #require(Exploration.all.first { $0.name == name })
        return "## \(name): \(exploration.summary)\n\n```mermaid\n\(exploration.diagram.mermaid)```\n"
    }

    private static func trace() throws -> String {
        var chat = RecordedChat.paired()
        let trace = SequenceTrace(try Recording(chat.finish()))
        return """
            ## A run: a device is let in, and the chat connects

            `chat trace FILE` draws a recording like this one, on the clock of its run.

            ```mermaid
            \(trace.mermaid)```

            """
    }
}
