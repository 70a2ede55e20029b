import ChatDomain
@testable import ChatEffects
import Testing

/// The whole app against the in-process backend, on virtual time.
typealias AppLoop = VirtualLoop<ClawlineBackend, LocalServer>

extension AppLoop {
    static func fresh(_ behaviour: LocalServer.Behaviour = LocalServer.Behaviour(), seed: UInt64 = 1)
        -> AppLoop
    {
        let app = ChatApp(
            pairing: Pairing(
                configuration: Pairing.Configuration(device: DeviceInfo(platform: "iOS", model: "iPhone"))))
        let machine = Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: Stage.moment(0),
            entropy: .seeded(seed))
        var loop = AppLoop(machine, store: MemoryStore(), server: LocalServer(behaviour))
        loop.send(.launched)
        return loop
    }

    /// An app that was let in and is connected.
    static func connected(_ behaviour: LocalServer.Behaviour = LocalServer.Behaviour()) -> AppLoop {
        var loop = fresh(behaviour)
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.send(.chat(.shown))
        loop.advance(by: .milliseconds(500))
        return loop
    }

    mutating func pair() {
        send(.pairing(.nameEdited("Kaywood")))
        send(.pairing(.submitted))
    }

    mutating func say(_ text: ExactText) {
        send(.chat(.draftEdited(text)))
        send(.chat(.sent))
    }

    var isConnected: Bool {
        if case .connected = state.chat.connection { true } else { false }
    }

    var isPaired: Bool {
        if case .paired = state.pairing.phase { true } else { false }
    }

    /// What the transcript says, as “role: text”.
    var transcript: [String] {
        state.chat.conversation.transcript.rows.map { row in
            let text: String
            switch row.value.wrappedValue.body {
            case .text(let body): text = body.string
            case .growing: text = "…"
            case .interrupted(let body, _): text = body.string + "!"
            }
            return (row.value.wrappedValue.role == .user ? "user: " : "server: ") + text
        }
    }
}

@Suite("The app against the in-process backend")
struct AppStoryTests {
    @Test("P3, P4, C1: let in after 3 s, connected 0.5 s later, both to the millisecond")
    func timing() {
        var loop = AppLoop.fresh()
        loop.pair()
        loop.advance(by: .milliseconds(2_999))
        #expect(!loop.isPaired)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isPaired)
        loop.send(.chat(.shown))
        loop.advance(by: .milliseconds(499))
        #expect(!loop.isConnected)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isConnected)
    }

    @Test("C10, C17: a message is answered in every dialect, and shown once")
    func answered() {
        for dialect in [LocalServer.Dialect.cumulative, .deltas, .whole, .chunks] {
            for namesClients in [false, true] {
                var behaviour = LocalServer.Behaviour()
                behaviour.dialect = dialect
                behaviour.namesClients = namesClients
                var loop = AppLoop.connected(behaviour)
                loop.say("Hi there")
                loop.advance(by: .seconds(10))
                #expect(loop.transcript == ["user: Hi there", "server: You said: Hi there"])
                #expect(loop.machine.diagnostics.skippedEvents.value == 0)
            }
        }
    }

    @Test("L5, L6: a drop at any step of a message loses and doubles nothing")
    func drops() {
        let steps: [LocalServer.Step] = [
            .handshake, .authentication, .receipt, .acknowledgement, .echo, .reply, .token(1), .token(2),
            .token(4),
        ]
        for step in steps {
            var loop = AppLoop.connected()
            loop.server.behaviour.rules = [.init(step, .drop, times: 1)]
            if step == .handshake || step == .authentication { loop.server.dropConnections() }
            loop.say("Hi you")
            loop.advance(by: .seconds(60))
            #expect(loop.transcript == ["user: Hi you", "server: You said: Hi you"])
            #expect(loop.server.log(of: "kaywood").count == 2)
        }
    }

    @Test("L10: the token is in no state, progress, timer or stored machine on the whole way")
    func secret() throws {
        var loop = AppLoop.fresh()
        loop.pair()
        let device = try #require(loop.server.devices.first?.id)
        let token = LocalServer.token(of: device, as: "kaywood").reveal().string
        let bytes = Array(token.utf8).map(String.init).joined(separator: ", ")
        func check() {
            let shown = String(reflecting: loop.machine)
            #expect(!shown.contains(token) && !shown.contains(bytes))
        }
        for _ in 0..<12 {
            check()
            _ = loop.runToNextDeadline()
        }
        loop.send(.chat(.shown))
        for _ in 0..<4 {
            check()
            _ = loop.runToNextDeadline()
        }
        #expect(loop.isConnected)
        check()
    }

    @Test(
        "L10: drivers see no token either: it is saved as a secret, and named by its handle"
    )
    func secretInOperations() {
        var machine = AppLoop.fresh().machine
        var store = MemoryStore()
        var server = LocalServer()
        var shown = ""
        func carryOut(at moment: Moment) {
            while machine.hasOperations {
                var operations: [DriverOperation] = []
                machine.drain { operations.append($0) }
                shown += String(reflecting: operations)
                for operation in operations {
                    if let answer = store.carryOut(operation) { machine.receive(answer, at: moment) }
                    server.carryOut(operation, at: moment)
                }
                for outcome in server.advance(to: moment) { machine.receive(outcome, at: moment) }
            }
        }
        for action: ChatApp.Action in [
            .launched, .pairing(.nameEdited("Kay")), .pairing(.submitted), .chat(.shown),
        ] {
            machine.send(action, at: Stage.moment(0))
            carryOut(at: Stage.moment(0))
        }
        for outcome in server.advance(to: Stage.moment(3_000)) {
            machine.receive(outcome, at: Stage.moment(3_000))
        }
        carryOut(at: Stage.moment(3_000))
        #expect(shown.contains("SecretHandle") && shown.contains(Secret.placeholder))
        #expect(!shown.contains("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"))
        let prefix = Array("eyJhbGciOiJI".utf8).map(String.init).joined(separator: ", ")
        #expect(!shown.contains(prefix))
    }

    @Test("L10: a call whose token is gone ends without a word to the server")
    func secretMissing() {
        var loop = AppLoop.fresh()
        loop.pair()
        loop.advance(by: .seconds(3))
        loop.store = MemoryStore()
        loop.send(.chat(.shown))
        loop.advance(by: .seconds(1))
        #expect(!loop.isConnected && loop.server.sockets.isEmpty)
    }

    @Test("P10: a token that was revoked leads back to pairing")
    func revoked() {
        var loop = AppLoop.connected()
        loop.server.behaviour.rules = [.init(.authentication, .refuse(code: "token_revoked", message: "M"))]
        loop.server.dropConnections()
        loop.advance(by: .seconds(10))
        #expect(loop.state.pairing.phase == .idle)
    }

    @Test("L2: a day of chat, twice, ends in equal loops")
    func day() {
        func day() -> AppLoop {
            var loop = AppLoop.connected()
            for number in 0..<48 {
                loop.say(ExactText("Message \(number)"))
                if number % 10 == 3 { loop.server.dropConnections() }
                loop.advance(by: .minutes(30))
            }
            return loop
        }
        let loop = day()
        #expect(loop.transcript.count == 96)
        #expect(loop.moment.now - Stage.instant(0) > .hours(24))
        #expect(loop == day())
    }
}
