// What of connecting outlives the process: how often, and not before when.

import ChatDomain
import Testing

@Suite("Chat: pacing over relaunches")
struct ChatPacingTests {
    typealias Device = Driver<Chat>

    /// The process ends and another begins, so much later by the wall clock; its own clock begins anew.
    private func relaunched(
        _ disk: inout Disk<Chat>, _ driver: Device, after pause: Interval = .zero
    ) -> Device {
        var next = Device.fresh(seed: 2)
        next.context.moment = Moment(now: .origin, wall: driver.context.wall + pause)
        next.send(.signedIn(Device.account))
        next.serve(from: &disk)
        next.send(.shown)
        next.serve(from: &disk)
        return next
    }

    private func connecting(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.restored(&disk)
        driver.send(.shown)
        driver.serve(from: &disk)
        return driver
    }

    @Test("C2: attempts of an earlier process count: five relaunches in a minute authenticate four times")
    func attempts() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        for _ in 0..<3 { driver = relaunched(&disk, driver, after: .seconds(10)) }
        #expect(driver.calls.count == 1)
        driver = relaunched(&disk, driver, after: .seconds(10))
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(19_999))
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.calls.count == 1)
    }

    @Test("C3: a told wait goes on over a relaunch, with its time, and is not tried before")
    func toldWait() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        let until = driver.context.wall + .seconds(600)
        driver.lose(.refused(status: 429, retryAfter: .seconds(600), message: ""))
        driver.serve(from: &disk)
        driver = relaunched(&disk, driver, after: .seconds(100))
        #expect(driver.failure == .toldToWait(until: until))
        driver.send(.reconnectRequested)
        driver.send(.networkChanged(isUp: true))
        driver.advance(by: .milliseconds(499_999))
        driver.send(.reconnectRequested)
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1))
        driver.send(.reconnectRequested)
        #expect(driver.calls.count == 1)
    }

    @Test("C3: a told wait that is over, or nearly, holds nobody up")
    func shortRest() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(600), message: ""))
        driver.serve(from: &disk)
        var late = relaunched(&disk, driver, after: .seconds(580))
        #expect(late.calls.isEmpty && late.isRunning(.reconnect))
        late.advance(by: .seconds(20))
        #expect(late.calls.count == 1)
        #expect(relaunched(&disk, driver, after: .seconds(600)).calls.count == 1)
    }

    @Test("bad input: no clock and no file holds a person up for longer than a day")
    func clamped() {
        let far = WallTime(millisecondsSince1970: .max)
        for asked in [[far, far, far, far, far], []] as [[WallTime]] {
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.answer(Device.pacingKey, with: .loaded(.pacing(Pacing(asked: asked, notBefore: far))))
            var disk = Disk<Chat>()
            driver.serve(from: &disk)
            driver.send(.shown)
            #expect(driver.failure == .toldToWait(until: driver.context.wall + .hours(24)))
            driver.advance(by: .hours(24))
            driver.send(.reconnectRequested)
            #expect(driver.calls.count == 1)
        }
    }

    @Test("L3: a disk that does not tell the pacing holds the connection up for its limit and no longer")
    func silentDisk() {
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.answer(Device.listKey, with: .missing)
        driver.answer(Device.outboxKey, with: .missing)
        driver.answer(Device.contentsKey, with: .missing)
        driver.answer(Device.pageKey(0), with: .missing)
        #expect(driver.calls.isEmpty && driver.isRunning(.restoring))
        driver.advance(by: Chat.Configuration().storageLimit)
        #expect(driver.calls.count == 1)
    }

    @Test("R5: pacing that cannot be read is not written over, unless it was damaged and set aside")
    func unreadable() {
        let failures: [(StorageFailure, isWritten: Bool)] = [
            (.newer(version: 2), false), (.unreadable, false), (.unavailable, false), (.damaged, true),
        ]
        for (failure, isWritten) in failures {
            var disk = Disk<Chat>()
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.answer(Device.pacingKey, with: .failed(failure))
            driver.serve(from: &disk)
            driver.send(.shown)
            driver.serve(from: &disk)
            #expect(driver.calls.count == 1 && (disk[Device.pacingKey] != nil) == isWritten)
        }
    }

    @Test("C2: sign-out and sign-in do not add authentications")
    func signedInAgain() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        for attempt in 2...5 {
            driver.advance(by: .seconds(5))
            driver.send(.signedOut)
            driver.serve(from: &disk)
            driver.send(.signedIn(Device.account))
            driver.serve(from: &disk)
            #expect(driver.calls.count == (attempt < 5 ? 1 : 0))
        }
        driver.advance(by: .seconds(40))
        #expect(driver.calls.count == 1)
    }

    @Test(
        "C2: a connection without network is no authentication, and a network that comes and goes costs none")
    func offline() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        for _ in 0..<6 {
            driver.lose(.failed(.offline))
            driver.send(.networkChanged(isUp: false))
            driver.send(.networkChanged(isUp: true))
            #expect(driver.calls.count == 1)
        }
        driver.serve(from: &disk)
        guard case .pacing(let stored, _) = disk[Device.pacingKey] else { return #expect(Bool(false)) }
        #expect(stored.asked.count == 1)
        // One that was opened does count, however it ends.
        for attempt in 2...5 {
            driver.hear(.opened)
            driver.lose(.failed(.offline))
            driver.send(.networkChanged(isUp: true))
            #expect(driver.calls.count == (attempt < 5 ? 1 : 0))
        }
    }

    @Test("C2: a relaunch tries at once after attempts that opened nothing; one that it has cut short counts")
    func unreachable() {
        var disk = Disk<Chat>()
        var driver = connecting(&disk)
        for _ in 0..<4 {
            driver.lose()
            driver.send(.reconnectRequested)
        }
        driver.serve(from: &disk)
        guard case .pacing(let stored, _) = disk[Device.pacingKey] else { return #expect(Bool(false)) }
        #expect(stored.asked.count == 1)
        #expect(relaunched(&disk, driver, after: .seconds(1)).calls.count == 1)
    }

    @Test("C2: an attempt that was made before the record was there is stored with those that it tells")
    func late() {
        for told in [nil, Pacing(asked: [WallTime(millisecondsSince1970: 999_990_000)])] {
            var disk = Disk<Chat>()
            var driver = Device.fresh()
            driver.send(.signedIn(Device.account))
            driver.send(.shown)
            driver.advance(by: .seconds(5))
            #expect(driver.calls.count == 1)
            driver.answer(Device.pacingKey, with: told.map { .loaded(.pacing($0)) } ?? .missing)
            driver.serve(from: &disk)
            guard case .pacing(let stored, _) = disk[Device.pacingKey] else { return #expect(Bool(false)) }
            #expect(stored.asked == (told?.asked ?? []) + [driver.context.wall])
        }
    }

    @Test("bad input: a wait that was clamped goes on over launches, and no launch begins a day of its own")
    func clampedOnce() {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk)
        let far = WallTime(millisecondsSince1970: .max)
        disk[Device.pacingKey] = .pacing(Pacing(asked: [], notBefore: far), uploadsNotBefore: far)
        let until = driver.context.wall + .hours(24)
        for _ in 0..<2 {
            driver = relaunched(&disk, driver)
            #expect(driver.failure == .toldToWait(until: until))
            driver = relaunched(&disk, driver, after: .hours(11))
            #expect(driver.failure == .toldToWait(until: until))
        }
        #expect(relaunched(&disk, driver, after: .hours(2)).calls.count == 1)
    }

    /// The server has told the upload of a file to wait.
    private func heldBack(_ disk: inout Disk<Chat>, for wait: Interval) -> Device {
        var driver = connecting(&disk)
        driver.finishConnecting()
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver.end(driver.uploads[0], .refused(status: 429, retryAfter: wait, message: ""))
        driver.serve(from: &disk)
        return driver
    }

    @Test("C14, C3, R3: a wait for uploads that ends before a relaunch connects is not said any longer")
    func uploadsBeforeConnection() {
        var disk = Disk<Chat>()
        _ = heldBack(&disk, for: .seconds(20))
        var driver = Device.restored(&disk, seed: 2)
        #expect(driver.notes == [Wording.neutral.serverAskedToWait])
        driver.advance(by: .seconds(20))
        #expect(driver.notes == [nil] && driver.statuses == [.queued])
    }

    @Test("C14, C3: a wait that the server tells an upload goes on over a relaunch too")
    func uploads() {
        for wait in [Interval.seconds(20), .seconds(90)] {
            var disk = Disk<Chat>()
            var driver = heldBack(&disk, for: wait)
            driver = relaunched(&disk, driver, after: .seconds(5))
            driver.finishConnecting()
            driver.serve(from: &disk)
            #expect(driver.uploads.isEmpty && driver.stuckSpinner == nil)
            driver.advance(by: wait - .seconds(5) - .milliseconds(1))
            if wait > .seconds(30) { driver.send(.retried(driver.rows[0].id)) }
            driver.serve(from: &disk)
            #expect(driver.uploads.isEmpty)
            driver.advance(by: .milliseconds(1))
            driver.serve(from: &disk)
            #expect(driver.uploads.count == 1)
        }
    }

    @Test("C3, C14: a stored wait for uploads counts beside attempts to connect that are not stored yet")
    func uploadsBesideAttempts() {
        var disk = Disk<Chat>()
        let first = heldBack(&disk, for: .seconds(25))
        var next = Device.fresh(seed: 2)
        next.context.moment = Moment(now: .origin, wall: first.context.wall + .seconds(1))
        next.send(.signedIn(Device.account))
        next.serve(from: &disk) { $0 == Device.pacingKey }
        next.send(.shown)
        next.advance(by: .seconds(5))
        next.serve(from: &disk)
        next.finishConnecting()
        next.serve(from: &disk)
        next.advance(by: .milliseconds(18_999))
        #expect(next.uploads.isEmpty)
        next.advance(by: .milliseconds(1))
        next.serve(from: &disk)
        #expect(next.uploads.count == 1)
    }

    @Test("C14, C3: a clock that was set back makes a stored wait for uploads no longer than it was")
    func uploadsClock() {
        var disk = Disk<Chat>()
        var driver = heldBack(&disk, for: .seconds(20))
        driver = relaunched(&disk, driver, after: .zero - .hours(10))
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.uploads.isEmpty)
        driver.advance(by: .seconds(20))
        driver.serve(from: &disk)
        #expect(driver.uploads.count == 1)
    }
}
