import ChatDomain
import TestVolume
import Testing

@testable import ChatTesting

/// The explorations of the library's own features: whole where that takes a moment, and otherwise as deep as it does.
@Suite("Our own features, explored")
struct FeatureExplorationTests {
    private static func exploration(_ name: String) throws -> Exploration {
        try #require(Exploration.all.first { $0.name == name })
    }

    @Test(
        "every law holds in every state that a small feature can reach",
        arguments: thoroughly(
            [
                ("chat-connection", 2_300), ("chat-chunks", 600), ("streaming", 700),
                ("streaming-fallback", 400),
                ("smart-replies", 2_500), ("assistant", 3_000),
            ], otherwise: [("chat-chunks", 600), ("streaming-fallback", 400)]))
    func closed(_ name: String, atLeast least: Int) throws {
        let result = try Self.exploration(name).run()
        print("\(name): \(result.summary)")
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.isClosed && result.states >= least, "\(result.summary)")
    }

    @Test(
        "every law holds in the first states, as far as a moment allows",
        arguments: [
            "pairing", "pairing-disk", "pairing-relaunch", "pairing-clock", "pairing-admin", "assistant-disk",
            "chat-sending", "chat-echoing", "chat-receiving", "chat-streams", "chat-storage",
        ])
    func cut(_ name: String) throws {
        var limits = Exploration.Limits()
        // Searched further in release, and that of an admin whole (.ci/run): `chat explore --all`.
        limits.states = thoroughly(400, otherwise: 60)
        let result = try Self.exploration(name).run(limits)
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.states > 50)
    }

    @Test("every law holds in runs that are drawn", arguments: Exploration.all.map { $0.name })
    func drawn(_ name: String) throws {
        let result = try Self.exploration(name).random(
            .init(seeds: 1...thoroughly(4, otherwise: 2), steps: 40))
        #expect(result.violation == nil, "\(result.violation ?? "")")
        #expect(result.transitions > 40)
    }

    @Test("P9: what arrives on the link of an admin is possible, whichever link it is, and on a former one")
    func links() throws {
        let place = try Explore<Uncoded<Pairing>>.lettingIn.replay([
            .person(.linkOpened(Attempt(number: 900))), .person(.linkOpened(Attempt(number: 901))),
        ])
        var steps: [MachineStep<Pairing>] = []
        place.steps(into: &steps)
        for link in [901, .max].map({ Attempt(number: $0) }) {
            let hasKnock = steps.contains { step in
                if case .person(.received(.requested, on: .link(link))) = step { true } else { false }
            }
            #expect(hasKnock)
        }
    }

    @Test("L5: the name or kind of a file without words is not counted as written", arguments: Choices.texts)
    func fileName(_ name: ExactText) throws {
        let file = PickedFile(kind: .document, mimeType: "text/plain", name: name, bytes: [1])
        let place = try Explore<Uncoded<ServedChat>>.sending.replay([
            .person(.attachmentPicked(file)), .person(.sent),
        ])
        #expect(place.state.written == 0 && place.state.ownRows.count == 1)
    }
}
