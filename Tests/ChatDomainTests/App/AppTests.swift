@testable import ChatDomain
import Testing

@Suite("App: the root")
struct AppTests {
    private static let credentials = Credentials(user: "kay", isAdmin: true, secret: SecretHandle("h"))

    private func launched(
        signedIn: Bool, chat: Chat = Chat(), smartReplies: SmartReplies = SmartReplies()
    ) -> (Driver<ChatApp>, Disk<ChatApp>) {
        let device = DeviceInfo(platform: "iOS", model: "iPhone 15")
        let app = ChatApp(
            pairing: Pairing(configuration: Pairing.Configuration(device: device)), chat: chat,
            smartReplies: smartReplies)
        var disk = Disk<ChatApp>()
        if signedIn {
            disk[.pairing(.device)] = .pairing(.device("device-1"))
            disk[.pairing(.credentials)] = .pairing(.credentials(Self.credentials))
            disk[.pairing(.secret(Self.credentials.secret))] = .pairing(.secret(Secret("token")))
        }
        var driver = Driver(app, state: ChatApp.State(app))
        driver.send(.chat(.shown))
        driver.send(.launched)
        driver.serve(from: &disk)
        return (driver, disk)
    }

    private func hear(_ driver: inout Driver<ChatApp>, _ event: ChatApp.Event) {
        guard let call = driver.calls.last?.call else {
            Issue.record("no call is open for \(event)")
            return
        }
        driver.send(.received(event, on: call))
    }

    private func connect(_ driver: inout Driver<ChatApp>) {
        hear(&driver, .chat(.authenticated(replayCount: 0, isTruncated: false, isReset: false)))
    }

    @Test("R1: without credentials the app is at pairing, and chat connects nowhere")
    func noCredentials() {
        let (driver, _) = launched(signedIn: false)
        #expect(driver.state.pairing.phase == .idle)
        #expect(driver.state.chat.account == nil && driver.calls.isEmpty)
    }

    @Test("R1: with credentials the app is at chat, which connects")
    func credentials() {
        let (driver, _) = launched(signedIn: true)
        #expect(driver.state.chat.account?.user == "kay")
        #expect(driver.calls.count == 1)
    }

    @Test("R1, P10: refused credentials lead back to pairing, and nothing stays open or running")
    func refused() {
        var (driver, disk) = launched(signedIn: true)
        connect(&driver)
        hear(&driver, .chat(.credentialsRefused(.tokenRevoked)))
        #expect(driver.state.pairing.phase == .idle)
        #expect(driver.state.pairing.notice == .signedOut(.tokenRevoked))
        #expect(driver.state.chat.account == nil && driver.calls.isEmpty)
        driver.serve(from: &disk)
        #expect(driver.timers.isEmpty)
        #expect(disk[.pairing(.credentials)] == nil && disk[.pairing(.device)] != nil)
    }

    @Test("R1, P9: pairing learns of chat's connection when it is ready, and when it is gone")
    func links() {
        var (driver, _) = launched(signedIn: true)
        #expect(driver.state.pairing.incoming.link == nil)
        connect(&driver)
        #expect(driver.state.pairing.incoming.link == driver.state.chat.connection.link)
        #expect(driver.state.pairing.incoming.link != nil)
        let request = PairingRequest(
            device: "d2", claimedName: "Bo", info: DeviceInfo(platform: "iOS", model: "iPad"))
        hear(&driver, .pairing(.requested(request)))
        #expect(Pairing.incomingRows(driver.state.pairing).count == 1)
        driver.send(.pairing(.approved("d2", as: "bo")))
        #expect(driver.sent.last?.frame == .pairing(.decide("d2", .approve("bo"))))
        #expect(driver.sent.last?.call == driver.calls.last?.call)
        if let call = driver.calls.last?.call { driver.end(call, .failed(.lost)) }
        #expect(driver.state.pairing.incoming.link == nil)
    }

    private static let refused = CallEnd.refused(status: 401, retryAfter: nil, message: "")
    private static let renewed = Streaming.Access(secret: SecretHandle("new"), expires: nil)
    /// The answer of a server that tells no expiry: it is stored under the former handle.
    private static let renewedAlike = Streaming.Access(secret: AppTests.credentials.secret, expires: nil)

    /// The secret with which the assistant is being asked.
    private func secretOfAssistant(_ driver: Driver<ChatApp>) -> SecretHandle? {
        for open in driver.calls {
            if case .assistant(.ask(_, _, _, let secret)) = open.request { return secret }
        }
        return nil
    }

