// What an architecture of pairing and chat promises its users, as far as it is not about views or concurrency: the whole
// app against the in-process backend, on virtual time. Where a first design was wrong, the test says what it should
// have done.

@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Design: the architecture of pairing and chat")
struct ArchitecturePaperTests {
    private func rows(_ loop: AppLoop) -> [Chat.Row] { Chat.rows(loop.state.chat, newest: 100, .neutral) }

    // MARK: Goals and stubs

    @Test("Goal 1 and 2: from the name over the approval to the chat, by actions of the person alone")
    func flow() {
        var loop = AppLoop.fresh()
        guard case .name = Pairing.screen(loop.state.pairing, .neutral) else { return #expect(Bool(false)) }
        loop.pair()
        guard case .waiting = Pairing.screen(loop.state.pairing, .neutral) else {
            return #expect(Bool(false))
        }
        loop.advance(by: .milliseconds(2_999))
        #expect(!loop.isPaired)
        loop.advance(by: .milliseconds(1))
        #expect(Pairing.screen(loop.state.pairing, .neutral) == .finished)
    }

    @Test("Stub: approved after 3 s, connected after 0.5 s, answered after 1.5 s with “You said: ”")
    func stub() {
        var loop = AppLoop.fresh()
        loop.server.behaviour.dialect = .whole
        loop.pair()
        loop.advance(by: .seconds(3))
        #expect(loop.state.pairing.session?.credentials.user == "kaywood")
        loop.send(.chat(.shown))
        loop.advance(by: .milliseconds(499))
        #expect(!loop.isConnected)
        loop.advance(by: .milliseconds(1))
        #expect(loop.isConnected)
        loop.say("Hello")
        loop.advance(by: .milliseconds(1_499))
        #expect(rows(loop).count == 1)
        loop.advance(by: .milliseconds(1))
        #expect(rows(loop).map { $0.text.string } == ["Hello", "You said: Hello"])
    }

    @Test("Auth manager: the token is in the vault, and the person is remembered over a launch")
    func remembered() {
        let loop = AppLoop.connected()
        let secrets = loop.store.paths.filter { $0.components.first == "secrets" }
        let account = loop.state.chat.account
        let device = account?.device
        #expect(secrets.count == 1 && device != nil)
        #expect(
            loop.store.secret(at: secrets[0])
                == account.map { LocalServer.token(of: $0.device, as: $0.user) })
        let app = loop.machine.feature
        var again = AppLoop(
            Machine(
                app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: loop.moment,
                entropy: .seeded(9)), store: loop.store.restarted(), server: loop.server)
        again.send(.launched)
        again.advance(by: .zero)
        #expect(again.isPaired && again.state.chat.account?.device == device)
    }

    // MARK: Pairing view model

    @Test("testSuccessfulPairing: let in, with the user that the server names")
    func successfulPairing() {
        var loop = AppLoop.fresh()
        loop.send(.pairing(.nameEdited("TestUser")))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(3))
        #expect(loop.isPaired && loop.state.pairing.session?.credentials.user == "testuser")
    }

    @Test("testEmptyNameShowsError: white space is no name, and nothing is asked")
    func emptyName() {
        var loop = AppLoop.fresh()
        loop.send(.pairing(.nameEdited("   ")))
        loop.send(.pairing(.submitted))
        guard case .failed(let sentence, _) = Pairing.screen(loop.state.pairing, .neutral) else {
            return #expect(Bool(false))
        }
        #expect(sentence == "Name cannot be empty")
        #expect(loop.machine.openCalls.isEmpty && loop.state.pairing.session == nil)
    }

    @Test("testDeniedPairing: the reason is shown, and nobody is signed in")
    func denied() {
        var loop = AppLoop.fresh(
            LocalServer.Behaviour(rules: [.init(.pairing, .refuse(code: "pair_denied", message: "Nope"))]))
        loop.pair()
        loop.advance(by: .seconds(3))
        guard case .failed("Nope", _) = Pairing.screen(loop.state.pairing, .neutral) else {
            return #expect(Bool(false))
        }
        #expect(loop.state.pairing.session == nil)
    }

    @Test("testDeviceIdPassedToPairing: the token is for this very device, also the next time")
    func device() {
        var loop = AppLoop.connected()
        let device = loop.state.chat.account?.device
        loop.send(.pairing(.signedOut))
        loop.advance(by: .seconds(1))
        loop.pair()
        loop.advance(by: .seconds(3))
        #expect(device != nil && loop.state.chat.account?.device == device)
    }

    // MARK: Chat view model

    @Test("testSendAppendsUserMessageImmediately: at once, sending until the reply is there")
    func appended() {
        var loop = AppLoop.connected()
        loop.say("Hello")
        #expect(rows(loop).map { $0.text.string } == ["Hello"] && rows(loop)[0].role == .user)
        #expect(Chat.isSending(loop.state.chat))
        loop.advance(by: .seconds(5))
        #expect(rows(loop).count == 2 && rows(loop)[1].role == .assistant)
        #expect(!Chat.isSending(loop.state.chat))
    }

    @Test("testSendClearsInputImmediately: the composer is empty, and what is typed next stays")
    func cleared() {
        var loop = AppLoop.connected()
        loop.say("Hello")
        #expect(Chat.composer(loop.state.chat).text == "")
        loop.send(.chat(.draftEdited("next")))
        loop.advance(by: .seconds(5))
        #expect(Chat.composer(loop.state.chat).text == "next")
    }

    @Test("testSendHandlesError: not connected is said, nothing spins, and the message waits to be sent")
    func error() {
        var loop = AppLoop.connected()
        loop.server.goOffline()
        loop.send(.networkChanged(isUp: false))
        loop.advance(by: .seconds(1))
        loop.say("Hello")
        loop.advance(by: .seconds(1))
        #expect(Chat.connectionLine(loop.state.chat, .neutral) == "Not connected to server")
        #expect(!Chat.isSending(loop.state.chat) && rows(loop).map { $0.status } == [.queued])
        loop.server.goOnline()
        loop.send(.networkChanged(isUp: true))
        loop.advance(by: .seconds(5))
        #expect(rows(loop).map { $0.text.string } == ["Hello", "You said: Hello"])
    }

    @Test("testConnectCalledOnAppear, testConnectionStateUpdates: shown, and connected")
    func appears() {
        var loop = AppLoop.fresh()
        loop.pair()
        loop.advance(by: .seconds(3))
        #expect(loop.state.chat.connection == .disconnected)
        loop.send(.chat(.shown))
        loop.send(.chat(.shown))
        #expect(loop.machine.openCalls.count == 1)
        loop.advance(by: .milliseconds(500))
        #expect(loop.isConnected)
    }

    @Test("testDisconnectCalledOnDisappear: left, and disconnected")
    func disappears() {
        var loop = AppLoop.connected()
        loop.send(.chat(.left))
        #expect(loop.state.chat.connection == .disconnected && loop.machine.openCalls.isEmpty)
    }

    @Test("testIncomingMessageAppendsToMessages: a message that nobody asked for is shown, once")
    func incoming() {
        var loop = AppLoop.connected()
        let message = IncomingMessage(
            id: "server-1", role: .assistant, text: "Hello from server!", time: loop.moment.wall,
            isGrowing: false)
        guard let attempt = loop.state.chat.connection.attempt else { return #expect(Bool(false)) }
        for _ in 0..<2 { loop.send(.received(.chat(.message(message)), on: .chat(.socket(attempt)))) }
        #expect(rows(loop).map { $0.text.string } == ["Hello from server!"])
    }
}
