// Guarantee 5 of the machine, and the others over random sessions: equal machines stay equal, a machine in
// flight survives its encoding, and no session makes the machine break what it promises drivers and feature.

import ChatDomain
@testable import ChatEffects
import Foundation
import ChatTesting
import Testing

@Suite("Machine, guarantee 5: equal machines stay equal")
struct EqualityTests {
    static let seeds: [UInt64] = Array(1...12)

    @Test("guarantee 5: equal machines given equal input stay equal and ask for the same", arguments: seeds)
    func equalInput(_ seed: UInt64) {
        var left = Stage.lively
        var right = Stage.lively
        for input in RandomSession.inputs(seed: seed, count: 200) {
            left.take(input)
            right.take(input)
            #expect(left.drain() == right.drain())
            // Nothing waits between two calls of the owner.
            #expect(!left.machine.hasOperations)
        }
        #expect(left.machine == right.machine)
        #expect(left.machine.hashValue == right.machine.hashValue)
    }

    @Test("guarantee 5: a machine that was encoded in flight is equal and goes on alike", arguments: seeds)
    func roundTrip(_ seed: UInt64) throws {
        let inputs = RandomSession.inputs(seed: seed, count: 240)
        var original = Stage.lively
        for input in inputs.prefix(120) { original.take(input) }
        let encoded = try JSONEncoder().encode(original.machine)
        var copy = original
        copy.machine = try JSONDecoder().decode(ScriptMachine.self, from: encoded)
        #expect(copy.machine == original.machine)
        for input in inputs.dropFirst(120) {
            original.take(input)
            copy.take(input)
        }
        #expect(copy.machine == original.machine)
        #expect(copy.drain() == original.drain())
    }

    /// Swift seeds its hasher anew in every process, and the order of sets and dictionaries follows it. A
    /// constant that was computed in one process therefore holds in another only if nothing depends on that.
    @Test("guarantee 5: a session comes to the same in every process and on every platform")
    func sameInEveryProcess() {
        var stage = Stage.lively
        var digest = Digest()
        for input in RandomSession.inputs(seed: 99, count: 1_000) {
            stage.take(input)
            for operation in stage.drain() { digest.add(operation) }
        }
        for entry in stage.machine.state.log { digest.add(entry) }
        #expect(stage.machine.state.log.count > 500)
        #expect(digest.value == 17_408_919_554_891_577_344)
    }

    @Test(
        "guarantees 3 and 4: no session tells of a call after its end or lets operations overlap",
        arguments: seeds)
    func promises(_ seed: UInt64) {
        var stage = Stage.lively
        var open: Set<CallNumber> = []
        var opened: UInt64 = 0
        for input in RandomSession.inputs(seed: seed &+ 100, count: 300) {
            stage.take(input)
            for operation in stage.drain() {
                switch operation {
                case .open(let number, _):
                    opened += 1
                    #expect(number.value == opened)
                    open.insert(number)
                case .close(let number): #expect(open.remove(number) != nil)
                case .send(let number, _): #expect(open.contains(number))
                default: break
                }
            }
            if case .outcome(.arrived(let number, .ended), _) = input { open.remove(number) }
            #expect(stage.machine.openCalls.allSatisfy { $0.phase != .ending })
            #expect(Set(stage.machine.openCalls.map(\.number)) == open)
            let started = stage.machine.pendingStorage.filter { $0.phase == .started }
            for (index, one) in started.enumerated() {
                for other in started.dropFirst(index + 1) { #expect(!one.path.overlaps(other.path)) }
            }
            if let deadline = stage.machine.nextDeadline { #expect(deadline > stage.machine.moment.now) }
        }
        let attempts = stage.machine.state.log.compactMap { entry in
            if case .stored(_, _, let attempt) = entry.action { attempt } else { nil }
        }
        #expect(Set(attempts).count == attempts.count)
        #expect(!attempts.isEmpty)
    }
}
