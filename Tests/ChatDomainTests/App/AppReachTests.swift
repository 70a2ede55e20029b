// The events that reach each feature through the root. An event of a former socket reaches none, and neither does a
// renewal that was given up. A record of another feature counts as damaged, not as missing.

import Testing

@testable import ChatDomain

@Suite("App: what reaches the features")
struct AppReachTests {
    private static let credentials = Credentials(user: "kay", isAdmin: true, secret: SecretHandle("h"))
    private static let refused = CallEnd.refused(status: 401, retryAfter: nil, message: "")

    /// Kay is in, unless the disk says otherwise; chat is not shown.
    private func launched(
        _ disk: inout Disk<ChatApp>, chat: Chat = Chat(), change: (inout Disk<ChatApp>) -> Void = { _ in }
    ) -> Driver<ChatApp> {
        let device = DeviceInfo(platform: "iOS", model: "iPhone 15")
        let app = ChatApp(pairing: Pairing(configuration: Pairing.Configuration(device: device)), chat: chat)
        disk[.pairing(.device)] = .pairing(.device("device-1"))
        disk[.pairing(.credentials)] = .pairing(.credentials(Self.credentials))
        disk[.pairing(.secret(Self.credentials.secret))] = .pairing(.secret(Secret("token")))
        change(&disk)
        var driver = Driver(app, state: ChatApp.State(app))
        driver.send(.launched)
        driver.serve(from: &disk)
        return driver
    }

    /// The newest call brings something.
    private func hear(_ driver: inout Driver<ChatApp>, _ event: ChatApp.Event) throws {
        driver.send(.received(event, on: try #require(driver.calls.last?.call)))
    }

    private func connect(_ driver: inout Driver<ChatApp>) throws {
        try hear(&driver, .chat(.authenticated(replayCount: 0, isTruncated: false, isReset: false)))
    }

    private func ask(_ driver: inout Driver<ChatApp>) {
        driver.send(.assistant(.opened))
        driver.send(.assistant(.draftEdited("Why?")))
        driver.send(.assistant(.sent))
    }

    private func bubbles(_ driver: Driver<ChatApp>) -> Int {
        Assistant.rows(driver.state.assistant, .neutral).count
    }

    @Test(
        "R2, S11: the background ends a suggestion that is asked for or grows, and nothing of it runs on",
        arguments: [nil, "Sure"] as [ExactText?])
    func background(text: ExactText?) throws {
        var disk = Disk<ChatApp>()
        var driver = launched(&disk)
        let target = SmartReplies.Target(conversation: .main, message: "s_1", text: "Well?")
        driver.send(.smartReplies(.requested(.friendly, target)))
        if let text { try hear(&driver, .smartReplies(.token(text))) }
        let call = try #require(driver.calls.last?.call)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(2))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.send(.received(.smartReplies(.done(nil, nil)), on: call)).isEmpty)
        #expect(driver.state.smartReplies.selected == nil)
    }

    @Test("R2, P10: a sign-out ends the assistant's question and takes away what was asked")
    func signOut() throws {
        var disk = Disk<ChatApp>()
        var driver = launched(&disk)
        ask(&driver)
        try hear(&driver, .assistant(.answered("Because.", conversation: "c1", time: nil, tokens: nil)))
        ask(&driver)
        #expect(bubbles(driver) == 3 && driver.calls.count == 1)
        driver.send(.pairing(.signedOut))
        driver.serve(from: &disk)
        #expect(bubbles(driver) == 0 && driver.calls.isEmpty && driver.timers.isEmpty)
        ask(&driver)
        #expect(driver.calls.isEmpty && Assistant.wantsLogIn(driver.state.assistant))
    }

    @Test(
        "L4, P9: a decision or a change of rights from a former socket changes nothing on the next one",
        arguments: [.resolved("d2"), .rights(isAdmin: false)] as [Pairing.Event])
    func formerSocket(event: Pairing.Event) throws {
        var disk = Disk<ChatApp>()
        var driver = launched(&disk)
        driver.send(.chat(.shown))
        try connect(&driver)
        let former = try #require(driver.calls.last?.call)
        driver.end(former, .failed(.lost))
        driver.advance(by: .seconds(2))
        try connect(&driver)
        let info = DeviceInfo(platform: "iOS", model: "iPad")
        let request = PairingRequest(device: "d2", claimedName: "Bo", info: info)
        try hear(&driver, .pairing(.requested(request)))
        let before = driver.state
        #expect(driver.send(.received(.pairing(event), on: former)).isEmpty && driver.state == before)
        #expect(Pairing.incomingRows(driver.state.pairing).count == 1)
        try hear(&driver, .pairing(event))
        #expect(Pairing.incomingRows(driver.state.pairing).isEmpty, "it counts on the current socket")
    }

    @Test(
        "L4, S9: credentials that come after their renewal was given up ask nothing again for the assistant",
        arguments: ["h", "new"] as [ExactText])
    func lateRenewal(secret: ExactText) throws {
        var configuration = Chat.Configuration()
        configuration.carriage = .streams(Streaming.Configuration(canRefresh: true))
        var disk = Disk<ChatApp>()
        var driver = launched(&disk, chat: Chat(configuration: configuration))
        driver.send(.chat(.shown))
        driver.serve(from: &disk)
        ask(&driver)
        driver.end(try #require(driver.calls.last?.call), Self.refused)
        driver.send(.chat(.draftEdited("Hi")))
        driver.send(.chat(.sent))
        driver.serve(from: &disk)
        driver.end(try #require(driver.calls.last?.call), Self.refused)
        let renewal = try #require(driver.calls.last?.call)
        driver.advance(by: .seconds(10))
        #expect(driver.calls.isEmpty && Assistant.wantsLogIn(driver.state.assistant))
        let access = Streaming.Access(secret: SecretHandle(secret), expires: nil)
        #expect(driver.send(.received(.chat(.streamed(.refreshed(access))), on: renewal)).isEmpty)
        #expect(driver.calls.isEmpty && Assistant.wantsLogIn(driver.state.assistant))
    }

    @Test(
        "P1, R5: a record of another feature under a key of pairing is damaged, not missing, and stays",
        arguments: [.device, .credentials] as [Pairing.Key])
    func foreignRecord(key: Pairing.Key) {
        let foreign = ChatApp.Record.chat(.draft("half"))
        var disk = Disk<ChatApp>()
        let driver = launched(&disk) { disk in
            disk[.pairing(.credentials)] = nil
            disk[.pairing(key)] = foreign
        }
        #expect(driver.state.pairing.phase == .failed(.unreadable(.damaged, .none)))
        #expect(disk[.pairing(key)] == foreign && driver.storage.isEmpty)
    }
}
