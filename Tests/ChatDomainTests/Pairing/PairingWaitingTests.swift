@testable import ChatDomain
import Testing

@Suite("Pairing: waiting and coming in")
struct PairingWaitingTests {
    @Test("P4: the secret is named and saved, then the record, then the person is in")
    func saves() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        guard case .request(let request) = disk[.request], let handle = request.secrets.last else {
            Issue.record("no secret is named")
            return
        }
        driver.grant()
        #expect(
            driver.storage.map(\.key) == [.secret(handle)] && driver.calls.isEmpty
                && driver.isRunning(.storage))
        driver.serve(from: &disk)
        #expect(driver.state.session?.isRemembered == true && driver.timers.isEmpty)
        guard case .request(let memory) = disk[.request] else { return #expect(Bool(false)) }
        #expect(memory.name.isEmpty && memory.secrets.isEmpty && memory.pacing.asked.count == 1)
    }

    @Test("P4: storage that stays silent lets the person in after 5 s, and says so")
    func silentSave() {
        var driver = PairingDriver.asking()
        driver.grant()
        driver.advance(by: .seconds(5))
        #expect(driver.state.session?.isRemembered == false)
        #expect(driver.state.notice == .notRemembered && driver.timers.isEmpty)
    }

    @Test("P4: a secret that cannot be saved lets the person in, and says so")
    func failedSave() throws {
        var driver = PairingDriver.asking()
        driver.grant()
        let key = try #require(driver.storage.last?.key)
        driver.answer(key, with: .failed(.full))
        #expect(driver.state.session?.isRemembered == false)
    }

    @Test("P5: denial, rejection and time-out each show their own sentence, and a reason when there is one")
    func refusals() {
        for wording in [Wording.neutral, .coach] {
            var sentences: [ExactText] = []
            for refusal in [PairingRefusal.denied(reason: nil), .rejected(reason: nil), .timedOut] {
                sentences.append(refused(refusal, wording))
            }
            #expect(sentences == [wording.pairingDenied, wording.pairingRejected, wording.pairingTimedOut])
            for (index, sentence) in sentences.enumerated() {
                #expect(!sentence.isEmpty && !sentences.dropFirst(index + 1).contains(sentence))
            }
            #expect(refused(.denied(reason: " not\u{202E} you\n"), wording) == "not you")
            #expect(refused(.rejected(reason: "too many\u{7}"), wording) == "too many")
            #expect(refused(.denied(reason: "\u{7} \n"), wording) == wording.pairingDenied)
            #expect(refused(.rejected(reason: ""), wording) == wording.pairingRejected)
        }
    }

    /// What is shown to somebody who was turned away; the way back leads to the name, still filled in.
    private func refused(_ refusal: PairingRefusal, _ wording: Wording) -> ExactText {
        var driver = PairingDriver.asking()
        driver.hear(.refused(refusal))
        #expect(driver.calls.isEmpty && driver.timers.isEmpty)
        guard case .failed(let sentence, let button) = Pairing.screen(driver.state, wording) else {
            Issue.record("no failure is shown")
            return ""
        }
        #expect(button == wording.tryAgain)
        driver.send(.retried)
        guard case .name(let form) = Pairing.screen(driver.state, wording) else {
            Issue.record("no name field is shown")
            return ""
        }
        #expect(form.name == "Kay" && form.canSubmit && driver.state.phase == .enteringName)
        return sentence
    }

    @Test("P6: the request lives exactly 300 s, retries or not; approval at 300 s is late")
    func lifetime() throws {
        var driver = PairingDriver.asking()
        driver.advance(by: .seconds(300) - Interval(nanoseconds: 1))
        let last = try #require(driver.calls.last?.call)
        #expect(driver.waiting != nil)
        driver.advance(by: Interval(nanoseconds: 1))
        #expect(driver.failure == .timedOut && driver.timers.isEmpty && driver.calls.isEmpty)
        #expect(driver.send(.received(.granted(PairingDriver.token, "k", isAdmin: false), on: last)).isEmpty)
    }

    @Test(
        "P6: a relaunch goes on with what is left; a clock set back gives no more than 300 s",
        arguments: [(100, 200), (-5_000, 300)] as [(Int64, Int64)])
    func relaunch(moved: Int64, left: Int64) {
        var disk = Disk<Pairing>()
        let driver = PairingDriver.asking(&disk)
        let again = PairingDriver.launched(with: &disk, wall: driver.context.wall + .seconds(moved))
        #expect(again.remaining(.approval) == .seconds(left))
        #expect(again.state.name == "Kay" && again.deviceID == driver.deviceID)
    }

    @Test("P6: a request that is over at the relaunch has failed and is erased; its name is kept for a retry")
    func relaunchLate() {
        var disk = Disk<Pairing>()
        let driver = PairingDriver.asking(&disk)
        let again = PairingDriver.launched(with: &disk, wall: driver.context.wall + .seconds(300))
        #expect(again.failure == .timedOut && disk[.request] == nil && again.state.name == "Kay")
    }

    @Test("P8: after a lost connection the same device asks again, and the answer brings the token")
    func reask() {
        var driver = PairingDriver.asking()
        let first = driver.calls.last?.request
        driver.lose()
        driver.advance(by: .seconds(2))
        #expect(driver.calls.map(\.request) == [first])
        driver.grant()
        #expect(driver.waiting != nil && !driver.isAsking)
    }

    @Test("L8: a person's id that is too long to be genuine is none")
    func longUser() {
        for (length, isTaken) in [(1_024, true), (1_025, false)] {
            var driver = PairingDriver.asking()
            let user = UserID(String(repeating: "k", count: length))
            driver.hear(.granted(PairingDriver.token, user, isAdmin: false))
            #expect(driver.isAsking == !isTaken)
        }
    }

    @Test("P3: a code stays shown while the connection is lost, and while the question is asked again")
    func codeStays() {
        let wording = Wording.neutral
        let shown = Pairing.Screen.waiting(
            wording.askingAgain("the connection was lost"), code: wording.code("427"))
        var driver = PairingDriver.asking()
        driver.hear(.pending(code: "427"))
        driver.lose()
        #expect(Pairing.screen(driver.state, wording) == shown)
        driver.advance(by: .seconds(2))
        #expect(driver.isAsking && Pairing.screen(driver.state, wording) == shown)
    }

    @Test("P6: a second relaunch goes on with what is left of the 300 s since the submission")
    func relaunchTwice() {
        var disk = Disk<Pairing>()
        let start = PairingDriver.asking(&disk).context.wall
        _ = PairingDriver.launched(with: &disk, seed: 2, wall: start + .seconds(200))
        let again = PairingDriver.launched(with: &disk, seed: 3, wall: start + .seconds(290))
        #expect(again.remaining(.approval) == .seconds(10))
    }
}
