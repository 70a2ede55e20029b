// Where each question has a stream of its own: what waits behind one that failed, what is found to be offline, what is
// stopped, and what is not asked in another form.

import ChatDomain
import Testing

@Suite("Situations: streams")
struct StreamSituations {
    private typealias Device = Driver<Chat>

    @Test(
        "C8: a question does not overtake one before it that the network has failed",
        arguments: [false, true])
    func keepsOrder(isTimedOut: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        for text: ExactText in ["a", "b"] {
            driver.say(text)
            driver.serve(from: &disk)
        }
        #expect(driver.questions.map { $0.text } == ["a"])
        if isTimedOut {
            driver.advance(by: .seconds(31))
        } else {
            driver.breakOff(.failed(.lost))
            driver.advance(by: .milliseconds(400))
            driver.breakOff(.failed(.lost))
        }
        driver.serve(from: &disk)
        driver.advance(by: .seconds(2))
        driver.serve(from: &disk)
        #expect(!driver.questions.map { $0.text }.contains("b") && driver.texts == ["a", "b"])
        try driver.retry(on: &disk)
        #expect(driver.questions.map { $0.text } == ["a"])
        driver.answer("for a")
        driver.serve(from: &disk)
        driver.advance(by: .seconds(1))
        #expect(driver.questions.map { $0.text } == ["b"])
        driver.answer("for b")
        #expect(driver.screen == ["user: a", "coach: for a", "user: b", "coach: for b"])
    }

    @Test("C8, C13: those behind a question that failed wait on when another question is deleted")
    func anotherDeleted() throws {
        var driver = Device.asking()
        driver.sayDurably("Zero")
        driver.answer("0")
        for text: ExactText in ["One", "Two"] { driver.sayDurably(text) }
        driver.advance(by: .seconds(31))
        driver.save()
        try driver.delete("Zero")
        driver.save()
        #expect(driver.texts == ["0", "One", "Two"] && driver.questions.isEmpty)
    }

    @Test("C2, A6: a question that finds no network is sent again by itself, as one that knew of none does")
    func foundOffline() {
        for isKnown in [true, false] {
            var disk = Disk<Chat>()
            var driver = Device.asking(&disk)
            if isKnown { driver.send(.networkChanged(isUp: false)) }
            driver.say("a")
            driver.serve(from: &disk)
            if !isKnown { driver.findOffline(&disk) }
            #expect(driver.questions.isEmpty && driver.rows.allSatisfy { $0.offer != .retry })
            #expect(Chat.connectionLine(driver.state, .neutral) == Wording.neutral.offline)
            driver.send(.networkChanged(isUp: true))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.text } == ["a"])
            driver.answer("for a")
            #expect(driver.screen == ["user: a", "coach: for a"])
        }
    }

    @Test(
        "C13, C2, A6: a question that finds no network is edited at its place, as one that knew of none is",
        arguments: [false, true])
    func editedOffline(isKnown: Bool) throws {
        for isRelaunched in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.asking(&disk)
            if isKnown { driver.send(.networkChanged(isUp: false)) }
            for text: ExactText in ["a", "z"] {
                driver.say(text)
                driver.serve(from: &disk)
            }
            if !isKnown { driver.findOffline(&disk) }
            if isRelaunched {
                driver = .asking(&disk, seed: 2)
                driver.serve(from: &disk)
                #expect(driver.questions.map { $0.text } == ["a"])
                driver.findOffline(&disk)
            }
            #expect(driver.texts == ["a", "z"] && driver.statuses == [.queued, .queued])
            driver.send(.messageEdited(try #require(driver.queued.first), "b"))
            driver.serve(from: &disk)
            #expect(driver.texts == ["b", "z"] && driver.stuckSpinner == nil)
            driver.send(.networkChanged(isUp: true))
            driver.serve(from: &disk)
            #expect(driver.questions.map { $0.text } == ["b"])
            driver.answer("for b")
            driver.serve(from: &disk)
            #expect(driver.screen == ["user: b", "coach: for b", "user: z"])
        }
    }

    @Test("C2: a device that never says that there is a network again tries by itself")
    func foundOfflineWithoutWord() {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        for _ in 0..<2 {
            driver.breakOff(.failed(.offline))
            driver.advance(by: .seconds(1))
        }
        driver.serve(from: &disk)
        driver.advance(by: .seconds(31))
        driver.serve(from: &disk)
        #expect(driver.questions.map { $0.text } == ["a"])
    }

    @Test(
        "S8, S13, C2: a question that was lost and then finds no network is not asked again by itself",
        arguments: [false, true])
    func lostThenOffline(hasFallback: Bool) {
        var driver = Device.asking(Streaming.Configuration(hasFallback: hasFallback))
        for text: ExactText in ["a", "b"] { driver.sayDurably(text) }
        driver.breakOff(.failed(.lost))
        driver.advance(by: .milliseconds(400))
        driver.breakOff(.failed(.offline))
        driver.save()
        driver.send(.networkChanged(isUp: true))
        driver.advance(by: .seconds(31))
        driver.save()
        #expect(driver.questions.isEmpty && driver.texts == ["a", "b"])
        #expect(driver.rows[0].offer == .retry && driver.stuckSpinner == nil)
    }

    @Test("C2, L3: a question that the server took before the network went has failed, and offers a retry")
    func takenThenOffline() {
        var driver = Device.accepted()
        for _ in 0..<2 {
            driver.breakOff(.failed(.offline))
            driver.advance(by: .milliseconds(400))
        }
        driver.save()
        #expect(driver.rows[0].offer == .retry && driver.stuckSpinner == nil)
    }

    @Test(
        "C20, S10: a stop before any text offers no retry, on either carriage",
        arguments: [false, true])
    func stoppedBeforeText(isAcknowledged: Bool) {
        var disk = Disk<Chat>()
        var socket = Device.connected(&disk)
        socket.say("a")
        socket.serve(from: &disk)
        if isAcknowledged { socket.acknowledge() }
        var streams = Device.asking()
        streams.sayDurably("a")
        if isAcknowledged { streams.reply(.began(nil)) }
        for var driver in [socket, streams] {
            driver.stop()
            driver.save()
            driver.advance(by: .minutes(3))
            #expect(driver.shows == ["me: a"] && !driver.isWaiting)
        }
    }

    @Test("S13: a 408 is a refusal, and is not asked in the other form", arguments: [false, true])
    func notInTheOtherForm(hasText: Bool) {
        var driver = Device.asking(Streaming.Configuration(hasFallback: true))
        driver.sayDurably("a")
        if hasText {
            driver.reply(.token("x"))
            driver.advance(by: .milliseconds(75))
        }
        driver.breakOff(.refused(status: 408, retryAfter: nil, message: ""))
        driver.save()
        driver.advance(by: .seconds(1))
        #expect(driver.wholeRequests == 0 && driver.questions.isEmpty)
        #expect(driver.rows.filter { $0.offer == .retry }.count == 1)
    }
}

extension Driver where F == Chat {
    /// The question that is asked finds no network, and finds none again.
    fileprivate mutating func findOffline(_ disk: inout Disk<Chat>) {
        for _ in 0..<2 {
            breakOff(.failed(.offline))
            advance(by: .seconds(1))
            serve(from: &disk)
        }
    }
}
