// The in-process backend (end of limits): a Clawline server as a value. Every non-empty name is approved after 3 s,
// connecting takes 0.5 s, and a reply, “You said: ” and the text, comes after 1.5 s. It uses the protocol's own bytes,
// so every test against it covers encoding and decoding.
//
// It is deterministic: every step is a task in one queue, ordered by time, and ids count up. Each user's log survives
// connections; the faults are in LocalServerBehaviour.swift. Start at `carryOut`, then `run` in LocalServerWork.swift.

import ChatDomain

/// An in-process server on the clock of its loop.
public struct LocalServer: SimulatedServer {
    /// The current behaviour.
    public var behaviour: Behaviour
    /// Whether the simulated network is up.
    private(set) var isOnline = true

    var sockets: [Socket] = []
    var requests: [Request] = []
    package var devices: [Device] = []
    package var logs: [Log] = []
    package var replies: [Reply] = []
    /// The conversations of the coach whose rows exist.
    var rows: [ExactText] = []
    /// The uploaded files, oldest first.
    var files: [StoredFile] = []
    var tasks = DelayQueue<Task>()
    /// The latest reported moment.
    var moment = Moment(now: Instant(nanoseconds: .min), wall: WallTime(nanosecondsSince1970: 0))
    /// The last issued id.
    var lastID: UInt64 = 0
    /// The greatest id that an earlier process of the server may have issued; `nil` before the first operation.
    var idsBefore: UInt64?

    /// Creates a server without users.
    ///
    /// Its ids count up from the wall time in milliseconds of its first operation. Clients identify messages by id, and
    /// may have stored those of an earlier process: no server issues a thousand a second for long.
    public init(_ behaviour: Behaviour = Behaviour()) {
        self.behaviour = behaviour
    }

    /// The finished messages of a user, oldest first.
    package func log(of user: UserID) -> [Entry] {
        logs.first { $0.user == user }?.entries ?? []
    }

    // MARK: Driver

    /// Takes an operation of a client.
    public mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        self.moment = moment
        if idsBefore == nil {
            lastID = UInt64(clamping: moment.wall.millisecondsSince1970)
            idsBefore = lastID
        }
        switch operation {
        case .open(let call, .socket): open(call)
        case .open(_, .renewal): break  // a loop has made it an HTTP request
        case .open(let call, .http(_, let path, let headers, let body, _)):
            request(call, path: path, headers, body)
        case .send(let call, let payload): take(payload, from: call)
        case .close(let call): forget(call)
        case .load, .save, .erase, .setAside, .haptic: break
        }
    }

    /// The time of the next task; nil if there is none.
    public var nextDeadline: Instant? { tasks.nextDeadline }

    /// Runs all tasks due by a moment, each at its own time, and returns their outcomes in order.
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

    // MARK: Network

    /// Breaks every connection.
    public mutating func dropConnections() {
        for socket in sockets { schedule(.end(socket.call, .failed(.lost)), after: .zero) }
        for request in requests { schedule(.end(request.call, .failed(.lost)), after: .zero) }
    }

    /// Takes the network down: every connection breaks, and none can open.
    public mutating func goOffline() {
        isOnline = false
        dropConnections()
    }

    /// Brings the network back up.
    public mutating func goOnline() {
        isOnline = true
    }

    // MARK: Input

    private mutating func open(_ call: CallNumber) {
        guard isOnline else { return schedule(.end(call, .failed(.offline)), after: .zero) }
        sockets.append(Socket(call: call, phase: .opening))
        schedule(.handshake(call), after: behaviour.handshakeDelay)
    }

    private mutating func take(_ payload: Payload, from call: CallNumber) {
        guard let index = sockets.firstIndex(where: { $0.call == call }) else { return }
        var bytes: [UInt8] = []
        for case .bytes(let part) in payload.parts { bytes += part }
        let question = ClawlineQuestion(bytes)
        switch (question, sockets[index].phase) {
        case (.pair(let request), .open), (.pair(let request), .pairing):
            sockets[index].phase = .pairing(request.device)
            ask(request, on: call)
        case (.authenticate(let secret, let device, let cursors), .open):
            sockets[index].phase = .authenticating
            let token = Token(secret).flatMap { $0.device == device ? $0 : nil }
            schedule(.authentication(call, token, cursors: cursors), after: behaviour.authenticationDelay)
        case (.decide, .connected(let user, _)) where !isAdmin(user):
            complain(call, "invalid_message", "Not an admin")
        case (_, .connected) where behaviour.isStrict && question.strictRefusal != nil:
            complain(call, "invalid_message", question.strictRefusal ?? "")
        case (.message(let client, _, "", files: []), .connected):
            let frame = ClawlineFrames.error(
                "invalid_message", message: "Message is empty", about: client.text)
            schedule(.send(call, frame), after: .zero)
        case (.message(let client, let conversation, let text, let files), .connected(let user, let device)):
            let sender = Sender(user: user, device: device, client: client, conversation: conversation)
            schedule(.receipt(call, sender, text, files), after: .zero)
        case (.typing, .connected): break
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
