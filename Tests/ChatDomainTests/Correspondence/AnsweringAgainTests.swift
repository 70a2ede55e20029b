// Which question a reply belongs to once it has begun: after a deadline, after its question is recognised, and when it is
// told again with the name of its question.

import Testing

@testable import ChatDomain

@Suite("Replies that have begun")
struct AnsweringAgainTests {
    private typealias Device = Driver<Chat>

    /// Two questions that the server has.
    private static func askedTwo(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("q1", as: "s_1", at: 1, on: &disk)
        driver.ask("q2", as: "s_2", at: 2, on: &disk)
        return driver
    }

    @Test("C12: a reply without text that counts for a nearer question at a deadline answers that one")
    func movedWithoutText() {
        var disk = Disk<Chat>()
        var driver = Self.askedTwo(&disk)
        driver.advance(by: .seconds(110))
        driver.hear(.began("r_1", in: .main))
        driver.advance(by: .seconds(11))
        driver.hear(.delta("r_1", "one"))
        driver.advance(by: .milliseconds(100))
        #expect(driver.shows == ["me: q1 ! [retry]", "me: q2", "coach: one…"])
        driver.hear(.message(Device.reply("r_1", "one.", at: 3)))
        #expect(driver.shows == ["me: q1 ! [retry]", "me: q2", "coach: one."])
    }

    @Test("C10, S5: a partial reply to an echo in doubt is that to the message, and offers its retry")
    func partialInDoubt() throws {
        var disk = Disk<Chat>()
        var driver = DoubtSituations().withEchoInDoubt(&disk)
        driver.grow("r_a", to: "Part", at: 11)
        driver.hear(.replyFailed(.reply("r_a"), reason: "busy"))
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.shows.suffix(2) == ["me: A", "coach: Part ! [retry]"])
        try driver.retry(on: &disk)
        #expect(driver.said == ["A", "A", "A"])
    }

    @Test("C12: a reply that is told again with the name of its question stays with it after a relaunch")
    func namedAfterwards() {
        var disk = Disk<Chat>()
        var driver = Self.askedTwo(&disk)
        let question = driver.saidIDs[0]
        for name in [nil, question] {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: "r_1", role: .assistant, text: "one", time: Device.epoch + .seconds(5),
                        isGrowing: false, question: name)))
        }
        driver.serve(from: &disk)
        var next = Device.relaunched(&disk)
        next.advance(by: .seconds(121))
        #expect(next.shows == ["me: q1", "me: q2 ! [retry]", "coach: one"])
    }

    @Test("L4: the deadline of a question whose reply grows changes nothing")
    func lateDeadline() {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        driver.acknowledge()
        driver.grow("r_1", to: "Part")
        let before = driver.state
        driver.send(.timerFired(.replyLimit(.written(driver.saidIDs[0]), in: .main)))
        #expect(driver.state == before && driver.shows == ["me: Hello", "coach: Part…"])
    }

    @Test("C10: of two echoes, a message has the one that is newer than what was known when it was sent")
    func laterEcho() {
        let (time, text) = (WallTime(millisecondsSince1970: 0), LongText("ok"))
        var copies = Copies()
        copies.sent("c_1", of: "c_1", saying: text, since: time)
        copies.remember("s_1", saying: text, at: time)
        var later = copies
        later.remember("s_2", saying: text, at: time + .milliseconds(1))
        #expect(copies.taken("c_1") == nil && later.taken("c_1") == "s_2")
    }
}
