// How often the server is asked, whatever the person, the network, the server and the process do (P6).

@testable import ChatDomain
import Testing

@Suite("Pairing: how often the server is asked")
struct PairingAskingTests {
    @Test("P6: never more than 4 questions in any 60 s, over random failures, cancels and relaunches")
    func throttled() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var disk = Disk<Pairing>()
            var driver = PairingDriver.asking(&disk)
            var asked = [driver.context.wall]
            for _ in 0..<200 {
                var before = driver.calls.last?.call
                switch entropy.next() % 8 {
                case 0, 1: driver.lose()
                case 2: driver.lose(.refused(status: 503, retryAfter: .seconds(-9), message: ""))
                case 3: driver.send(.networkReturned)
                case 4: driver.send(.cancelled)
                case 5: driver.submit("Kay")
                case 6:
                    driver = .launched(with: &disk, seed: seed, wall: driver.context.wall)
                    before = nil  // attempts are counted anew
                default:
                    // To the next timer and no further, so that each question is seen at its own time.
                    let step = Interval.milliseconds(Int64(entropy.next() % 20_000))
                    driver.advance(
                        by: min(step, driver.timers.first.map { $0.deadline - driver.context.now } ?? step))
                }
                driver.serve(from: &disk)
                if let call = driver.calls.last?.call, call != before { asked.append(driver.context.wall) }
                if driver.failure != nil { driver.send(.retried) }
            }
            #expect(asked.count > 4)
            for (first, fifth) in zip(asked, asked.dropFirst(4)) { #expect(fifth - first >= .seconds(60)) }
        }
    }

    @Test("P6: cancel and relaunch ask no more often, and no sooner than the server wants")
    func memoryOfAsking() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(90), message: ""))
        driver.send(.cancelled)
        driver.serve(from: &disk)
        guard case .request(let kept) = disk[.request] else {
            Issue.record("the memory is gone")
            return
        }
        #expect(kept.name.isEmpty && kept.pacing.asked.count == 1, "nothing of the person is kept")
        driver = .launched(with: &disk, wall: driver.context.wall + .seconds(30))
        #expect(driver.state.phase == .idle && driver.state.name.isEmpty && driver.timers.isEmpty)
        driver.submit("Kay")
        #expect(driver.calls.isEmpty && driver.remaining(.retry) == .seconds(60))
        driver.advance(by: .seconds(60))
        #expect(driver.isAsking)
    }

    @Test("P6: the memory of asking is erased by the launch that no longer needs it")
    func memoryEnds() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.send(.cancelled)
        driver.serve(from: &disk)
        let wall = driver.context.wall
        _ = PairingDriver.launched(with: &disk, wall: wall + .milliseconds(59_999))
        #expect(disk[.request] != nil)
        _ = PairingDriver.launched(with: &disk, wall: wall + .seconds(60))
        #expect(disk.records.map(\.key) == [.device])
    }

    @Test("P6: a request that is over at the relaunch leaves the memory of its last questions")
    func memoryOfOver() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.advance(by: .seconds(299))
        driver.serve(from: &disk)
        driver = .launched(with: &disk, wall: driver.context.wall + .seconds(1))
        #expect(driver.failure == .timedOut)
        let asked = driver.state.requests.admissions.count
        #expect(asked > 0)
        driver = .launched(with: &disk, wall: driver.context.wall)
        #expect(driver.state.phase == .idle && driver.state.requests.admissions.count == asked)
    }

    @Test(
        "P7, L7: a cancelled request is gone also when the disk does not save the memory of it",
        arguments: [.full, .unavailable, .unreadable] as [StorageFailure])
    func cancelOnFullDisk(failure: StorageFailure) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.send(.cancelled)
        while let operation = driver.storage.first {
            if case .save = operation.work {
                driver.answer(operation.key, with: .failed(failure))
            } else {
                driver.answer(operation.key, with: disk.carryOut(operation))
            }
        }
        #expect(disk.records.map(\.key) == [.device])
        #expect(driver.state.phase == .enteringName && driver.state.notice == nil)
    }

    @Test("R5: a record of a newer version stays when the memory of a cancelled request is not saved over it")
    func newerRecord() {
        var driver = PairingDriver.asking()
        driver.send(.cancelled)
        driver.answer(.request, with: .failed(.newer(version: 9)))
        #expect(driver.storage.isEmpty)
    }

    @Test("P6: a clock that is set back lengthens no told wait, also when no question counts any more")
    func toldWaitAndClock() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(100), message: ""))
        driver.advance(by: .seconds(70))
        driver.send(.cancelled)
        driver.serve(from: &disk)
        driver = .launched(with: &disk, wall: driver.context.wall - .hours(1))
        driver.submit("Kay")
        #expect(driver.calls.isEmpty && driver.remaining(.retry) == .seconds(30))
        driver.advance(by: .seconds(30))
        #expect(driver.isAsking)
    }

    @Test("P6: a told wait of 100 s is kept when the network returns, and the question is asked after it")
    func toldWait() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        let question = driver.calls.map(\.request)
        let start = driver.context.wall
        driver.lose(.refused(status: 429, retryAfter: .seconds(100), message: ""))
        driver.serve(from: &disk)
        driver.advance(by: .milliseconds(99_999))
        driver.send(.networkReturned)
        #expect(driver.calls.isEmpty && driver.isRunning(.retry))
        driver.advance(by: .milliseconds(1))
        #expect(driver.isAsking && driver.calls.map(\.request) == question)
        var again = PairingDriver.launched(with: &disk, wall: start + .seconds(40))
        #expect(again.calls.isEmpty && again.remaining(.retry) == .seconds(60))
        again.advance(by: .seconds(60))
        #expect(again.calls.map(\.request) == question)
    }

    @Test(
        "P6: a told wait beyond the life of the request fails it at exactly 300 s",
        arguments: [Interval.seconds(300), .seconds(301), .max])
    func endlessWait(wait: Interval) {
        var driver = PairingDriver.asking()
        driver.lose(.refused(status: 429, retryAfter: wait, message: ""))
        driver.advance(by: .seconds(300) - Interval(nanoseconds: 1))
        #expect(driver.waiting?.stage == .backingOff && driver.calls.isEmpty)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.failure == .timedOut && driver.calls.isEmpty && driver.timers.isEmpty)
    }

    @Test(
        "P6: a server that cannot be reached is named as the reason for the wait until it takes a question",
        arguments: [
            (CallEnd.failed(.unreachable), "the server could not be reached"),
            (.failed(.offline), "no network"),
            (.closed(code: 1013, reason: "busy"), "the connection was lost"),
            (.refused(status: 503, retryAfter: .seconds(3), message: ""), "the server refused"),
            (.refused(status: 503, retryAfter: nil, message: "Back\u{7} soon"), "Back soon"),
        ] as [(CallEnd, ExactText)])
    func trouble(end: CallEnd, reason: ExactText) {
        var driver = PairingDriver.asking()
        driver.hear(.pending(code: "42"))
        let waiting = Pairing.screen(driver.state, .neutral)
        driver = .asking()
        for _ in 0..<3 {
            driver.lose(end)
            #expect(
                Pairing.screen(driver.state, .neutral)
                    == .waiting(Wording.neutral.askingAgain(reason), code: nil))
            driver.advance(by: .seconds(31))
            // An asking that is under way has not been heard yet.
            #expect(driver.isAsking && Pairing.screen(driver.state, .neutral) != waiting)
        }
        driver.hear(.pending(code: "42"))
        #expect(Pairing.screen(driver.state, .neutral) == waiting)
    }

    @Test("P6: a server that hangs up once it has heard the question is no trouble")
    func hangsUp() {
        var driver = PairingDriver.asking()
        driver.lose(.completed)
        #expect(
            Pairing.screen(driver.state, .neutral) == .waiting(Wording.neutral.waitingForApproval, code: nil))
        driver = .asking()
        driver.hear(.pending(code: nil))
        driver.lose(.closed(code: 1008, reason: "NOT_PAIRED"))
        #expect(
            Pairing.screen(driver.state, .neutral) == .waiting(Wording.neutral.waitingForApproval, code: nil))
    }

    @Test("P6: a question that the server has heard counts, also when the network then goes")
    func heard() {
        var driver = PairingDriver.asking()
        for _ in 0..<4 {
            #expect(driver.isAsking)
            driver.hear(.pending(code: nil))
            driver.lose(.failed(.offline))
            driver.send(.networkReturned)
        }
        #expect(!driver.isAsking && driver.state.requests.admissions.count == 4)
    }

    @Test("P6: a question that the server has answered, without a decision, ends an earlier trouble")
    func noMoreTrouble() {
        let waiting = Pairing.Screen.waiting(Wording.neutral.waitingForApproval, code: nil)
        var driver = PairingDriver.asking()
        driver.lose(.failed(.unreachable))
        #expect(Pairing.screen(driver.state, .neutral) != waiting)
        driver.advance(by: .seconds(2))
        #expect(driver.isAsking)
        driver.lose(.completed)
        #expect(Pairing.screen(driver.state, .neutral) == waiting)
    }

    @Test("P6, C3: a wait that the server tells never shortens the backoff")
    func shortWait() throws {
        var driver = PairingDriver.asking()
        driver.lose()
        driver.advance(by: .seconds(2))
        #expect(driver.isAsking)
        driver.lose(.refused(status: 503, retryAfter: .seconds(1), message: ""))
        let delay = try #require(driver.remaining(.retry))
        #expect(delay >= .seconds(2) && delay <= .seconds(3))
    }

    @Test("P6, C2: a repeated question that has not left this device does not count, although the first did")
    func unheardRepetition() {
        var driver = PairingDriver.asking()
        driver.hear(.pending(code: nil))
        driver.advance(by: .seconds(30))
        #expect(driver.isAsking && driver.state.requests.admissions.count == 2)
        driver.lose(.failed(.offline))
        #expect(driver.state.requests.admissions.count == 1)
    }

    @Test("P6, C2: a question that has not left this device does not count after a relaunch either")
    func unsentBeforeRelaunch() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.failed(.offline))
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect(next.isAsking && next.state.requests.admissions.count == 1)
    }

    @Test("P6: a question that waits stays stored when the disk has no room for its next save")
    func waitsOnFullDisk() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(20), message: ""))
        while let operation = driver.storage.first {
            let isErase = operation.work == .erase
            driver.answer(operation.key, with: isErase ? disk.carryOut(operation) : .failed(.full))
        }
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall)
        #expect(next.waiting?.request.name == "Kay")
    }

    @Test("P6, P8: an open question that may not be repeated yet is repeated as soon as it may be")
    func repeatedLater() {
        var driver = PairingDriver.asking()
        for _ in 0..<3 {
            driver.send(.cancelled)
            driver.send(.submitted)
        }
        let call = driver.calls.last?.call
        driver.advance(by: .seconds(60) - Interval(nanoseconds: 1))
        #expect(driver.isAsking && driver.calls.last?.call == call)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.isAsking && driver.calls.last?.call != call)
    }

    @Test(
        "P6: a refusal that would be the same again ends the request with its sentence; others may pass",
        arguments: [
            (400, true), (404, true), (499, true), (408, false), (409, false), (425, false), (429, false),
            (500, false),
        ] as [(Int64, Bool)])
    func finalRefusal(status: Int64, isFinal: Bool) {
        var driver = PairingDriver.asking()
        driver.lose(.refused(status: status, retryAfter: nil, message: "Update the app."))
        #expect(driver.failure == (isFinal ? .unacceptable("Update the app.") : nil))
        #expect((driver.waiting == nil) == isFinal && driver.timers.isEmpty == isFinal)
    }
}
