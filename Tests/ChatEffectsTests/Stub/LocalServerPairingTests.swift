import ChatDomain
@testable import ChatEffects
import Testing

@Suite("In-process backend: who lets in")
struct LocalServerPairingTests {
    /// Kay is an admin who is connected on call 2; a visitor waits on call 3.
    private func bench() -> ServerBench {
        var behaviour = LocalServer.Behaviour()
        behaviour.approval = .byAdmin
        behaviour.admins = ["kay"]
        var bench = ServerBench(behaviour)
        bench.open(1)
        bench.pair("d-1", name: "Kay", on: 1)
        bench.advance(to: 3_000)
        bench.connect("d-1", on: 2)
        bench.open(3)
        bench.pair("d-3", name: "Eve", on: 3)
        return bench
    }

    private func decide(_ members: String, _ bench: inout ServerBench, on call: UInt64 = 2) {
        bench.send(#"{"type":"pair_decision","deviceId":"d-3",\#(members)}"#, on: call)
    }

    private func codes(_ bench: ServerBench, on call: UInt64 = 2) -> [ExactText?] {
        bench.frames("error", on: call).map { $0.frame["message"]?.string }
    }

    @Test(
        "P9: an admin's own device needs nobody; the word of it comes with every authentication while it waits"
    )
    func announces() {
        var bench = bench()
        #expect(bench.frames("pair_result").first?.frame["isAdmin"] == .bool(true))
        let request = bench.frames("pair_approval_request", on: 2)
        #expect(request.map { $0.frame["deviceId"] } == [.string("d-3")])
        #expect(request.first?.frame["claimedName"] == .string("Eve"))
        #expect(request.first?.frame["deviceInfo"]?["model"] == .string("iPhone"))
        bench.pair("d-3", name: "Eve", on: 3)
        #expect(bench.frames("pair_approval_request", on: 2).count == 1)
        bench.connect("d-1", on: 4)
        #expect(bench.frames("pair_approval_request", on: 4).count == 1)
        decide(#""approve":true,"userId":"eve-1""#, &bench, on: 4)
        bench.connect("d-1", on: 5)
        #expect(bench.frames("pair_approval_request", on: 5).isEmpty)
    }

    @Test("P9: the first decision wins, the device is told once, and a later one is already resolved")
    func decides() {
        var bench = bench()
        decide(#""approve":true,"userId":"eve-1""#, &bench)
        decide(#""approve":false"#, &bench)
        let results = bench.frames("pair_result", on: 3).map { $0.frame }
        #expect(results.count == 1 && results.first?["userId"] == .string("eve-1"))
        #expect(codes(bench) == ["Already resolved"])
        bench.connect("d-3", as: "eve-1", on: 6)
        #expect(bench.frames("auth_result", on: 6).first?.frame["userId"] == .string("eve-1"))
    }

    @Test("P9: an approval must name an account, a denial must not, and only an admin may decide")
    func refusesDecisions() {
        var bench = bench()
        decide(#""approve":true"#, &bench)
        decide(#""approve":false,"userId":"eve-1""#, &bench)
        decide(#""approve":"yes""#, &bench)
        #expect(codes(bench) == ["Invalid message", "Invalid message", "Invalid message"])
        bench.server.behaviour.admins = []
        decide(#""approve":false"#, &bench)
        #expect(codes(bench).last == "Not an admin" && bench.frames("pair_result", on: 3).isEmpty)
    }

    @Test("P5, P8: a denial is told to the next connection when there is none, and then forgotten")
    func denies() {
        var bench = bench()
        bench.close(3)
        decide(#""approve":false"#, &bench)
        bench.open(4)
        bench.pair("d-3", name: "Eve", on: 4)
        #expect(bench.frames("pair_result", on: 4).first?.frame["reason"] == .string("pair_denied"))
        bench.pair("d-3", name: "Eve", on: 4)
        #expect(bench.frames("pair_approval_request", on: 2).count == 2)
    }

    @Test("P10: another name on a waiting device is another request, with its own time: an admin's is let in")
    func renamed() {
        var behaviour = LocalServer.Behaviour()
        behaviour.approval = .byAdmin
        behaviour.admins = ["kay"]
        for (first, second, answers) in [("Kya", "Kay", 1), ("Kay", "Eve", 0)] {
            var bench = ServerBench(behaviour)
            bench.open(1)
            bench.pair("d-1", name: first, on: 1)
            bench.close(1)
            bench.advance(to: 1_000)
            bench.open(2)
            bench.pair("d-1", name: second, on: 2)
            bench.advance(to: 5_000)
            let results = bench.frames("pair_result", on: 2)
            #expect(results.map(\.milliseconds) == Array(repeating: 4_000, count: answers), "\(second)")
            #expect(results.allSatisfy { $0.frame["success"] == .bool(true) })
        }
    }

    @Test("P10: a denial that was not told is not for another name on the device, which is announced")
    func deniesOnlyTheFirst() {
        var bench = bench()
        bench.close(3)
        decide(#""approve":false"#, &bench)
        bench.open(4)
        bench.pair("d-3", name: "Bob", on: 4)
        #expect(bench.frames("pair_result", on: 4).isEmpty)
        let names = bench.frames("pair_approval_request", on: 2).map { $0.frame["claimedName"] }
        #expect(names == [.string("Eve"), .string("Bob")])
    }

    @Test("P10: a revoked token is not good again while its device waits to be let in again")
    func revokedUntilApproved() {
        var bench = bench()
        bench.server.revokeToken(of: "d-1", at: bench.moment)
        bench.open(4)
        bench.pair("d-1", name: "Kay", on: 4)
        bench.connect("d-1", on: 5)
        let refusals = bench.frames("auth_result", on: 5).map { $0.frame["reason"] }
        #expect(refusals == [.string("device_not_approved")])
        bench.advance(to: 7_000)
        bench.connect("d-1", on: 6)
        #expect(bench.frames("auth_result", on: 6).first?.frame["success"] == .bool(true))
    }

    @Test("P6, P8: a request that ends while its device is away is forgotten, and the next one waits")
    func expiresUnheard() {
        var bench = bench()
        bench.close(3)
        bench.advance(to: 304_000)
        bench.open(4)
        bench.pair("d-3", name: "Eve", on: 4)
        bench.advance(to: 310_000)
        #expect(bench.frames("pair_result", on: 4).isEmpty)
        #expect(bench.frames("pair_approval_request", on: 2).count == 2)
    }

    @Test("P8, P9: a decision goes to the newest connection that asks, where an older one hangs")
    func newestConnection() {
        var bench = bench()
        bench.open(4)
        bench.pair("d-3", name: "Eve", on: 4)
        decide(#""approve":true,"userId":"eve-1""#, &bench)
        #expect(bench.frames("pair_result", on: 3).isEmpty)
        #expect(bench.frames("pair_result", on: 4).count == 1)
    }

    @Test("P6: a request lives 300 s from its first asking, and is told so")
    func expires() {
        var bench = bench()
        bench.advance(to: 303_000)
        bench.pair("d-3", name: "Eve", on: 3)
        #expect(bench.frames("pair_result", on: 3).isEmpty)
        bench.advance(to: 303_500)
        #expect(bench.frames("pair_result", on: 3).map(\.milliseconds) == [303_500])
        #expect(bench.frames("pair_result", on: 3).first?.frame["reason"] == .string("pair_timeout"))
        decide(#""approve":false"#, &bench)
        #expect(codes(bench) == ["Already resolved"] && bench.server.nextDeadline == nil)
    }

    @Test("L8: of ever more devices that ask, the oldest that is not in is forgotten")
    func bounded() {
        var bench = bench()
        for number in 0..<400 {
            let request = PairingRequest(
                device: DeviceID("v-\(number)"), claimedName: "V", info: DeviceInfo(platform: "", model: ""))
            bench.server.visit(request, at: bench.moment)
        }
        #expect(bench.server.devices.count == LocalServer.deviceLimit)
        #expect(bench.server.user(of: "d-1") == "kay" && bench.server.user(of: "d-3") == nil)
    }
}
