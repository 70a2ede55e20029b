import ChatDomain
@testable import ChatEffects
import Testing

@Suite("In-process backend")
struct LocalServerTests {
    @Test("A name is let in after 3 s to the millisecond, with a token of its own and no code")
    func pairs() {
        var bench = ServerBench()
        bench.open()
        bench.pair("d-1", name: "Kaywood É")
        #expect(bench.heard.map(\.arrival) == [.opened])
        bench.advance(to: 2_999)
        #expect(bench.heard.count == 1)
        bench.advance(to: 3_000)
        let result = bench.frames("pair_result")
        #expect(result.map(\.milliseconds) == [3_000])
        #expect(result.first?.frame["userId"] == .string("kaywood é"))
        #expect(
            result.first?.frame["token"]
                == .string(LocalServer.token(of: "d-1", as: "kaywood é").reveal()))
        #expect(bench.server.nextDeadline == nil)
    }

    @Test("An empty name is rejected, and may be asked again")
    func emptyName() {
        var bench = ServerBench()
        bench.open()
        bench.pair(name: " ")
        bench.advance(to: 3_000)
        #expect(bench.frames("pair_result").first?.frame["reason"] == .string("pair_rejected"))
        bench.pair(name: "Kay")
        bench.advance(to: 6_000)
        #expect(bench.frames("pair_result").last?.frame["success"] == .bool(true))
    }

    @Test("P8: asking again keeps one entry and its time; an approval while away is told at once")
    func pairsAgain() {
        var bench = ServerBench()
        bench.open()
        bench.pair()
        bench.advance(to: 1_000)
        bench.close()
        bench.open(2)
        bench.pair(on: 2)
        bench.advance(to: 3_000)
        #expect(bench.frames("pair_result", on: 2).map(\.milliseconds) == [3_000])
        bench.close(2)
        bench.open(3)
        bench.pair(on: 3)
        #expect(bench.frames("pair_result", on: 3).first?.frame["success"] == .bool(true))
        #expect(bench.server.devices.count == 1)
    }

    @Test("Connecting takes 0.5 s to the millisecond")
    func connects() {
        var bench = ServerBench()
        bench.open()
        bench.authenticate()
        bench.advance(to: 499)
        #expect(bench.frames("auth_result").isEmpty)
        bench.advance(to: 500)
        #expect(bench.frames("auth_result").first?.frame["replayCount"] == .number(JSONNumber(Int64(0))))
    }

    @Test("A token of another device is refused")
    func wrongToken() {
        var bench = ServerBench()
        bench.open()
        bench.send(#"{"type":"auth","protocolVersion":1,"token":"x","deviceId":"d"}"#)
        bench.advance(to: 500)
        #expect(bench.frames("auth_result").first?.frame["reason"] == .string("auth_failed"))
    }

    @Test("P10: a token lets in the person that it names, and nobody where another is in on its device")
    func tokenOfAnother() {
        var bench = ServerBench()
        bench.open()
        bench.pair(name: "Ada")
        bench.advance(to: 3_000)
        bench.connect(as: "ada", on: 2)
        bench.connect(as: "eve", on: 3)
        #expect(bench.frames("auth_result", on: 2).first?.frame["userId"] == .string("ada"))
        #expect(bench.frames("auth_result", on: 3).first?.frame["reason"] == .string("auth_failed"))
        var restarted = ServerBench()
        restarted.connect(as: "ada", on: 2)
        #expect(restarted.frames("auth_result", on: 2).first?.frame["userId"] == .string("ada"))
    }

    @Test(
        "P10: a token is of visible ASCII, as a header needs, and names its person and device, whoever they are"
    )
    func plainToken() {
        for (user, device) in [
            ("kaywood ö", "d"), ("ada%41", "50%"), ("a.b", "d.é"), ("😀\t", "d-1"), ("", "d"), ("kay", "d"),
        ] as [(UserID, DeviceID)] {
            let secret = LocalServer.token(of: device, as: user)
            #expect(secret.reveal().utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            let header = Header("authorization", ExactText("Bearer " + secret.reveal().string))
            for token in [LocalServer.Token(secret), LocalServer.Token([header])] {
                #expect(token?.user == user && token?.device == device)
            }
        }
    }

    @Test(
        "A text that is none of the server's tokens is refused",
        arguments: [
            "", "1", "1.", "1.a", "1.ab", "-1.a.d", "9.a.d", "9223372036854775808.a.d", "1.a.e", "1 .a.d",
            ".a.d",
            "2.é", "1.é.d", "1.%.d", "3.%4g.d", "1.a.%6",
        ])
    func malformedToken(fields: String) {
        var bench = ServerBench()
        bench.open()
        let prefix = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.stub."
        bench.send(
            #"{"type":"auth","protocolVersion":1,"token":"\#(prefix + fields)","deviceId":"d"}"#)
        bench.advance(to: 500)
        #expect(bench.frames("auth_result").first?.frame["reason"] == .string("auth_failed"))
    }

    @Test("A message is acknowledged and echoed at once, and answered after 1.5 s, word by word")
    func answers() {
        var bench = ServerBench.connected()
        bench.say("c_1", "Hi  you")
        #expect(bench.frames("ack").map(\.milliseconds) == [500])
        let echo = bench.frames("message").first?.frame
        #expect(echo?["id"] == .string("s_1000002") && echo?["deviceId"] == .string("d"))
        #expect(echo?["clientMessageId"] == nil && echo?["content"] == .string("Hi  you"))
        #expect(echo?["timestamp"]?.integer == Stage.moment(500).wall.millisecondsSince1970)
        bench.advance(to: 1_999)
        #expect(bench.replies.isEmpty)
        bench.advance(to: 10_000)
        #expect(
            bench.replies == [
                "2000 You…", "2050 You said:…", "2100 You said: Hi…", "2150 You said: Hi …",
                "2200 You said: Hi  you",
            ])
        #expect(bench.server.log(of: "kay").map(\.text) == ["Hi  you", "You said: Hi  you"])
    }

    @Test("the three dialects of a reply say the same")
    func dialects() {
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = .whole
        var bench = ServerBench.connected(behaviour)
        bench.say("c_1", "a b")
        bench.advance(to: 10_000)
        #expect(bench.replies == ["2000 You said: a b"])

        behaviour.dialect = .deltas
        bench = .connected(behaviour)
        bench.say("c_1", "a b")
        bench.advance(to: 10_000)
        #expect(bench.replies == ["2000 You…", "2150 You said: a b"])
        #expect(bench.frames("delta").map { $0.frame["text"] } == [.string(" said:"), .string(" a")])
    }

    @Test("C17: a connection in the middle of a reply brings the text so far before deltas")
    func deltasForTheLate() {
        var behaviour = LocalServer.Behaviour()
        behaviour.dialect = .deltas
        behaviour.authenticationDelay = .zero
        var bench = ServerBench(behaviour)
        bench.open()
        bench.authenticate()
        bench.say("c_1", "a b")
        bench.advance(to: 1_550)
        bench.open(2)
        bench.authenticate("d", on: 2)
        bench.advance(to: 10_000)
        let late = bench.frames("message", on: 2).map { $0.frame["content"] }
        #expect(late == [.string("a b"), .string("You said: a"), .string("You said: a b")])
    }

    @Test("L6: the same id and text are acknowledged again and stored once; another text is refused")
    func idempotent() {
        var bench = ServerBench.connected()
        bench.say("c_1", "one")
        bench.say("c_1", "one")
        bench.say("c_1", "two")
        bench.advance(to: 10_000)
        #expect(bench.frames("ack").count == 2)
        #expect(bench.errors == ["invalid_message c_1"])
        #expect(bench.server.log(of: "kay").map(\.text) == ["one", "You said: one"])
    }

    @Test("L6: an id is recognised on a later connection, also when other messages have followed")
    func idempotentLater() {
        var bench = ServerBench.connected()
        bench.say("c_1", "one")
        bench.say("c_2", "two")
        bench.say("c_3", "three")
        bench.close()
        bench.connect(on: 2)
        bench.say("c_1", "one", on: 2)
        bench.advance(to: 10_000)
        #expect(bench.frames("ack", on: 2).count == 1)
        #expect(bench.server.log(of: "kay").count == 6)
    }

    @Test("C5: a replay brings what came after the cursor, and a cursor that is not known is refused")
    func replays() {
        var bench = ServerBench.connected()
        bench.say("c_1", "one")
        bench.advance(to: 5_000)
        bench.close()
        bench.connect(cursor: "s_1000002", on: 2)
        #expect(bench.frames("auth_result", on: 2).first?.frame["replayCount"]?.integer == 1)
        #expect(bench.frames("message", on: 2).map { $0.frame["content"] } == [.string("You said: one")])
        bench.close(2)
        bench.connect(cursor: "s_1000099", on: 3)
        #expect(bench.frames("auth_result", on: 3).isEmpty)
        #expect(bench.frames("error", on: 3).first?.frame["code"] == .string("invalid_message"))
        bench.authenticate(on: 3)
        bench.advance(to: 20_000)
        #expect(bench.frames("message", on: 3).count == 2)
    }

    @Test("C5: a replay over the limit keeps the newest and says so")
    func truncates() {
        var behaviour = LocalServer.Behaviour()
        behaviour.replayLimit = 3
        var bench = ServerBench.connected(behaviour)
        for number in 0..<4 { bench.say("c_\(number)", "m\(number)") }
        bench.close()
        bench.connect(on: 2)
        #expect(bench.frames("auth_result", on: 2).first?.frame["replayTruncated"] == .bool(true))
        let texts = bench.frames("message", on: 2).map { $0.frame["content"] }
        #expect(texts == [.string("m1"), .string("m2"), .string("m3")])
    }

    @Test("A reply goes on without its connection and is replayed")
    func survives() {
        var bench = ServerBench.connected()
        bench.say("c_1", "one")
        bench.advance(to: 2_050)
        bench.close()
        bench.advance(to: 5_000)
        bench.connect(cursor: "s_1000002", on: 2)
        #expect(bench.frames("message", on: 2).map { $0.frame["content"] } == [.string("You said: one")])
    }

    @Test("a message reaches the person's other device, and the same device replaces itself")
    func twoDevices() {
        var bench = ServerBench()
        bench.open(1)
        bench.pair("d-1", on: 1)
        bench.open(2)
        bench.pair("d-2", on: 2)
        bench.advance(to: 3_000)
        bench.connect("d-1", on: 3)
        bench.connect("d-2", on: 4)
        bench.say("c_1", "Hi", on: 3)
        #expect(bench.frames("message", on: 4).first?.frame["deviceId"] == .string("d-1"))
        #expect(bench.frames("ack", on: 4).isEmpty)
        bench.connect("d-1", on: 5)
        #expect(bench.frames("error", on: 3).first?.frame["code"] == .string("session_replaced"))
        #expect(bench.ends.map(\.call) == [3])
    }

    @Test("L8: a frame that is too long, empty, malformed or out of turn is refused in the protocol's words")
    func refuses() {
        var bench = ServerBench.connected()
        bench.say("c_1", String(repeating: "x", count: 65_537))
        bench.say("c_2", "")
        bench.say("d_3", "x")
        bench.send("{")
        bench.authenticate()
        bench.send(#"{"type":"pair_decision","deviceId":"x","approve":false}"#)
        #expect(
            bench.errors == [
                "payload_too_large c_1", "invalid_message c_2", "invalid_message -", "invalid_message -",
                "invalid_message -", "invalid_message -",
            ])
        bench.say("c_4", String(repeating: "x", count: 65_536))
        #expect(bench.frames("ack").count == 1)
    }

    @Test("L2: equal servers given equal input stay equal, in one step or many")
    func equal() {
        var steps = ServerBench.connected()
        var jump = steps
        steps.say("c_1", "a b c")
        jump.say("c_1", "a b c")
        for time in stride(from: Int64(500), through: 4_000, by: 7) { steps.advance(to: time) }
        steps.advance(to: 4_000)
        jump.milliseconds = 4_000
        jump.settle()
        #expect(steps.heard.map(\.arrival) == jump.heard.map(\.arrival))
        _ = steps.server.advance(to: Stage.moment(4_000))
        #expect(steps.server == jump.server)
    }
}
