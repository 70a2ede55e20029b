// The process may die at any instant: between any two writes of a whole story the disk is one from which the
// next launch can go on (P1–P8, L5).

@testable import ChatDomain
import Testing

@Suite("Pairing: relaunch after every write")
struct PairingRelaunchTests {
    /// A disk as it was after a write, and the time.
    struct Copy {
        let disk: Disk<Pairing>
        let wall: WallTime
    }

    /// Where a launch leads. A story goes from the first to the last.
    enum Place: Int {
        case name, waiting, paired
    }

    /// A device and its disk, of which every version is kept.
    struct Story {
        var driver: PairingDriver
        var disk = Disk<Pairing>()
        var copies: [Copy] = []
        /// Every device that the server was asked about.
        var devices: [DeviceID] = []

        mutating func serve() {
            driver.serve(from: &disk) { disk, driver in
                copies.append(Copy(disk: disk, wall: driver.context.wall))
            }
            if case .pair(let device, _, _) = driver.calls.last?.request { devices.append(device) }
        }

        /// Waits, loses the connection, is asked to wait, asks again and is let in.
        mutating func pair() {
            driver.hear(.pending(code: "427"))
            driver.lose()
            driver.advance(by: .seconds(2))
            serve()
            driver.lose(.refused(status: 503, retryAfter: .seconds(20), message: ""))
            serve()
            driver.advance(by: .seconds(60))
            serve()
            driver.grant()
            serve()
        }
    }

    /// A first launch to the end. With a slow disk the name is submitted before the device id is there.
    private func wholeStory(slowDisk: Bool) -> Story {
        var story = Story(driver: .fresh())
        story.driver.send(.launched)
        if slowDisk { story.driver.advance(by: .seconds(5)) } else { story.serve() }
        story.driver.submit("Kay")
        story.serve()
        story.pair()
        return story
    }

    /// Launches from a copy and goes on until the device is in.
    private func goOn(from copy: Copy) -> (place: Place?, story: Story) {
        var story = Story(driver: .fresh(seed: 2, wall: copy.wall), disk: copy.disk)
        story.driver.send(.launched)
        story.serve()
        expectNoOrphan(on: story.disk)
        var place: Place?
        switch story.driver.state.phase {
        case .idle:
            place = .name
            #expect(story.driver.calls.isEmpty && story.driver.timers.isEmpty)
            story.driver.submit("Kay")
            story.serve()
        case .waitingForApproval:
            place = .waiting
            #expect(story.driver.state.name == "Kay" && story.driver.isRunning(.approval))
            #expect(story.driver.isAsking || story.driver.isRunning(.retry))
        case .paired(let session):
            place = .paired
            #expect(session.isRemembered && story.driver.calls.isEmpty && story.driver.timers.isEmpty)
            if case .request(let memory) = story.disk[.request] {
                #expect(memory.name.isEmpty && memory.secrets.isEmpty)
            }
        case .restoring, .enteringName, .failed:
            Issue.record("the launch leads nowhere")
        }
        if story.driver.waiting != nil { story.pair() }
        #expect(story.driver.state.session?.isRemembered == true)
        return (place, story)
    }

    /// Once a launch has looked at what is stored, every secret has its credentials.
    private func expectNoOrphan(on disk: Disk<Pairing>) {
        for stored in disk.records {
            guard case .secret(let handle) = stored.key else { continue }
            guard case .credentials(let credentials) = disk[.credentials], credentials.secret == handle else {
                Issue.record("a secret without its credentials")
                continue
            }
        }
    }

    /// What must hold of any disk.
    private func check(_ disk: Disk<Pairing>) {
        if case .credentials(let credentials) = disk[.credentials] {
            #expect(disk[.secret(credentials.secret)] != nil, "credentials without their secret")
            #expect(disk[.device] != nil)
        }
    }

    @Test(
        "P1, P6, P8, L5: after any write the next launch waits on, is in or asks for the name, with one id",
        arguments: [false, true])
    func everyPrefix(slowDisk: Bool) {
        let whole = wholeStory(slowDisk: slowDisk)
        #expect(whole.driver.state.session != nil && whole.copies.count >= 8)
        var places: [Place] = []
        for copy in [Copy(disk: Disk(), wall: whole.driver.context.wall)] + whole.copies {
            check(copy.disk)
            let (place, story) = goOn(from: copy)
            if let place { places.append(place) }
            // An id that was stored, and so may have been sent, is the one that is sent.
            var devices = Set(story.devices)
            if case .device(let stored) = copy.disk[.device] { devices.insert(stored) }
            #expect(devices.count == 1)
            #expect(Set(whole.devices).count == 1)
            for copy in story.copies {
                check(copy.disk)
                let again = goOn(from: copy)
                #expect(again.place != nil)
                #expect(again.story.devices.allSatisfy { devices.contains($0) })
            }
        }
        #expect(places == places.sorted { $0.rawValue < $1.rawValue }, "no write leads back")
        #expect(places.first == .name && places.contains(.waiting) && places.last == .paired)
    }

