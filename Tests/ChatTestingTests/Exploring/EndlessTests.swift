// A timer that restarts itself without a delay, or after a nanosecond: whatever drives it comes back, and says so.

import ChatDomain
import ChatEffects
import ChatTesting
import Testing

@Suite("A timer without end")
struct EndlessTests {
    static let delays = [Interval.zero, Interval(nanoseconds: 1)]

    private func ticking(
        every delay: Interval = .zero, _ clock: Happening<Ticking>...
    ) -> Explore<Uncoded<Ticking>> {
        Explore(Ticking(delay: delay), from: Ticking.State(), [.person(.started)] + clock)
    }

    private func endlessLoop(every delay: Interval) -> VirtualLoop<Uncoded<Ticking>, ScriptedServer> {
        let machine = Machine(
            Ticking(delay: delay), state: Ticking.State(), backend: Uncoded(), moment: RecordedChat.start,
            entropy: .seeded(1))
        return VirtualLoop(machine, store: MemoryStore(), server: ScriptedServer([.silence]))
    }

    @Test(
        "what is left alone with a timer that restarts itself without end does not come to rest",
        arguments: delays)
    func leftAlone(_ delay: Interval) throws {
        let alone = ticking(every: delay).leftAlone("it comes to rest", within: .hours(1)) { _ in true }
        let violation = try #require(alone.search().violation)
        #expect(violation.steps == [.person(.started)] && violation.law == "it comes to rest")
        #expect(violation.complaint == "cannot be told: a timer restarts itself without end")
    }

    @Test("a step in which a timer restarts itself without end breaks a law, also where nobody asks")
    func step() throws {
        let violation = try #require(ticking(.clock(.deadline)).search().violation)
        #expect(violation.steps == [.person(.started), .clock(.deadline)])
        #expect(violation.complaint == "is broken: a timer restarts itself without end")
    }

    @Test("a sweep ends where a timer restarts itself without end", arguments: delays)
    func sweep(_ delay: Interval) throws {
        let loop = endlessLoop(every: delay)
        let failure = try #require(throws: Sweep<Uncoded<Ticking>, ScriptedServer>.Failure.self) {
            try Sweep(loop, for: .seconds(1), act: [.started])
                .afterwards("it comes to rest", within: .hours(1)) { _ in true }
        }
        #expect(failure.law == "no timer restarts itself without end" && failure.time == .zero)
    }

    @Test("a loop comes back from a timer that restarts itself without end", arguments: delays)
    func advance(_ delay: Interval) {
        var loop = endlessLoop(every: delay)
        loop.send(.started)
        loop.advance(by: .seconds(2))
        #expect(loop.moment == RecordedChat.start + .seconds(2))
        #expect(loop.machine.diagnostics.postponedTimers.value > 0)
    }

    @Test("a step of a scenario in which a timer restarts itself without end fails", arguments: delays)
    func scenario(_ delay: Interval) throws {
        var scenario = Scenario(Ticking(delay: delay), state: Ticking.State()).relaxed
        try scenario.send(.started)
        let failure = try #require(throws: ScenarioFailure.self) { try scenario.advance(by: .seconds(2)) }
        #expect(failure.message.hasPrefix("A timer was postponed"))
    }
}

/// A feature whose timer restarts itself with this delay, a second after its start.
private struct Ticking: Feature, Explorable {
    let delay: Interval

    struct State: DomainValue, Normalizable { var isStarted = false }

    enum Timer: DomainValue, Normalizable { case tick }

    enum Action: FeatureAction {
        case started
        case received(Never, on: Never)
        case ended(Never, CallEnd)
        case stored(StorageAnswer<Never>, under: Never, Attempt)
        case timerFired(Timer)
    }

    typealias Call = Never
    typealias Request = Never
    typealias Frame = Never
    typealias Event = Never
    typealias Key = Never
    typealias Record = Never

    func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .started where !state.isStarted:
            state.isStarted = true
            return [.start(.tick, after: .seconds(1))]
        case .timerFired(.tick): return [.start(.tick, after: delay)]
        default: return []
        }
    }
}
