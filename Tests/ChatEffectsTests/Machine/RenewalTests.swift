// Credentials that a loop has made new, on virtual time: one asking for all who wait, the new secret under the old handle,
// and no token for the machine.

@testable import ChatDomain
@testable import ChatEffects
import Testing

/// A server that hands out tokens. It answers each call some time later with what was prepared, and keeps all that it was
/// told.
private struct Keys: SimulatedServer {
    var told: [DriverOperation] = []
    var answers: [[Arrival]]
    var due = DelayQueue<Outcome>()

    static func answer(_ body: String, status: Int64 = 200) -> [Arrival] {
        [.head(status: status, headers: []), .body(Array(body.utf8)), .ended(.completed)]
    }

    mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        told.append(operation)
        switch operation {
        case .open(let call, _):
            for arrival in answers.isEmpty ? [] : answers.removeFirst() {
                due.insert(.arrived(call, arrival), at: moment.now + .milliseconds(10))
            }
        case .close(let call): due.removeAll { if case .arrived(call, _) = $0 { true } else { false } }
        default: break
        }
    }

    var nextDeadline: Instant? { due.nextDeadline }

    mutating func advance(to moment: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let next = due.popFirst(dueBy: moment.now) { outcomes.append(next.element) }
        return outcomes
    }

    /// The bearer tokens of the requests at a path.
    func bearers(at wanted: ExactText) -> [String] {
        told.compactMap { operation in
            guard case .open(_, .http(_, wanted, let headers, _, _)) = operation else { return nil }
            return headers.first { $0.name == "authorization" }?.value.string
        }
    }
}

