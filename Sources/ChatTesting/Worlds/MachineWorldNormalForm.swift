// By what a search knows a machine's world: worlds with equal normal forms behave alike. It leaves out the configuration,
// which no step changes; the generator, which gives its extremes; and the numbers by which the machine and its drivers
// name calls and operations.

import ChatDomain
import ChatEffects

extension MachineWorld {
    /// Compares the parts of the normal form as they are.
    public static func == (left: Self, right: Self) -> Bool {
        left.machine.stands(where: right.machine) && left.disk == right.disk
            && left.budgets == right.budgets && left.exchanges == right.exchanges
    }

    public func hash(normalized hasher: inout Hasher) {
        var form = NormalForm(moment: machine.moment, horizon: horizon)
        var state = machine.state
        Subject.normalize(state: &state, &form)
        hasher.combine(state)
        let calls = machine.openCalls
        hasher.combine(calls.count)
        for open in calls {
            var call = open.call
            Subject.normalize(call: &call, &form)
            hasher.combine(call)
            hasher.combine(open.phase)
            hasher.combine(open.progress)
            hasher.combine(exchanges[open.number])
        }
        let timers = machine.runningTimers
        hasher.combine(timers.count)
        for running in timers {
            var timer = running.timer
            Subject.normalize(timer: &timer, &form)
            hasher.combine(timer)
            hasher.combine(running.deadline - machine.moment.now)
        }
        hash(storage: &hasher, &form)
        if form.mayHoldTimes { hasher.combine(machine.moment) }
        hasher.combine(machine.drawsGreatest)
        hasher.combine(budgets)
    }

    private func hash(storage hasher: inout Hasher, _ form: inout NormalForm) {
        let pending = machine.pendingStorage
        hasher.combine(pending.count)
        for operation in pending {
            var (key, attempt) = (operation.key, operation.attempt)
            Subject.normalize(key: &key, &form)
            form.rename(&attempt)
            hasher.combine(key)
            hasher.combine(attempt)
            hasher.combine(operation.isStarted)
            switch operation.work {
            case .load: hasher.combine(0)
            case .save(let content):
                hasher.combine(1)
                guard var record = records.record(of: content, under: operation.key) else { continue }
                Subject.normalize(record: &record, &form)
                hasher.combine(record)
            case .erase: hasher.combine(2)
            }
        }
        hasher.combine(machine.sealedPaths)
        hasher.combine(disk.entries.count)
        for entry in disk.entries {
            var key = entry.key
            Subject.normalize(key: &key, &form)
            hasher.combine(key)
            guard var record = entry.record else { continue }
            Subject.normalize(record: &record, &form)
            hasher.combine(record)
        }
    }
}
