// Who comes back, and what the disk says of them: credentials that a launch did not wait for, and a token that is lost
// before it is stored.

import Testing

@testable import ChatDomain

@Suite("Pairing: who comes back")
struct PairingReturnTests {
    private func erased(on disk: Disk<Pairing>) -> [UserID] {
        if case .request(let request) = disk[.request] { request.erased } else { [] }
    }

    @Test("L4: stored credentials that a launch did not wait for are told once")
    func toldOnce() throws {
        var disk = Disk<Pairing>()
        let kay = PairingDriver.paired(&disk)
        let credentials = try #require(kay.state.session?.credentials)
        var driver = PairingDriver.fresh(seed: 2, wall: kay.context.wall)
        driver.send(.launched)
        driver.advance(by: .seconds(5))
        let load = try #require(driver.storage.first { $0.key == .credentials })
        driver.answer(.credentials, with: .missing)
        driver.serve(from: &disk)
        let before = driver.state
        let answer = StorageAnswer<Pairing.Record>.loaded(.credentials(credentials))
        let effects = driver.send(.stored(answer, under: .credentials, load.attempt))
        #expect(effects.isEmpty && driver.state == before)
    }

    @Test("P4, P10: a person who comes back keeps the data, although this device does not remember them")
    func notRemembered() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        try driver.leaveData(&disk)
        #expect(erased(on: disk) == ["kay"])
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk, failing: { $0.isSecret }, with: .full)
        #expect(driver.state.session?.isRemembered == false && erased(on: disk).isEmpty)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall)
        #expect(next.state.erasing.data.isEmpty)
    }

    @Test("R4, P8, L8: a question asked anew after its token is lost waits for no disk and reuses no name")
    func askedAnew() throws {
        var driver = PairingDriver.asking()
        driver.grant()
        let secret = try #require(driver.storage.first { $0.key.isSecret })
        #expect(driver.isRunning(.storage))
        driver.answer(secret.key, with: .missing)
        #expect(driver.isAsking && !driver.isRunning(.storage))
        driver.grant()
        #expect(driver.storage.count { $0.key.isSecret } == 2, "the lost one's erasure, the new one's save")
        #expect(driver.mostUnderWay == 1)
    }

    @Test(
        "R4, P6: a question asked anew after the clock was set waits as long after a relaunch as before it",
        arguments: [
            (.hours(-1), .minutes(5), .seconds(200)), (.hours(1), .seconds(30), .seconds(20)),
        ] as [(Interval, Interval, Interval)])
    func askedAnewWithClockSet(change: Interval, remaining: Interval, passed: Interval) throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        driver.context.moment = Moment(now: driver.context.now, wall: driver.context.wall + change)
        driver.answer(try #require(driver.storage.first { $0.key.isSecret }).key, with: .missing)
        driver.serve(from: &disk)
        #expect(driver.isAsking && driver.remaining(.approval) == remaining)
        driver.advance(by: passed)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect([driver, next].map { $0.remaining(.approval) } == [remaining - passed, remaining - passed])
    }
}
