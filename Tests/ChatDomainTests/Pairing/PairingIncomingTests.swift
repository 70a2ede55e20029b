// The admin's side: rows of devices that ask to come in, and what is decided about them (P9).

@testable import ChatDomain
import Testing

@Suite("Pairing: the admin's side")
struct PairingIncomingTests {
    private let other = Attempt(number: 901)

    @Test("P9: one row a device with its latest words, one decision however often and variously tapped")
    func decisions() {
        var driver = PairingDriver.admin()
        driver.knock("d1", name: "\u{202E}Bo")
        driver.knock("d1", name: "Bob")
        driver.knock("d2")
        #expect(driver.shown == ["d1", "d2"])
        #expect(Pairing.incomingRows(driver.state).first?.request.claimedName == "Bob")
        for _ in 0..<3 {
            driver.send(.approved("d1", as: "bo"))
            driver.send(.denied("d1", reason: "no"))
        }
        #expect(driver.sent.map(\.frame) == [.decide("d1", .approve("bo"))])
        #expect(driver.shown == ["d2"])
        driver.send(.approved("d2", as: " \n"))
        #expect(driver.shown == ["d2"], "an approval names an account")
        driver.send(.denied("d2", reason: " \u{7}"))
        #expect(driver.sent.last?.frame == .decide("d2", .deny(reason: nil)))
        #expect(driver.sent.count == 2 && driver.send(.approved("unknown", as: "bo")).isEmpty)
    }

    @Test(
        "P9: a failed link brings back a decision younger than 5 s and not an older one",
        arguments: [0, 1, 2])
    func failedLink(how: Int) {
        var driver = PairingDriver.admin()
        for device in ["older", "exact", "younger", "open"] as [DeviceID] { driver.knock(device) }
        driver.send(.approved("older", as: "a"))
        driver.advance(by: Interval(nanoseconds: 1))
        driver.send(.approved("exact", as: "b"))
        driver.advance(by: Interval(nanoseconds: 1))
        driver.send(.denied("younger", reason: nil))
        driver.advance(by: .seconds(5) - Interval(nanoseconds: 1))
        #expect(driver.shown == ["open"])
        switch how {
        case 0: driver.send(.linkClosed(PairingDriver.link))
        case 1: driver.send(.ended(.link(PairingDriver.link), .failed(.lost)))
        default: driver.send(.linkOpened(other))
        }
        #expect(driver.shown == ["younger", "open"])
        // What came back can be decided about again, over the link that is there then.
        if how != 2 { driver.send(.linkOpened(other)) }
        #expect(driver.shown == ["younger", "open"])
        driver.send(.approved("younger", as: "c"))
        #expect(driver.sent.last == .init(call: .link(other), frame: .decide("younger", .approve("c"))))
        #expect(driver.sent.count == 4 && driver.shown == ["open"])
    }

