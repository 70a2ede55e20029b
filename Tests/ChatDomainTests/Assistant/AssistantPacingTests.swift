import ChatDomain
import Testing

@Suite("Assistant: what of asking outlives the process")
struct AssistantPacingTests {
    private static let key = Assistant.Key.pacing("kay")

    /// Another process, some time later, with what the disk has.
    private func relaunched(
        _ driver: AssistantDriver, _ disk: inout Disk<Assistant>, after interval: Interval
    ) -> AssistantDriver {
        var next = AssistantDriver.fresh()
        next.context.moment = driver.context.moment + interval
        next.send(.signedIn(AssistantDriver.kay))
        next.serve(from: &disk)
        next.send(.opened)
        return next
    }

    @Test("A8: questions of an earlier process count for its minute")
    func throttle() {
        var disk = Disk<Assistant>()
        var driver = AssistantDriver.open()
        for number in 0..<10 {
            driver.ask(ExactText("\(number)"))
            driver.answer()
            driver.advance(by: .seconds(1))
        }
        driver.serve(from: &disk)
        var next = relaunched(driver, &disk, after: .seconds(20))
        next.ask("eleventh")
        #expect(next.calls.isEmpty && next.marks == [.throttled])
        #expect(next.remaining(.slot) == .seconds(30))
        next.advance(by: .seconds(30))
        #expect(next.asked == "eleventh")
    }

    @Test("A8: a wait that the server told goes on over a relaunch, a sign-out and no further")
    func wait() {
        var disk = Disk<Assistant>()
        var driver = AssistantDriver.asking()
        driver.refuse(429, retryAfter: .seconds(60))
        driver.serve(from: &disk)
        var next = relaunched(driver, &disk, after: .seconds(10))
        next.ask("B")
        #expect(next.calls.isEmpty && next.remaining(.slot) == .seconds(50))
        next.send(.signedOut)
        #expect(next.timers.isEmpty)
        next.send(.signedIn(AssistantDriver.kay))
        next.serve(from: &disk)
        next.ask("C")
        #expect(next.calls.isEmpty && next.remaining(.slot) == .seconds(50))
        next.advance(by: .seconds(50))
        #expect(next.asked == "C")
    }

    @Test(
        "bad input: no clock and no file holds a question up for more than 300 s, however often one launches")
    func clamped() {
        let far = WallTime(millisecondsSince1970: .max)
        let past = WallTime(millisecondsSince1970: .min)
        var disk = Disk<Assistant>()
        disk[Self.key] = .pacing(Pacing(asked: [far, past, far], notBefore: far))
        var driver = relaunched(AssistantDriver.fresh(), &disk, after: .zero)
        for launch in 1...2 {
            driver.ask("A")
            #expect(driver.remaining(.slot) == .seconds(launch == 1 ? 300 : 200))
            driver = relaunched(driver, &disk, after: .seconds(100))
        }
        driver = relaunched(driver, &disk, after: .seconds(100))
        driver.ask("B")
        #expect(driver.asked == "B")
    }

    @Test("A8: a question waits until it is known how often was asked, and 5 s at most")
    func silentDisk() {
        var driver = AssistantDriver.fresh()
        driver.send(.signedIn(AssistantDriver.kay))
        driver.send(.opened)
        driver.ask("A")
        #expect(driver.calls.isEmpty && driver.marks == [.throttled])
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.calls.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.asked == "A")
        // What comes after all counts, together with what was asked meanwhile, and is stored with it.
        let until = driver.context.wall + .seconds(40)
        driver.answer()
        driver.answer(Self.key, with: .loaded(.pacing(Pacing(asked: [], notBefore: until))))
        driver.ask("B")
        #expect(driver.calls.isEmpty && driver.remaining(.slot) == .seconds(40))
        var disk = Disk<Assistant>()
        driver.serve(from: &disk)
        let now = until - .seconds(40)
        #expect(disk[Self.key] == .pacing(Pacing(asked: [now], notBefore: until, written: now)))
    }

    @Test("A8, L4: a slot that is waited for goes when a late disk answers and the network has gone")
    func lateDisk() {
        var driver = AssistantDriver.fresh {
            $0.asking = Throttle.Configuration(limit: 1, window: .seconds(60))
        }
        driver.send(.signedIn(AssistantDriver.kay))
        driver.send(.opened)
        driver.ask("A")
        driver.advance(by: .seconds(5))
        driver.answer()
        driver.ask("B")
        #expect(driver.remaining(.slot) == .seconds(60))
        driver.send(.networkChanged(isUp: false))
        driver.answer(Self.key, with: .missing)
        #expect(!driver.isRunning(.slot))
    }

    @Test(
        "R5: a record that cannot be read is not written over; one that was damaged is",
        arguments: [
            (StorageFailure.newer(version: 2), false), (.unreadable, false), (.unavailable, false),
            (.damaged, true),
        ])
    func unreadable(failure: StorageFailure, isSaved: Bool) {
        var driver = AssistantDriver.fresh()
        driver.send(.signedIn(AssistantDriver.kay))
        driver.answer(Self.key, with: .failed(failure))
        driver.send(.opened)
        driver.ask("A")
        #expect(driver.asked == "A" && driver.storage.isEmpty == !isSaved)
    }

    @Test("P10, L4: an answer about a person who has left counts for nobody else")
    func ghosts() {
        var driver = AssistantDriver.fresh()
        driver.send(.signedIn(AssistantDriver.kay))
        let attempt = driver.storage.first?.attempt ?? Attempt(number: 0)
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
        driver.signIn(AssistantDriver.account("bo"))
        let before = driver.state
        let far = WallTime(millisecondsSince1970: .max)
        for key in [Self.key, .pacing("bo")] {
            for answer: StorageAnswer<Assistant.Record> in [
                .loaded(.pacing(Pacing(asked: [], notBefore: far))), .missing, .saved, .failed(.unreadable),
            ] {
                #expect(driver.send(.stored(answer, under: key, attempt)).isEmpty)
            }
        }
        #expect(driver.state == before)
    }

    @Test(
        "A8: questions whose times a slow or a full disk has not taken count after a sign-out too",
        arguments: [false, true])
    func leftUnsaved(isFull: Bool) {
        var disk = Disk<Assistant>()
        var driver = AssistantDriver.open()
        for number in 0..<10 {
            driver.ask(ExactText("\(number)"))
            driver.answer()
        }
        while isFull, !driver.storage.isEmpty { driver.answer(Self.key, with: .failed(.full)) }
        driver.send(.signedOut)
        driver.serve(from: &disk)
        var next = relaunched(driver, &disk, after: .seconds(20))
        next.ask("eleventh")
        #expect(next.calls.isEmpty && next.marks == [.throttled])
        #expect(next.remaining(.slot) == .seconds(40))
    }
}
