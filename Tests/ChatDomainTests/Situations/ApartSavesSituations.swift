// Records that are saved and loaded one after the other: the process ends after one of them, one is refused,
// or one answers before the other. What the first says holds, and nothing is left over.

import Testing

@testable import ChatDomain

@Suite("Situations: saves apart")
struct ApartSavesSituations {
    private typealias Device = Driver<Chat>

    /// The disk takes the first pending save of a page before the process ends; all else is lost.
    private static func endAfterPage(_ driver: Device, _ disk: inout Disk<Chat>) {
        let first = driver.storage.first { if case .page = $0.key { true } else { false } }
        if let first { _ = disk.carryOut(first) }
    }

    // MARK: The page has what the outbox does not know yet

    @Test("C13: a deletion that has reached the page and not the outbox erases the files at the launch")
    func deleted() throws {
        var disk = Disk<Chat>()
        var driver = Device.withUploadedFile(&disk)
        driver.lose()
        driver.serve(from: &disk)
        try driver.delete("look")
        Self.endAfterPage(driver, &disk)
        #expect(disk.hasFile && driver.outbox(on: disk).map { $0.text } == ["look"])
        driver = .relaunched(&disk)
        #expect(driver.texts.isEmpty && driver.said.isEmpty && driver.queued.isEmpty)
        #expect(!disk.hasFile && driver.outbox(on: disk).isEmpty)
    }

    @Test("C8, L6: a refusal that has reached the page and not the outbox holds: nothing goes again")
    func refused() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("Hello")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs.last ?? "", reason: "No."))
        let shown = driver.statuses
        Self.endAfterPage(driver, &disk)
        #expect(driver.outbox(on: disk).map { $0.text } == ["Hello"])
        driver = .relaunched(&disk)
        #expect(driver.said.isEmpty && driver.queued.isEmpty && driver.shows == ["me: Hello ! [retry]"])
        #expect(driver.statuses == shown && driver.note("Hello")?.contains("No.") == true)
    }

    @Test("L6, R5: a failure that has reached the page and not the outbox keeps its reason over a relaunch")
    func failed() {
        var disk = Disk<Chat>()
        var driver = Device.asking(&disk)
        driver.say("Hi")
        driver.serve(from: &disk)
        driver.breakOff(.refused(status: 500, retryAfter: nil, message: ""))
        let shown = driver.statuses
        Self.endAfterPage(driver, &disk)
        #expect(driver.outbox(on: disk).map { $0.text } == ["Hi"])
        driver = .asking(&disk, seed: 2)
        #expect(driver.shows == ["me: Hi ! [retry]"] && driver.questions.isEmpty)
        let ended = ReplyEnding(.refused(status: 500, until: nil), needsNewKey: false)
        #expect(driver.statuses == shown && shown == [.failed(.unanswered(ended))])
    }

    // MARK: The outbox is refused

    @Test("C7, C14, L4: a message that goes back to the composer unsaved takes its upload with it")
    func givenBack() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey }, with: .full)
        driver.lose()
        #expect(driver.uploads.count == 1 && driver.texts == ["look"])
        driver.say("next")
        driver.serve(from: &disk, failing: { $0 == Device.outboxKey }, with: .full)
        #expect(driver.texts.isEmpty && driver.draft.string.contains("look"))
        #expect(driver.uploads.isEmpty)
        #expect(!driver.timers.contains { if case .upload = $0.timer { true } else { false } })
    }

    // MARK: A page and its cursor

    @Test("C5, R5: after a reset, no page is stored with the cursor of the history before it")
    func withdrawnCursor() {
        let pagesOfTwo = { (configuration: inout Chat.Configuration) in configuration.pageLength = 2 }
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk, seed: 1, pagesOfTwo)
        driver.send(.shown)
        driver.finishConnecting()
        driver.hearReplies(1...3)
        driver.serve(from: &disk)
        driver.loseAndReconnect(replaying: (7...9).map(Device.numbered), isReset: true)
        Self.endAfterPage(driver, &disk)
        // The contents are gone, so a search finds the first page of the new history.
        disk[Device.contentsKey] = nil
        driver = .restored(&disk, seed: 2, pagesOfTwo)
        driver.send(.shown)
        #expect(driver.texts.suffix(2) == ["7", "8"] && driver.cursor == nil)
    }

    @Test("C5, C6: no connection opens without the newest page's cursor, also if the outbox is read first")
    func outboxBeforePage() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hearReplies(1...2)
        driver.serve(from: &disk)
        driver = .fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.send(.shown)
        driver.serve(from: &disk) { $0 == Device.outboxKey || $0 == Device.pageKey(0) }
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        #expect(driver.calls.isEmpty && driver.storage.map { $0.key } == [Device.pageKey(0)])
        driver.serve(from: &disk)
        #expect(driver.cursor == "s_2" && driver.texts == ["r", "r"])
    }
}
