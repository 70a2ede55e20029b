import ChatDomain
import Testing

private typealias Device = Driver<Chat>

extension Device {
    /// Questions that the server has, and none of which is answered.
    fileprivate static func asked(_ texts: ExactText...) -> Self {
        var driver = connected()
        for text in texts {
            driver.sayDurably(text)
            if let key = driver.newestSaidID { driver.hear(.acknowledged(key)) }
        }
        return driver
    }

    /// A reply, or the beginning of one, that names its question.
    fileprivate mutating func hear(
        _ id: MessageID, _ text: ExactText, to question: ClientID, at second: Int64 = 1,
        isGrowing: Bool = false
    ) {
        let message = IncomingMessage(
            id: id, role: .assistant, text: text, time: Self.epoch + .seconds(second),
            isGrowing: isGrowing, question: question)
        hear(.message(message))
        if isGrowing { advance(by: .milliseconds(100)) }
    }

    /// The person scrolls up until all that the disk has is in view.
    fileprivate mutating func loadOlder(from disk: inout Disk<Chat>) {
        while Chat.hasOlder(state) {
            send(.olderRequested)
            serve(from: &disk)
        }
    }

    /// The texts of the rows that offer a retry.
    fileprivate var retries: [String] { rows.filter { $0.offer == .retry }.map { $0.text.string } }
}

/// Some servers say which question a reply answers; then its place among the replies says nothing.
@Suite("Chat: replies that name their question")
struct ChatNamedTests {
    @Test("C10, C12: a reply to the question of another client takes nobody's turn, whole or in parts")
    func foreign() {
        for isGrowing in [false, true] {
            var failed = Device.asked("q1")
            failed.hear("r9", "theirs", to: "c_9", isGrowing: isGrowing)
            #expect(failed.texts.sorted() == ["q1", "theirs"] && failed.retries == [])
            failed.hear(.replyFailed(.reply("r9"), reason: "busy"))
            #expect(failed.retries == [])
            var silent = failed
            failed.hear(.replyFailed(.question(failed.saidIDs[0]), reason: "busy"))
            #expect(failed.retries == ["q1"])
            silent.advance(by: .seconds(120))
            #expect(silent.retries == ["q1"] && silent.stuckSpinner == nil)
        }
    }

