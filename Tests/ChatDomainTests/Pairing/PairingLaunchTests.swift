@testable import ChatDomain
import Testing

@Suite("Pairing: launch and device id")
struct PairingLaunchTests {
    @Test("P1: a first launch mints a version 4 id once, saves it before it is sent, and asks for a name")
    func mintsOnce() throws {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        #expect(driver.storage.map(\.key) == [.device, .credentials, .request])
        driver.answer(.credentials, with: .missing)
        driver.answer(.request, with: .missing)
        driver.answer(.device, with: .missing)
        let id = try #require(driver.deviceID).text.string
        #expect(id.utf8.count == 36)
        #expect(Array(id)[14] == "4" && "89ab".contains(Array(id)[19]) && id == id.lowercased())
        driver.submit("Kay")
        #expect(driver.calls.isEmpty, "the id is not stored yet")
        driver.answer(.device, with: .saved)
        #expect(driver.state.phase == .idle, "what was submitted while loading is not taken")
        driver.submit("Kay")
        #expect(driver.calls.map(\.request) == [.pair(DeviceID(id), name: "Kay", PairingDriver.info)])
    }

    @Test("P1: with credentials the device is in, without a call and without waiting for the device id")
    func credentialsSuffice() {
        var disk = Disk<Pairing>()
        let before = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        guard let record = disk[.credentials], let handle = before.state.session?.credentials.secret else {
            Issue.record("nothing was stored")
            return
        }
        driver.answer(.credentials, with: .loaded(record))
        driver.answer(.request, with: .missing)
        #expect(driver.state.session == nil)
        driver.answer(.secret(handle), with: .loaded(.secret(PairingDriver.token)))
        #expect(driver.state.session?.isRemembered == true)
        #expect(driver.calls.isEmpty)
    }

