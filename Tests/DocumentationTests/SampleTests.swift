// The samples of README.md and Docs, compiled and run. Each stands between two marks in this file, and the
// documents must show it word for word.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@Suite("Samples")
struct SampleTests {
    @Test("the README shows the sample that is compiled here")
    func isTheSame() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let readme = try String(contentsOf: Repository.root / "README.md", encoding: .utf8)
        for name in ["making", "embedding"] {
            let sample = try #require(Samples.marked(name, in: source))
            #expect(readme.contains("```swift\n" + sample + "\n```"))
        }
    }

    @Test("the README's sample leads from a name to the chat")
    func embeds() {
        // sample making
        let device = DeviceInfo(platform: "iOS", model: "Phone")
        let app = ChatApp(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment, entropy: .seeded(1))
        var loop = VirtualLoop(machine, store: MemoryStore(), server: LocalServer())
        // end
        // sample embedding
        loop.send(.launched)
        loop.send(.pairing(.nameEdited("Ada")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        loop.send(.chat(.draftEdited("Hello")))
        loop.send(.chat(.sent))
        loop.advance(by: .seconds(10))
        let rows = Chat.rows(loop.state.chat, newest: 20, .neutral)
        // end
        #expect(rows.map { $0.text.string } == ["Hello", "You said: Hello"])
    }
}

enum Samples {
    /// The lines between “// sample NAME” and “// end”, without their indentation.
    static func marked(_ name: String, in source: String) -> String? {
        let lines = source.components(separatedBy: "\n")
        guard
            let start = lines.firstIndex(where: {
                $0.trimmingCharacters(in: .whitespaces) == "// sample \(name)"
            }),
            let end = lines[start...].firstIndex(where: {
                $0.trimmingCharacters(in: .whitespaces) == "// end"
            })
        else { return nil }
        let indentation = lines[start].prefix { $0 == " " }.count
        return lines[(start + 1)..<end].map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
