// What looks for a bug: the parts of the kit, the cheapest first. To add one, add a line to `all`. A detector is a command
// that ends with 0 when it finds nothing; any other end counts as found.

import Foundation

struct Detector: Sendable {
    /// The name, as the document says it.
    let name: String
    /// The program in the folder of products, and its arguments.
    let program: String
    let arguments: [String]
    /// The parts of the table that it looks at; none for all.
    let parts: Set<String>

    func isFor(_ mutant: Mutant) -> Bool { parts.isEmpty || parts.contains(mutant.part) }

    /// Looks for a bug; 0 is none.
    func look(for mutant: Int, in workshop: Workshop, limit: Double) async throws -> Run {
        let path = workshop.products.appendingPathComponent(program).path
        return try await Shell.run(path, arguments, mutant: mutant, limit: limit)
    }

    private static func explore(_ features: String..., for parts: Set<String>, deeper: Bool = false)
        -> [Detector]
    {
        features.map { feature in
            Detector(
                name: "explore \(feature)\(deeper ? ", deeper" : "")", program: "chat",
                arguments: ["explore", feature, "--states", deeper ? "30000" : "3000"], parts: parts)
        }
    }

    private static func simulate(_ name: String, runs: Int, hours: Double) -> [Detector] {
        [
            Detector(
                name: name, program: "chat",
                arguments: ["simulate", "--runs", "\(runs)", "--hours", "\(hours)"], parts: [])
        ]
    }

    /// The suites whose names match, but for those that search for seconds and are asked by themselves.
    private static func tests(
        _ name: String, _ filter: String, for parts: Set<String> = [], skipping skip: String? = searches
    ) -> [Detector] {
        let words = ["--testing-library", "swift-testing", "--filter", filter]
        return [
            Detector(
                name: name, program: "chatPackageTests.xctest",
                arguments: words + (skip.map { ["--skip", $0] } ?? []), parts: parts)
        ]
    }

    // What is skipped beside the searches asks the disk, or chains a million answers.
    private static let searches = "CopiesSearchTests|TurnsSearchTests|ConnectionMachineTests"
    private static let pairing: Set = ["Pairing"]
    private static let assistant: Set = ["Assistant"]
    private static let streaming: Set = ["Streaming", "Smart replies"]
    private static let connection: Set = ["Connection"]
    private static let sending: Set = ["Sending", "Correspondence"]
    private static let receiving: Set = ["Receiving"]
    private static let storage: Set = ["Storage"]
    private static let streams: Set = ["Streams"]
    private static let chat = connection.union(sending).union(receiving).union(storage).union(streams)
    /// What every feature stands on.
    private static let base: Set = ["Policies", "Containers", "Machine"]

    static let all: [Detector] = [
        explore("streaming", "streaming-fallback", "smart-replies", for: streaming.union(base)),
        explore("pairing-admin", for: pairing.union(base)),
        explore("pairing", "pairing-disk", "pairing-relaunch", "pairing-clock", for: pairing),
        explore("assistant", "assistant-disk", for: assistant.union(base)),
        explore("chat-connection", for: connection),
        explore("chat-sending", for: sending.union(base)),
        explore("chat-echoing", for: sending),
        explore("chat-receiving", "chat-chunks", for: receiving),
        explore("chat-storage", for: storage.union(sending)),
        explore("chat-streams", for: streams),
        simulate("simulate", runs: 6, hours: 0.5),
        tests("tests of pairing", "Pairing", for: pairing),
        tests("tests of the assistant", "Assistant", for: assistant),
        tests("tests of streaming", "Streaming|Growth|ReplyCache|SmartRepl", for: streaming),
        tests("tests of situations", "[.][A-Za-z]+Situations", for: chat),
        tests("tests of the connection", "[.]Chat(Connection|Pacing|Leaving|Rare)", for: connection),
        tests("tests of streams", "[.]ChatAsking", for: streams),
        tests("tests of chat", "[.](Chat[A-Z]|CoachStream|MessageRendering)", for: chat),
        tests(
            "tests of the policies",
            "[.](Backoff|ExpiryTable|KeptRecord|ReorderBuffer|SendQueue|Throttle|TokenBatch)Tests", for: base),
        tests(
            "tests of the containers", "[.](HashTrie|OrdinalVector|RadixVector|LongText|Boxed)Tests",
            for: base),
        tests(
            "tests of the machine",
            "[.](Clock|Call|DelayQueue|EndlessTimer|Driver|Equality|MemoryStore|Order|Storage|TimerTable|TimerTableModel)Tests",
            for: base),
        tests(
            "stories of the whole app",
            "ChatEffectsTests[.].*(Story|Storm|Weather|Erasing|Resuming|Composition|Credential|BadInput|Border)Tests"
        ),
        tests("tests of the program", "^ChatProgramTests"),
        tests("tests of the kit", "^ChatTestingTests"),
        tests("search of copies", "CopiesSearchTests", for: sending, skipping: nil),
        tests("search of turns", "TurnsSearchTests", for: sending.union(receiving), skipping: nil),
        tests("search of the connection", "ConnectionMachineTests", for: connection, skipping: nil),
        explore(
            "pairing-admin", "pairing", "pairing-disk", "pairing-relaunch", "pairing-clock", for: pairing,
            deeper: true),
        explore("assistant", "assistant-disk", for: assistant, deeper: true),
        explore("chat-connection", for: connection, deeper: true),
        explore("chat-sending", "chat-echoing", for: sending, deeper: true),
        explore("chat-receiving", "chat-chunks", for: receiving, deeper: true),
        explore("chat-storage", for: storage, deeper: true),
        explore("chat-streams", for: streams, deeper: true),
        tests(
            "tests of the library", "^(ChatDomainTests|ChatEffectsTests)",
            skipping: "\(searches)|FileStoreTests|OrderTests|EndlessTimerTests"),
        simulate("simulate, longer", runs: 50, hours: 1),
    ].flatMap { $0 }
}
