import ChatDomain
import Testing

@Suite("Pairing: waiting and coming in")
struct PairingWaitingTests {
    @Test("P4: the secret is saved, then the record, then the person is in")
    func saves() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        #expect(driver.storage.count == 1 && driver.calls.isEmpty && driver.isRunning(.storage))
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true && driver.timers.isEmpty)
        #expect(disk[.request] == nil)
    }

    @Test("P4: storage that stays silent lets the person in after 5 s, and says so")
    func silentSave() {
        var driver = PairingDriver.asking()
        driver.grant()
        driver.advance(by: .seconds(5))
        #expect(driver.state.session?.isRemembered == false)
        #expect(driver.state.notice == .notRemembered && driver.timers.isEmpty)
    }

    @Test("P4: a secret that cannot be saved lets the person in, and says so")
    func failedSave() {
        var driver = PairingDriver.asking()
        driver.grant()
        guard let key = driver.storage.first?.key else { return }
        driver.answer(key, with: .failed(.full))
        #expect(driver.state.session?.isRemembered == false)
    }

    @Test(
        "P5: denial, rejection and time-out each have their message, and the name stays filled in",
        arguments: [Refusal.denied(reason: "no\u{7}"), .rejected(reason: nil), .timedOut])
    func refusals(refusal: Refusal) {
        var driver = PairingDriver.asking()
        driver.hear(.refused(refusal))
        #expect(driver.failure != nil && driver.calls.isEmpty && driver.timers.isEmpty)
        if case .denied = refusal {
            #expect(Pairing.screen(driver.state, .neutral) == .failed("no", button: "Try Again"))
        }
        driver.send(.retried)
        #expect(driver.state.phase == .enteringName && driver.state.name == "Kay")
    }

    @Test("P6: the request lives exactly 300 s, retries or not; approval at 300 s is late")
    func lifetime() {
        var driver = PairingDriver.asking()
        driver.advance(by: .seconds(300) - Interval(nanoseconds: 1))
        let last = driver.calls.last?.call
        #expect(driver.waiting != nil)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.failure == .timedOut && driver.timers.isEmpty && driver.calls.isEmpty)
        if let last {
            #expect(
                driver.send(.received(.granted(PairingDriver.token, "k", isAdmin: false), on: last)).isEmpty)
        }
    }

    @Test("P6: never more than 4 questions in any 60 s, over random failures, cancels and relaunches")
    func throttled() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var disk = Disk<Pairing>()
            var driver = PairingDriver.asking(&disk)
            var asked = [driver.context.wall]
            for _ in 0..<150 {
                let before = driver.calls.last?.call
                switch entropy.next() % 8 {
                case 0, 1: driver.lose()
                case 2: driver.lose(.refused(status: 503, retryAfter: .seconds(-9), message: ""))
                case 3: driver.send(.networkReturned)
                case 4: driver.send(.cancelled)
                case 5: driver.submit("Kay")
                case 6 where driver.waiting != nil:
                    driver.serve(from: &disk)
                    driver = .launched(with: &disk, seed: seed, wall: driver.context.wall)
                default: driver.advance(by: .milliseconds(Int64(entropy.next() % 1_000)))
                }
                driver.serve(from: &disk)
                if let call = driver.calls.last?.call, call != before { asked.append(driver.context.wall) }
                if driver.failure != nil { driver.send(.retried) }
            }
            for (first, fifth) in zip(asked, asked.dropFirst(4)) { #expect(fifth - first >= .seconds(60)) }
        }
    }

    @Test(
        "P6: a server-told wait is kept when the network returns; an endless one ends with the request",
        arguments: [Interval.seconds(100), .max])
    func toldWait(wait: Interval) {
        var driver = PairingDriver.asking()
        driver.lose(.refused(status: 429, retryAfter: wait, message: ""))
        driver.send(.networkReturned)
        #expect(driver.calls.isEmpty && driver.isRunning(.retry))
        driver.advance(by: .seconds(300))
        #expect(wait == .max ? driver.failure == .timedOut : driver.failure != nil)
    }

    @Test(
        "P6: a relaunch goes on with what is left; a clock set back gives no more than 300 s",
        arguments: [(100, 200), (-5_000, 300)] as [(Int64, Int64)])
    func relaunch(moved: Int64, left: Int64) {
        var disk = Disk<Pairing>()
        let driver = PairingDriver.asking(&disk)
        let again = PairingDriver.launched(with: &disk, wall: driver.context.wall + .seconds(moved))
        #expect(again.remaining(.approval) == .seconds(left))
        #expect(again.state.name == "Kay" && again.deviceID == driver.deviceID)
    }

    @Test("P6: a request that is over at the relaunch has failed and is erased")
    func relaunchLate() {
        var disk = Disk<Pairing>()
        let driver = PairingDriver.asking(&disk)
        let again = PairingDriver.launched(with: &disk, wall: driver.context.wall + .seconds(300))
        #expect(again.failure == .timedOut && disk[.request] == nil)
    }

    @Test("P7: cancel returns to the name; a success that arrives afterwards is not stored")
    func cancel() {
        var driver = PairingDriver.asking()
        guard let call = driver.calls.last?.call else { return }
        driver.send(.cancelled)
        #expect(driver.state.phase == .enteringName && driver.calls.isEmpty && driver.timers.isEmpty)
        #expect(driver.send(.received(.granted(PairingDriver.token, "k", isAdmin: true), on: call)).isEmpty)
        #expect(driver.send(.cancelled).isEmpty)
    }

    @Test("P7: cancel while the secret is being saved takes it back and leaves an older record alone")
    func cancelSaving() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        driver.send(.cancelled)
        #expect(!driver.storage.contains { $0.key == .credentials })
        driver.serve(from: &disk)
        #expect(disk.records.map(\.key) == [.device])
    }

    @Test("P8: after a lost connection the same device asks again, and the answer brings the token")
    func reask() {
        var driver = PairingDriver.asking()
        let first = driver.calls.last?.request
        driver.lose()
        driver.advance(by: .seconds(2))
        #expect(driver.calls.map(\.request) == [first])
        driver.grant()
        #expect(driver.waiting != nil && !driver.isAsking)
    }

    @Test("L4: answers of a replaced question change nothing")
    func ghosts() {
        var driver = PairingDriver.asking()
        guard let old = driver.calls.last?.call else { return }
        driver.advance(by: .seconds(30))
        #expect(driver.calls.count == 1 && driver.calls.last?.call != old)
        let before = driver.state
        #expect(driver.send(.received(.refused(.timedOut), on: old)).isEmpty)
        #expect(driver.send(.ended(old, .failed(.lost))).isEmpty)
        #expect(driver.state == before)
    }

    @Test("P10: sign-out erases record, then token; a failure of either is told; no request comes back")
    func signOut() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.credentialsRefused(.tokenRevoked))
        #expect(driver.storage.first?.key == .credentials && driver.storage.count == 2)
        #expect(driver.state.phase == .idle && driver.state.notice == .signedOut(.tokenRevoked))
        guard let key = driver.storage.last?.key else { return }
        driver.answer(key, with: .failed(.full))
        driver.answer(.credentials, with: .erased)
        #expect(driver.state.notice == .notErased && driver.state.erasing.secret == nil)
    }

    @Test("P9: one row a device, one decision however often tapped; a lost connection brings it back")
    func decisions() {
        var driver = PairingDriver.admin()
        driver.knock("d1", name: "\u{202E}Bo")
        driver.knock("d1")
        driver.knock("d2")
        #expect(driver.shown == ["d1", "d2"])
        #expect(driver.send(.approved("d1", as: "bo")).count == 1)
        #expect(driver.send(.approved("d1", as: "bo")).isEmpty && driver.shown == ["d2"])
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown == ["d1", "d2"])
        #expect(driver.send(.denied("d2", reason: nil)).isEmpty && driver.state.notice == .decisionNotSent)
        driver.advance(by: .seconds(300))
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
}
