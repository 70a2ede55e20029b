// Who speaks, and what a backend has marked.

import ChatDomain
import Testing

@Suite("Situations: senders and flags")
struct SenderSituations {
    private typealias Device = Driver<Chat>

    private let reply = IncomingMessage(
        id: "s_1", role: .assistant, text: "Hi", time: Device.epoch, isGrowing: false, sender: "Robin",
        flags: ["pinned", "urgent"])

    @Test("the sender's name is shown, and kept over a relaunch")
    func sender() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(reply))
        driver.serve(from: &disk)
        #expect(driver.rows.map { $0.sender } == ["Robin"])
        driver.hear(.message(Device.reply("s_2", "I", at: 2)))
        #expect(driver.rows.map { $0.sender } == ["Robin", nil])
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.rows.map { $0.sender } == ["Robin", nil])
    }

    @Test("the name of a reply that grows is shown while it grows, and afterwards")
    func growingSender() {
        var driver = Device.connected()
        // Not every server repeats the name.
        let told: [(ExactText, Bool, ExactText?)] = [
            ("H", true, "Robin"), ("Hi", true, "Robin"), ("Hi", false, nil),
        ]
        for (text, isGrowing, sender) in told {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: "s_1", role: .assistant, text: text, time: Device.epoch, isGrowing: isGrowing,
                        sender: sender)))
            driver.advance(by: .milliseconds(100))
            #expect(driver.rows.map { $0.sender } == ["Robin"])
        }
    }

    @Test("the flags of a message are kept over a relaunch, and are in its row")
    func flags() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.message(reply))
        driver.serve(from: &disk)
        driver = .relaunched(&disk)
        #expect(driver.rows.map { $0.flags } == [["pinned", "urgent"]])
        #expect(driver.shows == ["coach: Hi"])
    }
}
