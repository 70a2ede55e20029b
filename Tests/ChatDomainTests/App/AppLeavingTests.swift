// What a sign-out leaves to do at the root: data is erased at the second try, and nobody sees another's suggestions.

import Testing

@testable import ChatDomain

@Suite("App: after a sign-out")
struct AppLeavingTests {
    private static let target = SmartReplies.Target(conversation: .main, message: "s_1", text: "Well?")

    /// Kay is in.
    private func signedIn(_ disk: inout Disk<ChatApp>) -> Driver<ChatApp> {
        let device = DeviceInfo(platform: "iOS", model: "iPhone 15")
        let app = ChatApp(pairing: Pairing(configuration: Pairing.Configuration(device: device)))
        var driver = Driver(app, state: ChatApp.State(app))
        driver.send(.launched)
        driver.serve(from: &disk)
        signIn("Kay", &driver, &disk)
        return driver
    }

    private func signIn(_ name: ExactText, _ driver: inout Driver<ChatApp>, _ disk: inout Disk<ChatApp>) {
        driver.send(.pairing(.nameEdited(name)))
        driver.send(.pairing(.submitted))
        driver.serve(from: &disk)
        hear(&driver, .pairing(.granted(Secret("token"), UserID(name), isAdmin: false)))
        driver.serve(from: &disk)
        #expect(driver.state.account?.user == UserID(name))
    }

    private func hear(_ driver: inout Driver<ChatApp>, _ event: ChatApp.Event) {
        if let call = driver.calls.last?.call { driver.send(.received(event, on: call)) }
    }

    @Test("P10: the second tap on “erase my data” erases the data that the first could not erase")
    func erasesAgain() {
        var disk = Disk<ChatApp>()
        var driver = signedIn(&disk)
        driver.send(.dataErased)
        driver.serve(from: &disk, failing: { $0 == .person("Kay") })
        #expect(driver.state.pairing.notice == .dataNotErased && driver.storage.isEmpty)
        driver.send(.dataErased)
        #expect(driver.storage.map(\.key) == [.person("Kay")])
        driver.serve(from: &disk)
        #expect(driver.state.pairing.notice == nil && driver.state.pairing.erasing.isOver)
    }

    @Test(
        "P10, R2: a sign-out ends or takes away a suggestion, and no cache gives it to the next person",
        arguments: [false, true])
    func suggestion(isFinished: Bool) {
        var disk = Disk<ChatApp>()
        var driver = signedIn(&disk)
        driver.send(.smartReplies(.requested(.friendly, Self.target)))
        hear(&driver, .smartReplies(.token("Sure")))
        if isFinished { hear(&driver, .smartReplies(.done(nil, nil))) }
        #expect((driver.state.smartReplies.selected?.string == "Sure") == isFinished)
        driver.send(.pairing(.signedOut))
        driver.serve(from: &disk)
        #expect(driver.state.smartReplies.selected == nil && driver.calls.isEmpty && driver.timers.isEmpty)
        signIn("Ada", &driver, &disk)
        #expect(driver.state.smartReplies.phase == .idle)
        driver.send(.smartReplies(.requested(.friendly, Self.target)))
        #expect(driver.state.smartReplies.selected == nil && driver.calls.count == 1)
    }
}
