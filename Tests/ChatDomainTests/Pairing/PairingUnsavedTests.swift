// A sign-in that the disk did not store, and a note that is read after its person has left again.

import Testing

@testable import ChatDomain

@Suite("Pairing: what the disk has not stored in time")
struct PairingUnsavedTests {
    @Test(
        "P4, L4: the limit of a save that has failed tells nothing later about the device id",
        arguments: [true, false])
    func limitEnds(isSecretSaved: Bool) throws {
        var driver = PairingDriver.asking()
        driver.grant()
        let secret = try #require(driver.storage.first { $0.key.isSecret })
        driver.answer(secret.key, with: isSecretSaved ? .saved : .failed(.full))
        if isSecretSaved { driver.answer(.credentials, with: .failed(.full)) }
        #expect(driver.state.session != nil && driver.state.notice == .notRemembered)
        driver.advance(by: .minutes(1))
        #expect(driver.state.notice == .notRemembered)
    }

    /// Kay is stored, but her credentials were too late for the launch.
    private func lateLaunch(_ disk: inout Disk<Pairing>) -> PairingDriver {
        let kay = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2, wall: kay.context.wall + .minutes(10))
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        return driver
    }

    /// A person comes in, but the disk is silent about their record.
    private func comeIn(_ user: UserID, _ driver: inout PairingDriver, _ disk: inout Disk<Pairing>) {
        driver.submit(user.text)
        driver.serve(from: &disk)
        driver.hear(.granted(PairingDriver.token, user, isAdmin: false))
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        #expect(driver.state.session?.credentials.user == user && driver.state.notice == .notRemembered)
    }

    @Test("P1, P10: a stranger whose record was refused late and who leaves signs out nobody else")
    func strangerRefusedLate() throws {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk)
        comeIn("ada", &driver, &disk)
        driver.serve(from: &disk, failing: { $0 == .credentials }, with: .full)
        #expect(driver.state.session?.isRemembered == false)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(1))
        #expect(next.state.session?.credentials.user == "kay")
    }

    @Test("P10: a sign-out erases the credentials, also after that of a person whose own were read late")
    func leavesAfterLate() {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk)
        for user in ["kay", "ada"] as [UserID] {
            comeIn(user, &driver, &disk)
            driver.send(.signedOut)
            driver.serve(from: &disk)
            #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
        }
    }

    @Test("P10, L8: a note that is read while its person leaves again begins no second erasure")
    func noteReadLate() {
        var disk = Disk<Pairing>()
        var next = PairingDriver.withSilentNote(&disk)
        next.send(.signedOut)
        let late = next.storage[0]
        #expect(late.key == .request && late.work == .load)
        next.answer(late.key, with: disk.carryOut(late))
        #expect(next.storage.count { $0.work == .erase && $0.key.isSecret } == 1)
        next.serve(from: &disk)
        #expect(next.state.erasing.isOver && disk[.credentials] == nil)
        #expect(!disk.records.contains { $0.key.isSecret })
    }
}
