// The data of a person who has left for good, when the launch that erases it is slow, or when nothing else is left.

import Testing

@testable import ChatDomain

@Suite("Pairing: data that is still to be erased")
struct PairingErasingAgainTests {
    /// A record that a slow disk brings late.
    enum Late: CaseIterable { case note, credentials, secret }

    /// Kay has signed out for good; that is noted, and nothing else was done before the process ended.
    private func left(_ disk: inout Disk<Pairing>) -> WallTime {
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        let note = driver.storage[0]
        driver.answer(note.key, with: disk.carryOut(note))
        return driver.context.wall
    }

    @Test(
        "P10: a launch erases the data of a person who has left for good, whichever record it reads late",
        arguments: Late.allCases)
    func slowLaunch(late: Late) {
        var disk = Disk<Pairing>()
        let wall = left(&disk)
        #expect(disk[.credentials] != nil)
        var driver = PairingDriver.fresh(seed: 2, wall: wall)
        driver.send(.launched)
        driver.serve(from: &disk) { key in
            switch late {
            case .note: key == .request
            case .credentials: key == .credentials
            case .secret: key.isSecret
            }
        }
        driver.advance(by: .seconds(5))
        #expect((driver.state.session != nil) == (late == .note))
        driver.serve(from: &disk)
        #expect(driver.state.session == nil && disk[.credentials] == nil)
        #expect(driver.state.erasing.data.map { $0.user } == ["kay"] && driver.state.erasing.isErasingData)
    }

    @Test("P10: only the second erasure of a person's data counts, where a late note asks for it again")
    func noteReadLate() throws {
        var disk = Disk<Pairing>()
        let wall = left(&disk)
        var driver = PairingDriver.fresh(seed: 2, wall: wall)
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .request })
        driver.advance(by: .seconds(5))
        driver.send(.signedOutForGood)
        let first = try #require(driver.state.erasing.data.last?.attempt)
        driver.serve(from: &disk)
        let second = try #require(driver.state.erasing.data.last?.attempt)
        #expect(first != second)
        driver.send(.dataNotErased(first))
        driver.send(.dataErased(second))
        #expect(driver.state.notice == nil && driver.state.erasing.isOver)
    }

    @Test("P10: data that could not be erased stays noted when nothing else is, for the next launch")
    func onlyData() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(2))  // so that no earlier question counts any more (P6)
        try driver.leaveData(&disk)
        #expect(driver.state.notice == .dataNotErased && !disk.records.contains { $0.key.isSecret })
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect(next.state.erasing.data.map { $0.user } == ["kay"] && next.state.erasing.isErasingData)
    }
}
