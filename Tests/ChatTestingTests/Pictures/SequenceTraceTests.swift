import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import TestVolume
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("A sequence trace")
struct SequenceTraceTests {
    private static func trace(_ text: ExactText) throws -> SequenceTrace {
        var chat = RecordedChat.paired()
        chat.send(.chat(.draftEdited(text)), .chat(.sent), for: .seconds(10))
        return SequenceTrace(try Recording(chat.finish()))
    }

    @Test("a trace has each message with sender, receiver and time")
    func mermaid() throws {
        let lines = try Self.trace("Hello").mermaid.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(
            lines.prefix(4) == [
                "sequenceDiagram", "actor Person", "participant Feature", "participant Timers",
            ])
        let expected = [
            "Note over Person,Storage: 0.000 s", "Person-->>Feature: launched",
            "Feature->>Storage: load device",
            "Feature->>Timers: pairing.restoring in 5 s", "Storage-->>Feature: no device",
            "Feature->>Timers: cancel pairing.restoring", "Person-->>Feature: pairing.nameEdited “Ada”",
            "Feature->>Network: call 1, open socket /ws", "Network-->>Feature: call 1, open",
            "Feature->>Network: call 1, send pair_request", "Note over Person,Storage: 3.000 s",
            "Network-->>Feature: call 1, pair_result", "Person-->>Feature: chat.draftEdited “Hello”",
        ]
        var rest = lines[...]
        for line in expected {
            let index = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(index + 1)...]
        }
        // The draft is saved when typing pauses: a timer that fires is the timers' message.
        #expect(lines.contains { $0.hasPrefix("Timers-->>Feature: ") })
    }

    private static let hostile: [ExactText] = [
        "</text><script>alert(1)</script>", "a & b ' \" ]]> <!--", "x\nPerson->>Storage: forged",
        "; end # %%",
        "\u{0}\u{1B}[2J\u{FFFF}\u{202E}", "日本語のテキストはここで切られる、きっと",
    ]

    @Test(
        "no text of a person or a server is taken for markup",
        arguments: hostile.prefix(thoroughly(hostile.count, otherwise: 2)))
    func escapes(_ text: ExactText) throws {
        let trace = try Self.trace(text)
        let parser = XMLParser(data: Data(trace.svg.utf8))
        let names = ElementNames()
        parser.delegate = names
        #expect(parser.parse())
        #expect(names.seen == ["svg", "style", "rect", "line", "text", "g", "title", "path"])
        for line in trace.mermaid.split(separator: "\n").dropFirst(6) {
            #expect(line.contains("Note over Person,Storage: ") || line.contains(">>"))
            #expect(line.firstIndex(of: ":") == line.lastIndex(of: ":") && !line.contains("<"))
        }
        #expect(!trace.mermaid.contains("forged\n") || trace.mermaid.contains("#62;"))
    }

    @Test("a picture can be read on a light and on a dark page")
    func colours() throws {
        let svg = try Self.trace("Hello").svg
        #expect(svg.contains("@media (prefers-color-scheme: dark)") && svg.contains(#"<rect class="page""#))
    }
}

private final class ElementNames: NSObject, XMLParserDelegate {
    var seen: Set<String> = []

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) { seen.insert(element) }
}
