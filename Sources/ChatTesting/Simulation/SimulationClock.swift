// The one clock of a simulation. The order at one instant: the devices in their order, each with its timers and then
// its arrivals; then the arrivals at the server, the outcomes of the server, and the arrivals at the devices; again,
// until nothing is due. Every device takes the time when something is due for it and when the clock stops.

import ChatDomain
import ChatEffects

extension Simulation {
    /// The moment on the clocks of a device.
    func moment(on device: Int) -> Moment {
        Moment(now: moment.now, wall: moment.wall + devices[device].wallShift)
    }

    /// The time of the next event without an action.
    package var nextDeadline: Instant? {
        var next = network.nextDeadline
        for deadline in devices.map({ $0.loop.nextDeadline }) + [server.nextDeadline] {
            if let deadline { next = min(next ?? deadline, deadline) }
        }
        return next
    }

    /// Sends an action of the person on the acting device.
    mutating func send(_ action: ChatApp.Action) {
        devices[here].loop.advance(to: moment(on: here))
        noteConsent(action)
        devices[here].loop.send(action)
        collect(here)
        settle()
    }

    /// Lets time pass, with a stop at each due instant.
    package mutating func advance(by interval: Interval) {
        let target = moment.now + max(interval, .zero)
        while let deadline = nextDeadline, deadline <= target { move(to: deadline) }
        move(to: target)
        for device in devices.indices {
            devices[device].loop.advance(to: moment(on: device))
            collect(device)
        }
        settle()
    }

    private mutating func move(to instant: Instant) {
        if instant > moment.now { moment = moment + (instant - moment.now) }
        settle()
    }

    private mutating func settle() {
        repeat {
            for device in devices.indices {
                guard let due = devices[device].loop.nextDeadline, due <= moment.now else { continue }
                devices[device].loop.store.finish(by: moment.now)
                devices[device].loop.advance(to: moment(on: device))
                collect(device)
            }
            while let operation = network.popUp(by: moment.now) { reachServer(operation) }
            if let due = server.nextDeadline, due <= moment.now {
                for outcome in server.advance(to: moment) { network.take(outcome, at: moment.now, &dice) }
            }
            while let (device, outcome) = network.popDown(by: moment.now) {
                note(device, outcome)
                devices[device].loop.server.bring(outcome, at: moment.now)
            }
        } while nextDeadline.map { $0 <= moment.now } ?? false
    }

    private mutating func reachServer(_ operation: DriverOperation) {
        if case .send(let remote, _) = operation, !server.knows(remote) {
            return network.reset(remote, at: moment.now, &dice)
        }
        server.carryOut(operation, at: moment)
    }

    /// Passes on the operations that a device has sent, and draws the times of those on its disk.
    mutating func collect(_ device: Int) {
        for (answer, due) in devices[device].loop.store.draw(at: moment.now, &dice) {
            devices[device].loop.server.bring(answer, at: due)
        }
        guard devices[device].loop.server.isLeaving else { return }
        for operation in devices[device].loop.server.takeLeaving() {
            traffic.add(moment)
            traffic.add(UInt64(device))
            traffic.add(operation)
            checkConsent(to: operation, of: device)
            if let refusal = network.take(
                operation, of: device, isUp: devices[device].isUp, at: moment.now, &dice)
            {
                devices[device].loop.server.bring(refusal, at: moment.now)
            }
        }
    }

    private mutating func note(_ device: Int, _ outcome: Outcome) {
        traffic.add(moment)
        traffic.add(UInt64(device))
        if case .arrived(let call, let arrival) = outcome { traffic.add(arrival, on: call) }
    }
}
