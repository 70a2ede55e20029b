// What the disk says late or twice, what a server says without need, and decisions of one instant.

@testable import ChatDomain
import Testing

@Suite("Pairing: late records, needless saves and ties")
struct PairingDetailTests {
    @Test("P9: of two decisions of one instant, the one about the earlier row makes room")
    func tie() {
        var driver = PairingDriver.admin()
        let limit = driver.feature.configuration.incomingLimit
        let devices = (0..<limit).map { DeviceID(ExactText("d\($0)")) }
        for device in devices { driver.knock(device) }
        for device in devices[0...1] { driver.send(.denied(device, reason: nil)) }
        driver.knock("new")
        driver.send(.linkClosed(PairingDriver.link))
        #expect(driver.shown == Array(devices[1...]) + ["new"])
    }

    @Test("P4: a secret of an earlier question stays named beside credentials that are loaded too late")
    func bothNamed() throws {
        var disk = Disk<Pairing>()
        _ = PairingDriver.asking(&disk)
        let earlier = try #require(secrets(on: disk).last)
        let late = Credentials(user: "ada", isAdmin: false, secret: SecretHandle("late"))
        disk[.credentials] = .credentials(late)
        var driver = PairingDriver.fresh(seed: 2)
        driver.send(.launched)
        driver.serve(from: &disk) { $0 == .credentials }
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        let kept = secrets(on: disk)
        #expect(driver.isAsking && kept.count == 3 && kept.contains(earlier) && kept.contains(late.secret))
    }

    private func secrets(on disk: Disk<Pairing>) -> [SecretHandle] {
        if case .request(let request) = disk[.request] { request.secrets } else { [] }
    }

    @Test("P6: the questions of an earlier launch count although they are loaded after the launch went on")
    func lateTimes() {
        var disk = Disk<Pairing>()
        var before = PairingDriver.asking(&disk)
        for _ in 0..<3 {
            before.send(.cancelled)
            before.submit("Kay")
        }
        before.send(.cancelled)
        before.serve(from: &disk)
        var driver = PairingDriver.fresh(seed: 2, wall: before.context.wall)
        driver.send(.launched)
        driver.serve(from: &disk) { $0 == .request }
        driver.advance(by: .seconds(5))
        #expect(driver.state.phase == .idle)
        driver.serve(from: &disk)
        driver.submit("Bo")
        #expect(driver.waiting != nil && !driver.isAsking && driver.remaining(.retry) == .seconds(55))
    }

    @Test("C2: a question that ends offline after its time in the limit has nothing to take back")
    func agedQuestion() {
        var driver = PairingDriver.fresh { $0.renewalInterval = .seconds(120) }
        var disk = Disk<Pairing>()
        driver.send(.launched)
        driver.serve(from: &disk)
        driver.submit("Kay")
        driver.serve(from: &disk)
        driver.advance(by: .seconds(70))
        driver.lose(.failed(.offline))
        #expect(driver.waiting?.stage == .backingOff && driver.storage.isEmpty)
    }

    @Test("P6: a wait of nothing that a server demands is none, and nothing is stored for it")
    func noWait() {
        var driver = PairingDriver.asking()
        driver.lose(.refused(status: 503, retryAfter: .zero, message: ""))
        #expect(driver.waiting?.stage == .backingOff && driver.storage.isEmpty)
    }

    @Test("P1, L3: a device id that cannot be read after the person is in is told, and no timer is left")
    func lateDevice() {
        var disk = Disk<Pairing>()
        _ = PairingDriver.paired(&disk)
        var driver = PairingDriver.fresh(seed: 2)
        driver.send(.launched)
        driver.serve(from: &disk) { $0 == .device }
        #expect(driver.state.session != nil && driver.isRunning(.storage))
        driver.answer(.device, with: .failed(.unreadable))
        #expect(driver.state.notice == .deviceUnavailable(.unreadable) && driver.timers.isEmpty)
    }
}
