// A run that is disturbed at every instant that matters: which instants those are, what a failure says, and the whole
// app under it.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("Sweep: one action at every instant")
struct SweepTests {
    typealias Alone = VirtualLoop<Uncoded<Fetch>, ScriptedServer>

    /// A question to a server that is silent; its limit is 10 s.
    func asked(_ mistake: Fetch.Mistake? = nil) -> Alone {
        let machine = Machine(
            Fetch(mistake: mistake), state: .idle, backend: Uncoded(), moment: RecordedChat.start,
            entropy: .seeded(1))
        var loop = Alone(machine, store: MemoryStore(), server: ScriptedServer([.silence]))
        loop.send(.started)
        return loop
    }

    @Test("an action comes at the start, and before, at and after each deadline")
    func instants() throws {
        var ends: [Fetch.State] = []
        let count = try Sweep(asked(), for: .seconds(20), act: [.cancelled])
            .afterwards("it ends", within: .minutes(1)) {
                ends.append($0.state)
                return true
            }
        #expect(count == 4 && ends == [.idle, .idle, .failed, .failed])
    }

    @Test("a deadline behind the end of the run disturbs nothing")
    func length() throws {
        let sweep = Sweep(asked(), for: .seconds(9), act: [.cancelled, .started])
        #expect(try sweep.afterwards("it ends", within: .minutes(1)) { _ in true } == 2)
    }

    @Test("a failure names the law, the action and its time, at the first instant that breaks the law")
    func failure() throws {
        let failure = try #require(throws: Sweep<Uncoded<Fetch>, ScriptedServer>.Failure.self) {
            try Sweep(self.asked(), for: .seconds(20), act: [.started, .cancelled])
                .afterwards("it ends", within: .minutes(1)) { $0.state == .idle || $0.state == .failed }
            try Sweep(self.asked(), for: .seconds(20), act: [.cancelled])
                .afterwards("a cancel is a cancel", within: .minutes(1)) { $0.state == .idle }
        }
        #expect(failure.time == .seconds(10))
        #expect("\(failure)" == "“a cancel is a cancel” does not hold when .cancelled comes at 10 s")
    }

    @Test("a run without an action to disturb it checks nothing, and says so")
    func nothing() throws {
        let failure = try #require(throws: NothingHappens.self) {
            try Sweep(self.asked(), for: .seconds(20), act: [])
                .afterwards("it ends", within: .minutes(1)) { _ in true }
        }
        #expect("\(failure)".contains("the list of actions is empty"))
    }

    @Test("a spinner without a limit is found")
    func mistake() {
        #expect(throws: (any Error).self) {
            try Sweep(self.asked(.forgetsTheLimit), for: .seconds(20), act: [.started])
                .afterwards("it ends", within: .hours(1)) { $0.state == .failed }
        }
    }

    @Test("L3, L4: the app comes to rest wherever the person signs out or the network goes")
    func app() throws {
        var loop = RecordedChat.paired().loop
        loop.send(.chat(.draftEdited("Hello")))
        loop.send(.chat(.sent))
        let actions: [ChatApp.Action] = [.pairing(.signedOut), .networkChanged(isUp: false)]
        let count = try Sweep(loop, for: .seconds(10), act: actions)
            .afterwards("it comes to rest", within: .minutes(10)) {
                $0.nextDeadline == nil && !Chat.isTyping($0.state.chat) && !Chat.isSending($0.state.chat)
            }
        #expect(count > 20)
    }
}
