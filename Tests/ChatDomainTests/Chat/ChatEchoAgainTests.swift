import ChatDomain
import Testing

/// A message that went again under another id is two messages to the server, and may be echoed twice.
@Suite("Chat: echoes of what went again under another id")
struct ChatEchoAgainTests {
    private typealias Device = Driver<Chat>

    /// Accepted, never echoed, never answered.
    private func unanswered(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.advance(by: .seconds(120))
        driver.serve(from: &disk)
        return driver
    }

    @Test("C10, C12, L6: echoes of both copies in a replay are one bubble, in every order of echo and name")
    func both() {
        for isNamed in [false, true] {
            for isSwapped in [false, true] where isNamed || !isSwapped {
                var disk = Disk<Chat>()
                var driver = unanswered(&disk)
                driver.send(.retried(driver.rows[0].id))
                driver.serve(from: &disk)
                let names: [ClientID?] = isNamed ? driver.saidIDs : [nil, nil]
                driver.lose()
                let echoes = [
                    Device.echo("m1", "a", client: names[0], at: 1),
                    Device.echo("m2", "a", client: names[1], at: 2),
                ]
                driver.reconnect(replaying: isSwapped ? echoes.reversed() : echoes)
                driver.serve(from: &disk)
                #expect(driver.texts == ["a"] && driver.statuses == [.delivered])
                #expect(driver.said == ["a", "a"] && driver.stuckSpinner == nil)
                #expect(driver.awaitedEchoes.isEmpty)
                driver.hear(.message(Device.echo("m1", "a", at: 1)))
                driver.hear(.message(Device.echo("m3", "a", at: 3)))
                #expect(driver.texts == ["a", "a"])
            }
        }
    }

    @Test("C10, L6: an echo under an id that is not known here stands for no message with its text")
    func unknownID() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.message(Device.echo("m1", "a", client: "c_lost", at: 1)))
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        #expect(driver.texts == ["a", "a"])
    }

    @Test("C10, C12: the echo of the first copy does not stand for the second, which still goes")
    func first() {
        for isRelaunched in [false, true] {
            var disk = Disk<Chat>()
            var driver = unanswered(&disk)
            driver.lose()
            driver.send(.retried(driver.rows[0].id))
            driver.serve(from: &disk)
            if isRelaunched {
                driver = .restored(&disk, seed: 2)
                driver.send(.shown)
                driver.finishConnecting(replaying: [Device.echo("m1", "a", at: 1)])
            } else {
                driver.reconnect(replaying: [Device.echo("m1", "a", at: 1)])
            }
            driver.serve(from: &disk)
            #expect(driver.said.count == (isRelaunched ? 1 : 2) && driver.texts == ["a"])
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
            driver.hear(.message(Device.echo("m2", "a", at: 2)))
            #expect(driver.texts == ["a"] && driver.statuses == [.delivered] && driver.queued.isEmpty)
        }
    }

    @Test("C10, C12: three copies are one bubble too, and another message with that text is its own")
    func three() {
        var disk = Disk<Chat>()
        var driver = unanswered(&disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.advance(by: .seconds(120))
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[2]))
        driver.sayDurably("a")
        let ids = driver.rows.map { $0.id }
        for number in 1...4 {
            driver.hear(.message(Device.echo(MessageID(ExactText("m\(number)")), "a", at: Int64(number))))
        }
        #expect(driver.rows.map { $0.id } == ids && driver.queued.isEmpty)
    }

    @Test(
        "C5, C12, C16: a name that a message had leads to it and to no other, also after messages have moved")
    func formerName() {
        var driver = Device.connected()
        driver.sayDurably("a")
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 10)))
        driver.advance(by: .seconds(120))
        driver.send(.retried(driver.rows[0].id))
        driver.save()
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.message(Device.echo("m3", "a", at: 30)))
        let own = driver.rows.map { $0.id }
        // What came from elsewhere before it pushes it on.
        driver.hear(.message(Device.reply("s0", "early", at: 5)))
        driver.hear(.message(Device.reply("s4", "late", at: 40)))
        let ids: [Chat.Row.ID] = [.received("s0")] + own + [.received("s4")]
        #expect(driver.rows.map { $0.id } == ids)
        for again in [
            Device.echo("m1", "a", at: 10), Device.echo("m3", "a", at: 30),
            Device.reply("s0", "early", at: 5),
        ] {
            driver.hear(.message(again))
            #expect(driver.rows.map { $0.id } == ids && driver.texts == ["early", "a", "late"])
        }
    }

    @Test("C10, C12, L6: both copies acknowledged and not echoed before a relaunch are one bubble")
    func relaunched() {
        for isNamed in [false, true] {
            for isSwapped in [false, true] where isNamed || !isSwapped {
                for isBetween in [false, true] {
                    var disk = Disk<Chat>()
                    var driver = unanswered(&disk)
                    driver.send(.retried(driver.rows[0].id))
                    driver.serve(from: &disk)
                    driver.hear(.acknowledged(driver.saidIDs[1]))
                    driver.serve(from: &disk)
                    let names: [ClientID?] = isNamed ? driver.saidIDs : [nil, nil]
                    var echoes = [
                        Device.echo("m1", "a", client: names[0], at: 1),
                        Device.echo("m2", "a", client: names[1], at: 2),
                    ]
                    if isSwapped { echoes.reverse() }
                    if isBetween {
                        driver.hear(.message(echoes.removeFirst()))
                        driver.serve(from: &disk)
                    }
                    driver = .restored(&disk, seed: 2)
                    driver.send(.shown)
                    driver.finishConnecting(replaying: echoes)
                    driver.serve(from: &disk)
                    #expect(driver.texts == ["a"] && driver.said.isEmpty && driver.stuckSpinner == nil)
                    #expect(driver.awaitedEchoes.isEmpty)
                    // Another message with that text is its own, also in the launch after that.
                    driver = .restored(&disk, seed: 3)
                    driver.send(.shown)
                    driver.finishConnecting(replaying: [Device.echo("m3", "a", at: 3)])
                    #expect(driver.texts == ["a", "a"])
                }
            }
        }
    }

    @Test("C12: a message that was echoed and went again is one bubble after a relaunch too")
    func echoedOnce() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.say("a")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "a", at: 1)))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.serve(from: &disk)
        driver = .restored(&disk, seed: 2)
        driver.send(.shown)
        driver.finishConnecting(replaying: [Device.echo("m2", "a", at: 2)])
        #expect(driver.texts == ["a"])
    }

    @Test("L8: of a message that nobody ever echoes the first and the newest ids are kept, 17 in all")
    func many() {
        var disk = Disk<Chat>()
        var driver = unanswered(&disk)
        for _ in 0..<20 {
            driver.send(.retried(driver.rows[0].id))
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[driver.saidIDs.count - 1]))
            driver.advance(by: .seconds(120))
            driver.serve(from: &disk)
        }
        let row = driver.state.conversation.transcript.rows.first { _ in true }
        let former = row?.value.wrappedValue.written?.former.map { $0.key } ?? []
        #expect(former == [driver.saidIDs[0]] + driver.saidIDs.dropLast().suffix(15))
    }
}
