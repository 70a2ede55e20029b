import ChatDomain
@testable import ChatEffects
import Testing

/// A server that answers every opened call some time later, and remembers what it was told.
private struct Slow: SimulatedServer {
    var delay = Interval.milliseconds(10)
    var told: [DriverOperation] = []
    var due = DelayQueue<Outcome>()

    mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        told.append(operation)
        guard case .open(let call, _) = operation else { return }
        due.insert(.arrived(call, .head(status: 200, headers: [])), at: moment.now + delay)
        due.insert(.arrived(call, .body([1])), at: moment.now + delay)
    }

    var nextDeadline: Instant? { due.nextDeadline }

    mutating func advance(to moment: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let next = due.popFirst(dueBy: moment.now) { outcomes.append(next.element) }
        return outcomes
    }
}

@Suite("Virtual loop")
struct VirtualLoopTests {
    private typealias Loop = VirtualLoop<ScriptCodec, Slow>

    private func loop(_ rules: [Script.Rule] = [], delay: Interval = .milliseconds(10)) -> Loop {
        Loop(Stage(rules: rules).machine, store: MemoryStore(), server: Slow(delay: delay))
    }

    private func log(_ loop: Loop) -> [Int64] {
        loop.state.log.map { ($0.moment.now - .origin).milliseconds }
    }

