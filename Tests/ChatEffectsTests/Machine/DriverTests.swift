// The tests of the features run on `Driver`, which carries out effects by writing them down. Here it is shown to be
// the machine: random effects and answers are given to both, and after each step both have the same state, clock,
// generator, running timers with their deadlines, open calls and pending storage.
//
// Three things are the machine's alone, and stay out of these steps, because a test of a feature does them by hand:
// a timer without delay fires within the call that starts it (`Driver` fires it with the next `advance`); a backend
// that answers a frame at once; and a record of a newer version, over which nothing is saved.

@testable import ChatDomain
@testable import ChatEffects
import TestVolume
import Testing

@Suite("The driver of the features' tests is the machine")
struct DriverTests {
    /// A machine and a driver, one beside the other.
    private struct Pair {
        var driver: Driver<Script>
        var machine: ScriptMachine
        private var entropy: Entropy
        private var attempts: UInt64 = 0
        private(set) var answers = 0
        /// What the machine has had its drivers do that nothing of it can be seen afterwards.
        private var frames: [Payload] = []
        private var haptics = 0

        init(seed: UInt64) {
            let state = Stage.lively.machine.state
            driver = Driver(Script(), state: state, seed: seed)
            driver.overlap = { $0.path.overlaps($1.path) }
            machine = Machine(
                Script(), state: state, backend: ScriptCodec(), moment: driver.context.moment,
                entropy: .seeded(seed))
            entropy = .seeded(seed &+ 1_000)
        }

        private mutating func draw(_ count: UInt64) -> UInt64 { entropy.next() % count }

        mutating func step() {
            switch draw(8) {
            case 0, 1, 2: act()
            case 3: advance()
            case 4, 5: store()
            default: arrive()
            }
            machine.drain { operation in
                switch operation {
                case .send(_, let frame): frames.append(frame)
                case .haptic: haptics += 1
                default: break
                }
            }
        }

        /// What a person does may lead to any effects.
        private mutating func act() {
            let effects = (0...draw(4)).map { _ in effect() }
            driver.send(.act(effects))
            driver.advance(by: .zero)
            machine.send(.act(effects), at: driver.context.moment)
        }

        private mutating func advance() {
            let interval = Interval.milliseconds(Int64(draw(12)))
            driver.advance(by: interval)
            machine.advance(to: driver.context.moment)
        }

        /// The disk answers one of the operations that it was given.
        private mutating func store() {
            let started = machine.pendingStorage.filter { $0.phase == .started }
            guard !started.isEmpty else { return }
            let operation = started[Int(draw(UInt64(started.count)))]
            let (outcome, answer) = self.answer(operation)
            answers += 1
            driver.answer(operation.key, with: answer)
            driver.advance(by: .zero)
            machine.receive(outcome, at: driver.context.moment)
        }

        private mutating func answer(
            _ operation: PendingStorage<Place>
        ) -> (Outcome, StorageAnswer<Note>) {
            let ticket = operation.ticket
            let failures: [StorageFailure] = [.full, .unreadable, .unavailable]
            let failure = failures[Int(draw(3))]
            if draw(4) == 0 { return (.failed(ticket, failure), .failed(failure)) }
            switch operation.work {
            case .save: return (.saved(ticket), .saved)
            case .erase: return (.erased(ticket), .erased)
            case .load:
                switch draw(3) {
                case 0: return (.missing(ticket), .missing)
                case 1: return (.loaded(ticket, [1]), .failed(.damaged))
                default: return (.loaded(ticket, [1, 5]), .loaded(Note(byte: 5)))
                }
            }
        }

