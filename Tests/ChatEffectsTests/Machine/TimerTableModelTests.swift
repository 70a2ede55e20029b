// Random histories of a timer table beside a model that cannot be wrong: an array in the order of starting
// that is searched from end to end.

import ChatDomain
import Testing

@testable import ChatEffects

@Suite("Timer table against a model")
struct TimerTableModelTests {
    typealias Name = TimerTableTests.Name
    typealias Table = TimerTable<Name>

    /// Starts in their order.
    struct Model {
        var starts: [(timer: Name, deadline: Instant)] = []

        var inFiringOrder: [(timer: Name, deadline: Instant)] {
            starts.enumerated()
                .sorted { ($0.element.deadline, $0.offset) < ($1.element.deadline, $1.offset) }
                .map { $0.element }
        }

        mutating func cancel(_ timer: Name) {
            starts.removeAll { $0.timer == timer }
        }

        mutating func start(_ timer: Name, at deadline: Instant) {
            cancel(timer)
            starts.append((timer, deadline))
        }

        mutating func popFirst(dueBy limit: Instant) -> (timer: Name, deadline: Instant)? {
            guard let first = inFiringOrder.first, first.deadline <= limit, first.deadline < .never
            else { return nil }
            cancel(first.timer)
            return first
        }
    }

    /// How one random history is made.
    struct History: Sendable, CustomTestStringConvertible {
        var seed: UInt64
        /// How many different timers there are.
        var names: UInt64
        /// How many different deadlines there are; few of them make many ties.
        var deadlines: UInt64
        var steps = 600
        /// The number of the heap's first start.
        var firstStart: UInt32 = 0

        var testDescription: String { "seed \(seed), \(names) names, \(deadlines) deadlines" }
    }

    static let histories: [History] = [3, 9, 12, 40, 300].flatMap { names in
        [2, 1_000].map { History(seed: names &* 31 &+ $0, names: names, deadlines: $0) }
    }

    /// Histories in which the numbers of starts are used up on the way.
    static let longHistories: [History] = [9, 40, 300].map { names in
        History(seed: names, names: names, deadlines: 2, firstStart: .max - 100)
    }

    @Test(
        "the same starts, cancels and firings give the same timers in the same order",
        arguments: histories + longHistories)
    func randomHistory(_ history: History) {
        var entropy = Entropy.seeded(history.seed)
        var table = Table()
        table.many.sequence = history.firstStart
        var model = Model()
        var now = Instant.origin
        for step in 0..<history.steps {
            let number = entropy.next() % history.names
            let name = number == 0 ? Name.retry : .row(number)
            // Phases that mostly start and phases that mostly cancel and fire, so that the size swings.
            let starts: UInt64 = step / 150 % 2 == 0 ? 7 : 3
            switch entropy.next() % 10 {
            case 0..<starts:
                let delay = Interval(nanoseconds: Int64(entropy.next() % history.deadlines))
                let deadline = entropy.next() % 20 == 0 ? Instant.never : now + delay
                table.start(name, at: deadline)
                model.start(name, at: deadline)
            case starts..<9:
                table.cancel(name)
                model.cancel(name)
            default:
                now = now + Interval(nanoseconds: Int64(history.deadlines / 8 + 1))
                repeat {
                    let fired = table.popFirst(dueBy: now)
                    let expected = model.popFirst(dueBy: now)
                    #expect(fired?.timer == expected?.timer && fired?.deadline == expected?.deadline)
                    if fired == nil || expected == nil { break }
                } while true
            }
            let expected = model.inFiringOrder
            let next = expected.first.flatMap { $0.deadline == .never ? nil : $0.deadline }
            let known = model.starts.first { $0.timer == name }?.deadline
            guard table.count == Int64(expected.count), table.nextDeadline == next,
                table.deadline(of: name) == known, table.isRunning(name) == (known != nil)
            else {
                Issue.record("step \(step): \(table.running) instead of \(expected)")
                return
            }
            if step % 20 == 0 { compare(table, with: expected) }
        }
        compare(table, with: model.inFiringOrder)
    }

    /// Compares everything that can be seen, and a table that got its timers on the straight way.
    func compare(_ table: Table, with expected: [(timer: Name, deadline: Instant)]) {
        #expect(table.running.map { $0.timer } == expected.map { $0.timer })
        #expect(table.running.map { $0.deadline } == expected.map { $0.deadline })
        var straight = Table()
        for (timer, deadline) in expected { straight.start(timer, at: deadline) }
        #expect(straight == table)
        #expect(straight.hashValue == table.hashValue)
    }
}
