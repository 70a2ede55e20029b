// What looks for a bug: the parts of the kit, the cheapest first. To add one, add a line to `all`. A detector is a command
// that ends with 0 when it finds nothing; any other end, a crash or a hang counts as found.

import Foundation

struct Detector: Sendable {
    /// The name, as the document says it.
    let name: String
    /// The program in the folder of products, and its arguments.
    let program: String
    let arguments: [String]
    /// The parts that it looks at; none for all.
    let parts: Set<String>

    /// So many seconds are enough for a run that finds nothing; a bug that takes longer is a hang.
    static let limit = 60.0

    func isFor(_ mutant: Mutant) -> Bool { parts.isEmpty || parts.contains(mutant.part) }

    /// Whether it finds a bug; 0 is none.
    func finds(_ mutant: Int, in workshop: Workshop) -> Bool {
        let path = workshop.products.appendingPathComponent(program).path
        return Shell.run(path, arguments, in: workshop.folder, mutant: mutant, limit: Detector.limit)
            != .exited(0)
    }

    private static func explore(_ name: String, states: Int, _ parts: Set<String>) -> Detector {
        Detector(
            name: "explore \(name)", program: "chat", arguments: ["explore", name, "--states", "\(states)"],
            parts: parts)
    }

    private static func tests(_ name: String, _ filter: String, _ parts: Set<String> = []) -> Detector {
        Detector(
            name: name, program: "chatPackageTests.xctest",
            arguments: ["--testing-library", "swift-testing", "--filter", filter], parts: parts)
    }

    /// What every feature stands on.
    private static let base: Set<String> = ["Policies", "Containers", "Machine"]
    private static let chat: Set<String> = [
        "Connection", "Sending", "Receiving", "Correspondence", "Storage", "Streams",
    ]

    static let all: [Detector] = [
        explore("streaming", states: 100_000, base.union(["Streaming", "Smart replies", "Streams"])),
        explore("streaming-fallback", states: 100_000, base.union(["Streaming", "Smart replies"])),
        explore("pairing-admin", states: 100_000, base.union(["Pairing"])),
        explore("smart-replies", states: 100_000, base.union(["Streaming", "Smart replies"])),
        explore("assistant", states: 20_000, base.union(["Assistant"])),
        explore("assistant-disk", states: 20_000, base.union(["Assistant"])),
        explore("pairing", states: 20_000, base.union(["Pairing"])),
        explore("pairing-disk", states: 20_000, base.union(["Pairing"])),
        explore("pairing-relaunch", states: 20_000, base.union(["Pairing"])),
        explore("pairing-clock", states: 20_000, base.union(["Pairing"])),
        explore("chat-connection", states: 20_000, base.union(["Connection"])),
        explore("chat-receiving", states: 20_000, base.union(["Receiving", "Correspondence", "Streaming"])),
        explore("chat-chunks", states: 20_000, base.union(["Receiving", "Streaming"])),
        explore("chat-storage", states: 20_000, base.union(["Storage", "Sending"])),
        explore("chat-streams", states: 20_000, base.union(["Streams", "Sending"])),
        explore("chat-sending", states: 20_000, base.union(["Sending", "Correspondence", "Connection"])),
        explore("chat-echoing", states: 20_000, base.union(["Sending", "Correspondence"])),
        Detector(
            name: "simulate", program: "chat", arguments: ["simulate", "--runs", "16", "--hours", "1"],
            parts: []),
        tests("tests of the kit", "^ChatTestingTests"),
        tests("tests of pairing", "Pairing", ["Pairing"]),
        tests("tests of the assistant", "Assistant", ["Assistant"]),
        tests("tests of streaming", "Streaming|Growth|ReplyCache|SmartRepl", ["Streaming", "Smart replies"]),
        tests("tests of chat", "Chat|Situations|Copies|Turns|ConnectionMachine", chat),
        tests("tests of the library", "^(ChatDomainTests|ChatEffectsTests)"),
    ]
}