    @Test("P9: who is no longer an admin sees no requests, and nothing of them is left to expire")
    func withdrawnRights() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.knock("d2")
        driver.send(.approved("d1", as: "a"))
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        #expect(driver.shown.isEmpty && !driver.isRunning(.incoming))
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown.isEmpty)
        driver.send(.linkOpened(other))
        driver.send(.received(.rights(isAdmin: true), on: .link(other)))
        driver.knock("d1", on: other)
        #expect(driver.shown == ["d1"])
    }

    @Test("P9, L4: the end of a link that was replaced brings nothing back, and what it says is not heard")
    func replacedLink() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.send(.linkOpened(other))
        driver.send(.approved("d1", as: "bo"))
        let before = driver.state
        #expect(driver.send(.linkClosed(PairingDriver.link)).isEmpty)
        #expect(driver.send(.ended(.link(PairingDriver.link), .completed)).isEmpty)
        #expect(driver.knock("d2").isEmpty)
        #expect(driver.send(.received(.resolved("d1"), on: .link(PairingDriver.link))).isEmpty)
        #expect(driver.send(.linkOpened(other)).isEmpty)
        #expect(driver.state == before)
    }

    @Test("P9: a re-emission after a decision shows the row again, with its first-seen age and place")
    func reemission() {
        var driver = PairingDriver.admin()
        let seen = driver.context.wall
        driver.knock("d1")
        driver.knock("d2")
        driver.advance(by: .seconds(10))
        driver.send(.denied("d1", reason: nil))
        #expect(driver.shown == ["d2"])
        driver.advance(by: .seconds(90))
        driver.knock("d1", name: "Bo again")
        let rows = Pairing.incomingRows(driver.state)
        #expect(rows.map(\.request.device) == ["d1", "d2"] && rows.map(\.firstSeen) == [seen, seen])
        #expect(rows.first?.request.claimedName == "Bo again")
        #expect(driver.remaining(.incoming) == .seconds(200))
        driver.send(.denied("d1", reason: nil))
        #expect(driver.sent.count == 2 && driver.shown == ["d2"])
    }

    @Test("L8: rights that a server changes over and over do not pile up on a silent disk")
    func rightsOnSilentDisk() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.linkOpened(PairingDriver.link))
        for number in 0..<1_000 {
            driver.send(.received(.rights(isAdmin: number % 2 == 1), on: .link(PairingDriver.link)))
        }
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        #expect(driver.storage.count == 1)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 2)
        #expect(next.state.session?.credentials.isAdmin == false)
    }

    @Test("P9: rights whose save failed are saved when the server tells them again, and not again after that")
    func rightsAgain() {
        var driver = PairingDriver.admin()
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        driver.answer(.credentials, with: .failed(.full))
        #expect(driver.storage.isEmpty)
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        #expect(driver.storage.map(\.key) == [.credentials])
        driver.answer(.credentials, with: .saved)
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        #expect(driver.storage.isEmpty)
    }

    @Test("P9: “already resolved” removes a row quietly, decided about or not; another's changes nothing")
    func resolved() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.advance(by: .seconds(1))
        driver.knock("d2")
        driver.send(.approved("d1", as: "bo"))
        for device in ["d1", "d2"] as [DeviceID] {
            driver.send(.received(.resolved(device), on: .link(PairingDriver.link)))
        }
        #expect(driver.shown.isEmpty && driver.state.notice == nil && driver.timers.isEmpty)
        #expect(driver.send(.received(.resolved("d1"), on: .link(PairingDriver.link))).isEmpty)
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown.isEmpty, "what is resolved is not in doubt")
        driver.send(.linkOpened(PairingDriver.link))
        driver.knock("d1")
        #expect(driver.remaining(.incoming) == .seconds(300), "after that it is a new request")
    }

    @Test("P9: a decision that the server does not take brings the row back, with what the server said")
    func notDecided() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.knock("d2")
        let refusal = Pairing.Event.notDecided("d1", reason: " Invalid\u{7} userId")
        #expect(driver.send(.received(refusal, on: .link(PairingDriver.link))).isEmpty)
        #expect(driver.state.notice == nil, "nothing was decided about it")
        driver.send(.approved("d1", as: "bo"))
        driver.send(.received(refusal, on: .link(PairingDriver.link)))
        #expect(driver.shown == ["d1", "d2"])
        #expect(
            Pairing.notice(driver.state, .neutral)
                == "The request is still waiting for your decision: Invalid userId")
        driver.send(.noticeDismissed)
        driver.send(.approved("d1", as: "bob"))
        #expect(driver.sent.last?.frame == .decide("d1", .approve("bob")) && driver.shown == ["d2"])
        driver.send(.received(.notDecided("d1", reason: " "), on: .link(PairingDriver.link)))
        #expect(driver.state.notice == .decisionRefused(nil) && driver.shown == ["d1", "d2"])
    }

    @Test("P9: a new person's account is minted with the decision, and another for each")
    func minted() throws {
        var driver = PairingDriver.admin()
        for device in ["d1", "d2"] as [DeviceID] {
            driver.knock(device)
            driver.send(.approved(device, as: nil))
            driver.send(.approved(device, as: nil))
        }
        var users: [String] = []
        for case .decide(_, .approve(let user)) in driver.sent.map(\.frame) { users.append(user.text.string) }
        #expect(users.count == 2 && Set(users).count == 2)
        for user in users {
            let parts = user.dropFirst(5).split(separator: "-").map(\.count)
            #expect(user.hasPrefix("user_") && parts == [8, 4, 4, 4, 12] && user.dropFirst(19).first == "4")
        }
    }

    @Test("P4, P9: rights that the server tells are kept and stored once; another link's are not heard")
    func rights() {
        var driver = PairingDriver.admin()
        #expect(driver.send(.received(.rights(isAdmin: true), on: .link(PairingDriver.link))).isEmpty)
        #expect(driver.send(.received(.rights(isAdmin: false), on: .link(other))).isEmpty)
        let effects = driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        guard let session = driver.state.session else { return #expect(Bool(false)) }
        #expect(!session.credentials.isAdmin && effects.count == 1)
        guard case .save(.credentials(session.credentials), .credentials, _)? = effects.first else {
            return #expect(Bool(false))
        }
        #expect(driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link))).isEmpty)
    }

    @Test("P9: a decision without a link keeps the row and says so until the person has read it")
    func noLink() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.send(.approved("d1", as: "bo")).isEmpty)
        #expect(driver.send(.denied("d1", reason: nil)).isEmpty)
        #expect(driver.shown == ["d1"] && driver.sent.isEmpty)
        for wording in [Wording.neutral, .coach] {
            #expect(Pairing.notice(driver.state, wording) == wording.decisionNotSent)
        }
        driver.send(.noticeDismissed)
        #expect(Pairing.notice(driver.state, .neutral) == nil && driver.shown == ["d1"])
    }

    @Test("P9: a row expires exactly 300 s after first sight, also when re-emitted, decided or back again")
    func expiry() {
        var driver = PairingDriver.admin()
        for device in ["silent", "repeated", "decided", "back"] as [DeviceID] { driver.knock(device) }
        driver.advance(by: .seconds(100))
        driver.knock("later")
        driver.knock("repeated")
        driver.send(.approved("decided", as: "a"))
        driver.advance(by: .seconds(196))
        driver.knock("repeated")
        driver.send(.approved("back", as: "b"))
        driver.advance(by: .seconds(4) - Interval(nanoseconds: 1))
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown == ["silent", "repeated", "back", "later"])
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.shown == ["later"] && driver.state.incoming.rows.rows.count == 1)
        driver.advance(by: .seconds(100) - Interval(nanoseconds: 1))
        #expect(driver.shown == ["later"])
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.shown.isEmpty && driver.timers.isEmpty)
    }

    @Test("L8: 100 requests are shown; one that was decided about makes room")
    func rowLimit() {
        var driver = PairingDriver.admin()
        for number in 0..<101 { driver.knock(DeviceID("d\(number)")) }
        #expect(driver.shown.count == 100)
        driver.send(.denied("d0", reason: nil))
        driver.knock("new")
        #expect(driver.shown.count == 100 && driver.shown.last == "new")
    }

    @Test("P9: a row tells the version of the system and that of the app, each in its place")
    func versions() {
        var driver = PairingDriver.admin()
        let info = DeviceInfo(platform: "iOS", model: "iPad", systemVersion: "18.1", appVersion: "2.0")
        let request = PairingRequest(device: "d1", claimedName: "Bo", info: info)
        driver.send(.received(.requested(request), on: .link(PairingDriver.link)))
        #expect(Pairing.incomingRows(driver.state).map(\.request) == [request])
    }

    @Test("P9, L8: a full table forgets an old decision, and not one that a lost link brings back")
    func fullTable() {
        var driver = PairingDriver.admin()
        for number in 0..<100 { driver.knock(DeviceID("d\(number)")) }
        driver.send(.approved("d0", as: "bo"))
        driver.advance(by: .seconds(10))
        driver.send(.denied("d1", reason: nil))
        driver.knock("new")
        #expect(driver.shown.count == 99 && driver.shown.last == "new")
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown.count == 100 && driver.shown.first == "d1")
    }

    @Test("P9, L8: a full table forgets the oldest decision, wherever its row stands")
    func fullTableByDecision() {
        var driver = PairingDriver.admin()
        for number in 0..<100 { driver.knock(DeviceID("d\(number)")) }
        driver.send(.approved("d1", as: "bo"))
        driver.advance(by: .seconds(10))
        driver.send(.denied("d0", reason: nil))
        driver.knock("new")
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown.count == 100 && driver.shown.first == "d0")
    }

    @Test("P4, P9: the rights of somebody whom this device does not remember are not stored")
    func rightsOfUnremembered() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        driver.serve(from: &disk, failing: { $0.isSecret }, with: .full)
        #expect(driver.state.session?.isRemembered == false)
        driver.send(.linkOpened(PairingDriver.link))
        driver.send(.received(.rights(isAdmin: false), on: .link(PairingDriver.link)))
        driver.serve(from: &disk)
        #expect(driver.state.session?.credentials.isAdmin == false && disk[.credentials] == nil)
    }

    @Test("P9, L8: in a full table, a device that asks again takes the place of no decision")
    func fullTableOfKnown() {
        var driver = PairingDriver.admin()
        for number in 0..<100 { driver.knock(DeviceID("d\(number)")) }
        driver.send(.approved("d0", as: "bo"))
        driver.advance(by: .seconds(2))
        driver.knock("d1")
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown.count == 100 && driver.shown.first == "d0")
    }

    @Test(
        "P9, L8: a request of a device without a genuine id is not shown",
        arguments: [0, 1_024, 1_025] as [Int])
    func nameless(length: Int) {
        let device = DeviceID(ExactText(String(repeating: "d", count: length)))
        var driver = PairingDriver.admin()
        driver.knock(device)
        #expect(driver.shown == (length == 1_024 ? [device] : []))
    }
}
