// The liveness phase: from here on everything works. After a while nothing is under way, and every text is on the
// server once and on the screen once, or is visibly unsent.

import ChatDomain
import ChatEffects

extension Simulation {
    mutating func settleDown() {
        trace("settling")
        server.behaviour.rules = []
        if network.pace == .rough { network.pace = .quick }
        network.heal(at: moment.now) { [server] in server.knows($0) }
        for device in devices.indices {
            here = device
            devices[device].isUp = true
            devices[device].loop.store.faults = []
            devices[device].loop.store.isSlow = false
        }
        advance(by: .seconds(1))
        for device in devices.indices {
            here = device
            // Records that were not readable are loaded at the next launch.
            if !devices[device].ledger.isDiskTrusted { relaunch(after: .zero) }
        }
        // All unsent messages of all devices arrive before the screens are checked.
        for device in devices.indices {
            here = device
            guard let user = state.account?.user ?? devices[device].ledger.users.first else { continue }
            signIn(user)
            calmDown()
        }
        for device in devices.indices {
            here = device
            settleDevice()
            if complaint != nil { return }
        }
    }

    private mutating func settleDevice() {
        let somebody = state.account?.user
        let others = devices[here].ledger.users.filter { $0 != somebody }
        for user in [somebody].compactMap({ $0 }) + others {
            signIn(user)
            calmDown()
            if let stuck = stuckSpinner(devices[here].loop.machine) {
                return complain("L3: in the end, \(stuck)")
            }
            checkTexts()
            checkEnd(of: user)
            if complaint != nil { return }
        }
    }

    /// Lets time pass; the person consents to every request.
    private mutating func calmDown() {
        for action: ChatApp.Action in [
            .networkChanged(isUp: true), .foregrounded, .chat(.shown), .assistant(.opened),
        ] {
            send(action)
        }
        for _ in 0..<4 {
            for entry in state.chat.list.entries {
                send(.chat(.conversationSwitched(to: entry.id)))
                // After the first old message, the next one asks for consent too.
                let waiting = state.chat.conversation.outbox.queue.waiting
                for held in waiting {
                    send(.chat(.heldApproved(held.id)))
                    advance(by: .seconds(2))
                }
            }
            send(.chat(.reconnectRequested))
            advance(by: .minutes(10))
        }
        if !devices[here].isConnected { complain("L3: not connected in the end: \(state.chat.connection)") }
    }

    /// Carries out the actions of a person who comes in under a name.
    private mutating func signIn(_ user: UserID) {
        for _ in 0..<20 where state.account?.user != user {
            holdServerToAccount()
            switch state.pairing.phase {
            case .paired: send(.pairing(state.account == nil ? .retried : .signedOut))
            case .failed: send(.pairing(.retried))
            case .waitingForApproval: send(.pairing(.cancelled))
            case .restoring: break
            case .idle, .enteringName:
                forgetAsking()
                send(.pairing(.nameEdited(user.text)))
                send(.pairing(.submitted))
            }
            advance(by: .minutes(2))
        }
        if state.account?.user != user { complain("L3: \(user) is not let in in the end") }
        holdServerToAccount()
        advance(by: .seconds(10))
    }

    /// Lets the server forget its decisions about devices that are not in, so that it decides again.
    mutating func forgetAsking() {
        let admitted = devices.compactMap { $0.state.account?.device }
        server.devices.removeAll { !admitted.contains($0.id) }
    }

    /// Lets the server know a device under the account that is signed in there, as the token says.
    mutating func holdServerToAccount() {
        for device in devices {
            guard let account = device.state.account, server.user(of: account.device) != account.user else {
                continue
            }
            let request = PairingRequest(
                device: account.device, claimedName: account.user.text, info: app.pairing.configuration.device
            )
            server.devices.removeAll { $0.id == account.device }
            server.devices.append(.init(request: request, standing: .admitted(account.user)))
        }
    }
}
