import ChatDomain
@testable import ChatEffects
import Testing

/// What a person who asks to come in sees of a server that misbehaves.
@Suite("Asking to come in, of a server that misbehaves")
struct PairingFaultStoryTests {
    private let waiting = Pairing.Screen.waiting(Wording.neutral.waitingForApproval, code: nil)

    private func failed(_ sentence: ExactText) -> Pairing.Screen {
        .failed(sentence, button: Wording.neutral.tryAgain)
    }

    @Test("P5: a denial by the server is shown in its words, and the next request may do better")
    func denied() {
        let sentence: ExactText = "Admin rejected pairing request"
        var loop = StoryLoop.paired(rules: [
            .init(.pairing, .refuse(code: "pair_denied", message: sentence), times: 1)
        ])
        #expect(loop.screen == failed(sentence))
        loop.send(.pairing(.retried))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        #expect(loop.screen == .finished)
    }

    @Test(
        "P6: a passing trouble is waited for: a lost answer, a silent server, a limit, a told wait; then Ada is in"
    )
    func passes() {
        let rules: [LocalServer.Rule] = [
            .init(.handshake, .silence, times: 1), .init(.handshake, .drop, times: 1),
            .init(.handshake, .status(429, retryAfter: .seconds(20)), times: 1),
            .init(.handshake, .status(503), times: 1),
            .init(.pairing, .drop, times: 1), .init(.pairing, .silence, times: 1),
            .init(.pairing, .close(code: 1013, reason: "busy"), times: 1),
            .init(.pairing, .refuse(code: "rate_limited", message: "Slow down"), times: 1),
            .init(.pairing, .delay(.seconds(100)), times: 1),
            .init(.pairing, .holdBack(.seconds(20)), times: 1),
        ]
        for rule in rules {
            var loop = StoryLoop.paired(rules: [rule])
            if case .waiting = loop.screen {} else { Issue.record("not waiting: \(rule)") }
            loop.advance(by: .seconds(110))
            #expect(loop.screen == .finished && loop.machine.openCalls.isEmpty, "\(rule)")
            #expect(loop.server.behaviour.rules.allSatisfy { $0.times == 0 }, "\(rule)")
        }
    }

    @Test("P6: a told wait is kept to the millisecond")
    func toldWait() {
        var loop = StoryLoop.paired(rules: [
            .init(.handshake, .status(429, retryAfter: .seconds(20)), times: 1)
        ])
        #expect(
            loop.screen == .waiting(Wording.neutral.askingAgain(Wording.neutral.reasons.refused), code: nil))
        loop.advance(by: .milliseconds(19_999))
        #expect(loop.screen == waiting)
        loop.advance(by: .milliseconds(4_001))
        #expect(loop.screen == .finished)
    }

    @Test("P6: a lasting trouble ends the request at once")
    func ends() {
        let loop = StoryLoop.paired(rules: [.init(.handshake, .status(403))])
        #expect(loop.screen == failed(Wording.neutral.connectFailed(Wording.neutral.reasons.refused)))
        #expect(loop.machine.openCalls.isEmpty)
    }

    @Test("P6: a server that never answers is given up after 300 s")
    func silent() {
        for step in [LocalServer.Step.handshake, .pairing] {
            var loop = StoryLoop.paired(rules: [.init(step, .silence)])
            loop.advance(by: .milliseconds(296_999))
            #expect(loop.screen == waiting)
            loop.advance(by: .milliseconds(1))
            #expect(loop.screen == failed(Wording.neutral.pairingTimedOut) && loop.machine.openCalls.isEmpty)
        }
    }

    @Test("P8: an answer that comes twice lets in once")
    func twice() {
        let loop = StoryLoop.paired(rules: [.init(.pairing, .duplicate)])
        #expect(loop.screen == .finished && loop.machine.openCalls.isEmpty)
    }
}
