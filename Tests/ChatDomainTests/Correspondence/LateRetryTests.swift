// A retry in the outbox beside the stored row of its message, on a page that is read after a copy was told again.

import Testing

@testable import ChatDomain

@Suite("A retry beside the late page of its message")
struct LateRetryTests {
    private typealias Device = Driver<Chat>

    @Test("C12, L6: the wait for a former copy that is told again outlasts the late page of its message")
    func toldBeforePage() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("A")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.grow("s_9", to: "Part")
        driver.hear(.replyFailed(.reply("s_9"), reason: "busy"))
        driver.hearReplies(11...16)
        driver.serve(from: &disk)
        let former = driver.saidIDs.last
        driver.lose()
        try driver.retry(on: &disk)
        driver = .restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting(replaying: [Device.echo("s_1", "A", client: former, at: 20)])
        driver.serve(from: &disk)
        driver.scrollUp(4, on: &disk)
        // The server has both copies, and answers each.
        driver.acknowledge()
        driver.hear(.message(Device.reply("s_30", "Hi", at: 30)))
        #expect(driver.said == ["A"] && driver.shows.suffix(2) == ["me: A", "coach: Hi"] && driver.isWaiting)
        driver.hear(.message(Device.reply("s_31", "Hi again", at: 31)))
        #expect(driver.shows.last == "coach: Hi again" && !driver.isWaiting)
    }
}