    /// Asks the assistant; the answer tells with which secret.
    private func ask(_ driver: inout Driver<ChatApp>) -> SecretHandle? {
        driver.send(.assistant(.opened))
        driver.send(.assistant(.draftEdited("Why?")))
        driver.send(.assistant(.sent))
        return secretOfAssistant(driver)
    }

    @Test(
        "S9, R2: credentials that chat has had made new reach the assistant, and what waits there",
        arguments: [false, true])
    func renewedByChat(isAlike: Bool) {
        let access = isAlike ? Self.renewedAlike : Self.renewed
        var configuration = Chat.Configuration()
        configuration.carriage = .streams(Streaming.Configuration(canRefresh: true))
        for isWaiting in [false, true] {
            var (driver, disk) = launched(signedIn: true, chat: Chat(configuration: configuration))
            if isWaiting {
                #expect(ask(&driver) == Self.credentials.secret)
                if let call = driver.calls.last?.call { driver.end(call, Self.refused) }
                #expect(Assistant.wantsLogIn(driver.state.assistant))
            }
            driver.send(.chat(.draftEdited("Hi")))
            driver.send(.chat(.sent))
            driver.serve(from: &disk)
            if let call = driver.calls.last?.call { driver.end(call, Self.refused) }
            hear(&driver, .chat(.streamed(.refreshed(access))))
            #expect(driver.state.smartReplies.reply.access == access)
            if isWaiting {
                #expect(!Assistant.wantsLogIn(driver.state.assistant))
                #expect(secretOfAssistant(driver) == access.secret)
            } else {
                #expect(ask(&driver) == access.secret)
            }
        }
    }

    @Test("S9, R2: credentials that a suggestion has had made new reach chat and the assistant")
    func renewedBySmartReplies() {
        var suggestions = SmartReplies.Configuration()
        suggestions.streaming.canRefresh = true
        var streams = Chat.Configuration()
        streams.carriage = .streams(Streaming.Configuration(canRefresh: true))
        for configuration in [Chat.Configuration(), streams] {
            var (driver, _) = launched(
                signedIn: true, chat: Chat(configuration: configuration),
                smartReplies: SmartReplies(configuration: suggestions))
            let target = SmartReplies.Target(conversation: .main, message: "s_1", text: "Well?")
            driver.send(.smartReplies(.requested(.friendly, target)))
            if let call = driver.calls.last?.call { driver.end(call, Self.refused) }
            hear(&driver, .smartReplies(.refreshed(Self.renewed)))
            #expect(driver.state.chat.account?.access == Self.renewed)
            #expect(ask(&driver) == SecretHandle("new"))
        }
    }

    @Test(
        "S9, A6, L4: credentials that a suggestion renews let the assistant go on, unless it was dismissed",
        arguments: [false, true])
    func renewedAlikeBySmartReplies(isDismissed: Bool) throws {
        var suggestions = SmartReplies.Configuration()
        suggestions.streaming.canRefresh = true
        var (driver, _) = launched(
            signedIn: true, smartReplies: SmartReplies(configuration: suggestions))
        #expect(ask(&driver) == Self.credentials.secret)
        if let call = driver.calls.last?.call { driver.end(call, Self.refused) }
        driver.send(.networkChanged(isUp: true))
        #expect(Assistant.wantsLogIn(driver.state.assistant) && secretOfAssistant(driver) == nil)
        let target = SmartReplies.Target(conversation: .main, message: "s_1", text: "Well?")
        driver.send(.smartReplies(.requested(.friendly, target)))
        if let call = driver.calls.last?.call { driver.end(call, Self.refused) }
        let renewal = try #require(driver.calls.last?.call)
        if isDismissed { driver.send(.smartReplies(.dismissed)) }
        driver.send(.received(.smartReplies(.refreshed(Self.renewedAlike)), on: renewal))
        #expect(Assistant.wantsLogIn(driver.state.assistant) == isDismissed)
        #expect(secretOfAssistant(driver) == (isDismissed ? nil : Self.credentials.secret))
    }

    @Test("R2: the network and the background reach the features that they concern")
    func reach() {
        var (driver, _) = launched(signedIn: true)
        connect(&driver)
        driver.send(.networkChanged(isUp: false))
        #expect(!driver.state.chat.shared.wish.isNetworkUp && !driver.state.isNetworkUp)
        #expect(!driver.state.assistant.isNetworkUp)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.state.chat.shared.wish.isNetworkUp && driver.state.assistant.isNetworkUp)
        driver.send(.backgrounded)
        driver.advance(by: .seconds(2))
        #expect(driver.calls.isEmpty && driver.state.pairing.incoming.link == nil)
        driver.send(.foregrounded)
        #expect(driver.calls.count == 1)
    }

