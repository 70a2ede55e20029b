import ChatDomain
@testable import ChatEffects
import Testing

@Suite("In-process backend: misbehaviour")
struct LocalServerFaultTests {
    typealias Rule = LocalServer.Rule

    @Test("P5: pairing is denied with a sentence")
    func deniesPairing() {
        let sentence: ExactText = "Admin rejected pairing request"
        var bench = ServerBench(rules: Rule(.pairing, .refuse(code: "pair_denied", message: sentence)))
        bench.open()
        bench.pair()
        bench.advance(to: 3_000)
        let result = bench.frames("pair_result").first?.frame
        #expect(result?["reason"] == .string("pair_denied") && result?["message"] == .string(sentence))
        #expect(result?["success"] == .bool(false) && bench.server.devices.isEmpty)
    }

    @Test("each step can stay silent, and nothing else is missing")
    func silent() {
        var bench = ServerBench(rules: Rule(.handshake, .silence))
        bench.open()
        bench.advance(to: 60_000)
        #expect(bench.heard.isEmpty)

        bench = ServerBench(rules: Rule(.pairing, .silence, times: 1), Rule(.authentication, .silence))
        bench.open()
        bench.pair()
        bench.advance(to: 60_000)
        #expect(bench.frames("pair_result").isEmpty)
        bench.pair()
        bench.advance(to: 63_000)
        #expect(bench.frames("pair_result").count == 1)
        bench.connect(on: 2)
        bench.advance(to: 90_000)
        #expect(bench.frames("auth_result", on: 2).isEmpty)
    }

    @Test("C10: an acknowledgement, an echo, a reply or all of them may never come")
    func silentMessages() {
        let cases: [(LocalServer.Step, acks: Int, echoes: Int, replies: Int, log: Int)] = [
            (.receipt, 0, 0, 0, 0), (.acknowledgement, 0, 1, 4, 2), (.echo, 1, 0, 4, 2),
            (.reply, 1, 1, 0, 1), (.token(2), 1, 1, 1, 1),
        ]
        for (step, acks, echoes, replies, log) in cases {
            var bench = ServerBench.connected(LocalServer.Behaviour(rules: [Rule(step, .silence)]))
            bench.say("c_1", "a b")
            bench.advance(to: 60_000)
            #expect(bench.frames("ack").count == acks)
            #expect(bench.frames("message").count == echoes + replies)
            #expect(bench.replies.count == replies && bench.server.log(of: "kay").count == log)
            #expect(bench.server.nextDeadline == nil)
        }
    }

    @Test("after a step with noise the connection says what is no frame, and goes on")
    func noise() {
        var bench = ServerBench.connected(LocalServer.Behaviour(rules: [Rule(.acknowledgement, .noise)]))
        bench.say("c_1", "a b")
        bench.advance(to: 60_000)
        let unreadable = bench.heard.filter {
            guard case .text(let bytes) = $0.arrival else { return false }
            return (try? JSONReader().value(of: bytes)) == nil
        }
        #expect(unreadable.count == 1 && bench.frames("ack").count == 1)
        #expect(bench.replies.last == "2150 You said: a b")
    }

