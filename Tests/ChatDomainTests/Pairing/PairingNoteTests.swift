// What a person has left is noted before it is erased, and a launch goes by the note (P10). Here the disk is slow,
// locked or read late, and others come in between.

@testable import ChatDomain
import Testing

@Suite("Pairing: the note of who has left")
struct PairingNoteTests {
    /// Kay has signed out; that is noted, and nothing else was done before the process ended.
    private func left(_ disk: inout Disk<Pairing>) -> PairingDriver {
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(2))
        driver.send(.signedOut)
        let first = driver.storage[0]
        driver.answer(first.key, with: disk.carryOut(first))
        return driver
    }

    /// Of Kay, who has signed out, the locked disk could erase nothing, and Ada asks to come in.
    private func besideLocked(_ disk: inout Disk<Pairing>) -> PairingDriver {
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isLocked)
        driver.submit("Ada")
        return driver
    }

    private func note(_ disk: Disk<Pairing>) -> PendingRequest? {
        if case .request(let request) = disk[.request] { request } else { nil }
    }

    private func isLocked(_ key: Pairing.Key) -> Bool { key == .credentials || key.isSecret }

    @Test(
        "P10: credentials that are read late sign nobody in after a sign-out, now or later",
        arguments: [false, true])
    func slowCredentials(isSecretSlow: Bool) {
        var disk = Disk<Pairing>()
        let old = left(&disk)
        #expect(note(disk)?.left.isEmpty == false && disk[.credentials] != nil)
        var second = PairingDriver.fresh(seed: 2, wall: old.context.wall)
        second.send(.launched)
        let isSlow: (Pairing.Key) -> Bool = { isSecretSlow ? $0.isSecret : $0 == .credentials }
        second.serve(from: &disk, but: isSlow)
        second.advance(by: .seconds(5))
        second.serve(from: &disk, but: isSlow)
        #expect(note(disk)?.left.isEmpty == false && second.state.phase == .idle)
        second.serve(from: &disk)
        let third = PairingDriver.launched(with: &disk, seed: 3, wall: old.context.wall + .minutes(1))
        #expect(third.state.session == nil)
    }

    @Test("P10: a note that is read late counts all the same, whoever asks meanwhile")
    func slowNote() {
        var disk = Disk<Pairing>()
        let old = left(&disk)
        var second = PairingDriver.fresh(seed: 2, wall: old.context.wall)
        second.send(.launched)
        second.serve(from: &disk, but: { $0 == .request })
        second.advance(by: .seconds(5))
        #expect(second.state.session != nil)
        second.serve(from: &disk)
        #expect(second.state.session == nil && disk[.credentials] == nil)

        var slow = Disk<Pairing>()
        let other = left(&slow)
        second = .fresh(seed: 2, wall: other.context.wall)
        second.send(.launched)
        second.advance(by: .seconds(5))
        second.serve(from: &slow)
        second.submit("Ada")
        second.serve(from: &slow)
        second.send(.cancelled)
        second.serve(from: &slow)
        let third = PairingDriver.launched(with: &slow, seed: 3, wall: other.context.wall + .minutes(2))
        #expect(third.state.session == nil && slow[.credentials] == nil)
    }

    @Test("P10: a note that cannot be read is told before anybody is let in, and can be tried again")
    func unreadableNote() {
        var disk = Disk<Pairing>()
        let old = left(&disk)
        var second = PairingDriver.fresh(seed: 2, wall: old.context.wall)
        second.send(.launched)
        second.serve(from: &disk, failing: { $0 == .request })
        #expect(second.storage.isEmpty && second.state.session == nil)
        if case .unreadable(.unreadable, _) = second.failure {} else { Issue.record("not told") }
        second.send(.retried)
        second.serve(from: &disk)
        #expect(second.state.phase == .idle && disk[.credentials] == nil)
    }

    @Test(
        "P6, P10: a launch that finishes a sign-out keeps the next person's request, and the told wait"
    )
    func waiting() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(2))
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isLocked)
        driver.submit("Ada")
        driver.serve(from: &disk, failing: isLocked)
        driver.lose(.refused(status: 503, retryAfter: .seconds(120), message: ""))
        driver.serve(from: &disk, failing: isLocked)
        let second = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall + .seconds(1))
        #expect(second.waiting != nil && note(disk)?.name == "Ada" && note(disk)?.pacing.notBefore != nil)
        let third = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .seconds(2))
        #expect(third.waiting != nil && third.calls.isEmpty && disk[.credentials] == nil)
    }

    @Test("P10: of two people whose erase failed neither comes back")
    func two() {
        var disk = Disk<Pairing>()
        var driver = besideLocked(&disk)
        driver.grant()
        driver.serve(from: &disk, failing: isLocked)
        #expect(driver.state.session?.isRemembered == false)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isLocked)
        #expect(disk[.credentials] != nil)
        let again = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .seconds(1))
        #expect(again.state.session == nil && disk[.credentials] == nil)
        #expect(!disk.records.contains { $0.key.isSecret })
    }

    @Test("L8, P10: of 100 people whose data cannot be erased none is forgotten, and one more is told so")
    func manyPeople() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.launched(with: &disk)
        for number in 0...100 {
            driver.submit("Kay")
            driver.serve(from: &disk)
            driver.hear(.granted(PairingDriver.token, UserID(ExactText("p\(number)")), isAdmin: false))
            driver.serve(from: &disk)
            driver.send(.signedOutForGood)
            #expect((driver.state.notice == .dataNotErased) == (number == 100))
            driver.serve(from: &disk)
            driver.advance(by: .minutes(1))
            driver.send(.noticeDismissed)
        }
        #expect(note(disk)?.erased == (0..<100).map { UserID(ExactText("p\($0)")) })
    }

    @Test("L8, P10: of more than 100 notes of people who have left, the latest 100 are kept")
    func manyNotes() {
        let left = (0...100).map { SecretHandle(ExactText("s\($0)")) }
        var disk = Disk<Pairing>()
        disk[.request] = .request(
            PendingRequest(name: "", submitted: PairingDriver.fresh().context.wall, left: left))
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.serve(from: &disk, failing: { $0.isSecret })
        #expect(driver.state.erasing.left.map { $0.handle } == Array(left.dropFirst()))
    }

    @Test(
        "R5, P10: a record that cannot be read is not saved over, but read again before the next change is saved"
    )
    func closed() {
        var disk = Disk<Pairing>()
        disk[.request] = .request(
            PendingRequest(name: "", submitted: PairingDriver.idle().context.wall, erased: ["bo"]))
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(.credentials, with: .missing)
        driver.serve(from: &disk, failing: { $0 == .request })
        #expect(driver.state.phase == .idle)
        driver.submit("Kay")
        #expect(driver.storage.map(\.work) == [.load])
        driver.serve(from: &disk, failing: { $0 == .request })
        #expect(driver.storage.isEmpty && note(disk)?.name.isEmpty == true && driver.isAsking)
        driver.lose(.refused(status: 429, retryAfter: .seconds(20), message: ""))
        driver.serve(from: &disk)
        #expect(note(disk)?.name == "Kay" && note(disk)?.erased == ["bo"])
        #expect(note(disk)?.pacing.notBefore != nil)
    }

    @Test("P4, P10: a note that is read while another person's credentials are saved does not erase those")
    func noteWhileSaving() {
        var disk = Disk<Pairing>()
        let old = left(&disk)
        var second = PairingDriver.fresh(seed: 2, wall: old.context.wall)
        second.send(.launched)
        let isSlow: (Pairing.Key) -> Bool = { $0 == .request || $0 == .credentials }
        second.serve(from: &disk, but: isSlow)
        second.advance(by: .seconds(5))
        second.submit("Ada")
        second.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        second.serve(from: &disk, but: isSlow)
        #expect(second.storage.contains { $0.key == .credentials && $0.work != .load })
        second.serve(from: &disk, but: { $0 == .credentials })
        second.serve(from: &disk)
        #expect(second.state.session?.isRemembered == true)
        let third = PairingDriver.launched(with: &disk, seed: 3, wall: second.context.wall + .minutes(1))
        #expect(third.state.session?.credentials.user == "ada")
    }

    @Test("P10: of two people whose data is to be erased, the notice stays until that of both is erased")
    func noticeOfTwo() throws {
        var disk = Disk<Pairing>()
        disk[.request] = .request(
            PendingRequest(name: "", submitted: PairingDriver.fresh().context.wall, erased: ["ada", "bo"]))
        var driver = PairingDriver.launched(with: &disk)
        let erasings = driver.state.erasing.data.compactMap { $0.attempt }
        try #require(erasings.count == 2)
        driver.send(.dataNotErased(erasings[0]))
        driver.send(.dataErased(erasings[1]))
        #expect(driver.state.notice == .dataNotErased)
        driver.send(.signedOutForGood)
        let again = try #require(driver.state.erasing.data.first?.attempt)
        driver.send(.dataErased(again))
        #expect(driver.state.notice == nil && driver.state.erasing.isOver)
    }

    @Test("P10: data that could not be erased is erased by the next launch, although another person is in")
    func anotherIsIn() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        try driver.leaveData(&disk)
        driver.submit("Bo")
        driver.serve(from: &disk)
        driver.hear(.granted(PairingDriver.token, "bo", isAdmin: false))
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true)
        let next = PairingDriver.launched(with: &disk, seed: 2)
        #expect(next.state.session?.credentials.user == "bo" && next.isRunning(.erasing))
        #expect(next.state.erasing.data.map { $0.user } == ["kay"])
    }

    @Test("P10: the notice about one person's credentials stays when another's are erased")
    func noticeOfAnother() {
        var disk = Disk<Pairing>()
        var driver = besideLocked(&disk)
        driver.grant()
        driver.send(.cancelled)
        driver.serve(from: &disk)
        #expect(disk[.credentials] != nil && driver.state.notice == .notErased)
    }

    @Test("P1, P10: a late note about one person leaves the late credentials of another")
    func lateNoteOfAnother() {
        var disk = Disk<Pairing>()
        let wall = PairingDriver.paired(&disk).context.wall
        disk[.request] = .request(PendingRequest(name: "", submitted: wall, left: [SecretHandle("old")]))
        var second = PairingDriver.fresh(seed: 2, wall: wall)
        second.send(.launched)
        second.advance(by: .seconds(5))
        second.serve(from: &disk, but: { $0 == .request })
        second.serve(from: &disk)
        #expect(second.state.phase == .idle && second.state.erasing.isOver)
        let third = PairingDriver.launched(with: &disk, seed: 3, wall: second.context.wall)
        #expect(third.state.session?.credentials.user == "kay")
    }

    @Test("P10: a note without a name erases nobody's data")
    func namelessNote() {
        var disk = Disk<Pairing>()
        disk[.request] = .request(
            PendingRequest(name: "", submitted: PairingDriver.fresh().context.wall, erased: ["", "bo"]))
        let driver = PairingDriver.launched(with: &disk)
        #expect(driver.state.erasing.data.map { $0.user } == ["bo"])
    }

    @Test("P1, P10: a late note about one person signs nobody else out")
    func lateNoteBesides() {
        var disk = Disk<Pairing>()
        let wall = PairingDriver.paired(&disk).context.wall
        disk[.request] = .request(PendingRequest(name: "", submitted: wall, left: [SecretHandle("old")]))
        var second = PairingDriver.fresh(seed: 2, wall: wall)
        second.send(.launched)
        second.serve(from: &disk, but: { $0 == .request })
        second.advance(by: .seconds(5))
        #expect(second.state.session != nil)
        second.serve(from: &disk)
        #expect(second.state.session?.credentials.user == "kay" && disk[.credentials] != nil)
    }

    @Test(
        "P10: the note of who has left stays on the disk when a later one is not saved",
        arguments: [.unavailable, .unreadable] as [StorageFailure])
    func noteNotSaved(failure: StorageFailure) {
        let isLocked = { (key: Pairing.Key) -> Bool in key == .credentials || key.isSecret }
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isLocked)
        driver.submit("Ada")
        driver.serve(from: &disk, failing: isLocked)
        driver.send(.cancelled)
        driver.answer(.request, with: .failed(failure))
        #expect(driver.storage.isEmpty)
    }
}
