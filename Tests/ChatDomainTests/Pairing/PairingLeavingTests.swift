// Giving up waiting (P7, L7) and leaving this device (P10).

@testable import ChatDomain
import Testing

@Suite("Pairing: cancel and sign-out")
struct PairingLeavingTests {
    enum Place: CaseIterable {
        case identifying, asking, backingOff, savingSecret, savingCredentials
    }

    /// A device that waits at a place, with what is on its disk.
    private func waiting(_ place: Place) -> (driver: PairingDriver, disk: Disk<Pairing>) {
        var disk = Disk<Pairing>()
        if place == .identifying {
            var driver = PairingDriver.fresh()
            driver.send(.launched)
            driver.advance(by: .seconds(5))
            driver.submit("Kay")
            return (driver, disk)
        }
        var driver = PairingDriver.asking(&disk)
        if place == .backingOff { driver.lose() }
        if place == .savingSecret || place == .savingCredentials { driver.grant() }
        while place == .savingCredentials, self.place(driver) != place, let operation = driver.storage.first {
            driver.answer(operation.key, with: disk.carryOut(operation))
        }
        return (driver, disk)
    }

    private func place(_ driver: PairingDriver) -> Place? {
        switch driver.waiting?.stage {
        case .identifying: .identifying
        case .asking: .asking
        case .backingOff: .backingOff
        case .savingSecret: .savingSecret
        case .savingCredentials: .savingCredentials
        case nil: nil
        }
    }

    @Test(
        "P7, L7: cancel is final, silent and idempotent in every stage, and nothing of the person stays stored",
        arguments: Place.allCases)
    func cancel(at stage: Place) {
        var (driver, disk) = waiting(stage)
        #expect(place(driver) == stage)
        driver.send(.cancelled)
        #expect(driver.state.phase == .enteringName && driver.state.name == "Kay")
        #expect(driver.state.notice == nil && driver.calls.isEmpty)
        #expect(driver.timers.allSatisfy { $0.timer == .erasing })
        let after = driver.state
        #expect(driver.send(.cancelled).isEmpty && driver.state == after)
        driver.serve(from: &disk)
        #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
        if case .request(let memory) = disk[.request] { #expect(memory.name.isEmpty) }
        #expect(driver.state.phase == .enteringName && driver.state.notice == nil)
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        let again = PairingDriver.launched(with: &disk, wall: driver.context.wall)
        #expect(again.state.phase == .idle && again.calls.isEmpty && again.timers.isEmpty)
    }

    @Test("P7, L7: answers that come after a cancel change nothing", arguments: Place.allCases)
    func lateAnswers(after stage: Place) {
        var (driver, _) = waiting(stage)
        let (calls, storage) = (driver.calls, driver.storage.filter { $0.work != .load })
        let timers = driver.timers.map(\.timer)
        driver.send(.cancelled)
        let after = driver.state
        for open in calls {
            for event in [
                .granted(PairingDriver.token, "k", isAdmin: true), .pending(code: "1"), .refused(.timedOut),
            ] as [Pairing.Event] {
                #expect(driver.send(.received(event, on: open.call)).isEmpty)
            }
            #expect(driver.send(.ended(open.call, .failed(.lost))).isEmpty)
        }
        for operation in storage {
            for answer in [.saved, .failed(.full), .missing] as [StorageAnswer<Pairing.Record>] {
                #expect(driver.send(.stored(answer, under: operation.key, operation.attempt)).isEmpty)
            }
        }
        for timer in timers { #expect(driver.send(.timerFired(timer)).isEmpty) }
        #expect(driver.send(.networkReturned).isEmpty)
        #expect(driver.state == after)
    }

    @Test(
        "P10: sign-out notes that it leaves, and erases record and token, in this order; a failure is told")
    func signOut() {
        for failing in [Pairing.Key.credentials, .secret(SecretHandle(""))] {
            var disk = Disk<Pairing>()
            var driver = PairingDriver.paired(&disk)
            driver.send(.credentialsRefused(.tokenRevoked))
            #expect(driver.state.phase == .idle && driver.state.notice == .signedOut(.tokenRevoked))
            #expect(driver.storage.map { $0.key.isSecret ? nil : $0.key } == [.request, .credentials, nil])
            #expect(driver.storage.filter { $0.work == .erase }.count == 2)
            driver.serve(
                from: &disk, failing: { $0 == failing || $0.isSecret && failing.isSecret }, with: .full)
            #expect(driver.state.notice == .notErased)
            #expect(!driver.state.erasing.isRunning && !driver.state.erasing.left.isEmpty)
            #expect(driver.timers.isEmpty)
            for wording in [Wording.neutral, .coach] {
                #expect(Pairing.notice(driver.state, wording) == wording.notErased)
            }
        }
    }

    @Test("P10: after a sign-out only the device id is stored, and the person is told nothing")
    func leavesNothing() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(1))  // so that nobody has to remember how often was asked (P6)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(disk.records.map(\.key) == [.device])
        #expect(driver.state.notice == nil && driver.state.name.isEmpty && driver.timers.isEmpty)
        let after = driver.state
        #expect(driver.send(.signedOut).isEmpty && driver.state == after)
        #expect(driver.send(.credentialsRefused(.tokenExpired)).isEmpty && driver.state == after)
    }

