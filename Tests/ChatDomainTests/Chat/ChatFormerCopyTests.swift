// Messages of which the server or the disk has several copies: under the key before a retry, in the records
// of the outbox and of the draft, or in a history that was withdrawn.

import ChatDomain
import Testing

@Suite("Chat: former copies of a message")
struct ChatFormerCopyTests {
    private typealias Device = Driver<Chat>

    /// The reply to “Hello” has failed; its retry waits for a connection, and only the stored outbox has it.
    private func retriedOffline(_ disk: inout Disk<Chat>) throws -> Device {
        var driver = Device.broken(&disk)
        driver.lose()
        let row = try #require(driver.rows.first { $0.offer == .retry })
        driver.send(.retried(row.id))
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        return driver
    }

    @Test("C12, C10: the late echo of a former copy does not settle the retry, which is still to be sent")
    func lateEcho() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        driver.lose()
        try driver.retry(on: &disk)
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.echo("s_1", "Hello", client: driver.saidIDs[0], at: 1)))
        #expect(driver.statuses == [.queued] && driver.said == ["Hello"])
        driver.hear(.replayEnded)
        driver.serve(from: &disk)
        #expect(driver.said == ["Hello", "Hello"])
    }

    @Test("C13, C12: a refused retry whose page is not loaded stays beside its edit")
    func editedRetry() throws {
        var disk = Disk<Chat>()
        _ = try retriedOffline(&disk)
        var driver = Device.withSilentContents(&disk)
        driver.finishConnecting()
        driver.serve(from: &disk) { $0 == Device.contentsKey }
        driver.hear(.rejected(try #require(driver.saidIDs.last), reason: "no"))
        guard case .written(let client)? = driver.rows.first?.id else { return #expect(Bool(false)) }
        driver.send(.messageEdited(client, "Goodbye"))
        #expect(driver.texts == ["Hello", "Goodbye"])
    }

    @Test("L6, C10: the echo of a retry that comes before the page of its message is no other message")
    func echoedRetry() throws {
        var disk = Disk<Chat>()
        var driver = try retriedOffline(&disk)
        driver.reconnect()
        driver.answerOutbox(with: .failed(.full))
        let key = try #require(driver.saidIDs.last)
        #expect(driver.saidIDs.count == 2 && driver.saidIDs.first != key)
        driver = Device.withSilentContents(&disk)
        driver.finishConnecting(replaying: [Device.echo("s_10", "Hello", client: key, at: 10)])
        driver.serve(from: &disk)
        #expect(driver.texts.sorted() == ["Hello", "Part"] && driver.said.isEmpty && driver.queued.isEmpty)
    }

    @Test("L6, C14: a retried message whose bytes are gone is not sent again when the outbox is loaded")
    func parkedBeforeLoaded() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("a", "image/png", count: 1)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver = Device.fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        driver.advance(by: Chat.Configuration().storageLimit)
        driver.finishConnecting()
        driver.send(.retried(driver.rows[0].id))
        driver.advance(by: Chat.Configuration().storageLimit)
        #expect(driver.said == ["look"])
        driver.lose(.failed(.recordMissing))
        driver.serve(from: &disk)
        driver.reconnect()
        driver.serve(from: &disk)
        #expect(driver.said == ["look"] && driver.statuses == [.failed(.fileMissing)])
    }

    @Test("L5, C7: of two messages that the outbox refused, none is lost if the first was stored after all")
    func unsavedPair() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for (text, isStored) in [("One", true), ("Two", false)] as [(ExactText, Bool)] {
            driver.say(text)
            for operation in driver.storage where isStored && operation.key == Device.outboxKey {
                _ = disk.carryOut(operation)
            }
            driver.answerOutbox(with: .failed(.full))
            driver.serve(from: &disk) { $0 != Device.draftKey }
        }
        driver = Device.restored(&disk, seed: 2)
        #expect(driver.texts == ["One"] && driver.draft.string.contains("Two"))
    }

    @Test("C19, C5: a reply that names its question and no conversation finds that of a withdrawn one")
    func withdrawnQuestion() {
        var driver = Device.connected()
        let work = driver.create("Work")
        driver.sayDurably("Hi")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s_1", conversation: work, role: .user, text: "Hi", time: Device.epoch,
                    isGrowing: false)))
        driver.loseAndReconnect(isReset: true)
        #expect(driver.texts == [])
        driver.send(.conversationSwitched(to: .main))
        driver.hear(
            .message(
                IncomingMessage(
                    id: "s_2", conversation: nil, role: .assistant, text: "Hello",
                    time: Device.epoch + .seconds(1), isGrowing: false, question: driver.saidIDs[0])))
        #expect(driver.texts == [])
        driver.send(.conversationSwitched(to: work))
        #expect(driver.texts == ["Hello"])
    }
}
