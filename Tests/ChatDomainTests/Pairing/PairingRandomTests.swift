@testable import ChatDomain
import Testing

@Suite("Pairing: random actions")
struct PairingRandomTests {
    @Test("L1, L3, L4, L10: random actions leave a timer for what is under way, one question and no secret")
    func random() {
        for seed in 1...10 as ClosedRange<UInt64> {
            var entropy = Entropy.seeded(seed)
            var disk = Disk<Pairing>()
            var driver = PairingDriver.fresh(seed: seed)
            for step in 0..<400 {
                act(&driver, &disk, &entropy)
                check(driver)
                if step.isMultiple(of: 5) { checkNonsense(driver) }
                if step.isMultiple(of: 20) { checkSecrecy(driver) }
            }
        }
    }

    private func act(
        _ driver: inout PairingDriver, _ disk: inout Disk<Pairing>, _ entropy: inout Entropy
    ) {
        let device: DeviceID = entropy.next().isMultiple(of: 2) ? "d1" : "d2"
        switch entropy.next() % 28 {
        case 0: driver.send(.launched)
        case 1, 2, 3: driver.submit("Kay")
        case 4: driver.send(.cancelled)
        case 5: driver.send(.retried)
        case 6: driver.send(.signedOut)
        case 7: driver.send(.credentialsRefused(.tokenExpired))
        case 8: driver.send(.linkOpened(PairingDriver.link))
        case 9: driver.send(.linkOpened(Attempt(number: 901)))
        case 10: driver.send(.linkClosed(PairingDriver.link))
        case 11: driver.knock(device)
        case 12: driver.send(.approved(device, as: "bo"))
        case 13: driver.send(.denied(device, reason: "no"))
        case 14: driver.send(.received(.resolved(device), on: .link(PairingDriver.link)))
        case 15: driver.send(.noticeDismissed)
        case 16: driver.lose()
        case 17: driver.lose(.refused(status: 429, retryAfter: .seconds(20), message: ""))
        case 18: driver.grant()
        case 19: driver.hear(.refused(.denied(reason: "no")))
        case 20: driver.hear(.pending(code: "1"))
        case 21: driver.send(.networkReturned)
        case 22: driver.send(.timerFired(timers[Int(entropy.next() % UInt64(timers.count))]))
        case 23: if let key = driver.storage.first?.key { driver.answer(key, with: .failed(.full)) }
        case 24, 25, 26: driver.serve(from: &disk)
        default: driver.advance(by: .milliseconds(Int64(entropy.next() % 20_000)))
        }
    }

    private let timers: [Pairing.Timer] = [.restoring, .storage, .approval, .retry, .renewal, .incoming]

    private func check(_ driver: PairingDriver) {
        #expect(driver.calls.count <= 1)
        switch driver.state.phase {
        case .restoring: #expect(driver.isRunning(.restoring))
        case .waitingForApproval(let waiting):
            switch waiting.stage {
            case .identifying: #expect(driver.isRunning(.approval) && driver.isRunning(.storage))
            case .asking: #expect(driver.isRunning(.approval) && driver.isRunning(.renewal))
            case .backingOff: #expect(driver.isRunning(.approval) && driver.isRunning(.retry))
            case .savingSecret, .savingCredentials: #expect(driver.isRunning(.storage))
            }
        case .idle, .enteringName, .paired, .failed:
            #expect(driver.calls.isEmpty && !driver.isRunning(.approval))
        }
        #expect(driver.isRunning(.incoming) == !driver.state.incoming.rows.rows.isEmpty)
    }

    /// What makes no sense changes nothing and yields nothing (L1); nor does anything from an attempt or a
    /// timer that nobody waits for, while others are under way (L4).
    private func checkNonsense(_ driver: PairingDriver) {
        for action in staleAnswers(driver.storage.map(\.key)) + nonsense(in: driver.state) {
            var other = driver
            let effects = other.send(action)
            #expect(effects.isEmpty && other.state == driver.state, "\(action)")
        }
    }

    private func staleAnswers(_ keys: [Pairing.Key]) -> [Pairing.Action] {
        let stale = Attempt(number: 1_000_000)
        var actions: [Pairing.Action] = [
            .ended(.ask(stale), .completed), .ended(.link(stale), .failed(.lost)), .linkClosed(stale),
            .received(.granted(PairingDriver.token, "kay", isAdmin: true), on: .ask(stale)),
            .received(.refused(.timedOut), on: .ask(stale)),
            .received(.resolved("d1"), on: .link(stale)),
            .approved("nobody", as: "bo"), .denied("nobody", reason: nil), .approved("d1", as: " "),
        ]
        for key in keys + [.device, .credentials, .request] {
            actions.append(.stored(.failed(.full), under: key, stale))
            actions.append(.stored(.saved, under: key, stale))
        }
        return actions
    }

    private func nonsense(in state: Pairing.State) -> [Pairing.Action] {
        let waits: [Pairing.Action] = [
            .timerFired(.approval), .timerFired(.retry), .timerFired(.renewal), .networkReturned, .cancelled,
        ]
        let session: [Pairing.Action] = [
            .signedOut, .credentialsRefused(.tokenRevoked), .linkOpened(PairingDriver.link),
        ]
        let name: [Pairing.Action] = [.submitted, .nameEdited("Bo")]
        switch state.phase {
        case .restoring:
            return waits + session + name + [.launched, .retried, .timerFired(.storage)]
        case .idle, .enteringName:
            return waits + session + [.retried, .timerFired(.restoring), .timerFired(.storage)]
        case .paired:
            return waits + name + [.launched, .timerFired(.restoring)]
        case .failed(let failure):
            let edits: [Pairing.Action] = failure == .emptyName ? [] : [.nameEdited("Bo")]
            return waits + session + edits + [.launched, .submitted, .timerFired(.restoring)]
        case .waitingForApproval(let waiting):
            let always = session + name + [.launched, .retried, .timerFired(.restoring)]
            switch waiting.stage {
            case .identifying:
                return always + [.timerFired(.retry), .timerFired(.renewal), .networkReturned]
            case .asking:
                return always + [.timerFired(.retry), .timerFired(.storage), .networkReturned]
            case .backingOff:
                return always + [.timerFired(.renewal), .timerFired(.storage)]
            case .savingSecret, .savingCredentials:
                return always
                    + [
                        .timerFired(.approval), .timerFired(.retry), .timerFired(.renewal), .networkReturned,
                    ]
            }
        }
    }

    /// Nothing that shows a state or what storage is to do shows the token (L10).
    private func checkSecrecy(_ driver: PairingDriver) {
        var dumped = String(reflecting: driver.state)
        dump(driver.state, to: &dumped)
        dump(driver.storage, to: &dumped)
        #expect(!dumped.contains("top-secret"))
    }
}
