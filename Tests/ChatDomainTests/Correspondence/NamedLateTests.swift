// Replies that name their question only at their end, and commands that are acknowledged first.

import Testing

@testable import ChatDomain

@Suite("Replies that are named late")
struct NamedLateTests {
    private typealias Device = Driver<Chat>

    @Test(
        "C12: a reply that grew without a name belongs to the question that it names at its end, in any launch",
        arguments: [(0, false), (1, false), (1, true)], ["one", "one."] as [ExactText])
    func namedAtItsEnd(asked: (number: Int, isCut: Bool), whole: ExactText) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("q1", as: "s_1", at: 1, on: &disk)
        driver.ask("q2", as: "s_2", at: 2, on: &disk)
        driver.grow("r_1", to: "one", at: 5)
        let end = IncomingMessage(
            id: "r_1", role: .assistant, text: whole, time: Device.epoch + .seconds(5), isGrowing: false,
            question: driver.saidIDs[asked.number])
        if asked.isCut { driver.loseAndReconnect(replaying: [end]) } else { driver.hear(.message(end)) }
        driver.serve(from: &disk)
        let next = Device.relaunched(&disk)
        for launch in 0..<2 {
            if launch == 1 { driver = next }
            driver.advance(by: .seconds(121))
            let marks = asked.number == 0 ? ["", " ! [retry]"] : [" ! [retry]", ""]
            let questions = ["me: q1" + marks[0], "me: q2" + marks[1]]
            #expect(driver.shows == questions + ["coach: " + whole.string])
        }
    }

    @Test("C11, C12: a command that was accepted or refused before is delivered", arguments: [false, true])
    func obeyedLate(isRefused: Bool) {
        var driver = Device.connected()
        driver.sayDurably("/stop")
        let key = driver.saidIDs[0]
        driver.hear(isRefused ? .rejected(key, reason: "no") : .acknowledged(key))
        driver.hear(.obeyed(key))
        #expect(driver.statuses == [.delivered] && driver.stuckSpinner == nil)
        #expect(!driver.isRunning(.replyLimit(.written(key), in: .main)))
    }
}
