// Guarantees 3 and 4 of the machine for calls: nothing from a call that is over, one end for each, and a
// driver that answers twice, late or wrongly changes nothing but counters.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Machine, guarantees 3 and 4: calls")
struct CallTests {
    @Test("guarantee 3: after a close nothing arrives, not even the end")
    func answersAfterClose() {
        var stage = Stage()
        stage.act(.open(.a, .http), .close(.a), .close(.a))
        #expect(stage.drain().dropFirst() == [.close(CallNumber(1))])
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1]))
        stage.arrive(.ended(.completed))
        #expect(stage.told == [])
        #expect(stage.drain() == [])
        #expect(stage.machine.openCalls == [])
        #expect(stage.machine.diagnostics.ghostArrivals.value == 3)
    }

    @Test("guarantee 3: a call that is opened again is closed first, and the old one brings nothing more")
    func replacedCall() {
        var stage = Stage()
        stage.act(.open(.a, .socket))
        stage.act(.open(.a, .socket))
        let socket = Exchange.socket(path: "/socket")
        #expect(
            stage.drain() == [
                .open(CallNumber(1), socket), .close(CallNumber(1)), .open(CallNumber(2), socket),
            ])
        stage.arrive(.opened, on: 1)
        stage.arrive(.ended(.failed(.lost)), on: 1)
        #expect(stage.told == [])
        stage.arrive(.opened, on: 2)
        #expect(stage.told == [.received(.opened, on: .a)])
        #expect(stage.machine.openCalls.map(\.number) == [CallNumber(2)])
    }

    @Test(
        "guarantee 3: a call goes on with another exchange, and of the former nothing arrives, not even its end"
    )
    func goesOn() {
        for isEnded in [false, true] {
            var stage = Stage()
            stage.act(.open(.a, .http))
            stage.arrive(.head(status: 200, headers: []))
            _ = stage.drain()
            stage.arrive(.body([1, ScriptCodec.next, 2]))
            let next = Exchange.socket(path: "/next")
            #expect(stage.drain() == [.close(CallNumber(1)), .open(CallNumber(2), next)])
            #expect(
                stage.told.dropFirst() == [
                    .received(.byte(1), on: .a), .received(.byte(2), on: .a),
                ])
            stage.arrive(isEnded ? .ended(.completed) : .body([3]), on: 1)
            stage.arrive(.body([3]), on: 2)
            #expect(stage.machine.diagnostics.ghostArrivals.value == 1)
            #expect(stage.machine.diagnostics.mismatchedArrivals.value == 1)
            stage.arrive(.opened, on: 2)
            stage.arrive(.text([4]), on: 2)
            stage.arrive(.ended(.completed), on: 2)
            #expect(stage.told.suffix(1) == [.ended(.a, .completed)] && stage.machine.openCalls.isEmpty)
        }
        var both = Stage()
        both.act(.open(.a, .http))
        both.arrive(.head(status: 200, headers: []))
        both.arrive(.body([ScriptCodec.next, ScriptCodec.last]))
        #expect(both.drain().suffix(1) == [.close(CallNumber(2))] && both.machine.openCalls.isEmpty)
    }

    @Test("a call whose exchange has ended goes on with another, and the ended one is not closed")
    func goesOnAfterEnd() {
        var stage = Stage()
        stage.act(.open(.a, .socket))
        stage.arrive(.opened)
        _ = stage.drain()
        stage.arrive(.ended(.closed(code: ScriptCodec.goesOn, reason: "")))
        #expect(stage.drain() == [.open(CallNumber(2), .socket(path: "/next"))])
        #expect(stage.machine.openCalls.map(\.number) == [CallNumber(2)])
    }

    @Test("guarantee 3: events that wait when their call is closed are dropped, its end too")
    func queuedEvents() {
        var stage = Stage(rules: [.init(when: .received(.byte(1), on: .a), effects: [.close(.a)])])
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, 2, 3, ScriptCodec.last]))
        #expect(stage.told.dropFirst() == [.received(.byte(1), on: .a)])
        #expect(stage.drain().dropFirst() == [.close(CallNumber(1))])
        #expect(stage.machine.diagnostics.ghostArrivals.value == 3)
    }

    @Test("guarantee 3: events that wait when their call is replaced do not reach its successor")
    func queuedEventsOfReplacedCall() {
        var stage = Stage(rules: [.init(when: .received(.byte(1), on: .a), effects: [.open(.a, .http)])])
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, 2, ScriptCodec.last]))
        #expect(stage.told.dropFirst() == [.received(.byte(1), on: .a)])
        #expect(stage.machine.openCalls.map(\.number) == [CallNumber(2)])
        #expect(stage.machine.openCalls.map(\.phase) == [.opening])
    }

    @Test("guarantee 3: a timer that fires first and closes the call keeps what waits behind it away")
    func timerClosesCall() {
        var stage = Stage(rules: [
            .init(when: .received(.byte(1), on: .a), effects: [.start(.a, after: .zero)]),
            .init(when: .timerFired(.a), effects: [.close(.a)]),
        ])
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, 2]))
        #expect(stage.told.dropFirst() == [.received(.byte(1), on: .a), .timerFired(.a)])
    }

    @Test("guarantee 4: two ends of one call are one, and events after it are none")
    func twoEnds() {
        var stage = Stage()
        stage.act(.open(.a, .http))
        stage.arrive(.ended(.failed(.lost)))
        stage.arrive(.ended(.completed))
        stage.arrive(.head(status: 200, headers: []))
        #expect(stage.told == [.received(.byte(0), on: .a), .ended(.a, .failed(.lost))])
        #expect(stage.machine.diagnostics.ghostArrivals.value == 2)
        #expect(stage.drain().count == 1)
    }

    @Test("guarantee 4: a codec's end closes the transport, whose own end is then a ghost")
    func codecEnds() {
        var stage = Stage()
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, ScriptCodec.last, 2]))
        #expect(stage.told.suffix(2) == [.received(.byte(1), on: .a), .ended(.a, .completed)])
        #expect(stage.drain().last == .close(CallNumber(1)))
        stage.arrive(.ended(.completed))
        #expect(stage.told.count == 3)
        #expect(stage.machine.diagnostics.ghostArrivals.value == 1)
    }

    @Test(
        "guarantee 4: a call that a codec ends while the feature sends gets its frame, event and end in order"
    )
    func codecEndsWhileSending() {
        var stage = Stage()
        stage.act(.open(.a, .socket), .send(.a, .last(9)), .send(.a, .frame(1)), .close(.b))
        #expect(
            stage.drain().dropFirst() == [.send(CallNumber(1), Payload(bytes: [9])), .close(CallNumber(1))])
        #expect(stage.told == [.received(.byte(9), on: .a), .ended(.a, .completed)])
        #expect(stage.machine.diagnostics.unsentMessages.value == 1)
    }

    @Test("guarantee 4: a call may be opened again by the very action that tells its end")
    func reopenedAtEnd() {
        var stage = Stage(rules: [
            .init(when: .ended(.a, .failed(.lost)), effects: [.open(.a, .http)], times: 1)
        ])
        stage.act(.open(.a, .http))
        stage.arrive(.ended(.failed(.lost)))
        #expect(stage.drain().map(\.openedCall) == [CallNumber(1), CallNumber(2)])
    }

    @Test(
        "guarantee 4: arrivals that do not suit the transport, or come out of turn, are dropped and counted")
    func wrongKind() {
        var stage = Stage()
        stage.act(.open(.a, .http), .open(.b, .socket))
        let head = Arrival.head(status: 200, headers: [])
        for wrong in [.opened, .text([1]), .signOfLife, .body([1])] as [Arrival] {
            stage.arrive(wrong, on: 1)
        }
        for wrong in [head, .body([1]), .sent(1, of: 1), .text([1]), .signOfLife] as [Arrival] {
            stage.arrive(wrong, on: 2)
        }
        #expect(stage.told == [])
        #expect(stage.machine.diagnostics.mismatchedArrivals.value == 9)
        stage.arrive(.sent(1, of: 2), on: 1)
        stage.arrive(head, on: 1)
        // A server may answer before it has the whole body.
        stage.arrive(.sent(2, of: 2), on: 1)
        stage.arrive(head, on: 1)
        stage.arrive(.opened, on: 2)
        stage.arrive(.opened, on: 2)
        #expect(stage.told == [.received(.head(200), on: .a), .received(.opened, on: .b)])
        #expect(stage.machine.diagnostics.mismatchedArrivals.value == 11)
    }

    @Test("guarantee 4: an arrival for a call that never was is dropped and counted")
    func unknownCall() {
        var stage = Stage()
        stage.arrive(.opened, on: .max)
        stage.arrive(.ended(.completed), on: 0)
        #expect(stage.told == [])
        #expect(stage.machine.diagnostics.ghostArrivals.value == 2)
    }

    @Test("a codec's progress, frames and skipped things are kept")
    func codecProgress() {
        var stage = Stage()
        stage.act(.open(.a, .http))
        stage.arrive(.head(status: 200, headers: []))
        stage.arrive(.body([1, ScriptCodec.unknown, ScriptCodec.ping]))
        #expect(stage.machine.openCalls.map(\.progress.bytes) == [3])
        #expect(stage.machine.diagnostics.skippedEvents.value == 1)
        #expect(stage.drain().last == .send(CallNumber(1), Payload(bytes: [ScriptCodec.ping])))
    }
}
