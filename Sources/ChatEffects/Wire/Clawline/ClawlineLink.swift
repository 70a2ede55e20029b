// Chat over Clawline, pure: a socket that authenticates once it is open, and one HTTP request for each file. Start at
// `connect`; the progress of a call says what it is for and how far it has come:
//
//     connecting ──opened──▶ authenticating ──auth_result──▶ connected
//
// Nothing that a server sends traps or ends a socket here, except a frame over the limit.

import ChatDomain

/// Speaks Clawline for the connection of chat and for uploads.
public struct ClawlineLink: LinkBackend {
    /// The path of the server's socket.
    let path: ExactText
    /// The path to which files are uploaded.
    let uploadPath: ExactText

    /// Creates a backend for a server whose socket and uploads are at these paths.
    public init(path: ExactText = "/ws", uploadPath: ExactText = "/upload") {
        self.path = path
        self.uploadPath = uploadPath
    }

    /// What a call is for, and how far it has come.
    public enum Progress: DomainValue {
        /// The socket opens, to connect.
        case connecting(SecretHandle, DeviceID, cursors: [Chat.Cursor])
        /// The token was sent, perhaps with a cursor that the server may refuse.
        case authenticating(hasCursor: Bool)
        /// The server knows who this is. The devices about which a decision was sent and that have not asked
        /// since, oldest decision first: the protocol names none when it answers that somebody was first.
        case connected(decided: [DeviceID])
        /// A file is uploaded.
        case uploading(HTTPAnswer)
    }

    /// How many decisions are remembered: as many as an admin is shown requests (limits).
    private static let decisionLimit = 100

    /// Opens a socket, which authenticates when it is open.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .connecting(secret, device, cursors: cursors))
    }

    /// Uploads a file by one request.
    public func upload(
        _ secret: SecretHandle, _ attachment: Attachment
    ) -> (exchange: Exchange, progress: Progress) {
        (
            ClawlineUpload.exchange(attachment, secret, path: uploadPath),
            .uploading(HTTPAnswer(limit: ClawlineUpload.answerLimit))
        )
    }

    /// Translates a frame of chat.
    public func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .say(let client, let conversation, let text, let attachments):
            reaction.frames.append(ClawlineRequests.say(client, conversation, text, attachments))
        case .typing(let isActive, let conversation):
            reaction.frames.append(ClawlineRequests.typing(isActive, conversation))
        case .refetch: break  // its streams are not numbered, so nothing is known to be missed
        }
    }

    /// Translates a decision of an admin.
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .decide(let device, let decision):
            if case .connected(let decided) = progress {
                let others = decided.filter { $0 != device }.suffix(Self.decisionLimit - 1)
                progress = .connected(decided: others + [device])
            }
            reaction.frames.append(ClawlineRequests.decide(device, decision))
        }
    }

    /// Translates an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        // Consumed, so that what was read so far grows in place.
        switch consume progress {
        case .uploading(var answer):
            ClawlineUpload.receive(arrival, &answer, &reaction)
            progress = .uploading(answer)
        case let socket:
            progress = socket
            receive(arrival, &progress, &reaction, &pairing)
        }
    }

    /// Translates what the socket brings.
    private func receive(
        _ arrival: Arrival, _ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>,
        _ pairing: inout [Pairing.Event]
    ) {
        switch arrival {
        case .opened:
            begin(&progress, &reaction)
        case .text(let bytes) where Int64(bytes.count) > Clawline.frameLimit:
            reaction.end = .failed(.tooLarge)
        case .text(let bytes):
            guard let answer = ClawlineAnswer.read(bytes) else { return reaction.skipped += 1 }
            take(answer, &progress, &reaction, &pairing)
        case .signOfLife:
            // The server pings every 30 s; only a driver that sees it reports it.
            reaction.events.append(.alive)
        case .ended:
            break
        case .head, .body, .sent:  // not of a socket
            reaction.skipped += 1
        }
    }

    private func begin(_ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>) {
        guard case .connecting(let secret, let device, let cursors) = progress else {
            return reaction.skipped += 1
        }
        let named = cursors.filter { !$0.last.text.isEmpty }  // an empty one is refused
        progress = .authenticating(hasCursor: !named.isEmpty)
        reaction.frames.append(ClawlineRequests.authenticate(secret, device, named))
        reaction.events.append(.opened)
    }

    private func take(
        _ answer: ClawlineAnswer, _ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>,
        _ pairing: inout [Pairing.Event]
    ) {
        switch (answer, progress) {
        case (.authenticated(let count, let isTruncated, let isReset), .authenticating):
            progress = .connected(decided: [])
            reaction.events.append(
                .authenticated(replayCount: count, isTruncated: isTruncated, isReset: isReset))
        case (.notAuthenticated(let refusal), .authenticating):
            reaction.events.append(.credentialsRefused(refusal))
        case (.error(let error), .authenticating(let hasCursor)):
            refuseConnection(error, hasCursor: hasCursor, &reaction)

        case (.acknowledged(let client), .connected): reaction.events.append(.acknowledged(client))
        case (.message(let message), .connected): reaction.events.append(.message(message))
        case (.unreadableMessage, .connected):
            reaction.skipped += 1
            reaction.events.append(.unreadableMessage)
        case (.delta(let id, let text), .connected): reaction.events.append(.delta(id, text))
        case (.pairing(.requested(let request)), .connected(let decided)):
            // The server has dealt with what was decided before, and the device asks anew.
            progress = .connected(decided: decided.filter { $0 != request.device })
            pairing.append(.requested(request))
        case (.error(let error), .connected(let decided)):
            report(error, decided, &progress, &reaction, &pairing)
        case (.chunk(let id, let conversation, let index, let text, let isFinal), .connected):
            reaction.events.append(.began(id, in: conversation))
            reaction.events.append(.chunk(id, index: index, text, isFinal: isFinal))
        case (.typing(let isActive, let conversation), .connected):
            reaction.events.append(.typing(isActive: isActive, at: nil, in: conversation))
        default: reaction.skipped += 1  // it has no place here
        }
    }
}

