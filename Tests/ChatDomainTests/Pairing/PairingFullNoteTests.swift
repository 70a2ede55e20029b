// A full disk that has to take down who has left and that a request has ended.

import Testing

@testable import ChatDomain

@Suite("Pairing: notes on a full disk")
struct PairingFullNoteTests {
    @Test("P7, P10: a request that is cancelled on a full disk ends, although a sign-out is noted beside it")
    func cancelled() {
        let isLocked: (Pairing.Key) -> Bool = { $0 == .credentials || $0.isSecret }
        var disk = Disk<Pairing>()
        var driver = PairingDriver.paired(&disk)
        driver.send(.signedOut)
        driver.serve(from: &disk, failing: isLocked)
        driver.submit("Ada")
        driver.serve(from: &disk, failing: isLocked)
        driver.send(.cancelled)
        driver.answer(.request, with: .failed(.full))
        driver.serve(from: &disk, failing: isLocked)
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall + .seconds(1))
        #expect(next.waiting == nil && next.state.session == nil && next.calls.isEmpty)
    }
}
