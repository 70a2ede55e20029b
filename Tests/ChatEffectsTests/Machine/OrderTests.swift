// Guarantee 1 of the machine: effects in their order, actions one at a time, no recursion.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Machine, guarantee 1: order")
struct OrderTests {
    @Test("guarantee 1: effects of one action become operations in their order")
    func effectsInOrder() {
        var stage = Stage()
        stage.act(
            .haptic, .open(.a, .http), .save(Note(byte: 5), under: ["x"], Attempt(number: 1)),
            .open(.b, .socket), .send(.b, .frame(1)), .send(.b, .frame(2)), .close(.a), .haptic)
        let operations = stage.drain()
        #expect(operations.count == 8)
        #expect(operations.first == .haptic)
        #expect(operations.dropFirst().first?.openedCall == CallNumber(1))
        #expect(operations.dropFirst(2).first == .save(StorageTicket(1), Place("x").path, .bytes([1, 5])))
        #expect(operations.dropFirst(3).first == .open(CallNumber(2), .socket(path: "/socket")))
        #expect(
            operations.dropFirst(4) == [
                .send(CallNumber(2), Payload(bytes: [1])), .send(CallNumber(2), Payload(bytes: [2])),
                .close(CallNumber(1)), .haptic,
            ])
        #expect(stage.drain() == [])
    }

    @Test("guarantee 1: what a codec answers at once is told after the action whose effects made it")
    func noReentrance() {
        // The first echo is told only after all effects of the action were carried out: its rule's frame
        // comes behind theirs.
        var stage = Stage(rules: [
            .init(when: .received(.byte(1), on: .a), effects: [.send(.a, .frame(11))]),
            .init(when: .received(.byte(2), on: .a), effects: [.send(.a, .frame(12))]),
        ])
        stage.act(.open(.a, .socket), .send(.a, .echo(1)), .send(.a, .echo(2)), .send(.a, .frame(10)))
        let frames: [DriverOperation] = [10, 11, 12].map { .send(CallNumber(1), Payload(bytes: [$0])) }
        #expect(stage.drain().dropFirst() == frames[...])
        #expect(stage.told == [.received(.byte(1), on: .a), .received(.byte(2), on: .a)])
    }

    @Test("guarantee 1: what waits is told first in, first out, also when telling it adds more")
    func firstInFirstOut() {
        var stage = Stage(rules: [
            .init(when: .received(.byte(1), on: .a), effects: [.send(.a, .echo(3)), .send(.a, .echo(4))]),
            .init(when: .received(.byte(2), on: .a), effects: [.send(.a, .echo(5))]),
        ])
        stage.act(.open(.a, .socket), .send(.a, .echo(1)), .send(.a, .echo(2)))
        #expect(stage.told == [1, 2, 3, 4, 5].map { .received(.byte($0), on: .a) })
    }

    @Test("guarantee 1: a storage answer is told before the refusal of a save that waited for it")
    func answerBeforeRefusal() {
        var stage = Stage()
        stage.act(
            .load(["x"], Attempt(number: 1)), .save(Note(byte: 1), under: ["x"], Attempt(number: 2)))
        stage.receive(.loaded(StorageTicket(1), [2]))
        #expect(
            stage.told == [
                .stored(.failed(.newer(version: 2)), under: ["x"], Attempt(number: 1)),
                .stored(.failed(.newer(version: 2)), under: ["x"], Attempt(number: 2)),
            ])
    }

    @Test("guarantee 1: a chain of 50,000 answers at one instant needs neither stack nor growing memory")
    func longChain() {
        let links: Int64 = 50_000
        var stage = Stage(
            rules: [.init(when: .received(.byte(1), on: .a), effects: [.send(.a, .echo(1))], times: links)],
            isLogging: false)
        stage.act(.open(.a, .socket), .send(.a, .echo(1)))
        #expect(stage.machine.state.handled == links + 2)
        #expect(stage.machine.moment == Stage.moment(0))
    }

    @Test("guarantee 1: calls that a codec ends at once and a feature opens again do not recurse")
    func longChainOfCalls() {
        let links: Int64 = 20_000
        var stage = Stage(
            rules: [
                .init(
                    when: .ended(.a, .completed), effects: [.open(.a, .socket), .send(.a, .last(1))],
                    times: links)
            ], isLogging: false)
        stage.act(.open(.a, .socket), .send(.a, .last(1)))
        #expect(stage.machine.state.handled == 2 * links + 3)
        #expect(stage.machine.openCalls == [])
        #expect(stage.drain().count == 3 * Int(links + 1))
    }

    @Test("guarantee 1: an inbox that never empties forgets what was taken from it")
    func inboxIsBounded() {
        var inbox = Inbox<Script.Event, Place>()
        inbox.append(.event(CallNumber(0), .opened))
        for number in 1...10_000 as ClosedRange<UInt64> {
            inbox.append(.event(CallNumber(number), .opened))
            #expect(inbox.popFirst() == .event(CallNumber(number - 1), .opened))
            #expect(inbox.deliveries.count < 100)
        }
        #expect(inbox.popFirst() == .event(CallNumber(10_000), .opened))
        #expect(inbox.popFirst() == nil)
        #expect(inbox == Inbox())
    }
}

extension Place {
    init(_ component: ExactText) {
        path = RecordPath([component])
    }
}
