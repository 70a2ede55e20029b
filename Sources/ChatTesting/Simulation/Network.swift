// The network between devices and their server. Messages on one connection arrive in order, late, or not at all;
// connections are independent, so a message may arrive after one of a later connection, and a message of a lost
// connection may still arrive. A half-open connection loses everything in one or both directions, and neither side is
// told until the loss is discovered.

import ChatDomain
import ChatEffects

/// A network with open connections and the messages on their way.
package struct Network: PlainValue {
    /// The delay of messages.
    enum Pace: PlainValue {
        /// No delay.
        case none
        /// Up to a fifth of a second.
        case quick
        /// The same, but one message in thirty is repeated until it arrives, for up to 20 s.
        case rough
    }

    /// A connection between a device and the server.
    private struct Connection: PlainValue {
        let device: Int
        /// The device's number for the call.
        let call: CallNumber
        /// The server's number, which is never used twice.
        let remote: CallNumber
        /// The times of the latest arrivals in each direction.
        var lastUp: Instant
        var lastDown: Instant
        var losesUp = false
        var losesDown = false
    }

    private struct Arriving: PlainValue {
        let remote: CallNumber
        let arrival: Arrival
        /// Whether the network itself reports a loss; the report arrives also on a connection that loses all else.
        var isReportOfLoss = false
    }

    var pace = Pace.none
    private var connections: [Connection] = []
    private var up = DelayQueue<DriverOperation>()
    private var down = DelayQueue<Arriving>()
    private var lastRemote: UInt64 = 0

    init() {}

    /// The time of the next arrival.
    var nextDeadline: Instant? {
        switch (up.nextDeadline, down.nextDeadline) {
        case (let first?, let second?): min(first, second)
        case (let first, let second): first ?? second
        }
    }

    private func delay(_ dice: inout Entropy) -> Interval {
        switch pace {
        case .none: .zero
        case .rough where dice.below(30) == 0: .milliseconds(Int64(dice.below(20_000)))
        case .quick, .rough: .milliseconds(Int64(dice.below(200)))
        }
    }

    // MARK: From a device

    /// Takes an operation of a device. Returns its immediate outcome, if it has one.
    mutating func take(
        _ operation: DriverOperation, of device: Int, isUp: Bool, at now: Instant, _ dice: inout Entropy
    ) -> Outcome? {
        switch operation {
        case .open(let call, let exchange):
            guard isUp else { return .arrived(call, .ended(.failed(.offline))) }
            lastRemote += 1
            let remote = CallNumber(lastRemote)
            connections.append(
                Connection(device: device, call: call, remote: remote, lastUp: now, lastDown: now))
            send(.open(remote, exchange), on: connections.count - 1, at: now, &dice)
        case .send(let call, let payload):
            guard let index = index(of: call, device) else { return nil }
            send(.send(connections[index].remote, payload), on: index, at: now, &dice)
        case .close(let call):
            guard let index = index(of: call, device) else { return nil }
            send(.close(connections[index].remote), on: index, at: now, &dice)
            connections.remove(at: index)
        case .load, .save, .erase, .setAside, .haptic: break
        }
        return nil
    }

    private func index(of call: CallNumber, _ device: Int) -> Int? {
        connections.firstIndex { $0.device == device && $0.call == call }
    }

    private mutating func send(
        _ operation: DriverOperation, on index: Int, at now: Instant, _ dice: inout Entropy
    ) {
        guard !connections[index].losesUp else { return }
        connections[index].lastUp = max(connections[index].lastUp, now + delay(&dice))
        up.insert(operation, at: connections[index].lastUp)
    }

    /// The device at the other end of a connection that the server knows.
    func device(of remote: CallNumber) -> Int? { connections.first { $0.remote == remote }?.device }

    /// The next operation that has reached the server.
    mutating func popUp(by now: Instant) -> DriverOperation? { up.popFirst(dueBy: now)?.element }

    // MARK: From the server

    /// Takes an outcome of the server.
    mutating func take(_ outcome: Outcome, at now: Instant, _ dice: inout Entropy) {
        guard case .arrived(let remote, let arrival) = outcome,
            let index = connections.firstIndex(where: { $0.remote == remote }), !connections[index].losesDown
        else { return }
        connections[index].lastDown = max(connections[index].lastDown, now + delay(&dice))
        down.insert(Arriving(remote: remote, arrival: arrival), at: connections[index].lastDown)
    }

    /// Reports to a device that the server no longer knows its connection.
    mutating func reset(_ remote: CallNumber, at now: Instant, _ dice: inout Entropy) {
        take(.arrived(remote, .ended(.failed(.lost))), at: now, &dice)
    }

    /// The next arrival that has reached a device.
    mutating func popDown(by now: Instant) -> (device: Int, outcome: Outcome)? {
        while let next = down.popFirst(dueBy: now)?.element {
            guard let index = connections.firstIndex(where: { $0.remote == next.remote }),
                next.isReportOfLoss || !connections[index].losesDown
            else { continue }
            let connection = connections[index]
            if case .ended = next.arrival { connections.remove(at: index) }
            return (connection.device, .arrived(connection.call, next.arrival))
        }
        return nil
    }

    // MARK: Faults

    /// The kind of a loss.
    enum Loss: PlainValue {
        /// Both ends are told.
        case told
        /// The device is told; the server is not, and messages on their way to the server arrive.
        case untoldServer
        /// Nothing arrives any more in one or both directions, and no end is told before that time.
        case halfOpen(up: Bool, down: Bool, for: Interval)
    }

    /// Loses the connections of a device.
    mutating func lose(_ loss: Loss, of device: Int, at now: Instant) {
        for index in connections.indices.reversed() where connections[index].device == device {
            let remote = connections[index].remote
            let lost = Arriving(remote: remote, arrival: .ended(.failed(.lost)), isReportOfLoss: true)
            switch loss {
            case .told:
                connections[index].losesDown = true
                down.insert(lost, at: now)
                up.insert(.close(remote), at: max(now, connections[index].lastUp))
            case .untoldServer:
                connections[index].losesDown = true
                down.insert(lost, at: now)
            case .halfOpen(let isUpLost, let isDownLost, let duration):
                connections[index].losesUp = connections[index].losesUp || isUpLost
                connections[index].losesDown = connections[index].losesDown || isDownLost
                down.insert(lost, at: now + duration)
                up.insert(.close(remote), at: now + duration)
            }
        }
    }

    /// Ends the process of a device. With `isClosed` the system of the device closes its connections.
    mutating func forget(_ device: Int, isClosed: Bool, at now: Instant) {
        for connection in connections where connection.device == device && isClosed {
            up.insert(.close(connection.remote), at: max(now, connection.lastUp))
        }
        connections.removeAll { $0.device == device }
    }

    /// Ends every half-open connection, also one that the server has forgotten.
    mutating func heal(at now: Instant, _ isKnown: (CallNumber) -> Bool) {
        for connection in connections
        where connection.losesUp || connection.losesDown || !isKnown(connection.remote) {
            let lost = Arriving(
                remote: connection.remote, arrival: .ended(.failed(.lost)), isReportOfLoss: true)
            down.insert(lost, at: now)
            up.insert(.close(connection.remote), at: now)
        }
    }
}
