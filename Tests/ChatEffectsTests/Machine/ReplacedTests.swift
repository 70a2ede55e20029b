// What was cancelled or replaced has no effect later: a secret that is saved while it is being renewed, and
// timers most of which are cancelled.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("What was cancelled or replaced")
struct ReplacedTests {
    @Test("P4, L3, L4: a new secret ends the renewal of the one it replaces, and each that waits is told")
    func renewal() {
        let handle = SecretHandle("h")
        var renewals = Renewals()
        let own = renewals.enter(CallNumber(1), for: handle) ?? CallNumber(0)
        _ = renewals.enter(CallNumber(2), for: handle)
        func save(_ name: ExactText) -> DriverOperation {
            .save(StorageTicket(7), .secret(SecretHandle(name)), .secret(Secret("newer")))
        }
        #expect(renewals.giveUp(before: save("i")) == Renewals.Work())
        let work = renewals.giveUp(before: save("h"))
        let told = [CallNumber(1), CallNumber(2)].map {
            Outcome.arrived($0, .ended(.failed(.secretMissing)))
        }
        #expect(work == Renewals.Work(close: [own], tell: told) && renewals.isEmpty)
        let answer: [Arrival] = [
            .head(status: 200, headers: []), .body(Array(#"{"token":"older"}"#.utf8)), .ended(.completed),
        ]
        for arrival in answer {
            let rest = renewals.take(.arrived(own, arrival), at: WallTime(millisecondsSince1970: 0))
            #expect(rest == Renewals.Work())
        }
    }

    @Test("L4: the timers left after many were cancelled fire in their order", arguments: UInt64(9)...13)
    func timers(left: UInt64) {
        var table = TimerTableTests.Table()
        for number in 0..<4 * left {
            table.start(.row(number), at: TimerTableTests.at(Int64(number * 47 % 64)))
        }
        for number in 0..<4 * left where number % 4 != 0 { table.cancel(.row(number)) }
        let order = table.running.map(\.timer)
        #expect(order.count == Int(left))
        #expect(TimerTableTests.fire(&table, by: .never) == order)
    }
}
