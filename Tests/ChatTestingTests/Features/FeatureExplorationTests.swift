import ChatTesting
import Testing

/// The explorations of the library's own features: whole where that takes a moment, and otherwise as deep as it does.
@Suite("Our own features, explored")
struct FeatureExplorationTests {
    private static func exploration(_ name: String) throws -> Exploration {
        try #require(Exploration.all.first { $0.name == name })
    }

    @Test(
        "every law holds in every state that a small feature can reach",
        arguments: [("streaming", 100), ("streaming-fallback", 100), ("pairing-admin", 100)])
    func closed(_ name: String, atLeast least: Int) throws {
        let result = try Self.exploration(name).run()
        print("\(name): \(result.summary)")
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.isClosed && result.states >= least, "\(result.summary)")
    }

    @Test(
        "every law holds as deep as a moment allows",
        arguments: [
            ("pairing", 6), ("pairing-relaunch", 6), ("pairing-clock", 6), ("assistant", 6), ("smart-replies", 6),
            ("chat-connection", 4), ("chat-sending", 4), ("chat-echoing", 4), ("chat-receiving", 4),
            ("chat-streams", 4), ("chat-storage", 4),
        ])
    func cut(_ name: String, at depth: Int) throws {
        var limits = Exploration.Limits()
        limits.depth = depth
        let result = try Self.exploration(name).run(limits)
        print("\(name): \(result.summary)")
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.depth == depth)
    }

    @Test("every law holds in runs that are drawn", arguments: Exploration.all.map { $0.name })
    func drawn(_ name: String) throws {
        let result = try Self.exploration(name).random(.init(seeds: 1...20, steps: 60))
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.transitions == 1_200)
    }
}