    @Test(
        "P1: a device id that cannot be read or saved within 5 s is told, and can be tried again",
        arguments: [false, true])
    func idIsNeededToConnect(isNew: Bool) {
        var disk = Disk<Pairing>()
        let before = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        guard let record = disk[.credentials], let handle = before.state.session?.credentials.secret else {
            Issue.record("nothing was stored")
            return
        }
        driver.answer(.credentials, with: .loaded(record))
        driver.answer(.request, with: .missing)
        driver.answer(.secret(handle), with: .loaded(.secret(PairingDriver.token)))
        if isNew { driver.answer(.device, with: .missing) }
        let id = isNew ? driver.deviceID : "late"
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .deviceUnavailable(.unavailable))
        #expect(driver.state.session != nil)
        driver.send(.retried)
        #expect(driver.state.notice == nil)
        #expect(driver.isRunning(.storage))
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .deviceUnavailable(.unavailable))
        driver.answer(.device, with: isNew ? .saved : .loaded(.device("late")))
        #expect(driver.state.device == id.map { .known($0) })
        #expect(driver.state.notice == nil && driver.timers.isEmpty, "it is no longer true")
    }

    @Test("P1: a token without user id, or a record without token, counts as none")
    func halfCredentials() {
        var disk = Disk<Pairing>()
        let handle = SecretHandle("h")
        disk[.credentials] = .credentials(Credentials(user: "kay", isAdmin: false, secret: handle))
        #expect(PairingDriver.launched(with: &disk).state.phase == .idle)
        disk[.secret(handle)] = .secret(PairingDriver.token)
        #expect(PairingDriver.launched(with: &disk).state.session != nil)
        disk[.credentials] = .credentials(Credentials(user: "", isAdmin: false, secret: handle))
        #expect(PairingDriver.launched(with: &disk).state.phase == .idle)
    }

    @Test(
        "P1: an unreadable id is not missing: nothing is minted, the person is told and can try again",
        arguments: [StorageFailure.unreadable, .damaged, .newer(version: 9), .full, .unavailable])
    func unreadableDevice(failure: StorageFailure) {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(.device, with: .failed(failure))
        driver.answer(.credentials, with: .missing)
        #expect(driver.answer(.request, with: .missing) == [.cancel(.restoring)])
        #expect(driver.failure == .unreadable(failure, .none))
        driver.send(.retried)
        driver.answer(.device, with: .loaded(.device("old")))
        driver.answer(.credentials, with: .missing)
        driver.answer(.request, with: .missing)
        #expect(driver.state.phase == .idle)
        #expect(driver.state.device == .known("old"))
    }

    @Test(
        "P1: unreadable credentials are loaded again by retry, also when a name was typed before the launch")
    func unreadableCredentials() {
        var driver = PairingDriver.fresh()
        driver.send(.nameEdited("Kay"))
        driver.send(.launched)
        driver.answer(.device, with: .loaded(.device("d")))
        driver.answer(.credentials, with: .failed(.unreadable))
        #expect(driver.failure == .unreadable(.unreadable, .none))
        #expect(driver.send(.submitted).isEmpty, "a new pairing would hide who is signed in")
        driver.send(.retried)
        #expect(driver.isRunning(.restoring))
        #expect(driver.storage.map(\.key) == [.request, .credentials])
    }

    @Test(
        "L8, P1: repeated attempts load each record once at a time, however silent the disk is")
    func retryOnSilentDisk() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        for _ in 0..<5 {
            driver.answer(.device, with: .failed(.unavailable))
            driver.advance(by: .seconds(5))
            #expect(driver.failure != nil)
            driver.send(.retried)
        }
        #expect(Set(driver.storage.map(\.key)) == [.device, .credentials, .request])
        #expect(driver.storage.count == 3)
        // What was awaited all the time is taken when it comes.
        let handle = SecretHandle("h")
        let credentials = Credentials(user: "kay", isAdmin: false, secret: handle)
        driver.answer(.credentials, with: .loaded(.credentials(credentials)))
        driver.answer(.device, with: .failed(.unavailable))
        driver.answer(.request, with: .missing)
        driver.answer(.secret(handle), with: .loaded(.secret(PairingDriver.token)))
        #expect(driver.state.session?.credentials == credentials)
    }

    @Test("L8, P1: credentials that come while the failure is shown are loaded by the next try")
    func lateCredentials() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(.device, with: .failed(.unavailable))
        driver.advance(by: .seconds(5))
        driver.answer(.credentials, with: .missing)
        driver.send(.retried)
        #expect(driver.storage.map(\.key) == [.request, .device, .credentials])
    }

    @Test("P1: loading is given up after exactly 5 s, and pairing starts without")
    func restoringLimit() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.state.phase != .idle)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.phase == .idle)
        driver.answer(
            .credentials,
            with: .loaded(
                .credentials(
                    Credentials(user: "kay", isAdmin: false, secret: SecretHandle("h")))))
        #expect(driver.state.phase == .idle, "too late")
    }

    @Test("P10: credentials whose loading fails late are not reported as not erased")
    func lateFailure() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.advance(by: .seconds(5))
        driver.answer(.credentials, with: .failed(.unreadable))
        #expect(driver.state.notice == nil)
    }

    @Test("P1: an id that comes after the limit is taken, and no second one is minted")
    func lateDevice() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.advance(by: .seconds(6))
        driver.submit("Kay")
        #expect(driver.isRunning(.storage) && driver.calls.isEmpty)
        driver.answer(.device, with: .loaded(.device("old")))
        #expect(driver.isAsking && driver.state.device == .known("old"))
        #expect(!driver.isRunning(.storage))
    }

    @Test("P6: a request that was read in time goes on though the id was not")
    func requestWithoutDevice() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(
            .request,
            with: .loaded(
                .request(
                    PendingRequest(name: "Kay", submitted: driver.context.wall))))
        driver.advance(by: .seconds(5))
        #expect(driver.waiting?.stage == .identifying && driver.state.name == "Kay")
        driver.answer(.device, with: .loaded(.device("d")))
        #expect(driver.isAsking)
    }

    @Test("P1: storage that never answers fails a submission after 5 s; the next one awaits the same id")
    func silentStorage() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.advance(by: .seconds(5))
        driver.submit("Kay")
        driver.advance(by: .seconds(5))
        #expect(driver.failure == .storage(.unavailable))
        #expect(driver.timers.isEmpty)
        driver.send(.retried)
        #expect(driver.state.name == "Kay")
        driver.send(.submitted)
        #expect(driver.storage.count { $0.key == .device } == 1, "L8: one operation a record")
        driver.answer(.device, with: .loaded(.device("d")))
        #expect(driver.isAsking)
    }

    @Test("P1: an id that cannot be saved is not sent; what storage has then decides")
    func unsavableDevice() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(.device, with: .missing)
        driver.answer(.credentials, with: .missing)
        driver.answer(.request, with: .missing)
        let minted = driver.deviceID
        driver.answer(.device, with: .failed(.full))
        #expect(driver.failure == .unreadable(.full, .none))
        driver.send(.retried)
        #expect(driver.deviceID == nil && minted != nil)
        driver.answer(.device, with: .loaded(.device("reached the disk all the same")))
        #expect(driver.deviceID == "reached the disk all the same")
    }

    @Test("L1: a second launch changes nothing")
    func launchTwice() {
        var driver = PairingDriver.idle()
        #expect(driver.send(.launched).isEmpty)
        driver = PairingDriver.asking()
        #expect(driver.send(.launched).isEmpty)
    }

    @Test("P1: the device id survives sign-out and relaunch")
    func idSurvives() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        let id = driver.deviceID
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(driver.deviceID == id)
        #expect(PairingDriver.launched(with: &disk, seed: 2).deviceID == id)
    }

    @Test("P1: an id that is read within 5 s of the sign-in is not told as unreadable")
    func idInTime() {
        var disk = Disk<Pairing>()
        _ = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2)
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .device })
        driver.advance(by: .milliseconds(100))
        driver.serve(from: &disk)
        driver.advance(by: .seconds(5))
        #expect(driver.state.session != nil && driver.deviceID != nil && driver.state.notice == nil)
    }
}
