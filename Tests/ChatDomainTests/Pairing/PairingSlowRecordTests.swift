// A launch that does not wait for the record of the request: what is submitted before the disk has answered
// is stored once it answers that there is none, or none that can be read.

import Testing

@testable import ChatDomain

@Suite("Pairing: a slow record of the request")
struct PairingSlowRecordTests {
    @Test(
        "P6, L5: a question asked before a slow disk says that none is stored goes on after a relaunch",
        arguments: [StorageAnswer<Pairing.Record>.missing, .failed(.damaged)])
    func askedBefore(answer: StorageAnswer<Pairing.Record>) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.fresh()
        driver.send(.launched)
        driver.serve(from: &disk, but: { $0 == .request })
        driver.advance(by: .seconds(5))
        driver.submit("Kay")
        driver.serve(from: &disk, but: { $0 == .request })
        #expect(driver.isAsking && disk[.request] == nil)
        driver.answer(.request, with: answer)
        driver.serve(from: &disk)
        let next = PairingDriver.launched(with: &disk, seed: 2, wall: driver.context.wall + .seconds(20))
        #expect(next.isAsking && next.askedName == "Kay" && next.state.name == "Kay")
        #expect(next.remaining(.approval) == .seconds(280))
    }
}
