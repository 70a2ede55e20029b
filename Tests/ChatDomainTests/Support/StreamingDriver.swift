// The words in which the tests of streaming speak: a question at each place of the story in one line.

@testable import ChatDomain

typealias StreamingDriver = Driver<Streaming>

extension Driver where F == Streaming {
    static let access = Streaming.Access(secret: SecretHandle("first"))
    static let renewed = Streaming.Access(secret: SecretHandle("second"))

    static func question(_ text: ExactText = "Hi", client: ClientID = "c1") -> Streaming.Question {
        Streaming.Question(conversation: "talk", client: client, text: text)
    }

    /// Signed in, and nothing asked.
    static func ready(
        access: Streaming.Access? = access, seed: UInt64 = 1, hasFallback: Bool = false,
        canRefresh: Bool = false, _ change: (inout Streaming.Configuration) -> Void = { _ in }
    ) -> Self {
        var configuration = Streaming.Configuration(hasFallback: hasFallback, canRefresh: canRefresh)
        change(&configuration)
        return Driver(
            Streaming(configuration: configuration), state: Streaming.State(access: access), seed: seed)
    }

    /// A question was asked, and the stream is open.
    static func asked(
        seed: UInt64 = 1, hasFallback: Bool = false, canRefresh: Bool = false,
        _ change: (inout Streaming.Configuration) -> Void = { _ in }
    ) -> Self {
        var driver = ready(seed: seed, hasFallback: hasFallback, canRefresh: canRefresh, change)
        driver.send(.asked(question()))
        return driver
    }

    /// “Hel” has come and is shown, “lo” has come and is pending.
    static func growing(hasFallback: Bool = false, canRefresh: Bool = false) -> Self {
        var driver = asked(hasFallback: hasFallback, canRefresh: canRefresh)
        driver.hear(.began(nil))
        driver.hear(.token("Hel"))
        driver.advance(by: .milliseconds(75))
        driver.hear(.token("lo"))
        return driver
    }

    /// The open call brings something.
    @discardableResult
    mutating func hear(_ event: Streaming.Event) -> [Streaming.Effect] {
        guard let call = calls.last?.call else { return [] }
        return send(.received(event, on: call))
    }

    /// The open call ends.
    @discardableResult
    mutating func lose(_ end: CallEnd = .failed(.lost)) -> [Streaming.Effect] {
        guard let call = calls.last?.call else { return [] }
        return self.end(call, end)
    }

    mutating func refuse(_ status: Int64, retryAfter: Interval? = nil) {
        lose(.refused(status: status, retryAfter: retryAfter, message: ""))
    }

    var bubble: Streaming.Bubble? { Streaming.bubble(state, .coach) }

    /// What is in view.
    var text: String { bubble?.text.string ?? "" }

    /// What is said below it.
    var note: ExactText? { bubble?.note }

    var request: Streaming.Request? { calls.last?.request }

    var finished: Streaming.FinishedReply? {
        if case .finished(let reply) = state.phase { reply } else { nil }
    }

    var ending: ReplyEnding? {
        switch state.phase {
        case .interrupted(let reply, _), .failed(let reply): reply.ending
        case .idle, .waiting, .streaming, .finished: nil
        }
    }

    var isInterrupted: Bool {
        if case .interrupted = state.phase { true } else { false }
    }

    /// What ends all that is under way, if it is: the name of a timer that should run and does not (L3).
    var missingTimer: Streaming.Timer? {
        state.neededTimers.first { !isRunning($0) }
    }
}
