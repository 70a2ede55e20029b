// The ids and the times that a server gives: a time that a full replay changes, and an id that is given twice.

import Testing

@testable import ChatDomain

@Suite("Chat: ids and times that a server gives again")
struct ChatNamesAndTimesTests {
    private typealias Device = Driver<Chat>

    @Test("C5, C16: a known message has the place that the server tells after a reset")
    func otherTime() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 1...3 as ClosedRange<Int64> { driver.hear(.message(Device.numbered(number))) }
        driver.serve(from: &disk)
        driver.loseAndReconnect(
            replaying: [Device.numbered(2), Device.numbered(3), Device.reply("s1", "1", at: 4)],
            isReset: true)
        driver.serve(from: &disk)
        #expect(driver.texts == ["2", "3", "1"])
        #expect(driver.rows.map { $0.time } == [2, 3, 4].map { Device.epoch + .seconds($0) })
        #expect(Device.restored(&disk, seed: 2).texts == ["2", "3", "1"])
    }

    @Test("C16, L5: a reply under the id of an older message leaves that in place, also after a relaunch")
    func sameID() {
        var disk = Disk<Chat>()
        let older = Message(
            id: "r_1", author: .assistant(to: nil), body: .text(LongText("old")), time: Device.epoch,
            isPlaced: true)
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: [older], cursor: nil))
        var driver = Device.asking(&disk)
        for (question, reply) in [("q1", "one"), ("q2", "two")] as [(ExactText, ExactText)] {
            driver.say(question)
            driver.serve(from: &disk)
            driver.reply(.began(nil))
            driver.reply(.token(reply))
            driver.reply(.done("r_1", Usage(prompt: 1, completion: 2, total: 3)))
            driver.serve(from: &disk)
        }
        let screen = ["coach: old", "user: q1", "coach: one", "user: q2", "coach: two"]
        #expect(driver.screen == screen)
        #expect(Device.asking(&disk, seed: 2).screen == screen)
    }
}
