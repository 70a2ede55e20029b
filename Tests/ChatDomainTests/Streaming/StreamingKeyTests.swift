// The key under which a question is asked again: the same unless the server took the question and then failed it.

@testable import ChatDomain
import Testing

@Suite("Streaming: the key of a retry")
struct StreamingKeyTests {
    /// The key of the question that is asked now.
    private func key(_ driver: StreamingDriver) -> ClientID? {
        switch driver.request {
        case .stream(let question, _), .whole(let question, _): question.key
        case .refreshCredentials, nil: nil
        }
    }

    @Test(
        "S10, S6: a reply that the person stopped or left is asked for again under its key",
        arguments: [.stopped, .left, .backgrounded] as [Streaming.Action])
    func ended(action: Streaming.Action) {
        for var driver in [StreamingDriver.asked(), .growing()] {
            driver.send(action)
            #expect(driver.calls.isEmpty && driver.ending?.needsNewKey == false)
            driver.send(.retried)
            #expect(key(driver) == "c1")
        }
    }

    @Test("S9, S6: a question without credentials is asked under its key after the sign-in")
    func signedOut() {
        var driver = StreamingDriver.ready(access: nil)
        driver.send(.asked(StreamingDriver.question()))
        #expect(driver.calls.isEmpty && driver.ending?.reason == .signInFirst)
        driver.send(.accessChanged(StreamingDriver.access))
        driver.send(.retried)
        #expect(key(driver) == "c1")
    }

    @Test("S13, S6: a whole reply that the server refuses says why, and is asked for again under its key")
    func refusedWhole() {
        var driver = StreamingDriver.asked(hasFallback: true)
        driver.lose()
        driver.hear(.refused(" not\u{7} you "))
        #expect(driver.ending?.reason == .reported("not you") && driver.timers.isEmpty)
        driver.send(.retried)
        #expect(driver.calls.count == 1 && key(driver) == "c1")
    }
}
