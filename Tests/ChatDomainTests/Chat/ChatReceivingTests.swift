@testable import ChatDomain
import Testing

@Suite("Chat: receiving")
struct ChatReceivingTests {
    private typealias Device = Driver<Chat>

    @Test("L5, C16: a reply under the id of a person's message does not overwrite it")
    func stolenID() {
        var driver = Device.connected()
        driver.hear(.message(Device.echo("m1", "mine", at: 1, from: "device-2")))
        driver.hear(.message(Device.reply("m1", "not yours", at: 2)))
        #expect(driver.texts == ["mine"])
    }

    @Test("C16: a message seen twice is updated in place")
    func twice() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        driver.hear(.message(Device.reply("s1", "ONE", at: 9)))
        #expect(driver.texts == ["ONE", "two"])
    }

    @Test("C14, C16: files come with the finished message, whether it is new, grew here, or is seen twice")
    func files() {
        var driver = Device.connected()
        let image = IncomingFile(kind: .image, mimeType: "image/png", byteCount: 4)
        let asset = IncomingFile(kind: .asset, mimeType: "text/plain", byteCount: 9, asset: "a_1")
        func message(_ id: MessageID, _ role: Chat.Role, isGrowing: Bool = false) -> IncomingMessage {
            IncomingMessage(
                id: id, role: role, text: "x", time: Device.epoch, device: "device-2", isGrowing: isGrowing,
                files: isGrowing ? [] : [image, asset])
        }
        driver.hear(.message(message("s1", .assistant, isGrowing: true)))
        for _ in 0..<2 {
            driver.hear(.message(message("s1", .assistant)))
            driver.hear(.message(message("s2", .user)))
        }
        #expect(driver.rows.count == 2)
        for row in driver.rows {
            #expect(row.attachments.map { $0.kind } == [.image, .asset])
            #expect(row.attachments.map { $0.source } == [.inline, .asset("a_1")])
            #expect(Set(row.attachments.map { $0.id }).count == 2 && row.offer != .retry)
        }
    }

    @Test("C16: the server's time orders, not the order of arrival")
    func order() {
        var driver = Device.connected()
        for second: Int64 in [3, 1, 2, 0] {
            driver.hear(.message(Device.reply(MessageID("s\(second)"), ExactText("\(second)"), at: second)))
        }
        #expect(driver.texts == ["0", "1", "2", "3"])
    }

    @Test(
        "C16: a wrong clock of this device changes nothing in the order", arguments: [-1_000_000, 1_000_000])
    func wrongClock(seconds: Int64) {
        var driver = Device.connected()
        driver.context.moment.wall = Device.epoch + .seconds(seconds)
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.delta("s2", "two"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["one", "two"])
        driver.hear(.message(Device.reply("s3", "three", at: 3)))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        #expect(driver.texts == ["one", "two", "three"])
    }

    @Test("C16: unsent messages are last, in the order written")
    func unsentLast() {
        var driver = Device.connecting()
        driver.say("a")
        driver.say("b")
        driver.hear(.authenticated(replayCount: 2, isTruncated: false, isReset: false))
        driver.hear(.message(Device.reply("s1", "one")))
        #expect(driver.texts == ["one", "a", "b"])
    }

    @Test("C17: cumulative text overwrites, also when it is shorter")
    func cumulative() {
        var driver = Device.connected()
        driver.hear(.message(Device.reply("s1", "hello wor", isGrowing: true)))
        driver.advance(by: .milliseconds(75))
        driver.hear(.message(Device.reply("s1", "hell", isGrowing: true)))
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["hell"])
    }

    @Test("C17: several replies grow at once, in the order of first appearance")
    func several() {
        var driver = Device.connected()
        for token in ["a", "b", "c"] {
            driver.hear(.delta("s1", ExactText(token)))
            driver.hear(.delta("s2", ExactText(token.uppercased())))
        }
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["abc", "ABC"])
    }

    @Test("C5: a reply that came while another grew moves the cursor when it is told again")
    func toldAgain() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "one"))
        driver.hear(.message(Device.reply("s2", "two", at: 2)))
        driver.hear(.message(Device.reply("s1", "one", at: 1)))
        driver.hear(.message(Device.reply("s2", "two, in full", at: 2)))
        #expect(driver.texts == ["one", "two, in full"])
        driver.loseAndReconnect()
        #expect(driver.cursor == "s2")
    }

    @Test("L8: the 17th reply that would grow is shown when it is complete")
    func growingLimit() {
        var driver = Device.connected()
        for number in 0..<17 { driver.hear(.delta(MessageID("s\(number)"), "x")) }
        driver.advance(by: .milliseconds(75))
        #expect(driver.rows.count == 16)
        driver.hear(.message(Device.reply("s16", "whole", at: 99)))
        #expect(driver.rows.count == 17)
    }

    @Test("L8, C17: a reply that found no place to grow is not shown without its beginning when there is one")
    func noBeginning() {
        var driver = Device.connected { $0.growingLimit = 1 }
        driver.hear(.delta("s0", "first"))
        driver.hear(.delta("s1", "The beginning"))
        driver.hear(.message(Device.reply("s0", "first", at: 98)))
        driver.hear(.delta("s1", " and the end"))
        driver.advance(by: .milliseconds(75))
        #expect(driver.texts == ["first"])
        driver.hear(.message(Device.reply("s1", "The beginning and the end", at: 99)))
        #expect(driver.texts == ["first", "The beginning and the end"])
        #expect(driver.state.conversation.pushed.crowdedOut.isEmpty && driver.stuckSpinner == nil)
    }

    @Test("C22, S15: a numbered reply that found no place to grow counts as new when it is complete")
    func newWithoutPlace() {
        var driver = Device.connected { $0.growingLimit = 1 }
        driver.hear(.chunk("s0", index: 0, "first", isFinal: false))
        driver.send(.scrolled(isAtEnd: false))
        driver.hear(.chunk("s1", index: 0, "whole", isFinal: true))
        #expect(driver.texts == ["whole"] && Chat.scroll(driver.state) == .stay(unread: 1))
    }

    @Test("L8: of the replies that found no place to grow the newest 64 are remembered")
    func manyWithoutPlace() {
        var driver = Device.connected { $0.growingLimit = 1 }
        driver.hear(.delta("s0", "first"))
        for number in 1...66 {
            driver.hear(.delta(MessageID("s\(number)"), "x"))
            driver.hear(.delta(MessageID("s\(number)"), "y"))
        }
        #expect(
            driver.state.conversation.pushed.crowdedOut.map { $0.id } == (3...66).map { MessageID("s\($0)") })
    }

    @Test("C21: a reply over 1 MiB is ended with a notice")
    func tooLong() {
        var driver = Device.connected()
        let piece = ExactText(String(repeating: "x", count: 65_536))
        for _ in 0..<16 { driver.hear(.delta("s1", piece)) }
        #expect(driver.state.conversation.growing.count == 1)
        driver.hear(.delta("s1", "y"))
        driver.hear(.delta("s1", "z"))
        #expect(driver.state.conversation.growing.isEmpty)
        #expect(driver.rows.last?.note == Wording.neutral.replyTooLong)
        #expect(driver.rows.last?.text.byteCount == 1_048_576)
        #expect(!driver.isRunning(.silence("s1")) && !driver.isRunning(.batch("s1")))
    }

    @Test("S2: tokens of one batch are shown at once, 75 ms after the first")
    func batch() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "a"))
        driver.advance(by: .milliseconds(74))
        driver.hear(.delta("s1", "b"))
        #expect(driver.rows.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.texts == ["ab"] && !driver.isRunning(.batch("s1")))
        let before = driver.state
        driver.advance(by: .seconds(1))
        #expect(driver.state == before)
    }

    @Test("S2: the batch interval is clamped to 50 to 100 ms", arguments: [(1, 50), (75, 75), (900, 100)])
    func clamped(wanted: Int64, got: Int64) {
        var driver = Device.connected { $0.batchInterval = .milliseconds(wanted) }
        driver.hear(.delta("s1", "a"))
        #expect(driver.remaining(.batch("s1")) == .milliseconds(got))
    }

    @Test("S3: pending text is shown before a reply ends, and nothing is applied after")
    func endShowsPending() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "partial"))
        driver.hear(.replyFailed(.reply("s1"), reason: "broken"))
        #expect(driver.texts == ["partial"] && driver.rows[0].note == "broken")
        driver.hear(.delta("s1", " ghost"))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["partial"])
        driver.hear(.delta("s2", "b"))
        driver.hear(.message(Device.reply("s2", "final")))
        driver.hear(.delta("s2", " ghost"))
        driver.advance(by: .seconds(1))
        #expect(driver.texts == ["partial", "final"])
    }

    @Test("S4: a connection that ends keeps the text; without text the row says so too")
    func lost() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "partial"))
        driver.lose()
        #expect(driver.texts == ["partial"] && driver.rows[0].note == Wording.neutral.lostWithoutRetry)
        #expect(driver.state.conversation.growing.isEmpty)
    }

    @Test("S4, C20: a reply that goes on after a loss keeps what was shown until more comes")
    func goesOn() {
        var driver = Device.connected()
        driver.hear(.delta("s1", "one "))
        driver.lose()
        driver.reconnect()
        driver.hear(.delta("s1", "two"))
        #expect(driver.texts == ["one "])
        driver.lose()
        #expect(driver.texts == ["one two"])
        driver.reconnect(replaying: [Device.reply("s1", "one two three")])
        #expect(driver.texts == ["one two three"] && driver.rows[0].note == nil)
    }

    @Test("S7: 30 s of silence end a reply, and text at 29 s keeps it alive as long as it comes")
    func silence() {
        var driver = Device.connected()
        for _ in 0..<9 {
            driver.hear(.delta("s1", "x"))
            driver.advance(by: .seconds(29))
        }
        #expect(driver.state.conversation.growing.count == 1)
        driver.advance(by: .milliseconds(999))
        #expect(driver.state.conversation.growing.count == 1)
        driver.advance(by: .milliseconds(1))
        #expect(driver.state.conversation.growing.isEmpty && driver.texts == ["xxxxxxxxx"])
    }

    @Test("C16: a reply that is told again is revised whole, also if only its flags or its sender differ")
    func revisedWhole() {
        func message(_ flags: [ExactText], _ sender: ExactText?) -> IncomingMessage {
            IncomingMessage(
                id: "s1", role: .assistant, text: "x", time: Device.epoch, isGrowing: false, sender: sender,
                flags: flags)
        }
        for isTyping in [false, true] {
            var driver = Device.connected()
            let told: [([ExactText], ExactText)] = [
                (["crisis"], "Ann"), ([], "Ann"), ([], "Bob"), (["care"], "Bob"),
            ]
            for (flags, sender) in told {
                if isTyping { driver.hear(.typing(isActive: true, at: nil)) }
                driver.hear(.message(message(flags, sender)))
                #expect(driver.rows.map { $0.flags } == [flags] && driver.rows[0].sender == sender)
            }
            driver.hear(.message(message([], nil)))
            #expect(driver.rows[0].sender == "Bob")
            // After a reset too.
            driver.loseAndReconnect(replaying: [message(["crisis"], "Cy")], isReset: true)
            #expect(driver.rows.map { $0.flags } == [["crisis"]] && driver.rows[0].sender == "Cy")
        }
    }

    @Test("C16: a reply that is told again without its file has none")
    func revisedWithoutFile() {
        var driver = Device.connected()
        let image = IncomingFile(kind: .image, mimeType: "image/png", byteCount: 4)
        for (text, files) in [("x", [image]), ("y", [])] as [(ExactText, [IncomingFile])] {
            driver.hear(
                .message(
                    IncomingMessage(
                        id: "s1", role: .assistant, text: text, time: Device.epoch, isGrowing: false,
                        files: files)))
            #expect(driver.texts == [text.string] && driver.rows[0].attachments.count == files.count)
        }
    }

    @Test("C16, L8: a late message moves over 1,000 rows at most")
    func reorderWindow() {
        var driver = Device.connected()
        driver.hearReplies(1...1_001)
        driver.hear(.message(Device.echo("s_0", "late", at: 0)))
        #expect(driver.texts.count == 1_002 && driver.texts.prefix(2) == ["r", "late"])
    }

    @Test("L9: the transcript is the same under every batch window and every splitting", arguments: 0..<10)
    func chunking(seed: UInt64) {
        let text = "Grüße, 👩‍👩‍👧 and e\u{301} — one reply, however it is cut."
        var dice = Entropy.seeded(seed)
        var driver = Device.connected { $0.batchInterval = .milliseconds(50 + Int64(seed) * 5) }
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            let count = 1 + dice.below(5)
            var piece = String.UnicodeScalarView()
            piece.append(contentsOf: rest.prefix(count))
            driver.hear(.delta("s1", ExactText(String(piece))))
            rest = rest.dropFirst(count)
            driver.advance(by: .milliseconds(Int64(dice.below(60))))
        }
        driver.advance(by: .milliseconds(100))
        #expect(driver.rows.map { ExactText($0.text.string) } == [ExactText(text)])
        driver.hear(.message(Device.reply("s1", ExactText(text), at: 1)))
        var whole = Device.connected()
        whole.hear(.message(Device.reply("s1", ExactText(text), at: 1)))
        #expect(driver.rows.map { $0.text } == whole.rows.map { $0.text })
    }

    @Test("C6, C16: a finished reply that is told again as it was is not stored again")
    func toldUnchanged() {
        var driver = Device.connected()
        for _ in 0..<2 {
            driver.hear(.message(Device.reply("r_1", "Hi", at: 1)))
            #expect(driver.texts == ["Hi"])
            if driver.storage.contains(where: { $0.key == Device.pageKey(0) }) { driver.save() }
        }
        let effects = driver.hear(.message(Device.reply("r_1", "Hi", at: 1)))
        #expect(effects.isEmpty && driver.storage.isEmpty)
        driver.hear(.message(Device.reply("r_1", "Hi!", at: 1)))
        #expect(!driver.storage.isEmpty)
    }
}