@Suite("Renewals")
struct RenewalTests {
    private typealias Loop = VirtualLoop<ScriptCodec, Keys>
    private static let path = RecordPath.secret(SecretHandle("h"))
    private static let good = #"{"access_token":"new-token","expires_at":1706616000000,"refresh_token":"x"}"#
    private static let told = Array(#"{"expires_at":1706616000000}"#.utf8)

    /// The network's call for the first call of the machine.
    private static let first = CallNumber(~1)

    private func loop(
        _ answers: [[Arrival]], faults: [MemoryStore.Fault] = [], rules: [Script.Rule] = []
    ) -> Loop {
        var store = MemoryStore()
        for name in ["h", "i"] as [ExactText] {
            _ = store.carryOut(
                .save(StorageTicket(0), .secret(SecretHandle(name)), .secret(Secret("old-token"))))
        }
        store.faults = faults
        var loop = Loop(Stage(rules: rules).machine, store: store, server: Keys(answers: answers))
        loop.startJournal()
        return loop
    }

    /// The events and the end of a call.
    private func heard(_ loop: Loop, _ call: Script.Call) -> [Script.Action] {
        loop.state.log.map(\.action).filter {
            switch $0 {
            case .received(_, on: call), .ended(call, _): true
            default: false
            }
        }
    }

    private func success(_ call: Script.Call, _ body: [UInt8] = told) -> [Script.Action] {
        [.received(.head(200), on: call)] + body.map { .received(.byte($0), on: call) } + [
            .received(.byte(0), on: call), .ended(call, .completed),
        ]
    }

    @Test(
        "S9: waits for one secret share one refresh with the old one, and each is told when the new one ends"
    )
    func shared() {
        var loop = loop([Keys.answer(Self.good)])
        loop.send(.act([.open(.a, .renewal("h")), .open(.b, .renewal("h"))]))
        loop.advance(by: .milliseconds(5))
        loop.send(.act([.open(.c, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(loop.server.bearers(at: "/renew") == ["Bearer old-token"])
        for call in [Script.Call.a, .b, .c] { #expect(heard(loop, call) == success(call)) }
        #expect(loop.machine.openCalls.isEmpty && loop.machine.diagnostics == Stage().machine.diagnostics)
    }

    @Test("S9: the next call has the new secret, and the store keeps it; another secret is not touched")
    func stored() {
        var loop = loop([Keys.answer(Self.good), [], []])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        loop.send(.act([.open(.a, .signed("h")), .open(.b, .signed("i"))]))
        #expect(loop.server.bearers(at: "/signed") == ["Bearer new-token", "Bearer old-token"])
        #expect(loop.store.restarted().content(at: Self.path) == .secret(Secret("new-token")))
    }

    @Test("S9: two secrets are asked for each by itself, and one that was made new can be again")
    func separate() {
        var loop = loop([Keys.answer(Self.good), Keys.answer(#"{"token":"other"}"#), Keys.answer(Self.good)])
        loop.send(.act([.open(.a, .renewal("h")), .open(.b, .renewal("i"))]))
        loop.advance(by: .seconds(1))
        loop.send(.act([.open(.c, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(
            loop.server.bearers(at: "/renew") == ["Bearer old-token", "Bearer old-token", "Bearer new-token"])
        #expect(heard(loop, .b) == success(.b, Array("{}".utf8)) && heard(loop, .c) == success(.c))
        #expect(loop.store.secret(at: .secret(SecretHandle("i"))) == Secret("other"))
    }

    @Test("S9: of two tokens in one answer the access token is the new secret, whatever their order")
    func twoTokens() {
        let members = [#""access_token":"new-token""#, #""token":"other""#]
        for members in [members, members.reversed()] {
            var loop = loop([Keys.answer("{\(members.joined(separator: ","))}")])
            loop.send(.act([.open(.a, .renewal("h"))]))
            loop.advance(by: .seconds(1))
            #expect(loop.store.secret(at: Self.path) == Secret("new-token"))
        }
    }

    @Test("a life in seconds counts from now; without a token the old one stays, and is good for longer")
    func life() {
        var loop = loop([Keys.answer(#"{"expires_in":3600,"expires_at":1706616000}"#)])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .milliseconds(10))
        let end = (Stage.epoch + .milliseconds(10) + .hours(1)).millisecondsSince1970
        #expect(heard(loop, .a) == success(.a, Array(#"{"expires_at":\#(end)}"#.utf8)))
        #expect(loop.store.secret(at: Self.path) == Secret("old-token"))
    }

    @Test("S9: a refusal whose body breaks off, or is too long, is a refusal")
    func brokenRefusal() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 65_537)
        for rest in [[.ended(.failed(.lost))], [.body(long), .ended(.completed)]] as [[Arrival]] {
            var loop = loop([[.head(status: 401, headers: [])] + rest])
            loop.send(.act([.open(.a, .renewal("h"))]))
            loop.advance(by: .milliseconds(10))
            #expect(heard(loop, .a).first == .received(.head(401), on: .a))
            #expect(heard(loop, .a).last == .ended(.a, .completed))
        }
    }

    @Test("S9: the end of a credential is a time in seconds, in milliseconds, or in words")
    func ends() {
        // 500 s behind the epoch of the tests, which is 1,000 s behind that of clocks.
        for end in ["1500", "1500.5", "1500000", "1500000.0", #""1970-01-01T00:25:00Z""#] {
            var loop = loop([Keys.answer(#"{"expires_at":\#(end)}"#)])
            loop.send(.act([.open(.a, .renewal("h"))]))
            loop.advance(by: .milliseconds(10))
            #expect(heard(loop, .a) == success(.a, Array(#"{"expires_at":1500000}"#.utf8)), "\(end)")
        }
        for end in ["-9223372036854775808", "9223372036854775807", "1e400"] {
            var loop = loop([Keys.answer(#"{"expires_at":\#(end)}"#)])
            loop.send(.act([.open(.a, .renewal("h"))]))
            loop.advance(by: .milliseconds(10))
            #expect(!heard(loop, .a).isEmpty, "\(end)")
        }
    }

    @Test(
        "S9: a refusal is handed on with its status and words, and changes no secret; the next try asks anew")
    func refused() {
        let body = #"{"error":"no","token":"leaked-token"}"#
        var loop = loop([Keys.answer(body, status: 400), Keys.answer(Self.good)])
        loop.send(.act([.open(.a, .renewal("h")), .open(.b, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        let masked = Array(#"{"error":"no","token":"<secret>"}"#.utf8)
        for call in [Script.Call.a, .b] {
            let told = [Script.Action.received(.head(400), on: call)]
            #expect(heard(loop, call) == told + success(call, masked).dropFirst())
        }
        #expect(loop.store.secret(at: Self.path) == Secret("old-token"))
        loop.send(.act([.open(.c, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .c) == success(.c) && loop.server.bearers(at: "/renew").count == 2)
    }

    @Test(
        "a lost connection, and what is no answer, are failures of their kind, and change no secret",
        arguments: [
            ([.ended(.failed(.offline))], .offline),
            (Keys.answer(good).dropLast() + [.ended(.failed(.lost))], .lost),
            (Keys.answer("<html>"), .malformed), (Keys.answer("[]"), .malformed),
            (Keys.answer(""), .malformed),
            ([.head(status: 200, headers: []), .body([UInt8](repeating: 32, count: 70_000))], .tooLarge),
        ] as [([Arrival], CallFailure)])
    func failed(answer: [Arrival], failure: CallFailure) {
        var loop = loop([answer])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .a).last == .ended(.a, .failed(failure)))
        #expect(loop.store.secret(at: Self.path) == Secret("old-token"))
        #expect(loop.machine.openCalls.isEmpty && loop.renewals.isEmpty)
        #expect(loop.server.told.contains(.close(Self.first)) == (failure == .tooLarge))
    }

    /// The bodies that were recorded since the last time.
    private func recordedBodies(_ loop: inout Loop) -> [[UInt8]] {
        loop.takeJournal().compactMap { entry in
            if case .received(.arrived(_, .body(let bytes))) = entry.input { bytes } else { nil }
        }
    }

    @Test("L9, L10: an answer that is too long ends as that, and nothing of its rest reaches the machine")
    func restOfTooLong() {
        let half = Arrival.body([UInt8](repeating: 32, count: 40_000))
        let rest = Arrival.body(Array(#"-token"}"#.utf8))
        var loop = loop([[.head(status: 200, headers: []), half, half, rest, .ended(.completed)]])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .a) == [.received(.byte(0), on: .a), .ended(.a, .failed(.tooLarge))])
        let bodies = recordedBodies(&loop)
        #expect(bodies.isEmpty && loop.machine.diagnostics == Stage().machine.diagnostics)
    }

    @Test("L7, L10: what comes at one instant with the close of the last that waits reaches nobody")
    func restOfClosed() {
        let closing = Script.Rule(when: .received(.head(200), on: .b), effects: [.close(.a)])
        var loop = loop([Keys.answer("{}"), Keys.answer(Self.good)], rules: [closing])
        loop.send(.act([.open(.b, .http), .open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        let bodies = recordedBodies(&loop)
        #expect(heard(loop, .a).isEmpty && bodies == [Array("{}".utf8)])
        #expect(loop.machine.diagnostics == Stage().machine.diagnostics && loop.renewals.isEmpty)
        #expect(loop.store.secret(at: Self.path) == Secret("old-token"))
    }

    @Test("without its secret nobody is asked")
    func missing() {
        var loop = loop([])
        loop.send(.act([.open(.a, .renewal("unknown"))]))
        #expect(heard(loop, .a).last == .ended(.a, .failed(.secretMissing)) && loop.server.told.isEmpty)
        #expect(loop.renewals.isEmpty)
    }

    @Test(
        "L7: one that no longer waits is told nothing; the asking ends with the last that waits, and leaves nothing"
    )
    func cancelled() {
        var loop = loop([Keys.answer(Self.good)])
        loop.send(.act([.open(.a, .renewal("h")), .open(.b, .renewal("h"))]))
        loop.send(.act([.close(.a)]))
        #expect(!loop.server.told.contains(.close(Self.first)))
        var other = loop
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .a).isEmpty && heard(loop, .b) == success(.b))

        other.send(.act([.close(.b)]))
        #expect(other.server.told.last == .close(Self.first) && other.renewals.isEmpty)
        other.advance(by: .seconds(1))
        #expect(heard(other, .b).isEmpty && other.store.secret(at: Self.path) == Secret("old-token"))
    }

    @Test(
        "P10, L3: secrets that are erased while they are made new stay erased, and each that waits is told",
        arguments: [0, 9, 10] as [Int64])
    func erased(after milliseconds: Int64) {
        var loop = loop([Keys.answer(Self.good), Keys.answer(Self.good)])
        loop.send(.act([.open(.a, .renewal("h")), .open(.b, .renewal("i"))]))
        loop.advance(by: .milliseconds(milliseconds))
        loop.send(.act([.erase(["secrets"], Attempt(number: 1))]))
        loop.advance(by: .seconds(1))
        #expect(loop.store.secret(at: Self.path) == nil && loop.store.content(at: Self.path) == nil)
        let end = CallEnd.failed(.secretMissing)
        for call in [Script.Call.a, .b] {
            let failure = [Script.Action.received(.byte(0), on: call), .ended(call, end)]
            #expect(heard(loop, call) == (milliseconds == 10 ? success(call) : failure))
        }
        #expect(loop.renewals.isEmpty && loop.machine.openCalls.isEmpty)
    }

    @Test("P4: a new secret that cannot be stored serves until the process ends")
    func full() {
        var loop = loop([Keys.answer(Self.good)], faults: [.full])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        loop.send(.act([.open(.b, .signed("h"))]))
        #expect(heard(loop, .a) == success(.a))
        #expect(loop.server.bearers(at: "/signed") == ["Bearer new-token"])
    }

    @Test("L8: a silent store delays those before its close, and nobody after it")
    func silent() {
        var loop = loop([Keys.answer(Self.good), Keys.answer(Self.good)], faults: [.silent(["secrets"])])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .a).isEmpty)
        loop.send(.act([.close(.a)]))
        loop.store.faults = []
        loop.send(.act([.open(.b, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(heard(loop, .b) == success(.b) && loop.renewals.isEmpty)
    }

    @Test("S9: who asks while the new secret is being saved waits for the same, and the server is asked once")
    func asksWhileSaving() {
        var loop = loop([Keys.answer(Self.good), Keys.answer(Self.good)], faults: [.silent(["secrets"])])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        loop.send(.act([.open(.b, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        #expect(loop.server.bearers(at: "/renew") == ["Bearer old-token"])
        #expect(loop.machine.openCalls.count == 2)
    }

    @Test("L10: no token is in the machine, its operations or the journal")
    func secret() {
        var loop = loop([Keys.answer(Self.good), Keys.answer(#"{"token":"leaked-token"}"#, status: 401)])
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        loop.send(.act([.open(.a, .renewal("h"))]))
        loop.advance(by: .seconds(1))
        var seen = "\(loop.machine)"
        for entry in loop.takeJournal() {
            seen += "\(entry)"
            if case .received(.arrived(_, .body(let bytes))) = entry.input {
                seen += String(decoding: bytes, as: UTF8.self)
            }
        }
        for case .received(.byte(let byte), on: _) in loop.state.log.map(\.action) {
            seen.unicodeScalars.append(Unicode.Scalar(byte))
        }
        for token in ["old-token", "new-token", "leaked-token"] { #expect(!seen.contains(token)) }
        #expect(seen.contains(#"{"token":"<secret>"}"#))
    }
}
