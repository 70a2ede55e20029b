// Guarantee 2 of the machine: timers fire at their deadline, in order, whatever the clocks do.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Machine, guarantee 2: time")
struct ClockTests {
    typealias Firing = Stage.Firing

    @Test("guarantee 2: a jump over many deadlines fires each at its own time, on both clocks")
    func jump() {
        var stage = Stage()
        stage.act(
            .start(.c, after: .milliseconds(30)), .start(.a, after: .milliseconds(10)),
            .start(.b, after: .milliseconds(20)), .start(.numbered(1), after: .milliseconds(41)))
        #expect(stage.machine.nextDeadline == Stage.instant(10))
        stage.advance(to: 40)
        #expect(stage.firings == [Firing(.a, at: 10), Firing(.b, at: 20), Firing(.c, at: 30)])
        #expect(stage.machine.state.log.dropFirst().map(\.moment) == [10, 20, 30].map(Stage.moment))
        #expect(stage.machine.moment == Stage.moment(40))
        #expect(stage.machine.nextDeadline == Stage.instant(41))
    }

    @Test("guarantee 2: a timer that restarts itself during a jump fires at every one of its times")
    func restartsDuringJump() {
        var stage = Stage(rules: [
            .init(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(10))])
        ])
        stage.act(.start(.a, after: .milliseconds(10)), .start(.b, after: .milliseconds(25)))
        stage.advance(to: 40)
        #expect(
            stage.firings == [
                Firing(.a, at: 10), Firing(.a, at: 20), Firing(.b, at: 25), Firing(.a, at: 30),
                Firing(.a, at: 40),
            ])
        #expect(stage.machine.nextDeadline == Stage.instant(50))
    }

    @Test("guarantee 2: a timer that another starts or stops during a jump takes part in it")
    func timersDuringJump() {
        var stage = Stage(rules: [
            .init(
                when: .timerFired(.a),
                effects: [.cancel(.b), .start(.c, after: .milliseconds(5)), .open(.a, .http)])
        ])
        stage.act(.start(.a, after: .milliseconds(10)), .start(.b, after: .milliseconds(12)))
        stage.advance(to: 100)
        #expect(stage.firings == [Firing(.a, at: 10), Firing(.c, at: 15)])
        #expect(stage.drain().map(\.openedCall) == [CallNumber(1)])
    }

    @Test("guarantee 2: equal deadlines fire in the order of starting, and a restart goes to the end")
    func equalDeadlines() {
        var stage = Stage()
        stage.act(
            .start(.a, after: .milliseconds(10)), .start(.b, after: .milliseconds(10)),
            .start(.c, after: .milliseconds(10)), .start(.a, after: .milliseconds(10)))
        #expect(stage.machine.runningTimers.map(\.timer) == [.b, .c, .a])
        stage.advance(to: 10)
        #expect(stage.firings == [Firing(.b, at: 10), Firing(.c, at: 10), Firing(.a, at: 10)])
    }

    @Test("guarantee 2: of starts and cancels in one batch the last counts")
    func startAndCancelInOneBatch() {
        var stage = Stage()
        stage.act(
            .start(.a, after: .zero), .cancel(.a),
            .cancel(.b), .start(.b, after: .milliseconds(1)),
            .start(.c, after: .milliseconds(1)), .start(.c, after: .milliseconds(9)))
        stage.advance(to: 5)
        #expect(stage.firings == [Firing(.b, at: 1)])
        stage.advance(to: 9)
        #expect(stage.firings == [Firing(.b, at: 1), Firing(.c, at: 9)])
    }

    @Test("guarantee 2: an answer exactly at a deadline comes after the timer")
    func answerAtDeadline() {
        var stage = Stage()
        stage.act(.open(.a, .socket), .start(.a, after: .milliseconds(10)))
        stage.arrive(.opened, at: 10)
        #expect(stage.told == [.timerFired(.a), .received(.opened, on: .a)])
    }

    @Test("guarantee 2: an action exactly at a deadline comes after the timer and what the timer starts")
    func actionAtDeadline() {
        var stage = Stage(rules: [
            .init(when: .timerFired(.a), effects: [.start(.b, after: .zero)])
        ])
        stage.act(.start(.a, after: .milliseconds(10)))
        stage.act(at: 10)
        #expect(
            stage.machine.state.log.map(\.action).dropFirst() == [.timerFired(.a), .timerFired(.b), .act([])])
    }

    @Test("guarantee 2: a timer without delay is the next thing, before events that wait at that instant")
    func immediateTimer() {
        var stage = Stage(rules: [
            .init(when: .received(.byte(1), on: .a), effects: [.start(.a, after: .zero)])
        ])
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, 2]))
        #expect(
            stage.told.dropFirst() == [
                .received(.byte(1), on: .a), .timerFired(.a), .received(.byte(2), on: .a),
            ])
    }

    @Test("guarantee 2: bytes that arrive at once are told as if they had arrived one by one")
    func chunking() {
        let rules: [Script.Rule] = [
            .init(when: .received(.byte(1), on: .a), effects: [.start(.a, after: .zero)]),
            .init(when: .received(.byte(3), on: .a), effects: [.close(.a), .start(.b, after: .zero)]),
        ]
        var whole = Stage(rules: rules)
        whole.act(.open(.a, .http))
        whole.arrive(.head(status: 200, headers: []))
        var split = whole
        whole.arrive(.body([1, 2, 1, 3, 1, 2]))
        for byte in [1, 2, 1, 3, 1, 2] as [UInt8] { split.arrive(.body([byte])) }
        #expect(whole.told == split.told)
        #expect(whole.told.count == 8)
    }

    @Test("guarantee 2: many steps of the clock do what one jump does")
    func splitJumps() {
        let rules: [Script.Rule] = [
            .init(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(7))]),
            .init(
                when: .timerFired(.b),
                effects: [.start(.b, after: .milliseconds(5)), .start(.c, after: .zero)]),
            .init(when: .timerFired(.c), effects: [.start(.numbered(1), after: .milliseconds(2)), .haptic]),
        ]
        var once = Stage(rules: rules)
        once.act(.start(.a, after: .zero), .start(.b, after: .milliseconds(5)))
        var often = once
        once.advance(to: 1_000)
        for milliseconds in 1...1_000 as ClosedRange<Int64> { often.advance(to: milliseconds) }
        #expect(once.machine == often.machine)
        #expect(once.firings.count > 500)
    }

    @Test("guarantee 2: an earlier time is taken as the last, counted, and keeps its wall time")
    func clockSetBack() {
        var stage = Stage()
        stage.advance(to: 100)
        stage.act(.start(.a, after: .milliseconds(10)), at: 50)
        let back = Moment(now: Stage.instant(100), wall: Stage.moment(50).wall)
        #expect(stage.machine.moment == back)
        #expect(stage.machine.diagnostics.clockReversals.value == 1)
        #expect(stage.machine.nextDeadline == Stage.instant(110))
        stage.advance(to: 60)
        #expect(stage.firings == [])
        stage.advance(to: 110)
        #expect(stage.firings == [Firing(.a, at: 110)])
    }

    @Test(
        "guarantee 2: a wall clock that is set fires nothing, and the wall time of a jump ends at the new one"
    )
    func wallClockJumps() {
        var stage = Stage()
        stage.act(.start(.a, after: .milliseconds(10)))
        let year = Interval.hours(24 * 365)
        stage.machine.advance(to: Moment(now: Stage.instant(9), wall: Stage.epoch + year))
        #expect(stage.firings == [])
        stage.machine.advance(to: Moment(now: Stage.instant(15), wall: Stage.epoch - year))
        #expect(stage.firings == [Firing(.a, at: 10)])
        #expect(stage.machine.state.log.last?.moment.wall == Stage.epoch - year - .milliseconds(5))
        #expect(stage.machine.moment.wall == Stage.epoch - year)
    }

    @Test("guarantee 2: a negative delay is none")
    func negativeDelay() {
        var stage = Stage()
        stage.act(
            .start(.a, after: Interval(nanoseconds: .min)), .start(.b, after: .milliseconds(-5)), at: 20)
        #expect(stage.firings == [Firing(.a, at: 20), Firing(.b, at: 20)])
    }

    @Test("guarantee 2: the greatest delay never ends")
    func endlessDelay() {
        var stage = Stage()
        stage.act(.start(.a, after: .max), at: 1)
        #expect(stage.machine.nextDeadline == nil)
        stage.machine.advance(to: Moment(now: .never, wall: Stage.epoch))
        #expect(stage.firings == [])
        #expect(stage.machine.runningTimers.map(\.timer) == [.a])
    }

    @Test(
        "guarantee 2: clocks at the ends of their range do not trap",
        arguments: [Int64.min, -1, 0, 1, .max - 1, .max], [Int64.min, 0, .max])
    func extremes(_ now: Int64, _ wall: Int64) {
        let first = Moment(
            now: Instant(nanoseconds: .min), wall: WallTime(nanosecondsSince1970: wall))
        let second = Moment(
            now: Instant(nanoseconds: now), wall: WallTime(nanosecondsSince1970: ~wall))
        var stage = Stage(
            rules: [
                .init(when: .timerFired(.b), effects: [.start(.a, after: .max), .start(.c, after: .zero)])
            ],
            at: first)
        stage.act(at: 0)
        stage.machine.send(
            .act([
                .start(.a, after: Interval(nanoseconds: .min)), .start(.b, after: Interval(nanoseconds: 1)),
            ]), at: first)
        stage.machine.advance(to: second)
        stage.machine.advance(to: first)
        #expect(stage.machine.moment.now == max(second.now, Stage.instant(0)))
        #expect(stage.firings.map(\.timer).first == .a)
    }

    @Test("guarantee 2: a jump over 100,000 firings needs no stack")
    func longJump() {
        // As many as may fire at once; a debug build takes about 4 µs for each.
        var stage = Stage(
            rules: [.init(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(1))])],
            isLogging: false)
        stage.act(.start(.a, after: .milliseconds(1)))
        stage.advance(to: 100_000)
        #expect(stage.machine.state.handled == 100_001)
        #expect(stage.machine.diagnostics.postponedTimers.value == 0)
    }
}

