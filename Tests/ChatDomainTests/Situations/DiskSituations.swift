// Disks that answer nothing, refuse everything, or hold nonsense; and what of a draft is on them.

import ChatDomain
import Foundation
import TestVolume
import Testing

@Suite("Situations: disks")
struct DiskSituations {
    private typealias Device = Driver<Chat>

    // MARK: One operation a record

    @Test("L8: a draft has one save under way on a silent disk, and the newest text behind it")
    func silentDraft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 1...1_000 {
            driver.send(.draftEdited(ExactText("key \(number)")))
            driver.advance(by: .seconds(1))
        }
        #expect(driver.mostUnderWay <= 1 && driver.storage.count <= 3)
        driver.serve(from: &disk)
        driver.advance(by: .seconds(6))
        driver.serve(from: &disk)
        #expect(Device.draft(on: disk) == "key 1000")
    }

    @Test("L8: lost connections, new conversations and sent messages leave one operation a record under way")
    func silentChat() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 1...30 {
            driver.loseAndReconnect()
            driver.create(ExactText("c\(number)"))
            driver.say(ExactText("m\(number)"))
            driver.hear(.message(Device.reply(MessageID(ExactText("s_\(number)")), "x", at: Int64(number))))
            driver.advance(by: .seconds(3))
            driver.send(.conversationSwitched(to: .main))
            driver.say(ExactText("n\(number)"))
            driver.advance(by: .seconds(6))
        }
        #expect(driver.mostUnderWay <= 1)
        driver.serve(from: &disk)
        #expect(driver.listed.count == 31 && driver.storage.isEmpty)
        // Without a connection: the limit of authentications holds the next one back.
        var again = Device.restored(&disk, seed: 2)
        again.send(.shown)
        #expect(again.socket == nil)
        #expect(
            again.listed.map { $0.title } == driver.listed.map { $0.title }, "what is stored is the newest")
    }

    @Test("L8: files picked again and again on a silent disk leave four under way, and none on it later")
    func silentFiles() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<30 {
            driver.pick("f", "text/plain", count: 1)
            if number % 2 == 0, let file = driver.state.conversation.draft.attachments.last {
                driver.send(.attachmentRemoved(file.id))
            }
            driver.advance(by: .seconds(6))
        }
        let files = driver.storage.count { if case .attachment = $0.key { true } else { false } }
        #expect(files == 4 && driver.mostUnderWay <= 1)
        #expect(driver.state.conversation.draft.attachments.isEmpty)
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        driver.send(.draftEdited("no file"))
        #expect(Chat.composer(driver.state).canSend)
        driver.say("no file")
        #expect(driver.texts == ["no file"])
        driver.serve(from: &disk)
        #expect(driver.storage.isEmpty && !disk.hasFile)
        driver.pick("g", "text/plain", count: 1)
        driver.serve(from: &disk)
        #expect(Chat.composer(driver.state).attachments.map { $0.name } == ["g"])
    }

    @Test("L8: files that the disk has and files that it still saves are four in all")
    func silentBesideStored() {
        var driver = Device.connected()
        for name in ["a", "b"] as [ExactText] { driver.pick(name, "text/plain", count: 1) }
        driver.save()
        for name in ["c", "d"] as [ExactText] {
            driver.pick(name, "text/plain", count: 1)
            driver.answer(Device.draftKey, with: .saved)
            if let file = driver.state.conversation.draft.attachments.last {
                driver.send(.attachmentRemoved(file.id))
            }
        }
        driver.pick("e", "text/plain", count: 1)
        #expect(driver.state.conversation.banner == .notSaved(.unavailable))
        #expect(Chat.composer(driver.state).attachments.map { $0.name } == ["a", "b"])
    }

    @Test("L8: files being copied at sign-out leave none on the disk, whether or not the composer has them")
    func silentFilesLeft() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("f", "text/plain", count: 1)
        driver.advance(by: .seconds(6))
        driver.pick("g", "text/plain", count: 1)
        driver.send(.signedOut)
        driver.serve(from: &disk)
        #expect(driver.storage.isEmpty && !disk.hasFile)
    }

    @Test(
        "L8, C19: a conversation whose removed file is still being saved makes no room, and leaves no bytes"
    )
    func silentFileInClosed() {
        var disk = Disk<Chat>()
        var driver = Device.connected { $0.conversationLimit = 2 }
        let closed = driver.create("a")
        driver.serve(from: &disk)
        driver.pick("f", "text/plain", count: 1)
        driver.advance(by: .seconds(6))
        let isSilent = { (key: Chat.Key) -> Bool in if case .attachment = key { true } else { false } }
        driver.serve(from: &disk, but: isSilent)
        driver.send(.conversationClosed(closed))
        driver.serve(from: &disk, but: isSilent)
        driver.create("b")
        #expect(driver.state.conversation.banner == .tooManyConversations)
        driver.serve(from: &disk)
        #expect(driver.storage.isEmpty && !disk.hasFile)
    }

    @Test("L8, P6: submitting and cancelling leave one operation a record of pairing under way")
    func silentPairing() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.launched(with: &disk)
        for number in 0..<100 {
            driver.submit(ExactText("p\(number)"))
            driver.advance(by: .seconds(7))
            driver.send(.cancelled)
            driver.advance(by: .seconds(7))
        }
        #expect(driver.mostUnderWay <= 1 && driver.storage.count <= 3)
        driver.submit("Kay")
        driver.serve(from: &disk)
        guard case .request(let kept) = disk[.request] else {
            Issue.record("nothing is stored of the request")
            return
        }
        #expect(kept.name == "Kay", "what is stored is the newest")
    }

    // MARK: Contents that name pages which are not there

    @Test(
        "R5, L1, L3: contents that name pages which are not there are damage, told, and hold up no launch",
        arguments: [
            (0, 9_007_199_254_740_991), (0, 100_000), (0, .max), (.min, .max), (.max, .min), (.min, .min),
            (.max, .max), (-5, -1), (7, 3),
        ] as [(Int64, Int64)])
    func pagesMissing(oldest: Int64, newest: Int64) {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: oldest, newestPage: newest))
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        #expect(driver.serve(from: &disk, atMost: 200), "the launch ends")
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.message(Device.reply("s_1", "Hi", at: 1)))
        driver.say("Hello")
        #expect(driver.serve(from: &disk, atMost: 200) && driver.shows == ["coach: Hi", "me: Hello"])
        #expect(driver.said == ["Hello"])
        for _ in 0..<5 {
            driver.send(.olderRequested)
            #expect(driver.serve(from: &disk, atMost: 200))
        }
        var again = Device.fresh(seed: 2)
        again.send(.signedIn(Device.account))
        #expect(again.serve(from: &disk, atMost: 200) && again.texts == ["Hi", "Hello"])
    }

    @Test("R5: that pages are missing is told", arguments: [100_000, 9_007_199_254_740_991] as [Int64])
    func pagesMissingTold(newest: Int64) {
        var disk = Disk<Chat>()
        disk[Device.contentsKey] = .contents(Contents(oldestPage: 0, newestPage: newest))
        var driver = Device.fresh()
        driver.send(.signedIn(Device.account))
        #expect(driver.serve(from: &disk, atMost: 200))
        let damage = Wording.neutral.notRestored(Wording.neutral.reasons.storageDamaged)
        #expect(Chat.banner(driver.state, .neutral) == damage)
    }

    // MARK: Memory

    /// How a disk does not take what it is given.
    enum Refusal: CaseIterable { case silent, full }

    @Test(
        "L8, C21: a disk that takes nothing does not lift the limit of what is held in memory",
        arguments: Refusal.allCases)
    func memory(refusal: Refusal) {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.transcriptLimit = 1_000 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.serve(from: &disk)
        driver.say("Mine")
        driver.serve(from: &disk)
        driver.hear(.rejected(driver.saidIDs[0], reason: "no"))
        driver.serve(from: &disk)
        var most: Int64 = 0
        for number in 1...2_500 {
            driver.hear(
                .message(
                    Device.reply(
                        MessageID(ExactText("s_\(number)")), ExactText("\(number)"), at: Int64(number))))
            if refusal == .full {
                while let operation = driver.storage.first {
                    driver.answer(operation.key, with: .failed(.full))
                }
            }
            if number.isMultiple(of: 100) {
                driver.advance(by: .seconds(6))
                most = max(most, driver.heldRows)
            }
        }
        // A page more on either side, because pages leave as a whole.
        #expect(most <= 1_100, "\(most) are held")
        #expect(driver.texts.contains("2500") && driver.mostUnderWay <= 1)
        #expect(driver.texts.contains("Mine"), "what a person wrote is not forgotten")
    }

    // MARK: Cost

    /// What a launch finds on the disk after so many own messages, each retried once on a server that never echoes.
    private func retried(_ count: Int, isAnswered: Bool) throws -> Disk<Chat> {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        for number in 0..<count {
            driver.advance(by: .seconds(1))
            driver.say(ExactText("q\(number)"))
            driver.serve(from: &disk)
            driver.acknowledge()
            driver.hear(.replyFailed(.question(driver.saidIDs[driver.saidIDs.count - 1]), reason: "busy"))
            driver.serve(from: &disk)
            let row = try #require(driver.rows.last { $0.offer == .retry })
            driver.send(.retried(row.id))
            driver.serve(from: &disk)
            driver.acknowledge()
            guard isAnswered else { continue }
            let id = MessageID(ExactText("r_\(number)"))
            driver.hear(.message(Device.reply(id, ExactText("a\(number)"), at: Int64(number))))
            driver.serve(from: &disk)
        }
        driver.serve(from: &disk)
        return disk
    }

    /// The nanoseconds for which a processor has run this thread.
    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    @Test(
        "L8: a launch with messages that were retried and never echoed costs twice as much for twice as many",
        arguments: thoroughly([true, false], otherwise: [true]))
    func linear(isAnswered: Bool) throws {
        func launch(_ stored: Disk<Chat>) throws -> UInt64 {
            var disk = stored
            let start = Self.processorTime
            var driver = Device.relaunched(&disk)
            var held: Int64 = 0
            while driver.heldRows > held {
                held = driver.heldRows
                driver.send(.olderRequested)
                driver.serve(from: &disk)
            }
            let time = Self.processorTime - start
            try #require(driver.texts.contains("q0"), "all that is stored can be seen")
            return time
        }
        // Twice for what is linear, four times for what is quadratic. The time of the processor counts, and of that
        // the least of at least three launches, and of more while they are in doubt, because others use its caches.
        let (few, many) = (try retried(100, isAnswered: isAnswered), try retried(200, isAnswered: isAnswered))
        var (once, twice) = (try launch(few), try launch(many))
        for attempt in 2...12 where attempt <= 3 || twice >= once * 3 {
            once = min(once, try launch(few))
            twice = min(twice, try launch(many))
        }
        #expect(twice < once * 3, "\(once), \(twice)")
    }

    // MARK: Drafts

    @Test(
        "L5: of a draft at most 5 s are lost, however steadily it is typed",
        arguments: [200, 500, 900] as [Int64])
    func steadyTyping(milliseconds: Int64) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        let keys = Int(300_000 / milliseconds)
        let behind = Int(5_000 / milliseconds) + 1
        for key in 1...keys {
            driver.send(.draftEdited(ExactText("\(key)")))
            driver.advance(by: .milliseconds(milliseconds))
            driver.serve(from: &disk)
            let saved = Device.draft(on: disk).flatMap { Int($0.string) } ?? 0
            guard saved >= key - behind else {
                Issue.record("after key \(key), \(saved) is saved")
                return
            }
        }
        driver.advance(by: .seconds(1))
        driver.serve(from: &disk)
        #expect(Device.draft(on: disk)?.string == "\(keys)")
    }

    @Test(
        "L5, L6: a message that the outbox has after all leaves the record of the draft",
        arguments: [false, true])
    func outboxAfterAll(isDelivered: Bool) {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("hello")
        driver.answerOutbox(with: .failed(.unavailable))
        driver.serve(from: &disk) { $0 == Device.outboxKey }
        #expect(Device.draft(on: disk) == "hello")
        if isDelivered {
            driver.acknowledge()
            driver.hear(.message(Device.echo("s_1", "hello", at: 1)))
            driver.serve(from: &disk)
            #expect(Device.draft(on: disk) == "")
        } else {
            driver.say("more")
            for operation in driver.storage where operation.key == Device.outboxKey {
                _ = disk.carryOut(operation)
            }
        }
        let again = Device.restored(&disk)
        #expect(again.draft == "" && again.texts == (isDelivered ? ["hello"] : ["hello", "more"]))
    }

    @Test("L5, L8: a full outbox forgets what the server has, and keeps a refused message over a relaunch")
    func refusedBesideTaken() throws {
        var disk = Disk<Chat>()
        var driver = Device.restored(&disk) { $0.outboxLimit = 3 }
        driver.send(.shown)
        driver.finishConnecting()
        for text: ExactText in ["mine", "a", "b", "c", "d"] {
            driver.say(text)
            driver.serve(from: &disk, failing: { $0 == Device.pageKey(0) }, with: .full)
            let sent = try #require(driver.saidIDs.last)
            driver.hear(text == "mine" ? .rejected(sent, reason: "No.") : .acknowledged(sent))
        }
        #expect(driver.said == ["mine", "a", "b", "c", "d"])
        #expect(Device.restored(&disk, seed: 2).texts == ["mine", "b", "c", "d"])
    }

    @Test("L5, C7: the record of the draft keeps a message that the outbox could not save, with its files")
    func unsavedWithFile() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("a.png", "image/png", count: 10)
        driver.serve(from: &disk)
        driver.say("look")
        driver.answerOutbox(with: .failed(.full))
        driver.serve(from: &disk) { $0 != Device.draftKey }
        let again = Device.restored(&disk, seed: 2)
        #expect(driver.said == ["look"] && again.draft == "look" && again.rows.isEmpty)
        #expect(Chat.composer(again.state).attachments.map { $0.name } == ["a.png"])
    }

    @Test("L1, L5: a stored message is sent and kept by an outbox in which no new one has room")
    func noRoom() {
        var disk = Disk<Chat>()
        disk[Device.outboxKey] = .outbox([
            OutboxEntry(key: "c_1", text: "a", written: Device.epoch, wasSent: true)
        ])
        var driver = Device.restored(&disk) { $0.outboxLimit = 0 }
        driver.send(.shown)
        driver.finishConnecting()
        driver.hear(.acknowledged("c_1"))
        #expect(driver.said == ["a"] && driver.statuses == [.accepted] && driver.queued.isEmpty)
    }
}