    @Test("P10: credentials that could not be erased sign nobody in at the next launch, which erases them")
    func erasedLater() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == .credentials || $0.isSecret })
        #expect(driver.state.notice == .notErased && disk[.credentials] != nil)
        // Somebody else asks meanwhile, and the process ends.
        driver.send(.nameEdited("Ada"))
        driver.send(.submitted)
        driver.serve(from: &disk)
        var again = PairingDriver.launched(with: &disk, seed: 9, wall: driver.context.wall + .seconds(1))
        #expect(again.state.session == nil && again.waiting?.request.name == "Ada")
        again.serve(from: &disk)
        #expect(disk[.credentials] == nil && again.state.erasing.left.isEmpty)
        #expect(!disk.records.contains { $0.key.isSecret })
    }

    @Test("P10: a cancel after a sign-out whose erase failed does not bring the first person back")
    func cancelsAfter() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == .credentials || $0.isSecret })
        driver.submit("Ada")
        driver.grant()
        driver.send(.cancelled)
        driver.serve(from: &disk)
        #expect(disk[.credentials] != nil)
        var again = PairingDriver.launched(with: &disk, seed: 9, wall: driver.context.wall + .seconds(1))
        #expect(again.state.session == nil)
        again.serve(from: &disk)
        #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
    }

    @Test(
        "P10, L3: a disk that says nothing about a sign-out is told after 5 s; that is taken back when it is done"
    )
    func silentDisk() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(1))
        driver.send(.signedOut)
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.state.notice == nil)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.notice == .notErased)
        driver.serve(from: &disk)
        #expect(driver.state.notice == nil && disk.records.map(\.key) == [.device])
    }

    @Test("P10: the data of a person is gone when others have signed in, although an erase failed before")
    func takesPlace() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0.isSecret }, with: .full)
        driver.send(.nameEdited("Ada"))
        driver.send(.submitted)
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session != nil && driver.state.notice == nil)
        #expect(driver.state.erasing.left.isEmpty)
        #expect(disk.records.filter { $0.key.isSecret }.count == 1)
    }

    @Test("P10, L3: the wait for a silent erase ends when others are in")
    func silentErase() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        let old = try #require(driver.state.session?.credentials.secret)
        driver.send(.signedOut)
        driver.serve(from: &disk, but: { $0 == .secret(old) })
        driver.submit("Ada")
        driver.serve(from: &disk, but: { $0 == .secret(old) })
        #expect(driver.isRunning(.erasing))
        driver.grant()
        driver.serve(from: &disk, but: { $0 == .secret(old) })
        #expect(driver.state.session?.isRemembered == true && !driver.isRunning(.erasing))
    }

    @Test(
        "P6, P10: how often was asked is known also after coming in, leaving and a relaunch, in any order",
        arguments: [false, true])
    func asksNoMore(isRelaunchedBetween: Bool) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        for _ in 0..<3 {
            driver.send(.cancelled)
            driver.send(.submitted)
            driver.serve(from: &disk)
        }
        driver.grant()
        driver.serve(from: &disk)
        if isRelaunchedBetween { driver = .launched(with: &disk, seed: 2, wall: driver.context.wall) }
        #expect(driver.state.session != nil)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        var again = PairingDriver.launched(with: &disk, wall: driver.context.wall + .seconds(1))
        again.send(.nameEdited("Kay"))
        again.send(.submitted)
        again.serve(from: &disk)
        #expect(again.calls.isEmpty && again.waiting?.stage == .backingOff)
    }

    @Test("P6: a told wait outlasts a cancel and a relaunch, also when no earlier question counts any more")
    func waitOutlastsQuestions() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(200), message: ""))
        driver.serve(from: &disk)
        driver.advance(by: .seconds(61))
        driver.send(.cancelled)
        driver.serve(from: &disk)
        var next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        next.submit("Kay")
        next.serve(from: &disk)
        #expect(next.calls.isEmpty && next.waiting?.stage == .backingOff)
    }

    @Test("L10, P1: the token of credentials that were loaded too late goes when others take their place")
    func loadedTooLate() {
        var disk = Disk<Pairing>()
        _ = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        #expect(driver.state.phase == .idle)
        driver.serve(from: &disk)
        driver.send(.nameEdited("Ada"))
        driver.send(.submitted)
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session != nil)
        #expect(disk.records.filter { $0.key.isSecret }.count == 1)
    }

    @Test("P10: a request that was left over does not go on by itself after sign-out and relaunch")
    func leftover() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        driver.serve(from: &disk, failing: { $0 == .request }, with: .full)
        #expect(driver.state.session != nil && disk[.request] != nil)
        driver.advance(by: .minutes(1))
        driver.send(.signedOut)
        driver.serve(from: &disk) { disk, driver in
            var disk = disk
            let again = PairingDriver.launched(with: &disk, wall: driver.context.wall)
            #expect(again.waiting == nil && again.calls.isEmpty)
        }
        #expect(disk.records.map(\.key) == [.device])
    }

    @Test("P10: the notice of a refusal goes when the device is in again", arguments: [true, false])
    func noticeGoes(isRemembered: Bool) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.credentialsRefused(.tokenExpired))
        driver.serve(from: &disk)
        #expect(Pairing.notice(driver.state, .coach) == Wording.coach.signInAgain)
        driver.submit("Kay")
        #expect(driver.state.notice == .signedOut(.tokenExpired), "still true while waiting")
        driver.grant()
        if isRemembered { driver.serve(from: &disk) } else { driver.advance(by: .seconds(5)) }
        #expect(driver.state.session != nil)
        #expect(driver.state.notice == (isRemembered ? nil : .notRemembered))
    }

    @Test("P10, L3: signing out while the device id is still being read leaves no timer behind")
    func signOutWhileIdentifying() {
        var disk = Disk<Pairing>()
        _ = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2)
        driver.send(.launched)
        while let operation = driver.storage.first(where: { $0.key != .device }) {
            driver.answer(operation.key, with: disk.carryOut(operation))
        }
        #expect(driver.state.session != nil && driver.isRunning(.storage))
        driver.send(.signedOut)
        #expect(!driver.isRunning(.storage))
        driver.serve(from: &disk)
        #expect(driver.state.phase == .idle && driver.deviceID != nil && driver.timers.isEmpty)
    }

    @Test(
        "P7, L7: a request that ends before the device id is read does not go on after a relaunch",
        arguments: [false, true])
    func endsUnidentified(isTooLate: Bool) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .device })
        driver.advance(by: .seconds(5))
        driver.submit("Kay")
        driver.serve(from: &disk, but: { $0 == .device })
        #expect(driver.waiting?.stage == .identifying && disk[.request] != nil)
        if isTooLate { driver.advance(by: .seconds(5)) } else { driver.send(.cancelled) }
        #expect(driver.waiting == nil)
        driver.serve(from: &disk, but: { $0 == .device })
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect(next.state.phase == .idle && next.calls.isEmpty && disk[.request] == nil)
    }

    @Test("P4, P10: credentials that were stored too late to be remembered are erased by a sign-out too")
    func storedLate() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        let secret = try #require(driver.storage.first)
        driver.answer(secret.key, with: disk.carryOut(secret))
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == false && disk[.credentials] != nil)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
    }
}

extension Pairing.Key {
    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}
