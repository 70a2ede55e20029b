import ChatDomain
import Testing

@Suite("Chat: numbered pieces, and stopping a reply")
struct ChatChunkTests {
    private typealias Device = Driver<Chat>

    private let pieces = ["one ", "two ", "three ", "four"]

    private func chunk(_ index: Int, _ driver: inout Device) {
        driver.hear(
            .chunk("s1", index: Int64(index), ExactText(pieces[index]), isFinal: index == pieces.count - 1))
    }

    @Test("S15, L9: every order and every duplicate gives the same text", arguments: 0..<24)
    func order(permutation: Int) {
        var rest = Array(pieces.indices)
        var number = permutation
        var driver = Device.connected()
        while !rest.isEmpty {
            let index = rest.remove(at: number % rest.count)
            number /= rest.count + 1
            chunk(index, &driver)
            chunk(index, &driver)
            driver.advance(by: .milliseconds(60))
        }
        #expect(driver.texts == ["one two three four"] && driver.rows[0].note == nil)
        let others: [Chat.Timer] = [.stable, .pageLimit(.main)]
        #expect(driver.state.conversation.growing.isEmpty)
        #expect(driver.timers.allSatisfy { others.contains($0.timer) })
    }

    @Test("S15: a gap of 5 s interrupts with what is contiguous, and what comes after is ignored")
    func gap() {
        var driver = Device.connected()
        chunk(0, &driver)
        chunk(2, &driver)
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.texts == ["one "] && driver.state.conversation.growing.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.growing.isEmpty && driver.rows[0].note != nil)
        chunk(1, &driver)
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["one "])
    }

    @Test("S15: the gap is counted from when it began, and a closed one is not counted")
    func gapMoves() {
        var driver = Device.connected()
        chunk(0, &driver)
        chunk(3, &driver)
        driver.advance(by: .seconds(4))
        chunk(1, &driver)
        driver.advance(by: .milliseconds(4_999))
        #expect(driver.texts == ["one two "] && driver.state.conversation.growing.count == 1)
        chunk(2, &driver)
        #expect(driver.texts == ["one two three four"] && !driver.isRunning(.gap("s1")))
    }

    @Test("S15: a gap that has closed interrupts nothing, while the reply goes on")
    func closedGap() {
        var driver = Device.connected()
        for index in [0, 2, 1] { chunk(index, &driver) }
        driver.advance(by: .seconds(6))
        #expect(driver.texts == ["one two three "] && driver.state.conversation.growing.count == 1)
    }

    @Test("S15: a full message repairs an interrupted one and is the same message as the pieces")
    func repair() {
        var driver = Device.connected()
        chunk(1, &driver)
        driver.advance(by: .seconds(5))
        #expect(driver.rows[0].note == Wording.neutral.lostBeforeText)
        driver.hear(.message(Device.reply("s1", "one two", at: 1)))
        #expect(driver.texts == ["one two"] && driver.rows[0].note == nil)
        chunk(0, &driver)
        driver.advance(by: .seconds(6))
        #expect(driver.texts == ["one two"])
    }

    @Test("S15, L8: the 257th piece that waits interrupts with what is contiguous")
    func overflow() {
        var driver = Device.connected()
        chunk(0, &driver)
        for index in 2..<258 { driver.hear(.chunk("s1", index: Int64(index), "x", isFinal: false)) }
        #expect(driver.state.conversation.growing.count == 1)
        driver.hear(.chunk("s1", index: 258, "x", isFinal: false))
        #expect(driver.state.conversation.growing.isEmpty && driver.texts == ["one "])
        #expect(!driver.isRunning(.gap("s1")))
    }

    /// “q” has failed, because the reply m came only from its fourth piece on.
    private func missedBeginning(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.ask("q", as: "s_1", at: 1, on: &disk)
        driver.loseAndReconnect()
        driver.hear(.chunk("m", index: 3, "d", isFinal: false))
        driver.advance(by: .seconds(5))
        driver.serve(from: &disk)
        #expect(driver.shows == ["me: q ! [retry]"])
        driver.hear(.chunk("m", index: 4, "e", isFinal: false))
        #expect(driver.shows == ["me: q ! [retry]"] && !driver.isWaiting)
        return driver
    }

    @Test("S15, C12: a reply whose beginning was missed fails once, and takes no turn of the retry")
    func missedOnce() throws {
        var disk = Disk<Chat>()
        var driver = missedBeginning(&disk)
        driver.advance(by: .seconds(6))
        try driver.retry(on: &disk)
        driver.acknowledge()
        driver.hear(.chunk("m", index: 5, "f", isFinal: true))
        driver.advance(by: .seconds(6))
        driver.hear(.message(Device.reply("n", "answer", at: 9)))
        #expect(driver.shows == ["me: q", "coach: answer"] && !driver.isWaiting)
    }

    @Test("S15: a reply whose beginning was missed is shown once all of its pieces have come anew")
    func missedAndAnew() {
        var disk = Disk<Chat>()
        var driver = missedBeginning(&disk)
        for (index, piece) in (["a", "b", "c", "d", "e", "f"] as [ExactText]).enumerated() {
            driver.hear(.chunk("m", index: Int64(index), piece, isFinal: index == 5))
        }
        #expect(driver.shows == ["me: q", "coach: abcdef"] && !driver.isWaiting)
    }

    @Test("S15, C16: pieces that are sent anew on another connection replace what was shown")
    func anew() {
        var driver = Device.connected()
        chunk(0, &driver)
        chunk(1, &driver)
        driver.lose()
        #expect(driver.texts == ["one two "])
        driver.reconnect()
        for index in pieces.indices { chunk(index, &driver) }
        #expect(driver.texts == ["one two three four"])
    }

    // MARK: Stop

    @Test("C20: a stopped reply is muted at once and kept as far as it came")
    func stop() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "some "))
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows[0].offer == .stop)
        driver.send(.replyStopped(.received("s1")))
        driver.send(.replyStopped(.received("s1")))
        #expect(driver.stops == [.stop(.reply("s1"))])
        driver.hear(.delta("s1", "more"))
        driver.hear(.message(Device.reply("s1", "some more", at: 1, isGrowing: true)))
        driver.hear(.message(Device.reply("s1", "some more text", at: 1)))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["some "] && !Chat.isTyping(driver.state))
        #expect(driver.rows[0].note == nil && !driver.isRunning(.silence("s1")))
    }

    @Test("C20: the end that a server reports after a stop changes nothing that is shown")
    func stopReported() {
        for isShown in [true, false] {
            var driver = Device.connected()
            driver.sayDurably("Hi")
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.hear(.delta("s1", "some "))
            driver.advance(by: isShown ? .milliseconds(75) : .zero)
            driver.send(.replyStopped(.received("s1")))
            let rows = driver.rows
            driver.hear(.message(Device.reply("s1", "some more", at: 1, isGrowing: true)))
            driver.hear(.replyFailed(.reply("s1"), reason: ""))
            driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: ""))
            driver.advance(by: .seconds(1))
            #expect(driver.rows == rows && driver.texts == ["Hi", "some "])
        }
    }

    @Test("C20, S10: nothing is told to a server that is not there, or of a reply that is over")
    func stopUntold() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "whole")))
        driver.send(.replyStopped(.received("s1")))
        driver.say("not saved yet")
        driver.send(.waitingStopped)
        #expect(driver.stops.isEmpty)
        driver = .connected()
        driver.sayDurably("Hi")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.lose()
        driver.send(.waitingStopped)
        driver.reconnect()
        #expect(driver.stops.isEmpty)
    }

    @Test("C20: a replay may complete it, also after a relaunch")
    func replayCompletes() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.hear(.delta("s1", "some "))
        driver.send(.replyStopped(.received("s1")))
        driver.serve(from: &disk)
        var same = driver
        same.lose()
        same.reconnect(replaying: [Device.reply("s1", "some more", at: 1)])
        #expect(same.texts == ["some more"])
        var again = Device.restored(&disk)
        #expect(again.texts == ["some "])
        again.send(.shown)
        again.finishConnecting(replaying: [Device.reply("s1", "some more", at: 1)])
        #expect(again.texts == ["some more"])
    }

    /// A reply of which “Hello ” was shown before the connection was lost; it is connected again.
    private func partial() -> Device {
        var driver = Device.connected()
        driver.sayDurably("Hi")
        driver.hear(.message(Device.echo("e1", "Hi", client: driver.awaitedEchoes.first, at: 1)))
        driver.hear(.began("s1", in: .main))
        driver.hear(.chunk("s1", index: 0, "Hello ", isFinal: false))
        driver.advance(by: .milliseconds(75))
        driver.lose()
        #expect(driver.texts == ["Hi", "Hello "])
        driver.reconnect()
        return driver
    }

    @Test(
        "S6, C12, C17: a partial that is told anew from an empty beginning stays until there is text",
        arguments: [
            .chunk("s1", index: 0, "", isFinal: false),
            .message(Device.reply("s1", "", at: 2, isGrowing: true)),
        ] as [Chat.Event])
    func emptyBeginning(event: Chat.Event) {
        for loses in [true, false] {
            var driver = partial()
            driver.hear(event)
            driver.advance(by: .milliseconds(75))
            if loses { driver.lose() } else { driver.advance(by: .seconds(31)) }
            #expect(driver.texts == ["Hi", "Hello "])
        }
    }

    @Test(
        "S15, L9, C12: a reply that is told anew in the very words that are shown is complete",
        arguments: [["Hello "], ["Hello ", ""]] as [[ExactText]])
    func sameWords(pieces: [ExactText]) {
        var driver = partial()
        for (index, piece) in pieces.enumerated() {
            driver.hear(.chunk("s1", index: Int64(index), piece, isFinal: index == pieces.count - 1))
        }
        #expect(driver.texts == ["Hi", "Hello "] && driver.state.conversation.growing.isEmpty)
        #expect(driver.rows.allSatisfy { $0.note == nil && $0.offer != .retry })
    }

    @Test("S6, C12: a reply that ends without text leaves the partial, with a retry")
    func emptyEnd() {
        for event: Chat.Event in [
            .chunk("s1", index: 0, "", isFinal: true), .message(Device.reply("s1", "", at: 2)),
        ] {
            var driver = partial()
            driver.hear(event)
            #expect(driver.texts == ["Hi", "Hello "] && driver.rows.contains { $0.offer == .retry })
        }
    }
}
