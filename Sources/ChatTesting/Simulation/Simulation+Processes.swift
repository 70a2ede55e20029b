// What happens to a device: a disk that fails or takes its time, and processes that end wherever they stand.

import ChatDomain
import ChatEffects
import Foundation

extension Simulation {
    mutating func breakDisk() {
        let user = state.account?.user.text ?? ""
        let names: [[ExactText]] = [
            [], ["users"], ["users", user], ["secrets"], ["credentials"], ["device"], ["request"],
        ]
        let place = names[dice.below(names.count)]
        let fault: MemoryStore.Fault
        switch dice.below(4) {
        case 0: fault = .unreadable(place)
        case 1: fault = .silent(place)
        case 2:
            fault = .failingWrite(devices[here].loop.store.writes + UInt64(dice.below(3)) + 1, .unavailable)
        default: fault = .full
        }
        tell("\(fault)")
        devices[here].loop.store.faults = [fault]
        if devices[here].ledger.isTold {
            devices[here].ledger.told.formUnion(state.screens.flatMap { $0.marks })
        }
        devices[here].ledger.isDiskTrusted = false
        devices[here].ledger.isTold = false
    }

    /// The process ends where it stands, with any prefix of the writes that had begun, and another begins with what is
    /// on the disk.
    mutating func relaunch(after passed: Interval) {
        tell("relaunch")
        devices[here].last = nil  // another conversation may be in view, where the same is no second tap
        checkKept()
        let isShown = state.chat.shared.wish.isShown
        endProcess()
        devices[here].loop = Loop(newMachine(), store: devices[here].loop.store, server: Line())
        advance(by: passed)
        devices[here].loop = Loop(newMachine(), store: devices[here].loop.store, server: Line())
        send(.launched)
        holdServerToAccount()
        if isShown { send(.chat(.shown)) }
    }

    /// The process ends, and another goes on with what this one has stored of itself.
    mutating func resume(after passed: Interval) {
        tell("resumed from a stored machine")
        let machine = devices[here].loop.machine
        guard let stored = try? JSONEncoder().encode(machine),
            let restored = try? JSONDecoder().decode(Machine<ClawlineBackend>.self, from: stored)
        else { return complain("R4: a machine cannot be stored") }
        // A secret whose save is under way is not stored with it.
        let hasSecret = machine.pendingStorage.contains {
            if case .save(.secret) = $0.work { true } else { false }
        }
        if restored != machine, !hasSecret { complain("R4: a stored machine is another") }
        if String(decoding: stored, as: UTF8.self).contains(tokenMark) {
            complain("L10: a stored machine holds a token")
        }
        hangUp()
        devices[here].loop.store.processEnds()
        // The time since passes for the others. A wall clock that is set back hides it from the machine.
        devices[here].loop = Loop(newMachine(), store: devices[here].loop.store, server: Line())
        if passed < .zero { devices[here].wallShift = devices[here].wallShift + passed }
        advance(by: passed)
        devices[here].loop = Loop(
            resuming: restored, store: devices[here].loop.store, server: Line(), wall: moment(on: here).wall)
        // Before the person types: what comes of the time stands on the screen then.
        devices[here].loop.advance(to: moment(on: here))
        collect(here)
    }

    /// A machine that has not been launched, and does nothing before it is.
    private mutating func newMachine() -> Machine<ClawlineBackend> {
        Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment(on: here),
            entropy: .seeded(dice.next()))
    }

    private mutating func endProcess() {
        devices[here].ledger.processEnded(devices[here].loop)
        (devices[here].ledger.isTold, devices[here].ledger.told) = (false, [])
        devices[here].known = []
        hangUp()
        devices[here].loop.store.processDies(&dice)
    }

    /// The connections of a process end with it; the server is told, unless the whole device went down.
    private mutating func hangUp() {
        network.forget(here, isClosed: network.pace != .rough || dice.below(3) > 0, at: moment.now)
    }

    /// A device's disk takes its time, or no longer does.
    mutating func changeDisk() {
        let isSlow = !devices[here].loop.store.isSlow
        devices[here].loop.store.isSlow = isSlow
        tell("the disk is \(isSlow ? "slow" : "prompt")")
    }
}
