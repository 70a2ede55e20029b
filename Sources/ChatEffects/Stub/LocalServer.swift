// The in-process backend (end of limits): a Clawline server as a value. Every non-empty name is let in
// after 3 s, connecting takes 0.5 s, and a message is answered after 1.5 s with “You said: ” and its text. It
// speaks the protocol's own bytes, so what works against it has been encoded and decoded.
//
// It is deterministic: all that happens is a task in one queue, ordered by time, and ids count up. It keeps a
// log for each user, which survives connections; how it misbehaves is in LocalServerBehaviour.swift. Start at
// `carryOut`, then `run` in LocalServer+Work.swift.

import ChatDomain

/// A server within the process, driven by the machine's clock.
public struct LocalServer: SimulatedServer {
    /// How the server behaves from now on.
    public var behaviour: Behaviour
    /// Whether the device that the server runs on pretends to have a network.
    public private(set) var isOnline = true

    var sockets: [Socket] = []
    var requests: [Request] = []
    var devices: [Device] = []
    var logs: [Log] = []
    var replies: [Reply] = []
    /// The files that were uploaded, oldest first.
    var assets: [Asset] = []
    var tasks = DelayQueue<Task>()
    /// The last moment that the server was told.
    var moment = Moment(now: Instant(nanoseconds: .min), wall: WallTime(nanosecondsSince1970: 0))
    /// How many ids the server has given.
    var lastID: UInt64 = 0
    /// The last id that an earlier process of the server can have given.
    let idsBefore: UInt64

    /// Creates a server that knows nobody.
    ///
    /// The ids that it gives count up behind a number. Where its clients outlive it, let that be greater than
    /// all ids of its former life, such as the wall time in milliseconds: clients take an id that they know for
    /// a message that they know.
    public init(_ behaviour: Behaviour = Behaviour(), idsAfter lastID: UInt64 = 0) {
        self.behaviour = behaviour
        self.lastID = lastID
        idsBefore = lastID
    }

    /// The finished messages of a user, oldest first.
    public func log(of user: UserID) -> [Entry] {
        logs.first { $0.user == user }?.entries ?? []
    }

    // MARK: The driver's side

    /// Takes in what a client does.
    public mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        self.moment = moment
        switch operation {
        case .open(let call, .socket): open(call)
        case .open(let call, .http(_, let path, let headers, let body, _)):
            request(call, path: path, headers, body)
        case .send(let call, let payload): take(payload, from: call)
        case .close(let call): forget(call)
        case .load, .save, .erase, .setAside, .haptic: break
        }
    }

    /// When the server has something to do next.
    public var nextDeadline: Instant? { tasks.nextDeadline }

    /// Does all that is due by a moment, each thing at its own time.
    public mutating func advance(to moment: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let (due, task) = tasks.popFirst(dueBy: moment.now) {
            let time = max(due, self.moment.now)
            self.moment = Moment(now: time, wall: moment.wall - (moment.now - time))
            run(task, &outcomes)
        }
        self.moment = moment
        return outcomes
    }

    // MARK: The network

    /// Breaks every connection, as an elevator does.
    public mutating func dropConnections() {
        for socket in sockets { schedule(.end(socket.call, .failed(.lost)), after: .zero) }
        for request in requests { schedule(.end(request.call, .failed(.lost)), after: .zero) }
    }

    /// Takes the network away: every connection breaks, and none can be made.
    public mutating func goOffline() {
        isOnline = false
        dropConnections()
    }

    /// Gives the network back.
    public mutating func goOnline() {
        isOnline = true
    }

    // MARK: Taking in

    private mutating func open(_ call: CallNumber) {
        guard isOnline else { return schedule(.end(call, .failed(.offline)), after: .zero) }
        sockets.append(Socket(call: call, phase: .opening))
        schedule(.handshake(call), after: behaviour.handshakeDelay)
    }

    private mutating func take(_ payload: Payload, from call: CallNumber) {
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        switch (ClawlineQuestion(bytes), sockets[index].phase) {
        case (.pair(let request), .open), (.pair(let request), .pairing):
            sockets[index].phase = .pairing(request.device)
            ask(request, on: call)
        case (.authenticate(let secret, let device, let cursors), .open):
            sockets[index].phase = .authenticating
            let token = Token(secret).flatMap { $0.device == device ? $0 : nil }
            schedule(.authentication(call, token, cursors: cursors), after: behaviour.authenticationDelay)
        case (.message(let client, _, "", files: []), .connected):
            let frame = ClawlineFrames.error(
                "invalid_message", message: "Message is empty", about: client.text)
            schedule(.send(call, frame), after: .zero)
        case (.message(let client, let conversation, let text, let files), .connected(let user, let device)):
            let sender = Sender(user: user, device: device, client: client, conversation: conversation)
            schedule(.receipt(call, sender, text, files), after: .zero)
        case (.typing, .connected): break
        case (.decide, .connected(let user, _)) where !isAdmin(user):
            complain(call, "invalid_message", "Not an admin")
        case (.decide(let device, let decision), .connected):
            schedule(.decision(call, device, decision), after: .zero)
        case (.invalid, _): complain(call, "invalid_message", "Invalid message")
        default: complain(call, "invalid_message", "Unexpected message")
        }
    }

    private mutating func complain(_ call: CallNumber, _ code: ExactText, _ message: ExactText) {
        schedule(.send(call, ClawlineFrames.error(code, message: message)), after: .zero)
    }

    mutating func forget(_ call: CallNumber) {
        sockets.removeAll { $0.call == call }
        requests.removeAll { $0.call == call }
        tasks.removeAll { $0.isOnly(of: call) }
    }

    mutating func schedule(_ kind: Task.Kind, after delay: Interval, mayFail: Bool = true) {
        tasks.insert(Task(kind: kind, mayFail: mayFail), at: moment.now + max(delay, .zero))
    }
}