        /// An open call brings something, or ends.
        private mutating func arrive() {
            guard !machine.openCalls.isEmpty else { return }
            let open = machine.openCalls[Int(draw(UInt64(machine.openCalls.count)))]
            let arrival: Arrival
            answers += 1
            let byte = UInt8(draw(4))
            switch (open.transport, open.phase) {
            case _ where draw(8) == 0:
                // The codec makes an event of the end, and then the call is over.
                arrival = .ended(.failed(.lost))
                driver.send(.received(.byte(0), on: open.call))
                driver.end(open.call, .failed(.lost))
            case (.socket, .opening):
                arrival = .opened
                driver.send(.received(.opened, on: open.call))
            case (.http, .opening):
                arrival = .head(status: 200, headers: [])
                driver.send(.received(.head(200), on: open.call))
            case (.http, _) where draw(4) == 0:
                arrival = .body([ScriptCodec.last])
                driver.end(open.call, .completed)
            case (.http, _):
                arrival = .body([byte])
                driver.send(.received(.byte(byte), on: open.call))
            case (.socket, _):
                arrival = .text([byte])
                driver.send(.received(.text([byte]), on: open.call))
            }
            driver.advance(by: .zero)
            machine.receive(.arrived(open.number, arrival), at: driver.context.moment)
        }

        private mutating func effect() -> Script.Effect {
            let call = [Script.Call.a, .b, .c][Int(draw(3))]
            let timer = draw(4) == 0 ? Script.Timer.a : .numbered(Int64(draw(6)))
            let places: [Place] = [["u"], ["u", "x"], ["u", "y"], ["v"]]
            let place = places[Int(draw(4))]
            attempts += 1
            let attempt = Attempt(number: attempts)
            switch draw(10) {
            case 0: return .open(call, draw(2) == 0 ? .http : .socket)
            case 1: return .send(call, .frame(UInt8(draw(256))))
            case 2: return .close(call)
            case 3: return .load(place, attempt)
            case 4: return .save(Note(byte: UInt8(draw(256))), under: place, attempt)
            case 5: return .erase(place, attempt)
            case 6, 7: return .start(timer, after: .milliseconds(Int64(draw(20)) - 2))
            case 8: return .haptic
            default: return .cancel(timer)
            }
        }

        // MARK: What both hold

        /// What the two do not agree on.
        var differences: [String] {
            var all: [String] = []
            if driver.state != machine.state { all.append("the state") }
            if driver.context != machine.context { all.append("the context") }
            let timers = machine.runningTimers.map { Running($0.timer, $0.deadline) }
            if driver.timers.map({ Running($0.timer, $0.deadline) }) != timers { all.append("the timers") }
            if driver.calls.map({ $0.call }) != machine.openCalls.map({ $0.call }) { all.append("the calls") }
            if driver.storage.map(Pending.init) != machine.pendingStorage.map(Pending.init) {
                all.append("the storage")
            }
            let frames = driver.sent.map { sent in
                if case .frame(let byte) = sent.frame { Payload(bytes: [byte]) } else { Payload(bytes: []) }
            }
            if frames != self.frames { all.append("the frames") }
            if driver.haptics != haptics { all.append("the haptics") }
            return all
        }
    }

    private struct Running: Equatable {
        let timer: Script.Timer
        let deadline: Instant

        init(_ timer: Script.Timer, _ deadline: Instant) { (self.timer, self.deadline) = (timer, deadline) }
    }

    /// A storage operation, as both know it: what is saved is compared as it is stored.
    private struct Pending: Equatable {
        let key: Place
        let attempt: Attempt
        let work: PendingStorage<Place>.Work

        init(_ operation: Driver<Script>.Pending) {
            (key, attempt) = (operation.key, operation.attempt)
            work =
                switch operation.work {
                case .load: .load
                case .save(let note): .save(note.content(written: WallTime(millisecondsSince1970: 0)))
                case .erase: .erase
                }
        }

        init(_ operation: PendingStorage<Place>) {
            (key, attempt, work) = (operation.key, operation.attempt, operation.work)
        }
    }

    @Test(
        "guarantees 1 to 4: random effects and answers leave the driver and the machine with the same",
        arguments: 1...thoroughly(40, otherwise: 10) as ClosedRange<UInt64>)
    func isTheSame(seed: UInt64) {
        var pair = Pair(seed: seed)
        for step in 0..<400 {
            pair.step()
            let differences = pair.differences
            guard differences.isEmpty else {
                Issue.record("after step \(step), \(differences) differ")
                return
            }
        }
        #expect(pair.answers > 100 && pair.driver.state.log.count > 300)
    }
}
