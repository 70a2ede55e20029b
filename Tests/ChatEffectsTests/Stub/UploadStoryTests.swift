import ChatDomain
@testable import ChatEffects
import Testing

/// Files from the composer to the server, and from other devices to the screen.
@Suite("Files, from the composer to the server and back")
struct UploadStoryTests {
    private let bytes = [UInt8](repeating: 7, count: 1_000)

    private func picked(_ type: ExactText = "text/plain", rules: [LocalServer.Rule] = []) -> StoryLoop {
        var loop = StoryLoop.connected(rules: rules)
        let kind: Chat.Attachment.Kind = type == "text/plain" ? .document : .image
        loop.send(
            .chat(.attachmentPicked(PickedFile(kind: kind, mimeType: type, name: "a.txt", bytes: bytes))))
        return loop
    }

    private func files(_ loop: StoryLoop) -> [[LocalServer.File]] {
        loop.server.log(of: "kaywood").map { $0.files }.filter { !$0.isEmpty }
    }

    private func retry(_ loop: inout StoryLoop) {
        guard let row = Chat.rows(loop.state.chat, newest: 10, .neutral).first(where: { $0.offer == .retry })
        else {
            Issue.record("no row offers a retry")
            return
        }
        loop.send(.chat(.retried(row.id)))
    }

    // MARK: On the way

    @Test(
        "C14: a file is uploaded in steps of 5 %, then its message goes, and its bytes are freed when it is answered"
    )
    func uploads() {
        var loop = picked()
        loop.say("look")
        var steps = loop.marks
        while loop.server.log(of: "kaywood").isEmpty, loop.runToNextDeadline() {
            if let mark = loop.marks.first, mark != steps.last { steps.append(mark) }
        }
        let percents = stride(from: Int64(0), to: 100, by: 5).map { Chat.SendStatus.uploading(percent: $0) }
        #expect(Array(steps.prefix(20)) == percents)
        #expect(loop.marks == [.delivered])
        guard case .asset(let asset) = files(loop).first?.first else {
            Issue.record("the server has no file")
            return
        }
        #expect(asset.mimeType == "text/plain" && asset.byteCount == 1_000)
        let row = Chat.rows(loop.state.chat, newest: 10, .neutral).first
        #expect(row?.attachments.map { $0.source } == [.asset(asset.id)] && row?.text.string == "look")
        let stored = ChatApp.Key.chat(.attachment("kaywood", row?.attachments.first?.id ?? "")).path
        #expect(loop.store.storedBytes(at: stored) != nil)
        loop.advance(by: .seconds(5))
        #expect(loop.chat == ["me: look", "server: You said: look"])
        #expect(loop.store.storedBytes(at: stored) == nil)
    }

    @Test("C14: a small image goes in the message itself, without an upload")
    func inline() {
        var loop = picked("image/png")
        loop.say("look")
        #expect(loop.machine.openCalls.count == 1)
        loop.advance(by: .seconds(5))
        #expect(loop.chat == ["me: look", "server: You said: look"] && loop.marks == [.delivered])
        guard case .image("image/png", let data) = files(loop).first?.first else {
            Issue.record("the server has no image")
            return
        }
        #expect(data.byteCount == 1_336)
        let row = Chat.rows(loop.state.chat, newest: 10, .neutral).first
        let stored = ChatApp.Key.chat(.attachment("kaywood", row?.attachments.first?.id ?? "")).path
        #expect(row?.attachments.count == 1 && loop.store.storedBytes(at: stored) == nil)
    }

    @Test(
        "C14: however an upload fails, its message says so, keeps the file, and a retry sends it once",
        arguments: [
            .init(.upload(percent: 40), .silence, times: 1),
            .init(.upload(percent: 100), .status(503), times: 1),
            .init(.upload(percent: 100), .refuse(code: "payload_too_large", message: "M"), times: 1),
        ] as [LocalServer.Rule])
    func fails(_ rule: LocalServer.Rule) {
        let sentence =
            if case .refuse = rule.fault { Wording.neutral.sendFailed("M") } else {
                Wording.neutral.uploadFailed
            }
        var loop = picked(rules: [rule])
        loop.say("look")
        loop.advance(by: .seconds(35))
        #expect(loop.chat == ["me: look (\(sentence.string))"])
        retry(&loop)
        loop.advance(by: .seconds(5))
        #expect(loop.chat == ["me: look", "server: You said: look"] && loop.marks == [.delivered])
        #expect(loop.server.log(of: "kaywood").count == 2 && files(loop).count == 1)
    }

    @Test("C8, C14: an upload that the network breaks goes on by itself")
    func broken() {
        var loop = picked(rules: [.init(.upload(percent: 40), .drop, times: 1)])
        loop.say("look")
        loop.advance(by: .seconds(40))
        #expect(loop.chat == ["me: look", "server: You said: look"] && loop.marks == [.delivered])
        #expect(loop.server.log(of: "kaywood").count == 2 && files(loop).count == 1)
    }

