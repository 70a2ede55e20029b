// Uploads that are refused, and uploads that a lost network has broken.

import ChatDomain
import Testing

@Suite("Situations: uploads")
struct UploadSituations {
    private typealias Device = Driver<Chat>

    private func uploading(_ disk: inout Disk<Chat>) -> Device {
        var driver = Device.connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        return driver
    }

    @Test(
        "C14, L5: a file that the server refuses parks its message with the server's sentence, also over a relaunch",
        arguments: [413, 415, 400, 422] as [Int64])
    func refused(status: Int64) throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.say("next")
        driver.serve(from: &disk)
        let upload = try #require(driver.uploads.first)
        driver.end(upload, .refused(status: status, retryAfter: nil, message: "Files end at 8 bytes."))
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.said == ["next"], "the rest goes (C8)")
        driver.hear(.message(Device.reply("r_n", "then", at: 3)))
        driver.serve(from: &disk)
        #expect(driver.note("look")?.contains("Files end at 8 bytes.") == true)
        driver = .relaunched(&disk)
        driver.advance(by: .minutes(5))
        driver.serve(from: &disk)
        #expect(driver.uploads.isEmpty && driver.note("look")?.contains("Files end at 8 bytes.") == true)
        try driver.retry(on: &disk)
        #expect(driver.uploads.count == 1, "the person may try again")
    }

    @Test(
        "C8, C14: an upload that a lost network breaks keeps its place, and goes on after the reconnection",
        arguments: [.lost, .offline, .unreachable, .timedOut] as [CallFailure])
    func broken(failure: CallFailure) throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        driver.say("next")
        driver.serve(from: &disk)
        let upload = try #require(driver.uploads.first)
        driver.end(upload, .failed(failure))
        driver.serve(from: &disk)
        #expect(driver.said.isEmpty && driver.texts == ["look", "next"])
        #expect(driver.rows.allSatisfy { $0.offer != .retry }, "nobody has to do anything")
        driver.loseAndReconnect()
        driver.serve(from: &disk)
        try #require(driver.uploads.count == 1, "at once")
        driver.finishUpload("a_1")
        driver.serve(from: &disk)
        driver.acknowledge()
        driver.serve(from: &disk)
        #expect(driver.said == ["look", "next"])
    }

    @Test("L3: an upload that a lost network breaks goes on by itself also on a connection that stays")
    func brokenAlone() throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        let upload = try #require(driver.uploads.first)
        driver.end(upload, .failed(.lost))
        driver.serve(from: &disk)
        for _ in 0..<120 where driver.uploads.isEmpty {
            driver.advance(by: .seconds(1))
            while driver.isReconnecting, driver.calls.isEmpty, let next = driver.remaining(.reconnect) {
                driver.advance(by: next)
                driver.finishConnecting()
            }
        }
        #expect(driver.uploads.count == 1)
    }

    @Test("L3: an upload that ends before the socket does waits for its own timer")
    func brokenFirst() {
        var driver = Device.uploading()
        for upload in driver.uploads { driver.end(upload, .failed(.lost)) }
        #expect(driver.isConnected && driver.uploads.isEmpty && driver.stuckSpinner == nil)
        driver.advance(by: .seconds(30))
        #expect(driver.uploads.count == 2 && driver.stuckSpinner == nil)
    }

    @Test(
        "C14: a file that the server refused for a reason that may pass is uploaded by the next launch",
        arguments: [408, 500, 503] as [Int64])
    func refusedForNow(status: Int64) throws {
        var disk = Disk<Chat>()
        var driver = uploading(&disk)
        let upload = try #require(driver.uploads.first)
        driver.end(upload, .refused(status: status, retryAfter: nil, message: ""))
        driver.serve(from: &disk)
        #expect(driver.uploads.isEmpty && driver.rows.map { $0.offer } == [.retry])
        driver = .relaunched(&disk)
        #expect(driver.uploads.count == 1)
    }

    @Test("C14, C2: a sign of life from the server starts no broken upload before its time")
    func brokenBesideLife() {
        var driver = Device.uploading()
        for upload in driver.uploads { driver.end(upload, .failed(.lost)) }
        driver.hear(.alive)
        #expect(driver.isConnected && driver.uploads.isEmpty)
        driver.advance(by: .seconds(30))
        #expect(driver.uploads.count == 2)
    }

    @Test("C14: broken uploads go on as soon as the network is back, on a connection that has stayed")
    func networkBack() {
        var driver = Device.uploading()
        driver.send(.networkChanged(isUp: false))
        for upload in driver.uploads { driver.end(upload, .failed(.lost)) }
        #expect(driver.isConnected && driver.uploads.isEmpty)
        driver.send(.networkChanged(isUp: true))
        #expect(driver.isConnected && driver.uploads.count == 2 && driver.stuckSpinner == nil)
    }

    @Test("C14, L5, P10: a file that failed before the person left is uploaded when they are back")
    func failedBeforeLeaving() {
        var disk = Disk<Chat>()
        var driver = Device.connected(&disk)
        driver.pick("x", "text/plain", count: 9)
        driver.serve(from: &disk)
        driver.say("look")
        driver.serve(from: &disk)
        driver.end(driver.uploads[0], .refused(status: 500, retryAfter: nil, message: ""))
        driver.send(.signedOut)
        driver.send(.signedIn(Device.account))
        driver.serve(from: &disk)
        driver.finishConnecting()
        driver.serve(from: &disk)
        #expect(driver.texts == ["look"] && driver.uploads.count == 1)
    }
}