    @Test("C12, S5, S6: the second of two questions is answered first, and the reply to the first breaks off")
    func secondFirst() throws {
        var driver = Device.asked("q1", "q2")
        driver.hear("r2", "two", to: driver.saidIDs[1])
        #expect(driver.retries == [])
        driver.hear("r1", "one", to: driver.saidIDs[0], at: 2, isGrowing: true)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(driver.retries == ["one"] && driver.texts.sorted() == ["one", "q1", "q2", "two"])
        let partial = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(partial.id))
        driver.save()
        #expect(driver.said == ["q1", "q2", "q1"] && driver.retries == [])
        driver.hear("r3", "one.", to: driver.saidIDs[2], at: 3)
        #expect(driver.retries == [] && driver.texts.sorted() == ["one.", "q1", "q2", "two"])
    }

    @Test("C12: a named reply stays with its question when the time of a later one is over, in any launch")
    func notMoved() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for text in ["q1", "q2"] as [ExactText] {
            driver.say(text)
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.newestSaidID ?? ""))
        }
        driver.hear("r1", "one", to: driver.saidIDs[0])
        driver.serve(from: &disk)
        var next = Device.connected(&disk, seed: 2)
        driver.advance(by: .seconds(120))
        #expect(driver.retries == ["q2"] && driver.stuckSpinner == nil)
        next.advance(by: .seconds(120))
        #expect(next.retries == ["q2"] && next.stuckSpinner == nil)
    }

    @Test("C12: a question that failed or timed out is answered by a reply that names it")
    func answeredAfterAll() {
        for isGrowing in [false, true] {
            for isSilent in [false, true] {
                var driver = Device.asked("q1", "q2")
                if isSilent {
                    driver.advance(by: .seconds(120))
                } else {
                    driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
                }
                #expect(driver.retries.contains("q1"))
                driver.hear("r1", "one", to: driver.saidIDs[0], isGrowing: isGrowing)
                #expect(driver.retries == (isSilent ? ["q2"] : []))
                driver.hear("r1", "one.", to: driver.saidIDs[0])
                driver.hear("r2", "two", to: driver.saidIDs[1], at: 2)
                #expect(driver.retries == [] && driver.stuckSpinner == nil)
            }
        }
    }

    @Test(
        "C12: a question whose page is loaded after the reply that names it is answered, in any launch",
        arguments: [false, true], [false, true])
    func beforeItsPage(isRetried: Bool, isGrowing: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("q1")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        if isRetried {
            driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
            driver.send(.retried(driver.rows[0].id))
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[1]))
        }
        let key = try #require(driver.newestSaidID)
        for number in 2...5 as ClosedRange<Int64> {
            let id = ExactText("r\(number)")
            driver.hear(MessageID(id), "theirs", to: ClientID(id), at: number)
        }
        driver.serve(from: &disk)
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear("r1", "one", to: key, at: 6, isGrowing: isGrowing)
        driver.serve(from: &disk)
        #expect(!driver.texts.contains("q1"))
        var left = disk
        driver.loadOlder(from: &disk)
        #expect(driver.statuses[0] == .delivered && driver.retries == [] && driver.stuckSpinner == nil)
        if isGrowing { driver.hear("r1", "one", to: key, at: 6) }
        #expect(driver.texts == ["q1", "theirs", "theirs", "theirs", "theirs", "one"])
        #expect(driver.statuses[0] == .delivered && driver.retries == [])
        guard !isGrowing else { return }
        var next = Device.restored(&left, seed: 3) { $0.pageLength = 2 }
        next.loadOlder(from: &left)
        #expect(next.texts == driver.texts && next.statuses[0] == .delivered && next.retries == [])
    }

    @Test("C12: a retry that was never on a wire is dropped when a reply names the copy before it")
    func dropsRetry() {
        var driver = Device.asked("q1")
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.send(.retried(driver.rows[0].id))
        driver.hear("r1", "one", to: driver.saidIDs[0])
        driver.save()
        #expect(driver.said == ["q1"] && driver.queued.isEmpty && driver.retries == [])
    }

    @Test("C12: a retry that fails behind the named reply to the copy before it says nothing is missing")
    func retryFails() {
        var driver = Device.asked("q1")
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear("r1", "one", to: driver.saidIDs[0])
        driver.hear(.replyFailed(.question(driver.saidIDs[1]), reason: "busy"))
        #expect(driver.texts == ["q1", "one"] && driver.retries == [] && driver.stuckSpinner == nil)
        driver.send(.deleted(driver.rows[1].id))
        #expect(driver.texts == ["q1"] && driver.retries == [] && driver.statuses == [.delivered])
    }

    @Test("C10, C12: a named reply proves that its question was accepted, before or after its refusal")
    func provesAcceptance() {
        for isRefusedFirst in [false, true] {
            var driver = Device.connected()
            driver.sayDurably("q1")
            let key = driver.saidIDs[0]
            if isRefusedFirst { driver.hear(.rejected(key, reason: "no")) }
            driver.hear("r1", "on", to: key, isGrowing: true)
            if !isRefusedFirst { driver.hear(.rejected(key, reason: "no")) }
            driver.hear("r1", "one", to: key)
            #expect(driver.statuses[0] == .delivered && driver.queued.isEmpty)
            #expect(driver.retries == [] && driver.texts == ["q1", "one"])
            driver.lose()
            driver.reconnect()
            #expect(driver.said == ["q1"])
        }
    }

    @Test("C12: a reply that names its question at its end goes over to it, and the other one waits on")
    func namedAtTheEnd() {
        var driver = Device.asked("q1", "q2")
        driver.hear(.began("r2", in: .main))
        driver.hear(.chunk("r2", index: 0, "two", isFinal: true))
        driver.hear("r2", "two", to: driver.saidIDs[1])
        var answered = driver
        answered.hear("r1", "one", to: driver.saidIDs[0], at: 2)
        answered.advance(by: .seconds(120))
        #expect(answered.retries == [] && answered.stuckSpinner == nil)
        var silent = driver
        silent.advance(by: .seconds(120))
        #expect(silent.retries == ["q1"] && silent.stuckSpinner == nil)
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        #expect(driver.retries == ["q1"])
    }

    @Test("L3, C12: a reply that counts for a nearer question ends its wait, also when no question had it")
    func movedWithoutLink() {
        var driver = Device.asked("q1")
        driver.hear(.message(Device.reply("r1", "one", at: 1, isGrowing: true)))
        driver.advance(by: .milliseconds(100))
        driver.lose()
        driver.reconnect()
        for partial in driver.rows where partial.offer == .retry { driver.send(.retried(partial.id)) }
        driver.save()
        #expect(driver.said == ["q1", "q1"])
        driver.hear(.acknowledged(driver.newestSaidID ?? ""))
        // The reply before the retry comes after all, so the reply to the retry has no question.
        driver.hear(.message(Device.reply("r1", "one.", at: 1)))
        driver.sayDurably("q2")
        driver.hear(.acknowledged(driver.newestSaidID ?? ""))
        driver.hear(.message(Device.reply("r2", "again", at: 3)))
        driver.advance(by: .seconds(120))
        #expect(!driver.statuses.contains(.accepted) && driver.stuckSpinner == nil)
        #expect(driver.retries == [])
    }
}