    @Test("C14, C3: a file that the server defers is uploaded by itself later")
    func waits() {
        var loop = picked(rules: [
            .init(.upload(percent: 40), .status(429, retryAfter: .seconds(20)), times: 1)
        ])
        loop.say("look")
        loop.advance(by: .seconds(15))
        #expect(loop.chat == ["me: look (\(Wording.neutral.serverAskedToWait.string))"])
        loop.advance(by: .seconds(15))
        #expect(loop.chat == ["me: look", "server: You said: look"] && files(loop).count == 1)
    }

    @Test("P10, L5: a token that uploads are refused with leads back to pairing, and then the message goes")
    func unauthorized() {
        var loop = picked(rules: [.init(.upload(percent: 0), .status(401), times: 1)])
        loop.say("look")
        loop.advance(by: .seconds(1))
        #expect(loop.state.account == nil && loop.chat.isEmpty && loop.machine.openCalls.isEmpty)
        loop.pair()
        loop.advance(by: .seconds(10))
        #expect(loop.chat == ["me: look", "server: You said: look"])
        #expect(loop.server.log(of: "kaywood").count == 2 && files(loop).count == 1)
    }

    @Test("C14: an upload that is late is not failed as long as it goes on")
    func late() {
        var loop = picked(rules: [
            .init(.upload(percent: 40), .delay(.seconds(29)), times: 1),
            .init(.upload(percent: 70), .delay(.seconds(29)), times: 1),
        ])
        loop.say("look")
        loop.advance(by: .seconds(40))
        #expect(loop.marks == [.uploading(percent: 65)])
        loop.advance(by: .seconds(30))
        #expect(loop.chat == ["me: look", "server: You said: look"])
    }

    @Test("C14: a file that the server has lost is uploaded once more; one that it loses again fails")
    func loses() {
        for (times, expected) in [
            (UInt64(1), ["me: look", "server: You said: look"]),
            (UInt64.max, ["me: look (\(Wording.neutral.sendFailed("File not found").string))"]),
        ] {
            var loop = picked(rules: [.init(.receipt, .loseAssets, times: times)])
            loop.say("look")
            loop.advance(by: .seconds(10))
            #expect(loop.chat == expected)
            #expect(loop.server.log(of: "kaywood").count == (times == 1 ? 2 : 0))
        }
    }

    @Test(
        "C4, C14: an upload that the background or a lost network ends begins anew, and the message goes once"
    )
    func cutOff() {
        for isNetwork in [false, true] {
            var loop = picked(rules: [.init(.upload(percent: 40), .delay(.seconds(20)), times: 1)])
            loop.say("look")
            loop.advance(by: .seconds(1))
            if isNetwork {
                loop.server.goOffline()
                loop.send(.networkChanged(isUp: false))
            } else {
                loop.send(.backgrounded)
            }
            loop.advance(by: .seconds(60))
            #expect(loop.machine.openCalls.isEmpty && loop.server.log(of: "kaywood").isEmpty)
            loop.server.goOnline()
            loop.send(isNetwork ? .networkChanged(isUp: true) : .foregrounded)
            loop.advance(by: .seconds(10))
            #expect(loop.chat == ["me: look", "server: You said: look"])
            #expect(loop.server.log(of: "kaywood").count == 2)
        }
    }

    @Test(
        "P10, L5: a token that is revoked during an upload leads back to pairing, and then the message goes")
    func revoked() {
        var loop = picked(rules: [.init(.upload(percent: 40), .revokeToken, times: 1)])
        loop.say("look")
        loop.advance(by: .seconds(1))
        #expect(loop.state.account == nil && loop.chat.isEmpty && loop.machine.openCalls.isEmpty)
        loop.pair()
        loop.advance(by: .seconds(20))
        #expect(loop.chat == ["me: look", "server: You said: look"])
        #expect(loop.server.log(of: "kaywood").count == 2 && files(loop).count == 1)
    }

    // MARK: From elsewhere

    @Test(
        "C10, C14: files of a message from another device are shown with type and size, also after a relaunch"
    )
    func elsewhere() {
        var loop = StoryLoop.connected(rules: [])
        let asset = LocalServer.Asset(id: "a_9", mimeType: "application/pdf", byteCount: 12_345)
        loop.server.say(
            "mine too", as: "kaywood", on: "tablet",
            files: [.asset(asset), .image(mimeType: "image/png", data: "QUJDRA==")], at: loop.moment)
        loop.advance(by: .seconds(10))
        for loop in [loop, loop.relaunched()] {
            #expect(loop.chat == ["me: mine too", "server: You said: mine too"])
            let files = Chat.rows(loop.state.chat, newest: 10, .neutral)[0].attachments
            #expect(files.map { $0.kind } == [.asset, .image])
            #expect(files.map { $0.mimeType } == ["application/pdf", "image/png"])
            #expect(files.map { $0.byteCount } == [12_345, 4])
            #expect(files.map { $0.source } == [.asset("a_9"), .inline])
        }
    }
}
