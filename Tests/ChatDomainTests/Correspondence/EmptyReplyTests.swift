// A reply that ends before any text is the only one to its question, and to no other.

import Testing

@testable import ChatDomain

@Suite("Replies without text")
struct EmptyReplyTests {
    private typealias Device = Driver<Chat>

    @Test(
        "C12: a reply that fails without text answers no later question, which says in time that it has none",
        arguments: [false, true])
    func staysFailed(isNamed: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("One", as: "s_1", at: 1, on: &disk)
        driver.ask("Two", as: "s_2", at: 2, on: &disk)
        driver.hear(
            isNamed
                ? .replyFailed(.reply("s_3"), reason: "busy") : .message(Device.reply("s_3", "", at: 3)))
        let failed = driver.statuses[0]
        #expect(driver.statuses[1] == .delivered || driver.statuses[1] == .accepted)
        driver.advance(by: .seconds(121))
        #expect(driver.statuses == [failed, .failed(.noReply)])
        #expect(driver.shows == ["me: One ! [retry]", "me: Two ! [retry]"])
    }
}
