import ChatDomain
import Testing

/// What a server says to an upload beside yes: wait, who are you, and later that it has lost the file.
@Suite("Chat: uploads that the server does not take")
struct ChatUploadRefusalTests {
    private typealias Device = Driver<Chat>

    private static func limited(_ wait: Interval?) -> CallEnd {
        .refused(status: 429, retryAfter: wait, message: "")
    }

    @Test("C14, C3, C8: a short wait that the server tells is waited, said, and holds back what is behind")
    func shortWait() {
        for told: Interval? in [.seconds(20), nil] {
            var driver = Device.uploading()
            driver.sayDurably("next")
            driver.end(driver.uploads[0], Self.limited(told))
            #expect(driver.uploads.count == 1 && driver.statuses[0] == .uploading(percent: 0))
            #expect(driver.notes == [nil, nil])  // the other file goes on
            driver.finishUpload("a_2")
            driver.save()
            #expect(driver.uploads.isEmpty && driver.statuses == [.queued, .queued])
            #expect(driver.notes == [Wording.neutral.serverAskedToWait, nil] && driver.said.isEmpty)
            driver.advance(by: (told ?? .seconds(30)) - .milliseconds(1))
            #expect(driver.uploads.isEmpty && driver.stuckSpinner == nil)
            driver.advance(by: .milliseconds(1))
            #expect(driver.uploads.count == 1 && driver.notes == [nil, nil])
            driver.finishUpload("a_1")
            driver.save()
            #expect(driver.said == ["look"] && driver.stuckSpinner == nil)
            #expect(driver.sentAttachments[0].map { $0.source } == [.asset("a_1"), .asset("a_2")])
        }
    }

    @Test("C14, C3: a long one fails the message with its time, and nothing is uploaded before that")
    func longWait() {
        var driver = Device.uploading()
        driver.sayDurably("next")
        driver.end(driver.uploads[0], Self.limited(.seconds(90)))
        driver.finishUpload("a_2")
        driver.save()
        let until = driver.context.wall + .seconds(90)
        #expect(driver.said == ["next"] && driver.texts == ["next", "look"])
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.save()
        for _ in 0..<2 {
            #expect(driver.rows[1].waitUntil == until && driver.rows[1].offer == .retry)
            #expect(driver.notes[1] == Wording.neutral.serverAskedToWait)
            driver.send(.retried(driver.rows[1].id))
            driver.save()
            #expect(driver.uploads.isEmpty && driver.stuckSpinner == nil)
        }
        driver.advance(by: .seconds(90))
        driver.send(.retried(driver.rows[1].id))
        driver.save()
        #expect(driver.uploads.count == 1)
    }

