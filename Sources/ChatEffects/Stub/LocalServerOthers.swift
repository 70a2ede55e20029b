// Outside events for the in-process backend, for tests and stories of one app: a visitor's pairing request, another
// admin's decision, a message on another device, and losses on the server. Each has a moment, like an operation of the
// client.

import ChatDomain

extension LocalServer {
    // MARK: Other people

    /// Adds the pairing request of a device without a connection.
    public mutating func visit(_ request: PairingRequest, at moment: Moment) {
        self.moment = moment
        ask(request, on: nil)
    }

    /// Decides about a device as another admin. The first decision wins.
    mutating func decide(_ device: DeviceID, _ decision: Decision, at moment: Moment) {
        self.moment = moment
        _ = decide(device, decision)
    }

    /// The account of an approved device; nil otherwise.
    package func user(of device: DeviceID) -> UserID? {
        devices.first { $0.id == device }?.user
    }

    /// Adds a message that the person sends on another device; the reply is as usual.
    package mutating func say(
        _ text: ExactText, as user: UserID, in conversation: ConversationID = .main, on device: DeviceID,
        files: [File] = [], at moment: Moment
    ) {
        self.moment = moment
        lastID += 1
        let sender = Sender(
            user: user, device: device, client: ClientID("c_\(lastID)"), conversation: conversation)
        accept(text, files, sender, nil)
    }

    /// Sends a frame on a connection, out of turn.
    package mutating func push(_ frame: [UInt8], on call: CallNumber) {
        schedule(.send(call, frame), after: .zero, mayFail: false)
    }

    // MARK: Losses on the server

    /// Revokes a device's token and ends its connections with that error.
    mutating func revokeToken(of device: DeviceID, at moment: Moment) {
        self.moment = moment
        revoke(device)
        part(from: device, .tokenRevoked)
    }

    /// Ends a device's connections, as if another one has taken the session.
    mutating func replaceSession(of device: DeviceID, at moment: Moment) {
        self.moment = moment
        part(from: device, .sessionReplaced)
    }

    /// Drops a user's history. A client with an old cursor receives a reset.
    package mutating func loseHistory(of user: UserID) {
        let index = logIndex(of: user)
        logs[index] = Log(user: user, isLost: true)
    }

    /// Drops all uploaded files.
    mutating func loseAssets() {
        files = []
    }

    /// Whether a connection is open here.
    package func knows(_ call: CallNumber) -> Bool {
        sockets.contains { $0.call == call } || requests.contains { $0.call == call }
    }

    /// Restarts the server's process with its stored state: devices and logs, and perhaps the growing replies.
    /// Unhandled input is lost, and so is every connection.
    package mutating func restart(keepingReplies: Bool) {
        sockets = []
        requests = []
        if !keepingReplies { replies = [] }
        tasks.removeAll { task in
            switch task.kind {
            case .expiry, .pairing: false
            case .token: !keepingReplies
            case .reply: !keepingReplies
            default: true
            }
        }
    }

    private mutating func part(from device: DeviceID, _ farewell: Farewell) {
        for socket in sockets {
            guard case .connected(_, device) = socket.phase else { continue }
            schedule(.send(socket.call, farewell.frame), after: .zero)
            schedule(.end(socket.call, farewell.end), after: .zero)
        }
    }
}
