// The samples of README.md and Docs. Each stands between two marks in a file that is compiled, and the documents must
// show it word for word.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@Suite("Samples")
struct SampleTests {
    @Test("the README shows the samples that an app compiles, and that run here")
    func isTheSame() throws {
        let app = try Samples(in: "Tests/Embedding/Sources/Embedding/Readme.swift")
        let here = try Samples(in: "Tests/DocumentationTests/SampleTests.swift")
        let readme = try String(contentsOf: Repository.root / "README.md", encoding: .utf8)
        for name in ["making", "embedding", "driving", "network"] {
            #expect(readme.contains("```swift\n" + (try app.marked(name)) + "\n```"), "\(name)")
        }
        for name in ["making", "embedding"] { #expect(try here.marked(name) == app.marked(name)) }
    }

    @Test("Docs/YourFeature.md shows every line of the feature that an app compiles, and counts them")
    func showsTheFeature() throws {
        let document = try String(contentsOf: Repository.root / "Docs/YourFeature.md", encoding: .utf8)
        let folder = "Tests/Embedding/"
        let parts: [(title: String, file: String, names: [String])] = [
            (
                "state, actions and reducer", "Sources/Reminders/Reminders.swift",
                ["state", "vocabulary", "reducer"]
            ),
            ("codec", "Sources/Reminders/RemindersWire.swift", ["codec"]),
            ("record", "Sources/Reminders/RemindersWire.swift", ["record"]),
            (
                "a reminder as JSON, in record and request", "Sources/Reminders/RemindersWire.swift", ["json"]
            ),
            ("composition", "Sources/Reminders/MyApp.swift", ["composition"]),
            ("tests", "Tests/RemindersTests/RemindersTests.swift", ["tests", "composed"]),
        ]
        var all = 0
        for part in parts {
            let samples = try Samples(in: folder + part.file)
            var count = 0
            for name in part.names {
                let sample = try samples.marked(name)
                #expect(document.contains("```swift\n" + sample + "\n```"), "\(name) is out of date")
                count +=
                    sample.split(separator: "\n").filter { line in
                        let text = line.trimmingCharacters(in: .whitespaces)
                        return !text.isEmpty && !text.hasPrefix("//")
                    }.count
            }
            all += count
            #expect(document.contains("| \(part.title) | \(count) |"), "\(part.title): \(count)")
        }
        #expect(document.contains("| **all** | **\(all)** |"), "\(all)")
    }

    @Test("Docs/Testing.md shows the samples that an app compiles and runs")
    func showsTheTests() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Testing.md", encoding: .utf8)
        let parts: [(file: String, names: [String])] = [
            ("ReminderScenarios.swift", ["scenario", "message", "testing", "xctest", "relaxed"]),
            ("ReminderExploration.swift", ["laws"]), ("ReminderDrivers.swift", ["store", "watched"]),
            ("ReminderRecordings.swift", ["recordable", "recording"]),
        ]
        for part in parts {
            let samples = try Samples(in: "Tests/Embedding/Tests/RemindersTests/" + part.file)
            for name in part.names {
                let sample = try samples.marked(name)
                #expect(document.contains("```swift\n" + sample + "\n```"), "\(name) is out of date")
            }
        }
    }

    @Test("Docs/Backends.md shows the backends that an app compiles and runs")
    func showsTheBackends() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Backends.md", encoding: .utf8)
        let samples = try Samples(in: "Tests/Embedding/Tests/RemindersTests/OwnBackend.swift")
        for name in ["model", "dialect"] {
            let sample = try samples.marked(name)
            #expect(document.contains("```swift\n" + sample + "\n```"), "\(name) is out of date")
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

/// The marked samples of a source file.
struct Samples {
    private let lines: [String]

    init(in path: String) throws {
        lines = try String(contentsOf: Repository.root / path, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The lines between “// sample NAME” and “// end”, without their indentation.
    func marked(_ name: String) throws -> String {
        let start = try #require(
            lines.firstIndex { $0.trimmingCharacters(in: .whitespaces) == "// sample \(name)" }, "no \(name)")
        let end = try #require(
            lines[start...].firstIndex { $0.trimmingCharacters(in: .whitespaces) == "// end" })
        let indentation = lines[start].prefix { $0 == " " }.count
        return lines[(start + 1)..<end].map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
