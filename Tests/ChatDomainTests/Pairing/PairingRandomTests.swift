import ChatDomain
import Testing

@Suite("Pairing: random actions")
struct PairingRandomTests {
    @Test("L1, L3, L10: random actions leave a timer for what is under way, one question, and no secret")
    func random() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var disk = Disk<Pairing>()
            var driver = PairingDriver.fresh(seed: seed)
            for step in 0..<300 {
                let stale = Attempt(number: 100_000 + entropy.next() % 40)
                switch entropy.next() % 20 {
                case 0: driver.send(.launched)
                case 1, 2: driver.submit("Kay")
                case 3: driver.send(.cancelled)
                case 4: driver.send(.retried)
                case 5: driver.send(.signedOut)
                case 6: driver.send(.credentialsRefused(.tokenExpired))
                case 7: driver.send(.linkOpened(PairingDriver.link))
                case 8: driver.send(.linkClosed(PairingDriver.link))
                case 9: driver.knock("d1")
                case 10: driver.send(.approved("d1", as: "bo"))
                case 11: driver.lose()
                case 12: driver.grant()
                case 13: driver.send(.stored(.failed(.full), under: .device, stale))
                case 14: driver.send(.ended(.ask(stale), .completed))
                case 15: driver.hear(.pending(code: "1"))
                case 16: driver.send(.networkReturned)
                case 17: if let key = driver.storage.first?.key { driver.answer(key, with: .failed(.full)) }
                case 18: driver.serve(from: &disk)
                default: driver.advance(by: .milliseconds(Int64(entropy.next() % 20_000)))
                }
                check(driver, step)
            }
        }
    }

    private func check(_ driver: PairingDriver, _ step: Int) {
        #expect(driver.calls.count <= 1)
        switch driver.state.phase {
        case .restoring: #expect(driver.isRunning(.restoring))
        case .waitingForApproval(let waiting):
            switch waiting.stage {
            case .savingSecret, .savingCredentials: #expect(driver.isRunning(.storage))
            case .identifying, .asking, .backingOff: #expect(driver.isRunning(.approval))
            }
        case .idle, .enteringName, .paired, .failed:
            #expect(driver.calls.isEmpty && !driver.isRunning(.approval))
        }
        if step.isMultiple(of: 10) {
            #expect(!String(reflecting: driver.state).contains("top-secret"))
        }
    }
}
