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
        #expect(lines.contains("waiting --> done: #34;text#34;"))
        #expect(!lines.contains { $0.hasPrefix("done -->") && !$0.contains("relaunch") })
    }

    @Test("a phase of several words has a name that Mermaid takes, and no label ends its line")
    func words() throws {
        let phases = ["end", "p0", "nobody asks", "somebody: \"asks\"; [*]"]
        let arrows = zip(phases, phases.dropFirst() + phases.prefix(1)).map { from, to in
            StateDiagram.Arrow(from: from, to: to, label: "a: b; c\n[*] --> d")
        }
        let lines = StateDiagram("words", start: "nobody asks", arrows: Set(arrows)).mermaid
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.count == 1 + phases.count + 1 + arrows.count)
        var identifiers: Set<Substring> = []
        for line in lines.dropFirst().prefix(phases.count) {
            let match = try #require(line.wholeMatch(of: /state "[^":]+" as ([A-Za-z0-9_]+)/), "\(line)")
            identifiers.insert(match.output.1)
        }
        #expect(identifiers.count == phases.count && lines.contains("state \"nobody asks\" as p0"))
        #expect(lines[1 + phases.count] == "[*] --> p0")
        for line in lines.suffix(arrows.count) {
            let way = /([A-Za-z0-9_]+) --> ([A-Za-z0-9_]+): [^:]+/
            let match = try #require(line.wholeMatch(of: way), "\(line)")
            #expect(identifiers.contains(match.output.1) && identifiers.contains(match.output.2))
        }
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

    @Test("the box of a phase has room for its name")
    func longName() throws {
        let name = String(repeating: "waiting ", count: 8) + "for nobody"
        let arrow = StateDiagram.Arrow(from: "idle", to: name, label: "started")
        let svg = StateDiagram("names", start: "idle", arrows: [arrow]).svg
        let boxes = svg.matches(of: /class="phase" x="\d+" y="\d+" width="(\d+)"/)
        #expect(boxes.count == 2 && boxes.allSatisfy { (Int($0.output.1) ?? 0) >= name.count * 8 })
    }
}
