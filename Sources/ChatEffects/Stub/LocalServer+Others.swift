// What others do to the in-process backend, for stories about one app: a visitor asks to come in, another admin
// decides, the person speaks on another device, and the server loses or takes away what it has. Each happens at a
// moment, like an operation of the client.

import ChatDomain

extension LocalServer {
    // MARK: Other people

    /// A device that has no connection here asks to come in.
    public mutating func visit(_ request: PairingRequest, at moment: Moment) {
        self.moment = moment
        ask(request, on: nil)
    }

    /// Another admin decides about a device. The first decision wins.
    public mutating func decide(_ device: DeviceID, _ decision: Decision, at moment: Moment) {
        self.moment = moment
        _ = decide(device, decision)
    }

    /// The account under which a device is in.
    public func user(of device: DeviceID) -> UserID? {
        devices.first { $0.id == device }?.user
    }

    /// A person says something on another device, and is answered as ever.
    public mutating func say(
        _ text: ExactText, as user: UserID, in conversation: ConversationID = .main, on device: DeviceID,
        files: [File] = [], at moment: Moment
    ) {
        self.moment = moment
        lastID += 1
        let sender = Sender(
            user: user, device: device, client: ClientID("c_\(lastID)"), conversation: conversation)
        accept(text, files, sender, nil)
    }

    // MARK: The server's misfortunes

    /// The token of a device is no longer good; the device is told on the connections that it has.
    public mutating func revokeToken(of device: DeviceID, at moment: Moment) {
        self.moment = moment
        revoke(device)
        part(from: device, .tokenRevoked)
    }

    /// Another connection takes the session of a device.
    public mutating func replaceSession(of device: DeviceID, at moment: Moment) {
        self.moment = moment
        part(from: device, .sessionReplaced)
    }

    /// Forgets the conversation of a user. Who comes with a cursor of it is told so.
    public mutating func loseHistory(of user: UserID) {
        let index = logIndex(of: user)
        logs[index] = Log(user: user, isLost: true)
    }

    /// Forgets all files.
    public mutating func loseAssets() {
        assets = []
    }

    private mutating func part(from device: DeviceID, _ farewell: Farewell) {
        for socket in sockets {
            guard case .connected(_, device) = socket.phase else { continue }
            schedule(.send(socket.call, farewell.frame), after: .zero)
            schedule(.end(socket.call, farewell.end), after: .zero)
        }
    }
}
