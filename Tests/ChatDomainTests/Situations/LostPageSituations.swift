// An older message with the same text is told again, and is not in memory: its page is damaged or missing, or its row
// was dropped because the disk takes nothing. In doubt a message goes again under its key (C10, L5).

import TestVolume
import Testing

@testable import ChatDomain

@Suite("Situations: lost pages")
struct LostPageSituations {
    private typealias Device = Driver<Chat>

    /// What becomes of the page.
    enum Loss: CaseIterable { case erased, missing, damaged, replaced }

    @Test(
        "C10, L5: the echo of a message on a lost page resolves no message with the same text",
        arguments: Loss.allCases)
    func lostPage(loss: Loss) throws {
        var disk = Disk<Chat>()
        let log = [
            Device.echo("s_1", "ok", at: 1), Device.reply("r_1", "yes", at: 2),
            Device.reply("r_2", "and", at: 10), Device.reply("r_3", "more", at: 11),
        ]
        var driver = Device.restored(&disk) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        for reply in log.dropFirst() { driver.hear(.message(reply)) }
        driver.serve(from: &disk)
        if loss == .erased { disk[Device.pageKey(0)] = nil }
        driver = Device.restored(&disk, seed: 2) { $0.pageLength = 2 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.send(.olderRequested)
        switch loss {
        case .erased: driver.serve(from: &disk)
        case .missing: driver.answer(Device.pageKey(0), with: .missing)
        case .damaged: driver.answer(Device.pageKey(0), with: .failed(.damaged))
        case .replaced:
            driver.answer(Device.pageKey(0), with: .failed(.damaged))
            driver.serve(from: &disk)
            driver = Device.restored(&disk, seed: 3) { $0.pageLength = 2 }
            driver.send(.shown)
            driver.finishConnecting()
            driver.send(.olderRequested)
        }
        driver.serve(from: &disk)
        #expect(driver.texts == ["and", "more"])
        driver.say("ok")
        driver.serve(from: &disk)
        let sent = try #require(driver.saidIDs.last)
        driver.loseAndReconnect(replaying: log, isCursorRefused: true)
        driver.serve(from: &disk)
        #expect(driver.saidIDs == [sent, sent])
        driver.acknowledge()
        driver.hear(.message(Device.echo("s_3", "ok", at: 30)))
        driver.hear(.message(Device.reply("r_4", "again", at: 31)))
        driver.serve(from: &disk)
        #expect(driver.texts.filter { $0 == "ok" }.count == 2)
        #expect(driver.texts.suffix(2) == ["ok", "again"] && !driver.isWaiting)
    }

    @Test("C10, L5: the same when the only page is damaged, so that no row is in memory")
    func onlyPage() throws {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.ask("ok", as: "s_1", at: 1, on: &disk)
        driver.say("ok")
        driver.serve(from: &disk)
        let sent = try #require(driver.saidIDs.last)
        driver = .fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk) { $0 == Device.pageKey(0) }
        driver.answer(Device.pageKey(0), with: .failed(.damaged))
        driver.serve(from: &disk)
        driver.send(.shown)
        driver.replay([Device.echo("s_1", "ok", at: 1)], isReset: false)
        driver.serve(from: &disk)
        #expect(driver.saidIDs == [sent] && driver.texts == ["ok", "ok"])
    }

    @Test(
        "C10, L5, L8: the same for a row that was dropped because the disk takes no page",
        arguments: thoroughly([true, false], otherwise: [true]))
    func dropped(isReset: Bool) throws {
        let isPage: (Chat.Key) -> Bool = { if case .page = $0 { true } else { false } }
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.transcriptLimit = 10 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.say("ok")
        driver.serve(from: &disk, failing: isPage, with: .full)
        driver.acknowledge()
        var log = [Device.echo("s_1", "ok", at: 1), Device.reply("r_1", "yes", at: 2)]
        for number in 0..<Chat.Conversation.fewestKept + 200 {
            log.append(
                Device.reply(
                    MessageID(ExactText("m_\(number)")), ExactText("n\(number)"), at: 10 + number))
        }
        for message in log { driver.hear(.message(message)) }
        driver.serve(from: &disk, failing: isPage, with: .full)
        #expect(!driver.texts.contains("ok"), "it was dropped")
        driver.say("ok")
        driver.serve(from: &disk, failing: isPage, with: .full)
        let sent = try #require(driver.saidIDs.last)
        driver.lose()
        driver.serve(from: &disk, failing: isPage, with: .full)
        while driver.calls.isEmpty, let next = driver.remaining(.reconnect) { driver.advance(by: next) }
        driver.hear(.opened)
        if !isReset { driver.hear(.cursorRefused) }
        driver.replay(Array(log.prefix(500)), isReset: isReset)
        driver.serve(from: &disk, failing: isPage, with: .full)
        #expect(driver.saidIDs.count == 3 && driver.saidIDs.last == sent)
    }

    @Test("C10, C12: a question without a reply is answered once its doubtful echo and its reply are told")
    func answeredInDoubt() throws {
        var disk = Disk<Chat>()
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, failing: { $0 == Device.contentsKey })
        driver.send(.shown)
        driver.replay([], isReset: false)
        driver.say("ok")
        driver.serve(from: &disk, failing: { $0 == Device.contentsKey })
        driver.acknowledge()
        driver.advance(by: .seconds(121))
        #expect(driver.shows == ["me: ok ! [retry]"])
        let log = [Device.echo("s_1", "ok", at: 1), Device.reply("s_2", "yes", at: 2)]
        driver.loseAndReconnect(replaying: log)
        #expect(driver.shows == ["me: ok", "coach: yes"])
        let reply = try #require(driver.rows.last)
        driver.send(.deleted(reply.id))
        #expect(driver.shows == ["me: ok"])
    }

    @Test("C10, L5: the same while the contents cannot be read, so that nothing stored is in memory")
    func unreadableContents() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("ok")
        driver.serve(from: &disk)
        let sent = driver.saidIDs
        driver = .fresh(seed: 2)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk, failing: { $0 == Device.contentsKey })
        driver.send(.shown)
        driver.replay([Device.echo("s_1", "ok", at: 1)], isReset: false)
        driver.serve(from: &disk, failing: { $0 == Device.contentsKey })
        #expect(sent.count == 1 && driver.saidIDs == sent && driver.texts == ["ok", "ok"])
    }
}
