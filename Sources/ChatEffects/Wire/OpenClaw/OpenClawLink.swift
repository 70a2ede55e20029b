// Chat over an OpenClaw gateway, pure: requests, answers and events on one socket. Start at `connect`:
//
//     opening ──connect.challenge──▶ connecting ──hello-ok──▶ connected
//
// A conversation is a session: the main one is `main`, any other has its id as key. A run answers a message, and the
// run's id is that of the reply. The gateway has no cursors and replays nothing by itself; its history names no
// messages, so it only completes a reply whose last words were missed. Nothing that a gateway sends traps or ends the
// socket, except a refused connection.
//
//     ChatCarriages(link: OpenClawLink(path: "/"))      with `Chat.Configuration.openClaw`

import ChatDomain

extension Chat.Configuration {
    /// The settings for an OpenClaw gateway: it takes no files here, and one that is silent for two of its usual ticks,
    /// of 30 s, is gone; for two of its own, if it tells of longer ones.
    public static var openClaw: Chat.Configuration {
        var configuration = Chat.Configuration()
        configuration.attachmentLimit = 0
        configuration.livenessLimit = .seconds(60)
        return configuration
    }
}

/// The backend of chat's connection to an OpenClaw gateway.
public struct OpenClawLink: LinkBackend {
    /// The path of the gateway's socket.
    let path: ExactText
    /// The rights of the person; with `operator.pairing` also to let devices in.
    let scopes: [ExactText]

    /// Creates a backend for a gateway whose socket is at this path.
    public init(path: ExactText = "/", scopes: [ExactText] = ["operator.read", "operator.write"]) {
        self.path = path
        self.scopes = scopes
    }

    /// The progress of a call.
    public enum Progress: DomainValue {
        /// The socket opens, to connect.
        case opening(SecretHandle, DeviceID)
        /// The token was sent.
        indirect case connecting(OpenClawSession, id: ExactText)
        /// The gateway has accepted the token.
        indirect case connected(OpenClawSession)
        /// An upload, which this backend does not send.
        case refusing
    }

    /// Opens a socket, which connects when the gateway is ready.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .opening(secret, device))
    }

    /// Refuses the file.
    public func upload(
        _ secret: SecretHandle, _ attachment: Chat.Attachment
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .refusing)
    }

    /// Encodes a frame of chat.
    public func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        if !progress.ifConnected({ $0.send(frame, &reaction) }) { reaction.skipped += 1 }
    }

    /// Encodes a decision of an admin.
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        if !progress.ifConnected({ $0.send(frame, &reaction) }) { reaction.skipped += 1 }
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        switch arrival {
        case .ended: break
        case _ where progress == .refusing:
            reaction.end = .refused(status: 415, retryAfter: nil, message: "")
        case .opened: reaction.events.append(.opened)
        case .signOfLife: reaction.events.append(.alive)
        case .text(let bytes) where !arrival.isMessage(over: OpenClaw.frameLimit):
            guard let frame = OpenClawFrame.read(bytes) else { return reaction.skipped += 1 }
            if !progress.ifConnected({ $0.take(frame, &reaction, &pairing) }) {
                begin(frame, &progress, &reaction)
            }
        case .text, .tooLong:
            reaction.skipped += 1
            if case .connected = progress { reaction.events.append(.oversizedMessage) }
        case .head, .body, .sent: reaction.skipped += 1  // not of a socket
        }
    }

    private func begin(
        _ frame: OpenClawFrame, _ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>
    ) {
        switch (frame, progress) {
        case (.event("connect.challenge", _, let challenge), .opening(let secret, let device)):
            var session = OpenClawSession(challenge["ts"]?.time)
            let id = session.connect(secret, device, scopes: scopes, &reaction)
            progress = .connecting(session, id: id)
        case (.answer(let id, .success(let hello)), .connecting(var session, let asked)) where id == asked:
            session.greeted(hello)
            if scopes.contains(OpenClaw.pairingScope) { session.listDevices(&reaction) }
            progress = .connected(session)
            reaction.events.append(.authenticated(replayCount: 0, isTruncated: false, isReset: false))
            if let tick = hello["policy"]?["tickIntervalMs"]?.integer, tick > 0 {
                reaction.events.append(.heartbeat(every: min(.milliseconds(tick), OpenClaw.tickLimit)))
            }
        case (.answer(let id, .failure(let error)), .connecting(_, let asked)) where id == asked:
            if let refusal = error.refusal {
                reaction.events.append(.credentialsRefused(refusal))
            } else {
                reaction.end = error.end
            }
        default: reaction.skipped += 1
        }
    }
}

extension OpenClawLink.Progress {
    /// Changes the session of a connected gateway in place, so that the texts of its replies grow. Returns `false`,
    /// without a change, before it is connected.
    fileprivate mutating func ifConnected(_ change: (inout OpenClawSession) -> Void) -> Bool {
        switch consume self {
        case .connected(var session):
            change(&session)
            self = .connected(session)
            return true
        case let early:
            self = early
            return false
        }
    }
}
