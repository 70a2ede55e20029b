// When the record of connecting is written: for a new attempt or a new wait that the server tells.

import Testing

@testable import ChatDomain

@Suite("Chat: pacing is written when it is new")
struct ChatPacingOnceTests {
    @Test("C2, C3: a told wait that is over is not written again when the next attempt waits for the minute")
    func overBeforeMinute() {
        var driver = Driver<Chat>.connecting()
        let told = CallEnd.refused(status: 503, retryAfter: .seconds(3), message: "")
        for number in 1...4 {
            driver.hear(.opened)
            driver.lose(number < 4 ? .failed(.lost) : told)
            driver.save()
            while number < 4, driver.calls.isEmpty, let next = driver.remaining(.reconnect) {
                driver.advance(by: next)
            }
        }
        guard let next = driver.remaining(.reconnect) else { return #expect(Bool(false)) }
        driver.advance(by: next)
        #expect(driver.isReconnecting && driver.calls.isEmpty && driver.isRunning(.reconnect))
        #expect(driver.storage.isEmpty)
    }
}
