// Pairing without a network, and what is to be erased and cannot be.

@testable import ChatDomain
import Testing

@Suite("Situations: pairing")
struct PairingSituations {
    @Test("P6, C2: attempts without a network do not use up the four in a minute")
    func offline() {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        var attempts = 0
        while attempts < 8 {
            driver.lose(.failed(.offline))
            driver.serve(from: &disk)
            attempts += 1
            driver.send(.networkReturned)
            driver.serve(from: &disk)
            #expect(driver.isAsking, "attempt \(attempts)")
            guard driver.isAsking else { break }
        }
        driver.grant()
        driver.serve(from: &disk)
        #expect(driver.state.session != nil)
    }

    @Test(
        "P6: a told wait does not grow when the clock is set back between two launches",
        arguments: [1, 60, 100_000] as [Int64])
    func clockSetBack(minutes: Int64) {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.asking(&disk)
        driver.lose(.refused(status: 429, retryAfter: .seconds(60), message: ""))
        driver.serve(from: &disk)
        driver = .launched(with: &disk, seed: 2, wall: driver.context.wall - .minutes(minutes))
        #expect(!driver.isAsking, "the wait goes on")
        driver.advance(by: .seconds(61))
        driver.serve(from: &disk)
        #expect(driver.isAsking, "the wait is over")
    }

    @Test(
        "P10: however many people want their data erased, none is forgotten because it fails",
        arguments: [1, 8, 9])
    func erasing(people: Int) throws {
        var disk = Disk<Pairing>()
        var driver = PairingDriver.launched(with: &disk)
        for number in 0..<people {
            driver.submit(ExactText("p\(number)"))
            driver.serve(from: &disk)
            driver.hear(.granted(PairingDriver.token, UserID(ExactText("p\(number)")), isAdmin: false))
            driver.serve(from: &disk)
            try #require(driver.state.session != nil)
            driver.send(.signedOutForGood)
            driver.serve(from: &disk)
            for erasing in driver.state.erasing.data {
                if let attempt = erasing.attempt { driver.send(.dataNotErased(attempt)) }
            }
            driver.serve(from: &disk)
            driver.advance(by: .minutes(5))
            driver.serve(from: &disk)
        }
        let wall = driver.context.wall
        driver = .launched(with: &disk, seed: 2, wall: wall)
        let users = (0..<people).map { UserID(ExactText("p\($0)")) }
        #expect(driver.state.erasing.data.map { $0.user } == users)
        for erasing in driver.state.erasing.data {
            driver.send(.dataErased(try #require(erasing.attempt, "a launch tries again")))
        }
        driver.serve(from: &disk)
        #expect(PairingDriver.launched(with: &disk, seed: 3, wall: wall).state.erasing.isOver)
    }
}
