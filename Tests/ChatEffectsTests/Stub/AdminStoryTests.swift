@testable import ChatDomain
@testable import ChatEffects
import Testing

/// Pairing requests of other devices, from the visitor to the admin's decision, and the other way round.
@Suite("An admin, from request to decision")
struct AdminStoryTests {
    private let visitor = PairingRequest(
        device: "visitor", claimedName: "Bob", info: DeviceInfo(platform: "Web", model: "Browser"))

    private func loop(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var behaviour = LocalServer.Behaviour(rules: rules)
        behaviour.approval = .byAdmin
        behaviour.admins = ["kaywood"]
        return StoryLoop.connected(behaviour)
    }

    private func visited(rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = loop(rules: rules)
        loop.server.visit(visitor, at: loop.moment)
        loop.advance(by: .zero)
        return loop
    }

    private func rows(_ loop: StoryLoop) -> [Pairing.IncomingRow] {
        Pairing.incomingRows(loop.state.pairing)
    }

    // MARK: The admin

    @Test("P9: a request is one row from its first sight on, whatever reconnects, and is approved by name")
    func approves() {
        var loop = visited()
        #expect(rows(loop).map { $0.request } == [visitor])
        let seen = loop.moment.wall
        for _ in 0..<3 {
            loop.server.dropConnections()
            loop.advance(by: .seconds(20))
        }
        #expect(rows(loop).map { $0.firstSeen } == [seen])
        loop.send(.pairing(.approved("visitor", as: "bob-1")))
        #expect(rows(loop).isEmpty)
        loop.advance(by: .seconds(5))
        #expect(loop.server.user(of: "visitor") == "bob-1")
        loop.server.dropConnections()
        loop.advance(by: .seconds(20))
        #expect(rows(loop).isEmpty && loop.banner == nil)
    }

    @Test("P9: a visitor's newer description replaces the shown one, in the row's old place")
    func asksAgain() {
        var loop = visited()
        let other = PairingRequest(device: "other", claimedName: "Eve", info: visitor.info)
        let renamed = PairingRequest(device: "visitor", claimedName: "Robert", info: visitor.info)
        for request in [other, renamed, renamed] { loop.server.visit(request, at: loop.moment) }
        loop.advance(by: .seconds(1))
        #expect(rows(loop).map { $0.request.claimedName } == ["Robert", "Eve"])
    }

    @Test("P9: a denied visitor is not in, and the row stays away")
    func denies() {
        var loop = visited()
        loop.send(.pairing(.denied("visitor", reason: nil)))
        loop.advance(by: .seconds(5))
        loop.server.dropConnections()
        loop.advance(by: .seconds(20))
        #expect(rows(loop).isEmpty && loop.server.user(of: "visitor") == nil)
    }

    @Test("P9: the first decision wins; the row of the second goes without a word")
    func otherWasFirst() {
        var loop = visited()
        loop.server.decide("visitor", .approve("bob"), at: loop.moment)
        #expect(rows(loop).count == 1)
        loop.send(.pairing(.denied("visitor", reason: nil)))
        loop.advance(by: .minutes(10))
        #expect(rows(loop).isEmpty && loop.server.user(of: "visitor") == "bob")
        #expect(loop.banner == nil && Pairing.notice(loop.state.pairing, .neutral) == nil)
    }

    @Test("P9: a decision that is lost on its way comes back as a row, and can be made again")
    func lost() {
        var loop = visited(rules: [.init(.decision, .drop, times: 1)])
        loop.send(.pairing(.approved("visitor", as: "bob")))
        #expect(rows(loop).count == 1 && loop.server.user(of: "visitor") == nil)
        loop.advance(by: .seconds(20))
        loop.send(.pairing(.approved("visitor", as: "bob")))
        loop.advance(by: .seconds(20))
        #expect(rows(loop).isEmpty && loop.server.user(of: "visitor") == "bob")
    }

