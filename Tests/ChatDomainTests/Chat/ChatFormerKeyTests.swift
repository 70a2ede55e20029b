// A question that is asked again under a new id, on streams, while the disk is slow with the outbox.

import Testing

@testable import ChatDomain

@Suite("Chat: questions under a former id")
struct ChatFormerKeyTests {
    private typealias Device = Driver<Chat>

    @Test("L6, C12: an outbox from before a retry does not give the question its former id back")
    func staleOutbox() throws {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        let former = driver.questions.map { $0.key }
        driver.reply(.began(nil))
        driver.reply(.failed("Oh."))
        driver.send(.retried(driver.rows[0].id))
        let keys = driver.queued
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        driver = .asking(&disk, seed: 2)
        driver.serve(from: &disk)
        #expect(driver.outbox(on: disk).isEmpty && driver.questions.isEmpty)
        try driver.retry(on: &disk)
        #expect(driver.questions.map { $0.key } == keys && keys != former)
    }
}
