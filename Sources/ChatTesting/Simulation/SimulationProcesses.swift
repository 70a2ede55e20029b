// The events of a device: a disk that fails or takes time, and processes that end at any point.

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
        trace("\(fault)")
        devices[here].loop.store.faults = [fault]
        if devices[here].ledger.isTold {
            devices[here].ledger.told.formUnion(state.screens.flatMap { $0.marks })
        }
        devices[here].deletions = Deletions()
        devices[here].ledger.isDiskTrusted = false
        devices[here].ledger.isTold = false
    }

    /// Ends the process at this point, with any prefix of its pending writes done, and starts another with the records
    /// on the disk.
    mutating func relaunch(after passed: Interval) {
        trace("relaunch")
        devices[here].last = nil  // in another conversation, the same action is no second tap
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

    /// Ends the process, and resumes its stored machine in another.
    mutating func resume(after passed: Interval) {
        trace("resumed from a stored machine")
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
        // The time passes for the other devices. A wall clock that is set back hides it from the machine.
        devices[here].loop = Loop(newMachine(), store: devices[here].loop.store, server: Line())
        if passed < .zero { devices[here].wallShift = devices[here].wallShift + passed }
        advance(by: passed)
        devices[here].loop = Loop(
            resuming: restored, store: devices[here].loop.store, server: Line(), wall: moment(on: here).wall)
        // Before the person types: the effects of the time are visible then.
        devices[here].loop.advance(to: moment(on: here))
        collect(here)
    }

    /// Creates a machine that is not launched, and does nothing before that.
    private mutating func newMachine() -> Machine<ClawlineBackend> {
        Machine(
            app, state: ChatApp.State(app), backend: ClawlineBackend(), moment: moment(on: here),
            entropy: .seeded(dice.next()))
    }

    private mutating func endProcess() {
        devices[here].ledger.processEnded(devices[here].loop)
        (devices[here].ledger.isTold, devices[here].ledger.told) = (false, [])
        devices[here].known = []
        devices[here].deletions.processEnded()
        (devices[here].approved, devices[here].read, devices[here].said) = ([], nil, nil)
        hangUp()
        devices[here].loop.store.processDies(&dice)
    }

    /// Ends the connections of a process; the server is told, unless the whole device has ended.
    private mutating func hangUp() {
        network.forget(here, isClosed: network.pace != .rough || dice.below(3) > 0, at: moment.now)
    }

    /// Makes a device's disk slow, or prompt again.
    mutating func changeDisk() {
        let isSlow = !devices[here].loop.store.isSlow
        devices[here].loop.store.isSlow = isSlow
        trace("the disk is \(isSlow ? "slow" : "prompt")")
    }
}