    @Test("P4, L10: the secret of a person whom this device could not remember is gone after the next launch")
    func notRemembered() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        while let operation = driver.storage.first {
            if operation.key == .credentials {
                driver.answer(operation.key, with: .failed(.full))
            } else {
                driver.answer(operation.key, with: disk.carryOut(operation))
            }
        }
        #expect(driver.state.session?.isRemembered == false)
        #expect(disk.records.contains { if case .secret = $0.key { true } else { false } })
        driver = .launched(with: &disk, seed: 2, wall: driver.context.wall + .seconds(61))
        expectNoOrphan(on: disk)
        #expect(driver.state.phase == .idle && disk[.request] == nil)
    }

    @Test("P1: credentials that take long to be read keep their secret, whatever the request says")
    func slowCredentials() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        while disk[.credentials] == nil, let operation = driver.storage.first {
            driver.answer(operation.key, with: disk.carryOut(operation))
        }
        guard case .request(let request) = disk[.request], let handle = request.secrets.last else {
            return #expect(Bool(false))
        }
        driver = .fresh(seed: 2)
        driver.send(.launched)
        driver.answer(.device, with: disk[.device].map { .loaded($0) } ?? .missing)
        driver.answer(.request, with: .loaded(.request(request)))
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        #expect(disk[.secret(handle)] != nil)
    }

    @Test("P10, L5: after any write of a sign-out the next launch asks for the name")
    func everyPrefixOfLeaving() {
        var story = wholeStory(slowDisk: false)
        story.copies = []
        story.driver.send(.signedOut)
        story.serve()
        #expect(story.copies.count == 4)
        var places: [Place] = []
        for copy in story.copies {
            check(copy.disk)
            let (place, again) = goOn(from: copy)
            if let place { places.append(place) }
            #expect(again.devices.allSatisfy { $0 == story.driver.deviceID })
        }
        #expect(places.allSatisfy { $0 == .name })
    }

    @Test(
        "P7, L5: after any write of a cancel the next launch leads somewhere, after the last to the name",
        arguments: 0..<3)
    func everyPrefixOfCancelling(granted: Int) {
        var story = Story(driver: .fresh())
        story.driver.send(.launched)
        story.serve()
        story.driver.submit("Kay")
        story.serve()
        if granted > 0 { story.driver.grant() }
        for _ in 1..<max(granted, 1) {
            guard let operation = story.driver.storage.first else { break }
            story.driver.answer(operation.key, with: story.disk.carryOut(operation))
        }
        story.copies = []
        story.driver.send(.cancelled)
        story.serve()
        let places = story.copies.map { copy in
            check(copy.disk)
            return goOn(from: copy).place
        }
        #expect(places.last == .name)
        #expect(!places.contains(nil))
    }

    /// The device after somebody came in whose credentials could not be saved; their token is stored.
    private func unremembered(_ disk: inout Disk<Pairing>, _ driver: PairingDriver) -> PairingDriver {
        var driver = driver
        driver.submit("Ada")
        driver.serve(from: &disk)
        driver.hear(.granted(PairingDriver.token, "ada", isAdmin: false))
        driver.serve(from: &disk, failing: { $0 == .credentials }, with: .full)
        #expect(driver.state.session?.isRemembered == false)
        return driver
    }

    @Test(
        "P4, L10: nobody's secret goes at the next launch, although the one between is slow",
        arguments: [.device, .request] as [Pairing.Key], [false, true])
    func slowLaunchBetween(late: Pairing.Key, asks: Bool) {
        var disk = Disk<Pairing>()
        let old = unremembered(&disk, .launched(with: &disk))
        var driver = PairingDriver.fresh(seed: 2, wall: old.context.wall + .minutes(2))
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == late })
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        if asks {
            driver.submit("Bo")
            driver.serve(from: &disk)
            driver.send(.cancelled)
            driver.serve(from: &disk)
        }
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(2))
        #expect(next.state.phase == .idle && !disk.records.contains { $0.key.isSecret })
    }

    @Test("P4, L10: nobody's secret goes although the launch signs another person in")
    func nobodysBesideCredentials() {
        var disk = Disk<Pairing>()
        let kay = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2, wall: kay.context.wall + .minutes(10))
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        driver = unremembered(&disk, driver)
        #expect(disk.records.count { $0.key.isSecret } == 2)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall + .minutes(2))
        #expect(next.state.session?.credentials.user == "kay")
        #expect(disk.records.count { $0.key.isSecret } == 1)
    }

    @Test("P4, L10: each of two secrets that belong to nobody goes at the next launch")
    func twoNobodys() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.grant()
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver = .fresh(seed: 2, wall: driver.context.wall)
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk, but: { $0 == .credentials })
        driver.grant()
        driver.serve(from: &disk, but: { $0 == .credentials })
        #expect(disk.records.count { $0.key.isSecret } == 2)
        let next = PairingDriver.launched(with: &disk, seed: 3, wall: driver.context.wall)
        #expect(next.isAsking && !disk.records.contains { $0.key.isSecret })
    }
}