    @Test("P9: a decision whose connection was lost at once comes back as a row; made again, it goes quietly")
    func doubtful() {
        var loop = visited()
        loop.send(.pairing(.approved("visitor", as: "bob")))
        loop.server.dropConnections()
        loop.advance(by: .seconds(20))
        #expect(rows(loop).count == 1 && loop.server.user(of: "visitor") == "bob")
        loop.send(.pairing(.approved("visitor", as: "robert")))
        loop.advance(by: .seconds(1))
        #expect(rows(loop).isEmpty && loop.server.user(of: "visitor") == "bob" && loop.banner == nil)
    }

    @Test("P9: a request that nobody decides about goes after 300 s, here and there")
    func expires() {
        var loop = visited()
        loop.advance(by: .milliseconds(299_999))
        #expect(rows(loop).count == 1)
        loop.advance(by: .milliseconds(1))
        #expect(rows(loop).isEmpty)
        loop.server.dropConnections()
        loop.advance(by: .seconds(20))
        #expect(rows(loop).isEmpty && loop.server.user(of: "visitor") == nil)
    }

    @Test(
        "P9: a person without rights is told of no visitor; the next connection makes a late word good"
    )
    func announcements() {
        var loop = loop()
        loop.server.behaviour.admins = ["somebody else"]
        loop.server.visit(visitor, at: loop.moment)
        loop.advance(by: .seconds(1))
        #expect(rows(loop).isEmpty)

        loop = visited(rules: [.init(.announcement, .silence, times: 1)])
        #expect(rows(loop).isEmpty)
        loop.server.dropConnections()
        loop.advance(by: .seconds(20))
        #expect(rows(loop).count == 1)
    }

    // MARK: The other side

    private func waiting() -> StoryLoop {
        var behaviour = LocalServer.Behaviour()
        behaviour.approval = .byAdmin
        behaviour.code = "1234"
        var loop = StoryLoop.fresh(behaviour)
        loop.pair()
        loop.advance(by: .minutes(2))
        return loop
    }

    @Test("P3, P8: the device that waits is let in under the account that the admin names, transport or not")
    func letIn() throws {
        for isDown in [false, true] {
            var loop = waiting()
            #expect(
                loop.screen
                    == .waiting(Wording.neutral.waitingForApproval, code: Wording.neutral.code("1234")))
            guard case .known(let device) = loop.state.pairing.device else {
                Issue.record("there is no device id")
                return
            }
            if isDown { loop.server.dropConnections() }
            loop.server.decide(device, .approve("lovelace"), at: loop.moment)
            loop.advance(by: .seconds(40))
            #expect(loop.screen == .finished && loop.state.account?.user == "lovelace")
        }
    }

    @Test("P5: the device that waits is told that it was denied, with the reason, and may ask again")
    func turnedAway() {
        var loop = waiting()
        guard case .known(let device) = loop.state.pairing.device else {
            Issue.record("the device has no id")
            return
        }
        loop.server.decide(device, .deny(reason: "Not today"), at: loop.moment)
        loop.advance(by: .zero)
        #expect(loop.screen == .failed("Not today", button: Wording.neutral.tryAgain))
        loop.send(.pairing(.retried))
        loop.send(.pairing(.submitted))
        loop.advance(by: .seconds(1))
        loop.server.decide(device, .approve("ada"), at: loop.moment)
        loop.advance(by: .zero)
        #expect(loop.screen == .finished)
    }

    @Test("P5, P6: nobody decides for 300 s")
    func nobodyDecides() {
        var loop = waiting()
        loop.advance(by: .milliseconds(179_999))
        #expect(loop.screen != .failed(Wording.neutral.pairingTimedOut, button: Wording.neutral.tryAgain))
        loop.advance(by: .milliseconds(1))
        #expect(loop.screen == .failed(Wording.neutral.pairingTimedOut, button: Wording.neutral.tryAgain))
    }
}