    @Test("C14, L4: the wait outlives the connection, and nothing of it the person")
    func waitGoesOn() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        driver.lose()
        driver.reconnect()
        driver.save()
        #expect(driver.uploads.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .seconds(20))
        #expect(driver.uploads.count == 1)
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        driver.send(.signedOut)
        #expect(driver.timers.isEmpty)
    }

    @Test("P10, L5: an upload whose token is not accepted ends as a connection does, and its message waits")
    func refused() {
        let ends: [(CallEnd, CredentialsRefusal)] = [
            (.refused(status: 401, retryAfter: nil, message: ""), .authenticationFailed),
            (.failed(.secretMissing), .tokenExpired),
        ]
        for (end, refusal) in ends {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.pick("x", "text/plain", count: 9)
            driver.pick("y", "text/plain", count: 9)
            driver.serve(from: &disk)
            driver.say("look")
            driver.serve(from: &disk)
            driver.end(driver.uploads[0], end)
            #expect(driver.failure == .credentialsRefused(refusal) && driver.calls.isEmpty)
            #expect(driver.statuses == [.queued])
            driver.send(.signedOut)
            driver.serve(from: &disk)
            #expect(driver.timers.isEmpty)
            driver = .connected(&disk)
            #expect(driver.uploads.count == 2 && driver.statuses == [.uploading(percent: 0)])
        }
    }

    @Test("C14: a message whose lost file is refused waits again when it is retried without a connection")
    func retriedOffline() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.save()
        driver.lose()
        #expect(driver.statuses == [.failed(.uploadFailed(""))])
        driver.send(.retried(driver.rows[0].id))
        #expect(driver.statuses == [.queued])
    }

    @Test("C14, C3: a wait of nothing that the server tells is a second, or it would be asked without end")
    func noWait() {
        var driver = Device.uploading()
        driver.finishUpload("a_2")
        driver.end(driver.uploads[0], Self.limited(.zero))
        driver.save()
        #expect(driver.uploads.isEmpty && driver.statuses == [.queued])
        driver.advance(by: .seconds(1))
        #expect(driver.uploads.count == 1)
    }

    @Test(
        "C14: a file that the server lost twice is uploaded again when the person asks, each time from its beginning"
    )
    func lostTwice() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        func lose() {
            driver.hear(.assetMissing(driver.saidIDs[driver.saidIDs.count - 1], "a", reason: "gone"))
            driver.save()
        }
        driver.finishUpload("a")
        driver.save()
        lose()
        for _ in 0..<3 {
            driver.advance(by: .seconds(1))
            #expect(driver.uploads.count == 1)
            driver.finishUpload("a")
            driver.save()
            lose()
            #expect(driver.statuses == [.failed(.rejected("gone"))] && driver.uploads.isEmpty)
            driver.send(.retried(driver.rows[0].id))
            driver.save()
            lose()
        }
    }

    @Test("C14: a file that the server lost twice is uploaded again with other words, too")
    func lostTwiceAndEdited() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        for _ in 0..<2 {
            driver.finishUpload("a")
            driver.save()
            driver.hear(.assetMissing(driver.saidIDs[0], "a", reason: "gone"))
            driver.save()
        }
        #expect(driver.statuses == [.failed(.rejected("gone"))] && driver.uploads.isEmpty)
        driver.send(.messageEdited(driver.saidIDs[0], "other"))
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[2], "a", reason: "gone"))
        driver.save()
        #expect(driver.uploads.count == 1)
    }

    @Test("C14: other words for a message whose file is gone do not bring the file back")
    func goneAndEdited() {
        var driver = Device.uploading()
        driver.end(driver.uploads[0], .failed(.recordMissing))
        driver.save()
        guard case .written(let client) = driver.rows[0].id else { return #expect(Bool(false)) }
        driver.send(.messageEdited(client, "other"))
        driver.save()
        #expect(driver.texts == ["other"] && driver.statuses == [.failed(.fileMissing)])
        #expect(driver.rows[0].offer == .nothing)
    }

    @Test(
        "C14, C15: a message that must wait to upload again what the server has lost is not said to be sent")
    func lostAndHeld() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        driver.finishUpload("a_1")
        driver.save()
        driver.create("other")
        driver.pick("y", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("there")
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        driver.send(.conversationSwitched(to: .main))
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        driver.save()
        #expect(driver.statuses == [.queued] && driver.uploads.isEmpty)
        driver.advance(by: .seconds(20))
        #expect(driver.uploads.count == 2 && driver.statuses == [.uploading(percent: 0)])
    }

    @Test("C14: a file that is gone from this device is said to be, and no retry is offered that cannot help")
    func gone() {
        var driver = Device.uploading()
        driver.end(driver.uploads[0], .failed(.recordMissing))
        driver.save()
        #expect(driver.statuses == [.failed(.fileMissing)] && driver.notes == [Wording.neutral.fileMissing])
        #expect(driver.rows[0].offer == .nothing)
    }

    @Test(
        "C12, C14: a message whose reply failed is sent again with its files, also when the server has lost them"
    )
    func lost() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        let file = Chat.composer(driver.state).attachments[0].id
        driver.say("look")
        driver.serve(from: &disk)
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[0]))
        driver.hear(.message(Device.echo("m1", "look", at: 1)))
        driver.hear(.replyFailed(.question(driver.saidIDs[0]), reason: "busy"))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        driver.hear(.assetMissing(driver.saidIDs[1], "a_1", reason: "gone"))
        driver.serve(from: &disk)
        #expect(driver.uploads.count == 1 && disk[.attachment("kay", file)] != nil)
        driver.finishUpload("a_2")
        driver.serve(from: &disk)
        #expect(driver.sentAttachments.map { $0.map { $0.source } }.last == [.asset("a_2")])
        driver.hear(.acknowledged(driver.saidIDs[2]))
        driver.hear(.message(Device.reply("s1", "nice", at: 2)))
        driver.serve(from: &disk)
        #expect(driver.texts == ["look", "nice"] && disk[.attachment("kay", file)] == nil)
    }

    @Test("C14: the bytes of a message whose reply is not wanted, or whose history is withdrawn, are freed")
    func freed() {
        for isReset in [false, true] {
            var disk = Disk<Chat>()
            var driver = Device.connected(&disk)
            driver.pick("a", "image/png", count: 1)
            driver.serve(from: &disk)
            let id = Chat.composer(driver.state).attachments[0].id
            driver.send(.sent)
            driver.serve(from: &disk)
            driver.hear(.acknowledged(driver.saidIDs[0]))
            driver.hear(.message(Device.echo("m1", "a", at: 1)))
            driver.serve(from: &disk)
            #expect(disk[.attachment("kay", id)] != nil)
            if isReset {
                driver.lose()
                while driver.calls.isEmpty, let next = driver.remaining(.reconnect) {
                    driver.advance(by: next)
                }
                driver.hear(.opened)
                driver.hear(.authenticated(replayCount: 0, isTruncated: false, isReset: true))
            } else {
                driver.send(.waitingStopped)
            }
            driver.serve(from: &disk)
            #expect(disk[.attachment("kay", id)] == nil)
        }
    }

    @Test("C3, C14, R3: rows that are kept say that uploads must wait, and no longer, whichever one was told")
    func waitElsewhere() {
        var driver = Device.connected()
        driver.pick("x", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("look")
        driver.create("other")
        driver.save()
        driver.sayDurably("there")
        driver.pick("y", "text/plain", count: 9)
        driver.save()
        driver.sayDurably("too")
        var kept = Chat.Rows()
        kept.update(driver.state, newest: 20, .neutral)
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.note } == [nil, Wording.neutral.serverAskedToWait])
        driver.advance(by: .seconds(20))
        kept.update(driver.state, newest: 20, .neutral)
        #expect(kept.map { $0.text.string } == ["there", "too"] && kept.allSatisfy { $0.note == nil })
    }

    @Test("C3, C14, R3: a message whose lost file must wait says so, and no longer than that")
    func lostAndToldToWait() {
        var driver = Device.uploading()
        var kept = Chat.Rows()
        driver.finishUpload("a_1")
        driver.finishUpload("a_2")
        driver.save()
        driver.hear(.assetMissing(driver.saidIDs[0], "a_2", reason: "gone"))
        kept.update(driver.state, newest: 20, .neutral)
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        driver.save()
        kept.update(driver.state, newest: 20, .neutral)
        #expect(driver.statuses == [.queued] && driver.uploads.isEmpty)
        #expect(driver.notes == [Wording.neutral.serverAskedToWait] && kept.map { $0.note } == driver.notes)
        driver.advance(by: .seconds(20))
        kept.update(driver.state, newest: 20, .neutral)
        #expect(driver.uploads.count == 1 && driver.notes == [nil] && kept.map { $0.note } == [nil])
    }

    @Test("C14: a retry sends the file that was uploaded in place of one that the server has lost")
    func replacedFile() {
        var disk = Disk<Chat>()
        var driver = Device.withUploadedFile(&disk)
        driver.hear(.assetMissing(driver.saidIDs[0], "a_1", reason: "gone"))
        driver.serve(from: &disk)
        driver.finishUpload("a_2")
        driver.serve(from: &disk)
        driver.hear(.acknowledged(driver.saidIDs[1]))
        driver.hear(.replyFailed(.question(driver.saidIDs[1]), reason: "busy"))
        driver.serve(from: &disk)
        driver.send(.retried(driver.rows[0].id))
        driver.serve(from: &disk)
        #expect(
            driver.sentAttachments.map { $0.map { $0.source } }
                == [[.asset("a_1")], [.asset("a_2")], [.asset("a_2")]])
    }

    @Test("C14, C3, R3: a wait that is told without a connection is not said any longer when it ends")
    func waitToldOffline() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.lose(.refused(status: 429, retryAfter: .minutes(10), message: ""))
        driver.end(driver.uploads[0], Self.limited(.seconds(20)))
        driver.save()
        #expect(driver.notes == [Wording.neutral.serverAskedToWait])
        driver.advance(by: .seconds(20))
        #expect(driver.notes == [nil] && driver.statuses == [.queued])
    }

    @Test("C14, C3, R3: a wait for uploads that ends without a connection is not said any longer")
    func waitEndsOffline() {
        var driver = Device.uploading()
        driver.finishUpload("a_1")
        driver.end(driver.uploads[0], .refused(status: 429, retryAfter: .seconds(20), message: ""))
        driver.save()
        driver.send(.networkChanged(isUp: false))
        driver.lose()
        driver.save()
        #expect(driver.notes == [Wording.neutral.serverAskedToWait])
        driver.advance(by: .seconds(20))
        #expect(driver.notes == [nil] && driver.statuses == [.queued])
    }

    @Test("C14, C3, L3: of two waits for uploads the longer counts, and its end starts both")
    func twoWaits() {
        var driver = Device.uploading()
        for wait in [.seconds(20), .seconds(2)] as [Interval] {
            driver.end(driver.uploads[0], .refused(status: 429, retryAfter: wait, message: ""))
        }
        driver.save()
        driver.advance(by: .milliseconds(19_999))
        #expect(driver.uploads.isEmpty)
        driver.advance(by: .milliseconds(1))
        #expect(driver.uploads.count == 2)
    }
}
