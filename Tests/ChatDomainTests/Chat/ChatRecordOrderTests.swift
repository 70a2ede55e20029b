// What depends on the order in which the disk answers: records that are read late, saves that it refuses
// although it has carried them out, and what is under way when a person signs out.

import Testing

@testable import ChatDomain

@Suite("Chat: records that come late, and saves that are refused")
struct ChatRecordOrderTests {
    private typealias Device = Driver<Chat>

    @Test("C5: nothing is connected before the list says which conversations have cursors")
    func listFirst() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk, but: { $0 == Device.listKey })
        #expect(driver.socket == nil)
        driver.serve(from: &disk)
        #expect(driver.socket != nil)
    }

    @Test("C7, C13, P10: what a refused save after a sign-out has left in the outbox is taken out again")
    func refusedAfterSignOut() {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, but: { $0 == Device.outboxKey })
        driver.say("Hello")
        driver.send(.signedOut)
        driver.answer(Device.outboxKey, with: .missing)
        // The disk has carried out the save, and says that it has not.
        for save in driver.storage where save.key == Device.outboxKey { _ = disk.carryOut(save) }
        #expect(driver.outbox(on: disk).count == 1)
        driver.answer(Device.outboxKey, with: .failed(.full))
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).isEmpty && Device.draft(on: disk) == "Hello")
    }

    @Test("P10, C19: what a conversation waits for at a sign-out does not change the list of the next person")
    func leavesWaiting() throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        let id = driver.create("Plans")
        driver.say("Hi")
        driver.serve(from: &disk, failing: { $0 == Device.listKey }, with: .full)
        driver.reply(.began(nil), in: id)
        driver.reply(.token("Hel"), in: id)
        driver.advance(by: .milliseconds(75))
        if let call = driver.stream(in: id) { driver.end(call, .failed(.lost)) }
        let offer = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(offer.id))
        driver.serve(from: &disk, failing: { $0 == Device.listKey }, with: .full)
        #expect(driver.stream(in: id) != nil)
        let list = Chat.Key.conversations("bo")
        driver.send(.signedIn(Account(user: "bo", secret: SecretHandle("other"), device: "device-1")))
        driver.answer(list, with: .missing)
        #expect(!driver.storage.contains { $0.key == list })
    }

    @Test("S6, L5: a retry of an interrupted reply that only the outbox knows is asked after a relaunch")
    func retryOnlyInOutbox() throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.reply(.began(nil))
        driver.reply(.token("Hel"))
        driver.advance(by: .milliseconds(75))
        driver.breakOff()
        driver.serve(from: &disk)
        driver.send(.networkChanged(isUp: false))
        let offer = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(offer.id))
        driver.serve(from: &disk, but: { $0 != Device.outboxKey })
        #expect(driver.outbox(on: disk).map { $0.wasSent } == [false])
        var next = Device.asking(&disk, seed: 2)
        next.serve(from: &disk)
        #expect(next.questions.map { $0.text } == ["Hi"])
    }
}
