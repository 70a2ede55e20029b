// A chat's coach against the in-process backend: one question and its reply, with a credential that is stored.

@testable import ChatDomain
@testable import ChatEffects

/// Streaming, the coach's codec and the server on virtual time.
typealias CoachLoop = VirtualLoop<CoachStreamCodec, LocalServer>

extension CoachLoop {
    /// The credential is there.
    static let secret = SecretHandle("ada")

    /// Signed in, and nothing asked. What is to go wrong is told by rules.
    static func ready(
        rules: [LocalServer.Rule] = [], hasFallback: Bool = false, canRefresh: Bool = false,
        expires: WallTime? = nil, _ change: (inout LocalServer.Behaviour) -> Void = { _ in }
    ) -> CoachLoop {
        let feature = Streaming(
            configuration: Streaming.Configuration(hasFallback: hasFallback, canRefresh: canRefresh))
        let state = Streaming.State(access: Streaming.Access(secret: secret, expires: expires))
        let machine = Machine(
            feature, state: state, backend: CoachStreamCodec(wholePath: LocalServer.coachWholePath),
            moment: Moment(now: .origin, wall: WallTime(millisecondsSince1970: 1_000_000)),
            entropy: .seeded(3))
        var behaviour = LocalServer.Behaviour(rules: rules)
        change(&behaviour)
        var store = MemoryStore()
        _ = store.carryOut(
            .save(StorageTicket(0), .secret(secret), .secret(Secret("token of ada"))))
        return CoachLoop(machine, store: store, server: LocalServer(behaviour))
    }

    mutating func ask(_ text: ExactText = "Hello there", client: ClientID = "c1") {
        send(.asked(Streaming.Question(conversation: "talk", client: client, text: text)))
    }

    var bubble: Streaming.Bubble? { Streaming.bubble(state, .coach) }

    /// What is in view.
    var text: String { bubble?.text.string ?? "" }

    /// What is said below it.
    var note: ExactText? { bubble?.note }

    var finished: Streaming.FinishedReply? {
        if case .finished(let reply) = state.phase { reply } else { nil }
    }

    var isInterrupted: Bool {
        if case .interrupted = state.phase { true } else { false }
    }

    var isFailed: Bool {
        if case .failed = state.phase { true } else { false }
    }

    /// How often the first rule has applied; for rules that were given a great number.
    func applied(of times: UInt64) -> UInt64 {
        times - (server.behaviour.rules.first?.times ?? times)
    }

    /// Whether nothing is left to happen.
    var isQuiet: Bool { machine.openCalls.isEmpty && nextDeadline == nil }
}
