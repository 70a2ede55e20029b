// Chat over the Clawdbot envelope, pure: one socket, open to any client, without replay, files or typing of a
// person. Start at `connect`:
//
//     opening ──opened──▶ connected
//
// Nothing that a server sends traps or ends the socket.
//
//     ChatCarriages(link: ClawdbotLink(path: "/ws"))      with `Chat.Configuration.clawdbot`

import ChatDomain

/// Facts of the Clawdbot envelope.
enum Clawdbot {
    /// The greatest envelope that is read, in bytes (Rules, limits).
    static let frameLimit: Int64 = 1_048_576
    /// The version of the envelope.
    static let version: ExactText = "1.0"
}

extension Chat.Configuration {
    /// The settings for a Clawdbot server: a message without acknowledgement in 30 s is sent again, on a new
    /// connection, after 1 s, doubled to 10 s. It takes no files. It pings every 30 s, so the usual 90 s of silence are
    /// three pings.
    public static var clawdbot: Chat.Configuration {
        var configuration = Chat.Configuration()
        configuration.lostAfterSlow = .seconds(25)  // after 5 s it counts as slow
        configuration.backoff = Backoff.Configuration(greatest: .seconds(10))
        configuration.attachmentLimit = 0
        return configuration
    }
}

/// The backend of chat's connection over the Clawdbot envelope.
public struct ClawdbotLink: LinkBackend {
    /// The path of the server's socket.
    let path: ExactText

    /// Creates a backend for a server whose socket is at this path.
    public init(path: ExactText = "/ws") {
        self.path = path
    }

    /// The progress of a call.
    public enum Progress: DomainValue {
        /// The socket opens.
        case opening
        /// The socket is open; the sequence of the last sent envelope, and the latest time that the server has told.
        case connected(sequence: Int64, time: WallTime)
        /// An upload, which this server does not take.
        case refusing
    }

    /// Opens a socket. The protocol has no authentication and no replay.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .opening)
    }

    /// Refuses the file.
    public func upload(
        _ secret: SecretHandle, _ attachment: Chat.Attachment
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .refusing)
    }

    /// Encodes a frame of chat. One with files is refused; the protocol has no typing and no refetch.
    public func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        guard case .connected(var sequence, let time) = progress,
            case .say(let client, let place, let text, let files) = frame
        else { return }
        guard files.isEmpty else {
            return reaction.events.append(.rejected(client, reason: "This server takes no files."))
        }
        sequence = saturatingSum(sequence, 1)
        reaction.frames.append(
            Self.envelope("chat.message", sequence: sequence) { payload in
                payload.object("id") { $0.member("value", client.text) }
                payload.member("content", text)
                payload.object("sender") { $0.member("type", "user") }
                if place == .main { payload.null("threadID") } else { payload.member("threadID", place.text) }
                payload.null("replyTo")
            })
        progress = .connected(sequence: sequence, time: time)
    }

    /// Skips a decision: the protocol has no pairing.
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        reaction.skipped += 1
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        switch (arrival, progress) {
        case (.ended, _): break
        case (_, .refusing): reaction.end = .refused(status: 415, retryAfter: nil, message: "")
        case (.opened, .opening):
            progress = .connected(sequence: 0, time: WallTime(millisecondsSince1970: 0))
            reaction.events += [
                .opened, .authenticated(replayCount: 0, isTruncated: false, isReset: false),
            ]
        case (_, .connected) where arrival.isMessage(over: Clawdbot.frameLimit):
            reaction.skipped += 1
            reaction.events.append(.oversizedMessage)
        case (.text(let bytes), .connected(let sequence, var time)):
            take(bytes, &time, &reaction)
            progress = .connected(sequence: sequence, time: time)
        case (.signOfLife, .connected): reaction.events.append(.alive)
        default: reaction.skipped += 1  // unexpected in this phase
        }
    }

    private func take(_ bytes: [UInt8], _ time: inout WallTime, _ reaction: inout Reaction<Chat.Event>) {
        guard let answer = ClawdbotAnswer.read(bytes, &time) else {
            reaction.skipped += 1
            return reaction.events.append(.unreadableMessage)
        }
        switch answer {
        case .message(let message): reaction.events.append(.message(message))
        case .receipt(let client, .received), .receipt(let client, .processed):
            reaction.events.append(.acknowledged(client))
        case .receipt(let client, .error): reaction.events.append(.replyFailed(.question(client), reason: ""))
        case .state(let isActive, let time):
            reaction.events.append(.typing(isActive: isActive, at: time, in: nil))
        case .chunk(let id, let place, let index, let text, let isFinal):
            reaction.events += [
                .began(id, in: place), .chunk(id, index: index, text, isFinal: isFinal),
            ]
        case .ping(let asked, let payload):
            reaction.events.append(.alive)
            reaction.frames.append(Self.pong(asked, payload))
        case .pong: reaction.events.append(.alive)
        case .error(let sentence): reaction.events.append(.failed(sentence))
        case .unknown: reaction.skipped += 1
        }
    }

    // MARK: Writing

    /// The answer to a ping has its sequence, and repeats its time: a codec has no clock.
    private static func pong(_ sequence: Int64, _ ping: JSONValue) -> Payload {
        envelope("system.pong", sequence: sequence) { payload in
            if let time = ping["timestamp"]?.string { payload.member("timestamp", time) }
        }
    }

    private static func envelope(
        _ type: ExactText, sequence: Int64, _ members: (inout JSONObjectWriter) -> Void
    ) -> Payload {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { envelope in
            envelope.member("version", Clawdbot.version)
            envelope.member("type", type)
            envelope.member("sequence", sequence)
            envelope.object("payload", members)
        }
        return Payload(bytes: bytes)
    }
}