    @Test("R2, S14: short of memory, the suggestions forget the replies that they keep")
    func memory() {
        var (driver, _) = launched(signedIn: true)
        let open = driver.calls.count
        let target = SmartReplies.Target(conversation: .main, message: "s_1", text: "Well?")
        driver.send(.smartReplies(.requested(.friendly, target)))
        hear(&driver, .smartReplies(.token("Sure")))
        hear(&driver, .smartReplies(.done(nil, nil)))
        driver.send(.smartReplies(.requested(.friendly, target)))
        #expect(driver.calls.count == open && driver.state.smartReplies.selected?.string == "Sure")
        driver.send(.memoryWarned)
        driver.send(.smartReplies(.requested(.friendly, target)))
        #expect(driver.calls.count == open + 1)
    }

    @Test("R2, P6: pairing asks again when the network comes back, and not when it goes")
    func networkOfPairing() throws {
        var (driver, disk) = launched(signedIn: false)
        driver.send(.pairing(.nameEdited("Kay")))
        driver.send(.pairing(.submitted))
        driver.serve(from: &disk)
        let asked = try #require(driver.calls.last?.call)
        driver.end(asked, .failed(.lost))
        driver.send(.networkChanged(isUp: false))
        #expect(driver.calls.isEmpty)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.calls.count == 1)
    }

    @Test("R2, P10: signing out closes chat, and what it had open changes nothing any more")
    func signOut() throws {
        var (driver, disk) = launched(signedIn: true)
        connect(&driver)
        let old = try #require(driver.calls.last?.call)
        driver.send(.chat(.draftEdited("half")))
        driver.send(.pairing(.signedOut))
        driver.serve(from: &disk)
        #expect(driver.state.chat.conversation.draft.text == "" && driver.calls.isEmpty)
        let before = driver.state
        #expect(driver.send(.received(.chat(.failed("ghost")), on: old)).isEmpty)
        #expect(driver.state == before)
        guard case .chat(.draft(let draft, _, _)) = disk[.chat(.draft("kay", .main))] else {
            return #expect(Bool(false))
        }
        #expect(draft == "half")
    }

    @Test("P10: data that a slow disk does not have yet at an erase is not stored after it")
    func erased() {
        var (driver, disk) = launched(signedIn: true)
        driver = Driver(driver.feature, state: ChatApp.State(driver.feature))
        driver.send(.launched)
        let isSlow = { (key: ChatApp.Key) in key == .chat(.draft("kay", .main)) }
        driver.serve(from: &disk, but: isSlow)
        driver.send(.chat(.draftEdited("half")))
        driver.send(.dataErased)
        driver.serve(from: &disk, but: isSlow)
        driver.serve(from: &disk)
        #expect(driver.state.chat.departed.isEmpty && disk[.chat(.draft("kay", .main))] == nil)
    }

    @Test("P10: what a sign-out still saves is saved before all data of the person is erased")
    func erasesLast() throws {
        var (driver, _) = launched(signedIn: true)
        driver.send(.chat(.draftEdited("half")))
        driver.send(.dataErased)
        let draft = ChatApp.Key.chat(.draft("kay", .main))
        let save = try #require(driver.storage.lastIndex { $0.key == draft && $0.work != .load })
        let erasure = try #require(driver.storage.firstIndex { $0.key == .person("kay") })
        #expect(save < erasure)
    }

    @Test("P10: a launch erases the data of each of two people who have left")
    func erasesTwo() {
        let device = DeviceInfo(platform: "iOS", model: "iPhone 15")
        let app = ChatApp(pairing: Pairing(configuration: Pairing.Configuration(device: device)))
        var disk = Disk<ChatApp>()
        var driver = Driver(app, state: ChatApp.State(app))
        disk[.pairing(.device)] = .pairing(.device("device-1"))
        disk[.pairing(.request)] = .pairing(
            .request(PendingRequest(name: "", submitted: driver.context.wall, erased: ["ada", "bo"])))
        driver.send(.launched)
        driver.serve(from: &disk, but: { if case .person = $0 { true } else { false } })
        #expect(driver.storage.map(\.key) == [.person("ada"), .person("bo")])
    }
}