    @Test("the connection drops at the nth word, once, and the reply is replayed whole")
    func dropsAtToken() {
        var bench = ServerBench.connected(LocalServer.Behaviour(rules: [Rule(.token(3), .drop, times: 1)]))
        bench.say("c_1", "a b")
        bench.advance(to: 5_000)
        #expect(bench.replies == ["2000 You…", "2050 You said:…"])
        #expect(
            bench.ends == [.init(milliseconds: 2_100, call: 1, arrival: .ended(.failed(.lost)))])
        bench.connect(cursor: "s_1000002", on: 2)
        #expect(bench.frames("message", on: 2).map { $0.frame["content"] } == [.string("You said: a b")])
        bench.say("c_2", "c", on: 2)
        bench.advance(to: 20_000)
        #expect(bench.ends.count == 1)
    }

    @Test("a drop before the receipt loses the message, one at the acknowledgement only the answer")
    func dropsAround() {
        for (step, log) in [(LocalServer.Step.receipt, 0), (.acknowledgement, 2)] {
            var bench = ServerBench.connected(LocalServer.Behaviour(rules: [Rule(step, .drop, times: 1)]))
            bench.say("c_1", "a")
            bench.advance(to: 10_000)
            #expect(bench.frames("ack").isEmpty && bench.ends.count == 1)
            #expect(bench.server.log(of: "kay").count == log)
        }
    }

    @Test("P8: an approval whose connection drops is told to the next")
    func dropsAtPairing() {
        var bench = ServerBench(rules: Rule(.pairing, .drop, times: 1))
        bench.open()
        bench.pair()
        bench.advance(to: 3_000)
        #expect(bench.ends.count == 1 && bench.frames("pair_result").isEmpty)
        bench.open(2)
        bench.pair(on: 2)
        #expect(bench.frames("pair_result", on: 2).map(\.milliseconds) == [3_000])
    }

    @Test("a socket is closed with a code")
    func closes() {
        let fault = LocalServer.Fault.close(code: 1012, reason: "restart")
        var bench = ServerBench(rules: Rule(.authentication, fault))
        bench.connect()
        #expect(bench.ends.map(\.arrival) == [.ended(.closed(code: 1012, reason: "restart"))])
        #expect(bench.frames("auth_result").isEmpty && bench.server.sockets.isEmpty)
    }

    @Test("A step is late by what the rule says, and only that step")
    func late() {
        var bench = ServerBench.connected(
            LocalServer.Behaviour(rules: [
                Rule(.acknowledgement, .delay(.seconds(6))), Rule(.token(2), .delay(.seconds(1)), times: 1),
            ]))
        bench.say("c_1", "a")
        bench.advance(to: 10_000)
        #expect(bench.frames("ack").map(\.milliseconds) == [6_500])
        #expect(bench.replies == ["2000 You…", "3050 You said:…", "3100 You said: a"])
    }

    @Test("C11, C12: a message is refused for now, and a reply fails, by the question or by itself")
    func refuses() {
        let limited = LocalServer.Fault.refuse(code: "rate_limited", message: "Slow down")
        let failed = LocalServer.Fault.refuse(code: "server_error", message: "Sorry")
        var bench = ServerBench.connected(
            LocalServer.Behaviour(rules: [
                Rule(.receipt, limited, times: 1), Rule(.reply, failed, times: 1),
                Rule(.token(2), failed, times: 1),
            ]))
        bench.say("c_1", "a")
        #expect(bench.errors == ["rate_limited c_1"] && bench.server.log(of: "kay").isEmpty)
        bench.say("c_1", "a")
        bench.advance(to: 10_000)
        #expect(bench.errors.last == "server_error c_1")
        bench.say("c_1", "a")  // accepted, then failed: the old id is no longer good
        #expect(bench.errors.last == "invalid_message c_1")
        bench.say("c_2", "a")
        bench.advance(to: 20_000)
        #expect(bench.errors.last == "server_error s_1000004")
        bench.say("c_1", "a")  // refused still, also after a later failure
        #expect(bench.errors.last == "invalid_message c_1")
        bench.say("c_3", "a")
        bench.advance(to: 30_000)
        #expect(bench.replies.last == "21600 You said: a")
    }

    @Test("offline, every connection breaks and none can be made")
    func offline() {
        var bench = ServerBench.connected()
        bench.server.goOffline()
        bench.settle()
        #expect(bench.ends.map(\.arrival) == [.ended(.failed(.lost))])
        bench.open(2)
        #expect(bench.ends.last?.arrival == .ended(.failed(.offline)))
        bench.server.goOnline()
        bench.connect(on: 3)
        #expect(bench.frames("auth_result", on: 3).count == 1)
    }

    @Test("L4: nothing comes for a call that the client has closed")
    func closed() {
        var bench = ServerBench.connected()
        bench.say("c_1", "a")
        bench.server.dropConnections()
        bench.close()
        bench.heard = []
        bench.advance(to: 10_000)
        #expect(bench.heard.isEmpty)
    }

    @Test("A handshake is refused, and what is not there is 404")
    func refusesHandshake() {
        var bench = ServerBench(rules: Rule(.handshake, .refuse(code: "x", message: "Full"), times: 1))
        bench.open()
        #expect(
            bench.ends.map(\.arrival) == [.ended(.refused(status: 503, retryAfter: nil, message: "Full"))])
        let request = Exchange.http(
            method: "GET", path: "/", headers: [Header("authorization", "Bearer x")], body: Payload([]),
            credential: nil)
        bench.server.carryOut(.open(CallNumber(2), request), at: bench.moment)
        bench.settle()
        #expect(bench.ends.last?.arrival == .ended(.completed))
        #expect(
            bench.heard.contains { $0.arrival == .head(status: 404, headers: []) })
    }
}
