// Whose an echo or a page is after a launch: a deleted message whose page is not loaded, a message of the
// person's other device, and a retry whose outbox has not been read yet.

import Testing

@testable import ChatDomain

@Suite("Launches, and whose message is whose")
struct LaunchClaimTests {
    private typealias Device = Driver<Chat>

    /// A disk with one page and an outbox.
    private static func disk(_ messages: [Message], _ outbox: [OutboxEntry]) -> Disk<Chat> {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: 0))
        disk[Device.pageKey(0)] = .page(Page(messages: messages, cursor: "s_0"))
        disk[Device.outboxKey] = .outbox(outbox)
        return disk
    }

    /// “Hello”, written here under the name c_1.
    private static func hello(
        _ status: Chat.SendStatus, key: ClientID = "c_1", former: [Message.Former] = []
    ) -> Message {
        Message(
            author: .here(Message.Written(client: "c_1", key: key, status: status, former: former)),
            body: .text(LongText("Hello")), time: Device.epoch + .seconds(1))
    }

    private static func entry(_ key: ClientID, of client: ClientID? = nil, wasSent: Bool) -> OutboxEntry {
        OutboxEntry(key: key, client: client, text: "Hello", written: Device.epoch, wasSent: wasSent)
    }

    @Test("C10, C13: an echo is of the text that is shown, not of an equal deleted one without its page")
    func deletedBeforeItsPage() {
        let retry = Self.entry("c_2", of: "c_1", wasSent: false)
        var disk = Self.disk([], [retry, Self.entry("c_3", wasSent: false)])
        var driver = Device.withSilentContents(&disk)
        #expect(driver.texts == ["Hello", "Hello"])
        driver.send(.deleted(.written("c_1")))
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.finishConnecting()
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        #expect(driver.saidIDs == ["c_3"])
        driver.hear(.message(Device.echo("s_2", "Hello", at: 9)))
        #expect(driver.texts == ["Hello"] && driver.isDelivered("Hello"))
    }

    @Test("C10: an equal text of the person's other device on a page is no echo of this device's text")
    func storedFromElsewhere() {
        let other = Message(
            id: "s_2", author: .elsewhere("device-2"), body: .text(LongText("Hello")),
            time: Device.epoch + .seconds(2), isPlaced: true)
        var disk = Self.disk([Self.hello(.accepted), other], [])
        var driver = Device.relaunched(&disk)
        #expect(driver.texts == ["Hello", "Hello"])
        driver.hear(.message(Device.echo("s_3", "Hello", at: 3)))
        #expect(driver.texts == ["Hello", "Hello"])
    }

    @Test(
        "C12, L6: a retry whose outbox the disk brings late goes once, by its new key, also if tapped again",
        arguments: [false, true])
    func slowOutbox(isAskedAgain: Bool) {
        let retried = Self.hello(.queued, key: "c_2", former: [Message.Former(key: "c_1")])
        var disk = Self.disk([retried], [Self.entry("c_2", of: "c_1", wasSent: false)])
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        driver.send(.shown)
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.finishConnecting()
        if isAskedAgain { driver.send(.retried(.written("c_1"))) }
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.saidIDs == ["c_2"] && driver.shows == ["me: Hello"] && driver.queued.isEmpty)
    }
}
