import ChatDomain
@testable import ChatTesting
import Foundation
#if canImport(FoundationXML)
    import FoundationXML
#endif
import Testing

@Suite("State diagrams")
struct StateDiagramTests {
    private var fetch: StateDiagram {
        Fetch.exploration().diagram("a <question>") { Rendering.name(of: $0) }
    }

    @Test("a diagram shows the phases that a search has visited, and what leads from one to the next")
    func mermaid() {
        let lines = fetch.mermaid.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.prefix(2) == ["stateDiagram-v2", "[*] --> idle"])
        #expect(lines.contains("idle --> waiting: relaunch, started"))
        #expect(lines.contains("waiting --> backingOff: call failed"))
        #expect(lines.contains("waiting --> failed: call failed, limit due"))
        #expect(lines.contains("waiting --> done: \"text\""))
        #expect(!lines.contains { $0.hasPrefix("done -->") && !$0.contains("relaunch") })
    }

    @Test("two searches draw the same picture, to the byte")
    func deterministic() {
        #expect(fetch.svg == fetch.svg && fetch.mermaid == fetch.mermaid)
    }

    @Test("a picture is well-formed, and no text in it is markup")
    func svg() throws {
        let parser = XMLParser(data: Data(fetch.svg.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(fetch.svg.contains("aria-label=\"a &lt;question&gt;\""))
    }
}
