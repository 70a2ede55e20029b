// What comes after: the second of two, the try after a failure, and the answer that comes while somebody else is at work.
// Seeded bugs (Docs/Mutants.md) that no other test caught.

@testable import ChatDomain
import Testing

@Suite("Pairing: the second of two, and what comes after")
struct PairingSequelTests {
    @Test("P6: a server locks the device out no longer than a request lives")
    func lockedOut() {
        var driver = PairingDriver.asking()
        let lifetime = driver.feature.configuration.requestLifetime
        driver.lose(.refused(status: 503, retryAfter: .hours(24), message: ""))
        #expect(driver.remaining(.retry) == lifetime)
        driver.advance(by: lifetime)
        #expect(driver.failure == .timedOut)
        driver.send(.retried)
        driver.send(.submitted)
        #expect(driver.isAsking)
    }

    @Test("P9: of two decisions that a lost link leaves in doubt, both come back")
    func doubtful() {
        var driver = PairingDriver.admin()
        driver.knock("d1")
        driver.knock("d2")
        driver.send(.approved("d1", as: "bo"))
        driver.send(.denied("d2", reason: nil))
        #expect(driver.shown.isEmpty)
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown == ["d1", "d2"])
    }

    @Test("P10, L3: a disk that is silent about the second of two erasings is told all the same")
    func secondErasing() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, but: { $0.isSecret })
        #expect(driver.state.notice == nil && driver.isRunning(.erasing))
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .notErased)
    }

    @Test("P10, L3: the erasing of data has a limit of its own, whatever else is erased before")
    func erasingOfData() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        driver.serve(from: &disk)
        #expect(driver.state.notice == nil && driver.isRunning(.erasing))
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .dataNotErased)
    }

    @Test("P10, L3: data that is being erased is still waited for when another person comes in meanwhile")
    func othersMeanwhile() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        let old = Pairing.Key.secret(try #require(driver.state.session?.credentials.secret))
        driver.send(.signedOutForGood)
        driver.serve(from: &disk, but: { $0 == old })
        driver.submit("Ada")
        driver.serve(from: &disk, but: { $0 == old })
        driver.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        driver.serve(from: &disk, but: { $0 == old })
        #expect(driver.state.session?.isRemembered == true && driver.isRunning(.erasing))
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .dataNotErased)
    }

    @Test("P10, L3: when both are late and the credentials are erased first, the data is told to be left")
    func dataAfterCredentials() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .notErased)
        driver.serve(from: &disk)
        #expect(driver.state.erasing.left.isEmpty && driver.state.notice == .dataNotErased)
        driver.send(.dataErased(try #require(driver.state.erasing.data.first?.attempt)))
        #expect(driver.state.erasing.isOver && driver.state.notice == nil)
    }

    @Test(
        "P10: after the data was refused, what is left when the other is erased is told",
        arguments: [false, true])
    func refusedBoth(isSilent: Bool) throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        let first = try #require(driver.state.erasing.data.first?.attempt)
        if isSilent {
            driver.send(.dataNotErased(first))
            driver.advance(by: .seconds(5))
            #expect(driver.state.notice == .notErased)
            driver.serve(from: &disk)
            #expect(driver.state.erasing.left.isEmpty && driver.state.notice == .dataNotErased)
        } else {
            driver.serve(from: &disk, failing: { $0 == .credentials || $0.isSecret })
            driver.send(.dataNotErased(first))
            driver.send(.signedOutForGood)
            driver.send(.dataErased(try #require(driver.state.erasing.data.first?.attempt)))
            #expect(driver.state.erasing.data.isEmpty && driver.state.notice == .notErased)
        }
    }

    @Test("P10: data that was refused is still told when another person comes in", arguments: [false, true])
    func refusedBefore(isSamePerson: Bool) throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        driver.send(.dataNotErased(try #require(driver.state.erasing.data.first?.attempt)))
        driver.advance(by: .seconds(5))
        #expect(driver.state.notice == .notErased)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.hear(.granted(Secret("other"), isSamePerson ? "kay" : "other", isAdmin: false))
        driver.serve(from: &disk)
        #expect(driver.state.session != nil)
        #expect(driver.state.notice == (isSamePerson ? nil : .dataNotErased))
    }

    @Test("P10: data that could not be erased is erased on the next try, unless its person came back")
    func erasingAgain() throws {
        for comesBack in [false, true] {
            var disk = Disk<Pairing>()
            var driver = PairingDriver.paired(&disk)
            driver.send(.signedOutForGood)
            let first = try #require(driver.state.erasing.data.first?.attempt)
            driver.send(.dataNotErased(first))
            driver.serve(from: &disk)
            #expect(driver.state.notice == .dataNotErased)
            if comesBack {
                driver.submit("Kay")
                driver.serve(from: &disk)
                driver.grant()
                driver.serve(from: &disk)
                let next = PairingDriver.launched(with: &disk, seed: 2)
                #expect(next.state.session != nil && next.state.erasing.isOver)
            } else {
                driver.send(.signedOutForGood)
                let second = try #require(driver.state.erasing.data.first?.attempt)
                #expect(second != first && driver.isRunning(.erasing))
            }
        }
    }

    @Test("P1, L8: another attempt does not load a record that is still being loaded")
    func triesAgain() {
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.answer(.device, with: .loaded(.device("d")))
        driver.answer(.request, with: .failed(.unavailable))
        #expect(driver.failure != nil && driver.storage.map(\.key) == [.credentials])
        let effects = driver.send(.retried)
        #expect(!effects.isEmpty && driver.storage.count { $0.key == .credentials } == 1)
        #expect(
            !effects.contains { effect in
                if case .load(.credentials, _) = effect { true } else { false }
            })
    }

    @Test("R4, P8, P10: a token that went with its process is asked for anew, and what it left is erased")
    func goneToken() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        let secret = try #require(driver.storage.first { $0.key.isSecret })
        driver.answer(secret.key, with: .missing)
        #expect(driver.state.session == nil && driver.isAsking)
        // Something of it may be stored all the same, and the record names the next one from now on.
        #expect(driver.storage.contains { $0.key == secret.key && $0.work == .erase })
    }

    @Test("P10: credentials that were left, and are read only after the launch has gone on, are erased")
    func leftAndLate() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.advance(by: .minutes(1))
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: { $0 == .credentials || $0.isSecret })
        #expect(disk[.credentials] != nil)
        var next = PairingDriver.fresh(seed: 2, wall: driver.context.wall + .seconds(1))
        next.send(.launched)
        next.serve(from: &disk, but: { $0 == .credentials })
        next.advance(by: .seconds(5))
        next.serve(from: &disk)
        #expect(next.state.session == nil && next.state.erasing.isOver)
        #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
    }

    @Test("P10: a note that is read late erases the token in use once, and its record before it")
    func lateNote() {
        var disk = Disk<Pairing>()
        var next = PairingDriver.withSilentNote(&disk)
        #expect(next.state.session != nil)
        let late = next.storage[0]
        next.answer(late.key, with: disk.carryOut(late))
        let erased = next.storage.filter { $0.work == .erase }.map(\.key)
        #expect(erased.count == 2 && erased.first == .credentials)
    }

    @Test("P6: the memory that a full disk had no room for is saved once its room is free")
    func roomAgain() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.send(.cancelled)
        driver.answer(.request, with: .failed(.full))
        #expect(driver.storage.map(\.work) == [.erase])
        driver.answer(.request, with: .erased)
        #expect(driver.storage.map(\.key) == [.request] && driver.storage.first?.work != .erase)
    }

    /// Kay is stored; at the next launch the look-up of her secret, or the record, is silent for 5 s.
    private func lateLaunch(_ disk: inout Disk<Pairing>, isSecretLate: Bool) -> PairingDriver {
        let kay = PairingDriver.paired(&disk)
        let secret = Pairing.Key.secret(kay.state.session?.credentials.secret ?? SecretHandle(""))
        var driver = PairingDriver.fresh(seed: 2, wall: kay.context.wall + .minutes(10))
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == (isSecretLate ? secret : .credentials) })
        driver.advance(by: .seconds(5))
        #expect(driver.state.phase == .idle)
        driver.serve(from: &disk)
        return driver
    }

    @Test("P1, L10: a secret that was looked up too late goes when others take its place")
    func lateSecret() {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk, isSecretLate: true)
        driver.submit("Ada")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true)
        #expect(disk.records.count { $0.key.isSecret } == 1)
    }

    @Test(
        "P1, P10: a stranger who was not remembered and leaves signs nobody else out",
        arguments: [true, false])
    func stranger(isSecretLate: Bool) {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk, isSecretLate: isSecretLate)
        driver.submit("Ada")
        driver.serve(from: &disk)
        driver.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        driver.serve(from: &disk, failing: { $0.isSecret }, with: .full)
        #expect(driver.state.session?.isRemembered == false)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(1))
        #expect(next.state.session?.credentials.user == "kay")
    }

    @Test(
        "P10: a person who leaves is not let in again by own credentials that were read too late",
        arguments: [true, false], [true, false])
    func ownLateCredentials(isSecretLate: Bool, isSilent: Bool) {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk, isSecretLate: isSecretLate)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.grant()
        if isSilent { driver.advance(by: .seconds(5)) }
        driver.serve(from: &disk, failing: { $0.isSecret && !isSilent }, with: .full)
        #expect(driver.state.session?.isRemembered == false)
        driver.send(.signedOut)
        driver.serve(from: &disk) { disk, driver in
            var disk = disk
            let next = PairingDriver.launched(with: &disk, seed: 4, wall: driver.context.wall)
            #expect(next.state.session == nil)
        }
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(1))
        #expect(next.state.session == nil && disk[.credentials] == nil)
        #expect(!disk.records.contains { $0.key.isSecret })
    }

    @Test(
        "P4, P10, L10: where credentials are read when another is in, the next launch has one token or none",
        arguments: [true, false], [true, false])
    func lateBesideSession(isSecretSilent: Bool, leaves: Bool) {
        var disk = Disk<Pairing>()
        let kay = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2, wall: kay.context.wall + .minutes(10))
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        driver.submit("Ada")
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        if !isSecretSilent { driver.serve(from: &disk, but: { $0 == .credentials }) }
        driver.advance(by: .seconds(5))
        #expect(driver.state.session?.isRemembered == false)
        driver.serve(from: &disk)
        if leaves {
            driver.send(.signedOut)
            driver.serve(from: &disk)
        }
        // Ada's record replaces Kay's if her token was saved in time.
        let expected: UserID? = isSecretSilent ? "kay" : leaves ? nil : "ada"
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(1))
        #expect(next.state.session?.credentials.user == expected)
        #expect((disk[.credentials] == nil) == (expected == nil))
        #expect(disk.records.count { $0.key.isSecret } == (expected == nil ? 0 : 1))
    }

    @Test("P4, P10: a note that is read when who is in is not remembered spares the token of another person")
    func noteBesideStranger() {
        var disk = Disk<Pairing>()
        let kay = PairingDriver.paired(&disk)
        let secret = kay.state.session?.credentials.secret ?? SecretHandle("")
        let wall = kay.context.wall + .minutes(10)
        disk[.request] = .request(PendingRequest(name: "", submitted: wall, secrets: [secret]))
        var driver = PairingDriver.fresh(seed: 2, wall: wall)
        driver.send(.launched)
        let isLate: (Pairing.Key) -> Bool = { $0 == .credentials || $0 == .request }
        driver.serve(from: &disk, but: isLate)
        driver.advance(by: .seconds(5))
        driver.submit("Ada")
        driver.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        driver.advance(by: .seconds(5))
        #expect(driver.state.session?.isRemembered == false)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall)
        #expect(next.state.session?.credentials.user == "kay")
        #expect(disk.records.count { $0.key.isSecret } == 1)
    }

    @Test("P10, L3: a disk that is silent about a sign-out is told, also when somebody gives up meanwhile")
    func silentSignOut() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        let old = Pairing.Key.secret(driver.state.session?.credentials.secret ?? SecretHandle(""))
        let isSilent: (Pairing.Key) -> Bool = { $0 == .credentials || $0 == old }
        driver.advance(by: .minutes(1))
        driver.send(.signedOut)
        driver.serve(from: &disk, but: isSilent)
        driver.submit("Ada")
        driver.serve(from: &disk, but: isSilent)
        driver.grant()
        driver.send(.cancelled)
        driver.serve(from: &disk, but: isSilent)
        driver.advance(by: .seconds(10))
        #expect(driver.state.notice == .notErased)
        driver.serve(from: &disk)
        #expect(disk[.credentials] == nil && driver.state.erasing.isOver && driver.state.notice == nil)
    }

    @Test("R4, P8: a token that went with its process after 300 s is asked for anew all the same")
    func goneTokenLate() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.advance(by: .seconds(298))
        driver.grant()
        driver.advance(by: .seconds(3))
        let secret = try #require(driver.storage.first { $0.key.isSecret })
        driver.answer(secret.key, with: .missing)
        #expect(driver.isAsking && driver.remaining(.approval) == .seconds(30))
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true)
    }

    /// Kay, whose data could not be erased, is in again; the process ends before the note of it is erased.
    private func backBesideNote(_ disk: inout Disk<Pairing>) throws -> PairingDriver {
        var driver = PairingDriver.paired(&disk)
        try driver.leaveData(&disk)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk, but: { $0 == .request })
        return driver
    }

    @Test("L5, P10: a note that outlived a sign-in does not erase the data of the person who is in")
    func oldNote() throws {
        var disk = Disk<Pairing>()
        let driver = try backBesideNote(&disk)
        #expect(driver.state.session?.isRemembered == true && disk[.request] != nil)
        let next = PairingDriver.launched(with: &disk, seed: 2)
        #expect(next.state.session?.credentials.user == "kay" && next.state.erasing.isOver)
    }

    @Test(
        "L5, P10: a note that outlived a sign-in erases nothing where the credentials or their secret are not read",
        arguments: [false, true])
    func oldNoteUnread(isSecretSilent: Bool) throws {
        var disk = Disk<Pairing>()
        let driver = try backBesideNote(&disk)
        var next = PairingDriver.fresh(seed: 2, wall: driver.context.wall)
        next.send(.launched)
        if !isSecretSilent { next.answer(.credentials, with: .failed(.unavailable)) }
        next.serve(from: &disk, but: { $0.isSecret })
        if isSecretSilent { next.advance(by: .seconds(5)) }
        #expect(next.state.erasing.data.isEmpty)
        guard !isSecretSilent else { return }
        next.send(.retried)
        next.serve(from: &disk)
        #expect(next.state.session?.credentials.user == "kay" && next.state.erasing.isOver)
    }

    @Test("L5, P10: a note that outlived a sign-in erases nothing where the whole disk is late")
    func oldNoteLate() throws {
        var disk = Disk<Pairing>()
        let driver = try backBesideNote(&disk)
        var next = PairingDriver.fresh(seed: 2, wall: driver.context.wall)
        next.send(.launched)
        next.advance(by: .seconds(5))
        next.serve(from: &disk)
        #expect(next.state.phase == .idle && next.state.erasing.data.isEmpty)
    }

    @Test(
        "P1, P10: a note about one person leaves the credentials of another that cannot be read now",
        arguments: [.unreadable, .unavailable, .newer(version: 9)] as [StorageFailure])
    func noteBesideUnread(failure: StorageFailure) {
        var disk = Disk<Pairing>()
        let wall = PairingDriver.paired(&disk).context.wall
        disk[.request] = .request(PendingRequest(name: "", submitted: wall, left: [SecretHandle("old")]))
        var driver = PairingDriver.fresh(seed: 2, wall: wall)
        driver.send(.launched)
        driver.answer(.credentials, with: .failed(failure))
        driver.serve(from: &disk)
        #expect(disk[.credentials] != nil)
        driver.send(.retried)
        driver.serve(from: &disk)
        #expect(driver.state.session?.credentials.user == "kay" && disk[.request] == nil)
    }

    @Test("P6: questions that are read again by another try count once")
    func countedOnce() {
        var disk = Disk<Pairing>()
        let wall = PairingDriver.launched(with: &disk).context.wall
        disk[.request] = .request(
            PendingRequest(
                name: "Kay", submitted: wall - .seconds(40),
                pacing: Pacing(asked: [wall - .seconds(40), wall - .seconds(20)])))
        var driver = PairingDriver.fresh(seed: 2, wall: wall)
        driver.send(.launched)
        driver.answer(.credentials, with: .failed(.unavailable))
        driver.serve(from: &disk)
        driver.send(.retried)
        driver.serve(from: &disk)
        #expect(driver.isAsking)
    }

    @Test("P7, L10: who cancels while their record is saved over a late one leaves no token of either")
    func cancelsOverLate() {
        var disk = Disk<Pairing>()
        var driver = lateLaunch(&disk, isSecretLate: false)
        driver.submit("Ada")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk, but: { $0 == .credentials })
        #expect(driver.waiting != nil && disk.records.count { $0.key.isSecret } == 2)
        driver.send(.cancelled)
        driver.serve(from: &disk)
        #expect(disk[.credentials] == nil && !disk.records.contains { $0.key.isSecret })
    }

    @Test("P10: nothing is told about data that is being erased when its person comes back")
    func comesBackMeanwhile() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOutForGood)
        driver.serve(from: &disk)
        #expect(driver.state.erasing.isErasingData)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk)
        driver.advance(by: .seconds(5))
        #expect(driver.state.session != nil && driver.state.notice == nil)
    }

    @Test("P10: no later launch erases the data of a person who has come back, not even after a sign-out")
    func cameBack() throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        try driver.leaveData(&disk)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect(next.state.session == nil && next.state.erasing.data.isEmpty)
    }
}