@Suite("Machine: timers that restart themselves without end")
struct EndlessTimerTests {
    @Test("guarantee 2: a timer that restarts itself without delay is postponed instead of hanging the app")
    func endlessAtOneInstant() {
        var stage = Stage(
            rules: [.init(when: .timerFired(.a), effects: [.start(.a, after: .zero)])], isLogging: false)
        stage.act(.start(.b, after: .milliseconds(500)), .start(.a, after: .zero))
        #expect(stage.machine.diagnostics.postponedTimers.value == 1)
        #expect(stage.machine.moment == Stage.moment(0))
        // Nothing else is postponed with it.
        #expect(
            stage.machine.runningTimers.map(\.deadline) == [Stage.instant(500), Stage.instant(1_000)])
        #expect(stage.machine.state.handled == 1 + 2 + ScriptMachine.greatestFirings)
    }

    @Test("guarantee 2: a timer of a nanosecond does not hang the app after a sleep of a day")
    func endlessDuringJump() {
        let day: Int64 = 86_400_000
        var stage = Stage(
            rules: [.init(when: .timerFired(.a), effects: [.start(.a, after: Interval(nanoseconds: 1))])],
            isLogging: false)
        stage.act(.start(.a, after: .zero))
        stage.advance(to: day)
        #expect(stage.machine.moment == Stage.moment(day))
        #expect(stage.machine.nextDeadline == Stage.instant(day + 1_000))
        #expect(stage.machine.diagnostics.postponedTimers.value == 1)
    }

    @Test("guarantee 2: a timer of a nanosecond is postponed also when the clock stops at each deadline")
    func endlessInSteps() {
        var stage = Stage(
            rules: [.init(when: .timerFired(.a), effects: [.start(.a, after: Interval(nanoseconds: 1))])],
            isLogging: false)
        stage.act(.start(.a, after: .zero))
        for _ in 0...ScriptMachine.greatestFirings {
            stage.machine.advance(to: stage.machine.moment + Interval(nanoseconds: 1))
        }
        #expect(stage.machine.diagnostics.postponedTimers.value == 1)
        #expect(stage.machine.nextDeadline == Stage.instant(1_000))
        stage.advance(to: 1_000)
        #expect(stage.machine.nextDeadline == Stage.instant(1_000) + Interval(nanoseconds: 1))
    }

    @Test("guarantee 2: timers that start each other without delay are postponed in their order")
    func endlessInTurn() {
        var stage = Stage(
            rules: [
                .init(when: .timerFired(.a), effects: [.start(.b, after: .zero), .start(.c, after: .zero)]),
                .init(when: .timerFired(.b), effects: [.start(.a, after: .zero)]),
            ], isLogging: false)
        stage.act(.start(.a, after: .zero))
        #expect(stage.machine.diagnostics.postponedTimers.value >= 1)
        #expect(stage.machine.nextDeadline == Stage.instant(1_000))
    }

    @Test("guarantee 2: at the end of the clock a timer without delay ends too")
    func endlessAtTheEnd() {
        let last = Moment(now: Instant(nanoseconds: .max - 1), wall: Stage.epoch)
        var stage = Stage(
            rules: [.init(when: .timerFired(.a), effects: [.start(.a, after: .zero)])], isLogging: false,
            at: last)
        stage.machine.send(.act([.start(.a, after: .zero)]), at: last)
        #expect(stage.machine.nextDeadline == nil)
    }

    @Test("guarantee 2: any number of timers that were running fire at one instant, none postponed")
    func manyAtOnce() {
        var stage = Stage(isLogging: false)
        let count = ScriptMachine.greatestFirings + 10_000
        for number in 0..<count {
            stage.machine.timers.start(.numbered(number), at: Stage.instant(1))
        }
        stage.advance(to: 1)
        #expect(stage.machine.state.handled == count)
        #expect(stage.machine.diagnostics.postponedTimers.value == 0)
    }
}
