// What counts as an answer, when a notice, a retry or a second telling comes between; and what of it is shown.

import ChatDomain
import Testing

@Suite("Situations: what counts as an answer")
struct AnswerSituations {
    private typealias Device = Driver<Chat>

    private func notice(_ text: ExactText, isGrowing: Bool) -> IncomingMessage {
        IncomingMessage(
            id: "n_1", role: .system, text: text, time: Device.epoch + .seconds(2), isGrowing: isGrowing)
    }

    @Test("C12: a notice of the server without text is no answer to a question", arguments: [false, true])
    func emptyNotice(isLost: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        if isLost {
            driver.hear(.message(notice("", isGrowing: true)))
            driver.loseAndReconnect(replaying: [notice("", isGrowing: false)])
        } else {
            driver.hear(.message(notice("", isGrowing: false)))
        }
        #expect(driver.rows[0].note == nil && driver.isWaiting)
        driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
        #expect(driver.shows.first == "me: Hello" && driver.texts.last == "Hi" && !driver.isWaiting)
    }

    @Test("C17, R3: a growing notice of the server is shown as it grows, and why it ended")
    func growingNotice() {
        var driver = Device.connected()
        var kept = Chat.Rows()
        for text: ExactText in ["Not", "Notice"] {
            driver.hear(.message(notice(text, isGrowing: true)))
            driver.advance(by: .milliseconds(100))
            kept.update(driver.state, newest: 20, .neutral)
            #expect(kept.map { $0.text.string } == [text.string] && driver.rows[0].isGrowing)
        }
        driver.lose()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.note } == driver.notes && driver.rows[0].note != nil && !driver.isWaiting)
    }

    @Test(
        "C12, L5: a question that the server fails by name keeps its retry, whatever message comes next",
        arguments: [false, true])
    func failedByName(isAccepted: Bool) {
        var driver = Device.connected()
        driver.sayDurably("Hello")
        if isAccepted { driver.acknowledge() }
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.hear(.message(Device.reply("s_9", "Good morning", at: 9)))
        #expect(driver.shows == ["me: Hello ! [retry]", "coach: Good morning"] && !driver.isWaiting)
    }

    /// How the next connection comes about.
    enum Next: CaseIterable { case reconnected, relaunched, reset }

    @Test(
        "C12, L6: a retry that was never on a wire is dropped when a replay brings the first reply",
        arguments: Next.allCases)
    func lateReplyInReplay(next: Next) throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        driver.advance(by: .seconds(121))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello ! [retry]"])
        driver.lose()
        try driver.retry(on: &disk)
        let reply = Device.reply("s_9", "Hi", at: 9)
        switch next {
        case .reconnected: driver.reconnect(replaying: [reply])
        case .relaunched: driver = .relaunched(&disk, replaying: [reply])
        case .reset:
            while driver.calls.isEmpty, let wait = driver.remaining(.reconnect) { driver.advance(by: wait) }
            driver.replay([Device.echo("s_1", "Hello", at: 1), reply], isReset: true)
        }
        driver.serve(from: &disk)
        #expect(driver.said == (next == .relaunched ? [] : ["Hello"]))
        driver.advance(by: .seconds(130))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && !driver.isWaiting)
        driver = .relaunched(&disk, seed: 3)
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.said.isEmpty)
    }

    @Test("C16: files that come with a reply that is told again are shown", arguments: [false, true])
    func filesLater(isReset: Bool) {
        let file = IncomingFile(kind: .image, mimeType: "image/png", byteCount: 3, asset: "x")
        let whole = IncomingMessage(
            id: "s_9", role: .assistant, text: "Hi", time: Device.epoch + .seconds(9), isGrowing: false,
            files: [file])
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("Hello", as: "s_1", at: 1, on: &disk)
        if isReset {
            driver.grow("s_9", to: "Hi")
            driver.loseAndReconnect(replaying: [Device.echo("s_1", "Hello", at: 1), whole], isReset: true)
        } else {
            driver.hear(.message(Device.reply("s_9", "Hi", at: 9)))
            driver.hear(.message(whole))
        }
        #expect(driver.shows == ["me: Hello", "coach: Hi"] && driver.rows.last?.attachments.count == 1)
    }
}
