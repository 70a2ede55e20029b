// Random input for a machine, from a seed: every kind of effect and outcome, for calls and tickets that are
// open, over or never were, on clocks that go forwards, stand still and are set back. A session is a list of
// values, so it can be given to several machines.

@testable import ChatDomain
import ChatEffects

/// One thing that the owner of a machine does.
enum Input: Sendable {
    case act([Script.Effect], Moment)
    case outcome(Outcome, Moment)
    case advance(Moment)
}

/// Makes inputs.
struct RandomSession {
    private var entropy: Entropy
    private var milliseconds: Int64 = 0
    private var attempts: UInt64 = 0

    init(seed: UInt64) {
        entropy = .seeded(seed)
    }

    static func inputs(seed: UInt64, count: Int) -> [Input] {
        var session = RandomSession(seed: seed)
        return (0..<count).map { _ in session.input() }
    }

    private mutating func draw(_ count: UInt64) -> UInt64 {
        entropy.next() % count
    }

    private mutating func moment() -> Moment {
        milliseconds += draw(10) == 0 ? -3 : Int64(draw(4))
        return Stage.moment(milliseconds)
    }

    private mutating func input() -> Input {
        switch draw(8) {
        case 0...2: .act((0...draw(4)).map { _ in effect() }, moment())
        case 3: .advance(moment())
        default: .outcome(outcome(), moment())
        }
    }

    private mutating func call() -> Script.Call {
        [.a, .b, .c][Int(draw(3))]
    }

    private mutating func timer() -> Script.Timer {
        draw(4) == 0 ? .a : .numbered(Int64(draw(12)))
    }

    private mutating func place() -> Place {
        switch draw(4) {
        case 0: ["u"]
        case 1: ["u", "x"]
        case 2: ["u", "y"]
        default: ["v"]
        }
    }

    private mutating func attempt() -> Attempt {
        attempts += 1
        return Attempt(number: attempts)
    }

    private mutating func effect() -> Script.Effect {
        switch draw(10) {
        case 0: .open(call(), draw(2) == 0 ? .http : .socket)
        case 1: .send(call(), .frame(UInt8(draw(256))))
        case 2: .send(call(), draw(4) == 0 ? .last(1) : .echoes(UInt8(draw(3))))
        case 3: .close(call())
        case 4: .load(place(), attempt())
        case 5: .save(Note(byte: UInt8(draw(256))), under: place(), attempt())
        case 6: .erase(place(), attempt())
        case 7, 8: .start(timer(), after: .milliseconds(Int64(draw(20)) - 2))
        default: draw(4) == 0 ? .haptic : .cancel(timer())
        }
    }

    /// The drivers' numbers are drawn from a few recent ones, so that many hit and many miss.
    private mutating func outcome() -> Outcome {
        let ticket = StorageTicket(draw(attempts + 2))
        switch draw(10) {
        case 0: return .loaded(ticket, [[1, 1], [2], []][Int(draw(3))])
        case 1: return .missing(ticket)
        case 2: return .saved(ticket)
        case 3: return .erased(ticket)
        case 4: return .failed(ticket, .full)
        default: return .arrived(CallNumber(draw(attempts / 2 + 3)), arrival())
        }
    }

    private mutating func arrival() -> Arrival {
        switch draw(9) {
        case 0, 1: .opened
        case 2, 3: .head(status: Int64(draw(600)), headers: [])
        case 4, 5: .body((0..<draw(4)).map { _ in UInt8(truncatingIfNeeded: draw(6) &- 4) })
        case 6: .text([1])
        case 7: .sent(1, of: 2)
        default: .ended(.failed(.lost))
        }
    }
}

extension Stage {
    /// A machine whose rules answer what random sessions bring, among them a timer that restarts itself.
    static var lively: Stage {
        Stage(rules: [
            .init(when: .timerFired(.a), effects: [.start(.a, after: .milliseconds(3)), .haptic]),
            .init(when: .timerFired(.numbered(1)), effects: [.start(.numbered(2), after: .zero)]),
            .init(
                when: .received(.byte(1), on: .a), effects: [.start(.b, after: .zero), .send(.a, .frame(1))]),
            .init(when: .received(.opened, on: .b), effects: [.open(.b, .socket)]),
            .init(when: .ended(.c, .completed), effects: [.open(.c, .http), .close(.a)]),
        ])
    }

    mutating func take(_ input: Input) {
        switch input {
        case .act(let effects, let moment): machine.send(.act(effects), at: moment)
        case .outcome(let outcome, let moment): machine.receive(outcome, at: moment)
        case .advance(let moment): machine.advance(to: moment)
        }
    }
}
