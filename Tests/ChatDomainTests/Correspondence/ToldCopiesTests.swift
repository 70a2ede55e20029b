// Copies and turns that a full replay tells: each copy of a retried message, an acknowledgement between them, and
// the stored entries of the outbox beside the newer ones.

import Testing

@testable import ChatDomain

@Suite("Copies and turns in a full replay")
struct ToldCopiesTests {
    private typealias Device = Driver<Chat>

    private static let echoes = [Device.echo("s_1", "Hello", at: 1), Device.echo("s_2", "Hello", at: 20)]

    @Test(
        "C5, C10, L6: both copies that a reset tells are one row, also when the second is told once more",
        arguments: [false, true])
    func secondCopy(isCutShort: Bool) throws {
        var disk = Disk<Chat>()
        var driver = Device.broken(&disk)
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.message(Self.echoes[1]))
        driver.serve(from: &disk)
        driver.lose()
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        driver.hear(.authenticated(replayCount: isCutShort ? 3 : 2, isTruncated: false, isReset: true))
        for echo in Self.echoes { driver.hear(.message(echo)) }
        #expect(driver.shows == ["me: Hello"])
        if isCutShort { driver.loseAndReconnect() }
        driver.hear(.message(Self.echoes[1]))
        #expect(driver.shows == ["me: Hello"] && driver.isWaiting)
        driver.hear(.message(Device.reply("r_2", "Hi", at: 21)))
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
    }

    @Test("C5, C12: an acknowledgement during a full replay gives its question a turn again")
    func acknowledgedWhileTold() {
        let wait = Turns.Wait.stopped(left: .seconds(9))
        var turns = Turns()
        for key in ["c_1", "c_2"] as [ClientID] { _ = turns.taken(key, isWanted: true, wait) }
        turns.beginRetelling()
        #expect(turns.nextStage == nil)
        let isNew = turns.taken("c_2", isWanted: true, wait)
        let reply = turns.began("s_9")
        #expect(!isNew && reply?.question == .written("c_2"))
    }

    @Test("L6, C12: a stored entry of a message that was retried since is not queued beside its retry")
    func entryOfEarlierKey() {
        let retry = OutboxEntry(key: "c_2", client: "c_1", text: "q", written: Device.epoch, wasSent: false)
        var outbox = Outbox(limit: 9)
        _ = outbox.queue.enqueue(Outgoing(entry: retry, revision: .loaded))
        let stored = (["c_1", "c_3"] as [ClientID]).map { key in
            OutboxEntry(key: key, text: "q", written: Device.epoch, wasSent: true)
        }
        outbox.putFirst(stored)
        #expect(outbox.queue.elements.map { $0.id } == ["c_3", "c_2"])
    }
}