    @Test("Storage answers at the same instant, and what that leads to happens there too")
    func storage() {
        var loop = loop([
            .init(
                when: .stored(.saved, under: ["u"], Attempt(number: 1)),
                effects: [.load(["u"], Attempt(number: 2))])
        ])
        loop.send(.act([.save(Note(byte: 7), under: ["u"], Attempt(number: 1))]))
        #expect(
            loop.state.log.map(\.action).suffix(2) == [
                .stored(.saved, under: ["u"], Attempt(number: 1)),
                .stored(.loaded(Note(byte: 7)), under: ["u"], Attempt(number: 2)),
            ])
        #expect(loop.moment == Stage.moment(0) && !loop.machine.hasOperations)
    }

    @Test("A jump over many deadlines stops at each: timers and answers come at their own times")
    func jump() {
        var loop = loop([
            .init(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(4))], times: 3)
        ])
        loop.send(.act([.start(.a, after: .milliseconds(4)), .open(.a, .http)]))
        loop.advance(by: .milliseconds(20))
        #expect(log(loop) == [0, 4, 8, 10, 10, 12, 16])
        #expect(loop.moment == Stage.moment(20))
    }

    @Test("at one instant a timer comes before an answer: an answer at the limit is late")
    func atTheLimit() {
        var loop = loop([.init(when: .timerFired(.a), effects: [.close(.a)])])
        loop.send(.act([.open(.a, .http), .start(.a, after: .milliseconds(10))]))
        loop.advance(by: .seconds(1))
        #expect(loop.state.log.map(\.action).last == .timerFired(.a))
        #expect(loop.server.told.last == .close(CallNumber(1)))
        #expect(loop.machine.diagnostics.ghostArrivals.value == 2)
    }

    @Test("A chain of ten thousand calls that answer at once needs no stack")
    func chain() {
        var loop = loop(
            [
                .init(
                    when: .received(.byte(1), on: .a), effects: [.open(.a, .http)], times: 10_000)
            ], delay: .zero)
        loop.send(.act([.open(.a, .http)]))
        #expect(loop.server.told.filter { $0.openedCall != nil }.count == 10_001)
        #expect(loop.moment == Stage.moment(0))
    }

    @Test("Running to the next deadline goes there; until idle, no further than the limit")
    func runs() {
        var loop = loop()
        var ran = loop.runToNextDeadline()
        #expect(!ran)
        loop.send(.act([.start(.a, after: .milliseconds(5)), .start(.b, after: .hours(24))]))
        ran = loop.runToNextDeadline()
        #expect(ran && loop.moment == Stage.moment(5))
        var isIdle = loop.runUntilIdle(limit: .hours(1))
        #expect(!isIdle && loop.moment == Stage.moment(5))
        isIdle = loop.runUntilIdle(limit: .hours(24))
        #expect(isIdle && loop.moment == Stage.moment(86_400_000))
        #expect(loop.nextDeadline == nil)
    }

    @Test("A clock told to go back stands still, and a wall clock that is set moves no deadline")
    func clocks() {
        var loop = loop()
        loop.advance(by: .milliseconds(-5))
        #expect(loop.moment == Stage.moment(0))
        loop.send(.act([.start(.a, after: .milliseconds(5))]))
        loop.setWallClock(to: WallTime(millisecondsSince1970: 0))
        loop.advance(by: .milliseconds(5))
        #expect(loop.state.log.last?.moment.wall == WallTime(millisecondsSince1970: 5))
        #expect(loop.state.log.last?.moment.now == Stage.instant(5))
    }

    @Test("L2: a copy of a loop goes the same way")
    func copies() {
        var loop = loop([.init(when: .timerFired(.a), effects: [.open(.b, .http)])])
        loop.send(.act([.start(.a, after: .milliseconds(4)), .open(.a, .http)]))
        var copy = loop
        copy.advance(by: .milliseconds(30))
        for _ in 0..<30 { loop.advance(by: .milliseconds(1)) }
        #expect(loop == copy)
    }

    @Test("R4, L5: the disk answers a resumed machine before the deadlines that passed meanwhile")
    func resumedLate() {
        var stage = Stage()
        stage.act(.load(["u"], Attempt(number: 1)), .start(.a, after: .seconds(5)))
        let loop = Loop(
            resuming: stage.machine, store: MemoryStore(), server: Slow(), wall: Stage.epoch + .hours(3))
        #expect(
            loop.state.log.map(\.action).suffix(2) == [
                .stored(.missing, under: ["u"], Attempt(number: 1)), .timerFired(.a),
            ])
    }

    @Test(
        "R4, L5: what the disk's answers lead it to bring comes before the deadlines that passed meanwhile, too"
    )
    func resumedChain() {
        let (first, second) = (Attempt(number: 1), Attempt(number: 2))
        var stage = Stage(rules: [
            .init(when: .stored(.missing, under: ["u"], first), effects: [.load(["v"], second)])
        ])
        stage.act(.load(["u"], first), .start(.a, after: .seconds(5)))
        let loop = Loop(
            resuming: stage.machine, store: MemoryStore(), server: Slow(),
            wall: Stage.epoch + .hours(3))
        #expect(
            loop.state.log.map(\.action).suffix(3) == [
                .stored(.missing, under: ["u"], first), .stored(.missing, under: ["v"], second),
                .timerFired(.a),
            ])
    }

    @Test("R4: what the calls, the disk and the deadlines of a resumed machine lead to begins at the present")
    func resumedPresent() {
        let load = Attempt(number: 1)
        var stage = Stage(rules: [
            .init(
                when: .ended(.a, .failed(.lost)),
                effects: [.open(.b, .http), .start(.b, after: .seconds(5))]),
            .init(when: .stored(.missing, under: ["u"], load), effects: [.start(.c, after: .seconds(5))]),
        ])
        stage.act(.open(.a, .http), .load(["u"], load), .start(.a, after: .seconds(5)))
        let loop = Loop(
            resuming: stage.machine, store: MemoryStore(), server: Slow(), wall: Stage.epoch + .hours(3))
        let log = loop.state.log.dropFirst()
        #expect(
            log.map(\.action) == [
                .ended(.a, .failed(.lost)), .stored(.missing, under: ["u"], load), .timerFired(.a),
            ])
        #expect(log.allSatisfy { $0.moment == loop.moment })
        #expect(loop.machine.nextDeadline == loop.moment.now + .seconds(5))
    }

    @Test("R4, C2: a resumed machine makes one attempt to connect, not all those of the time away")
    func resumedAttempts() {
        let stored = AppLoop.connected()
        var loop = VirtualLoop<ClawlineBackend, Slow>(
            resuming: stored.machine, store: stored.store.restarted(), server: Slow(delay: .hours(9)),
            wall: stored.moment.wall + .hours(1))
        #expect(loop.moment.now == stored.moment.now + .hours(1))
        guard case .reconnecting(.backoff(attempts: 1, let until)) = loop.state.chat.connection else {
            Issue.record("\(loop.state.chat.connection)")
            return
        }
        #expect(until > loop.moment.wall)
        loop.advance(by: .seconds(3))
        #expect(loop.server.told.count { $0.openedCall != nil } == 1)
        #expect(loop.state.chat.connection.attempt != nil)
    }

    @Test(
        "L3: all that a server in the process has to say before a deadline comes before it, behind a stall too"
    )
    func stalledAnswers() {
        let stage = Stage(rules: [.init(when: .timerFired(.a), effects: [.close(.b)])])
        var loop = Loop(stage.machine, store: MemoryStore(), server: Slow())
        loop.send(.act([.open(.a, .http), .start(.a, after: .milliseconds(20))]))
        loop.advance(by: .milliseconds(5))
        loop.send(.act([.open(.b, .http)]))
        loop.catchUp(to: loop.moment + .minutes(1))
        let log = loop.state.log.map(\.action)
        #expect(log.contains(.received(.byte(1), on: .b)) && log.last == .timerFired(.a))
    }

    @Test("C2: a deadline that passed a second ago shows a stall, and one of a millisecond less does not")
    func stallOfASecond() {
        for (present, fired) in [(1_019, 20), (1_020, 1_020)] as [(Int64, Int64)] {
            var loop = Loop(Stage().machine, store: MemoryStore(), server: Slow())
            loop.send(.act([.start(.a, after: .milliseconds(20))]))
            loop.catchUp(to: Stage.moment(present))
            #expect(loop.state.log.last?.moment == Stage.moment(fired))
            #expect(loop.moment == Stage.moment(present))
        }
    }
}

@Suite("Delay queue")
struct DelayQueueTests {
    @Test("Elements come by time, then in the order in which they were inserted, and none too early")
    func order() {
        var queue = DelayQueue<Int>()
        var entropy = Entropy.seeded(7)
        let times = (0..<500).map { _ in Int64(entropy.next() % 40) }
        for (index, time) in times.enumerated() { queue.insert(index, at: Stage.instant(time)) }
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        var taken: [Int] = []
        for time in Int64(0)..<40 {
            #expect(queue.nextDeadline.map { $0 >= Stage.instant(time) } ?? true)
            while let next = queue.popFirst(dueBy: Stage.instant(time)) {
                #expect(next.due == Stage.instant(time))
                taken.append(next.element)
            }
        }
        #expect(taken == expected)
    }

    @Test("Removed elements do not come")
    func removal() {
        var queue = DelayQueue<Int>()
        for number in 0..<10 { queue.insert(number, at: Stage.instant(1)) }
        queue.removeAll { $0 % 2 == 0 }
        var taken: [Int] = []
        while let next = queue.popFirst(dueBy: Stage.instant(1)) { taken.append(next.element) }
        #expect(taken == [1, 3, 5, 7, 9])
    }
}