extension ClawlineLink {
    // MARK: Errors

    /// An error before the answer to the token. Clawline has no word for a cursor that it does not know: an
    /// invalid message is taken for that when there was a cursor that could be invalid (C5).
    private func refuseConnection(
        _ error: ClawlineError, hasCursor: Bool, _ reaction: inout Reaction<Chat.Event>
    ) {
        switch error.code {
        case "invalid_message" where hasCursor: reaction.events.append(.cursorRefused)
        case "rate_limited": end(&reaction, 429, error)
        default: reportGeneral(error, &reaction)
        }
    }

    private func end(_ reaction: inout Reaction<Chat.Event>, _ status: Int64, _ error: ClawlineError) {
        reaction.end = .refused(status: status, retryAfter: nil, message: error.message)
    }

    /// An error on a connection: one that names a message touches that message alone (C11).
    private func report(
        _ error: ClawlineError, _ decided: [DeviceID], _ progress: inout Progress,
        _ reaction: inout Reaction<Chat.Event>, _ pairing: inout [Pairing.Event]
    ) {
        switch (error.code, error.subject) {
        case ("rate_limited", let subject?):
            reaction.events.append(.deferred(ClientID(subject)))
        case ("rate_limited", nil): break  // it was about typing, which may be lost (C18)
        case ("asset_not_found", let subject?) where subject.isClient:
            reaction.events.append(.assetMissing(ClientID(subject), nil, reason: error.message))
        case ("payload_too_large", let subject?) where subject.isClient,
            ("invalid_message", let subject?) where subject.isClient:
            reaction.events.append(.rejected(ClientID(subject), reason: error.message))
        case ("server_error", let subject?):
            let failed: Chat.ReplySubject =
                subject.isClient ? .question(ClientID(subject)) : .reply(MessageID(subject))
            reaction.events.append(.replyFailed(failed, reason: error.message))
        case ("invalid_message", nil):
            guard let device = error.device ?? decided.last else {
                return reportGeneral(error, &reaction)
            }
            // Somebody else was first (P9). The server says nothing to a decision that it takes, so the
            // older one is, the more likely it was taken.
            progress = .connected(decided: decided.filter { $0 != device })
            pairing.append(.resolved(device))
        case (let code, let subject?) where subject.isClient && !Self.closing.contains(code):
            // Of whatever kind it is: a message that nothing became of would be sent again with every connection.
            // Whether the server has it nobody knows, so its echo may still come.
            reaction.events.append(.replyFailed(.question(ClientID(subject)), reason: error.message))
        default: reportGeneral(error, &reaction)
        }
    }

    /// The codes with which the server ends the connection, whatever they name.
    private static let closing: [ExactText] = ["session_replaced", "token_revoked", "auth_failed"]

    /// An error that concerns the connection, or nothing in particular.
    private func reportGeneral(_ error: ClawlineError, _ reaction: inout Reaction<Chat.Event>) {
        switch error.code {
        case "session_replaced": reaction.events.append(.sessionReplaced)
        case "token_revoked": reaction.events.append(.credentialsRefused(.tokenRevoked))
        case "auth_failed": reaction.events.append(.credentialsRefused(.authenticationFailed))
        default: reaction.events.append(.failed(error.message))
        }
    }
}

extension ExactText {
    /// Whether this names a message as the device that wrote it does.
    fileprivate var isClient: Bool {
        utf8.starts(with: "c_".utf8)
    }
}
