// The client side of Clawline as a pure codec: pairing and chat are sockets, and the server's frames become events.
// Start at `open`; a socket's progress is its purpose and its phase:
//
//     pairing ──opened──▶ waiting
//     connecting ──opened──▶ authenticating ──auth_result──▶ connected
//
// Guarantees: no input from a server traps, and only a frame over the limit ends a socket here. The token of an answer
// becomes a `Secret` when it is decoded, and no progress holds it (L10).

import ChatDomain

/// The backend of the app: Clawline for pairing and chat, and the conventions of the coach, of the assistant and of
/// smart replies. Chat's configuration decides between a Clawline connection and a coach stream for each question.
public struct ClawlineBackend: Backend {
    /// The feature of this backend.
    public typealias Subject = App

    /// The greatest accepted frame, in bytes (limits).
    public static let frameLimit: Int64 = 1_048_576

    /// The path of the server's socket.
    public let path: ExactText

    /// The path for uploads.
    public let uploadPath: ExactText

    /// The codec for the coach, for a chat with a stream for each question.
    public let coach: CoachStreamCodec

    /// The codec for the assistant.
    public let assistant: AssistantCallable

    /// The codec for smart replies.
    public let smartReplies: SmartReplyCodec

    /// Creates a backend for a server with its socket and uploads at these paths.
    public init(
        path: ExactText = "/ws", uploadPath: ExactText = "/upload",
        coach: CoachStreamCodec = CoachStreamCodec(),
        assistant: AssistantCallable = AssistantCallable(), smartReplies: SmartReplyCodec = SmartReplyCodec()
    ) {
        self.path = path
        self.uploadPath = uploadPath
        self.coach = coach
        self.assistant = assistant
        self.smartReplies = smartReplies
    }

    /// The purpose and phase of a call.
    public enum Progress: DomainValue {
        /// A socket for pairing is opening.
        case pairing(DeviceID, name: ExactText, DeviceInfo)
        /// The pairing request was sent.
        case waiting
        /// A socket for chat is opening.
        case connecting(SecretHandle, DeviceID, cursors: [Chat.Cursor])
        /// The token was sent, perhaps with a cursor that the server may refuse.
        case authenticating(hasCursor: Bool)
        /// The server accepts the token. `decided` holds the devices with a sent decision and no newer request, oldest
        /// decision first: the protocol names no device when another admin was first.
        case connected(decided: [DeviceID])
        /// A request to the coach, without a socket.
        case replying(StreamedAnswer)
        /// A request to the assistant, without a socket.
        case asking(AssistantCallable.Progress)
        /// A smart reply, without a socket.
        case suggesting(StreamedAnswer)
        /// An upload, without a socket, with its answer so far.
        case uploading(ClawlineUpload)
    }

    /// The most remembered decisions: as many as there are requests on an admin's screen (limits).
    static let decisionLimit = 100

    /// Encodes the beginning of a call. Clawline's calls are sockets, whose first frame follows the handshake.
    public func open(_ request: App.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .pairing(.pair(let device, let name, let info)):
            (.socket(path: path), .pairing(device, name: name, info))
        case .chat(.connect(let secret, let device, let cursors)):
            (.socket(path: path), .connecting(secret, device, cursors: cursors))
        case .chat(.upload(let secret, let attachment)):
            (ClawlineUpload.exchange(attachment, secret, path: uploadPath), .uploading(ClawlineUpload()))
        case .chat(.ask(let request)):
            askCoach(request)
        case .assistant(let request):
            ask(request)
        case .smartReplies(let request):
            suggest(request)
        }
    }

    private func askCoach(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        let (exchange, progress) = coach.open(request)
        return (exchange, .replying(progress))
    }

    private func ask(_ request: Assistant.Request) -> (exchange: Exchange, progress: Progress) {
        let (exchange, progress) = assistant.open(request)
        return (exchange, .asking(progress))
    }

    private func suggest(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        let (exchange, progress) = smartReplies.open(request)
        return (exchange, .suggesting(progress))
    }

    /// Encodes a frame of the app.
    public func send(_ frame: App.Frame, progress: inout Progress, reaction: inout Reaction<App.Event>) {
        switch frame {
        case .chat(.say(let client, let conversation, let text, let attachments)):
            reaction.frames.append(ClawlineRequests.say(client, conversation, text, attachments))
        case .chat(.typing(let isActive, let conversation)):
            reaction.frames.append(ClawlineRequests.typing(isActive, conversation))
        case .chat(.refetch): break  // its streams are not numbered: no gap is known
        case .pairing(.decide(let device, let decision)):
            if case .connected(let decided) = progress {
                let others = decided.filter { $0 != device }.suffix(Self.decisionLimit - 1)
                progress = .connected(decided: others + [device])
            }
            reaction.frames.append(ClawlineRequests.decide(device, decision))
        }
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<App.Event>
    ) {
        if case .replying(var replying) = progress {
            progress = .waiting  // so that the answer so far grows in place
            reaction.end = replying.receive(arrival, in: coach) {
                if $0 == .skipped { reaction.skipped += 1 }
                reaction.events.append(.chat(.reply($0)))
            }
            return progress = .replying(replying)
        }
        if case .asking(var asking) = progress {
            progress = .waiting  // so that the body grows in place
            assistant.receive(arrival, progress: &asking, reaction: &reaction)
            return progress = .asking(asking)
        }
        if case .suggesting(var suggesting) = progress {
            progress = .waiting  // so that the answer so far grows in place
            reaction.end = suggesting.receive(arrival, in: smartReplies) {
                if $0 == .skipped { reaction.skipped += 1 }
                reaction.events.append(.smartReplies($0))
            }
            return progress = .suggesting(suggesting)
        }
        if case .uploading(var upload) = progress {
            progress = .waiting  // so that the body grows in place
            upload.receive(arrival, &reaction)
            return progress = .uploading(upload)
        }
        switch arrival {
        case .opened:
            begin(&progress, &reaction)
        case .text(let bytes) where Int64(bytes.count) > Self.frameLimit:
            reaction.end = .failed(.tooLarge)
        case .text(let bytes):
            guard let answer = ClawlineAnswer.read(bytes) else { return reaction.skipped += 1 }
            take(answer, &progress, &reaction)
        case .signOfLife:
            // The server pings every 30 s; only some drivers can report it.
            if case .waiting = progress { return }
            reaction.events.append(.chat(.alive))
        case .ended:
            break
        case .head, .body, .sent:  // not for a socket
            reaction.skipped += 1
        }
    }

    private func begin(_ progress: inout Progress, _ reaction: inout Reaction<App.Event>) {
        switch progress {
        case .pairing(let device, let name, let info):
            progress = .waiting
            reaction.frames.append(ClawlineRequests.pair(device, name: name, info))
        case .connecting(let secret, let device, let cursors):
            let cursors = cursors.filter { !$0.last.text.isEmpty }  // an empty one is refused
            progress = .authenticating(hasCursor: !cursors.isEmpty)
            reaction.frames.append(ClawlineRequests.authenticate(secret, device, cursors))
            reaction.events.append(.chat(.opened))
        case .waiting, .authenticating, .connected, .replying, .asking, .suggesting, .uploading:
            reaction.skipped += 1
        }
    }

    private func take(
        _ answer: ClawlineAnswer, _ progress: inout Progress, _ reaction: inout Reaction<App.Event>
    ) {
        switch (answer, progress) {
        case (.pairing(let event), .waiting): reaction.events.append(.pairing(event))
        case (.error(let error), .waiting): refusePairing(error, &reaction)

        case (.authenticated(let count, let isTruncated, let isReset), .authenticating):
            progress = .connected(decided: [])
            reaction.events.append(
                .chat(.authenticated(replayCount: count, isTruncated: isTruncated, isReset: isReset)))
        case (.notAuthenticated(let refusal), .authenticating):
            reaction.events.append(.chat(.credentialsRefused(refusal)))
        case (.error(let error), .authenticating(let hasCursor)):
            refuseConnection(error, hasCursor: hasCursor, &reaction)

        case (.acknowledged(let client), .connected): reaction.events.append(.chat(.acknowledged(client)))
        case (.message(let message), .connected): reaction.events.append(.chat(.message(message)))
        case (.unreadableMessage, .connected):
            reaction.skipped += 1
            reaction.events.append(.chat(.unreadableMessage))
        case (.delta(let id, let text), .connected): reaction.events.append(.chat(.delta(id, text)))
        case (.pairing(.requested(let request)), .connected(let decided)):
            // The server has handled the earlier decision: the device requests again.
            progress = .connected(decided: decided.filter { $0 != request.device })
            reaction.events.append(.pairing(.requested(request)))
        case (.error(let error), .connected(let decided)):
            report(error, decided, &progress, &reaction)
        case (.chunk(let id, let conversation, let index, let text, let isFinal), .connected):
            reaction.events.append(.chat(.began(id, in: conversation)))
            reaction.events.append(.chat(.chunk(id, index: index, text, isFinal: isFinal)))
        case (.typing(let isActive, let conversation), .connected):
            reaction.events.append(.chat(.typing(isActive: isActive, at: nil, in: conversation)))
        default: reaction.skipped += 1  // not allowed in this phase
        }
    }
}

extension ClawlineBackend {
    // MARK: Errors

    /// Handles an error before the answer to a pairing request. An error that a repeat cannot resolve becomes the HTTP
    /// status of its meaning, so that pairing is independent of Clawline's codes.
    private func refusePairing(_ error: ClawlineError, _ reaction: inout Reaction<App.Event>) {
        switch error.code {
        case "rate_limited": end(&reaction, 429, error)
        case "invalid_message": end(&reaction, 400, error)
        case "payload_too_large": end(&reaction, 413, error)
        case "auth_failed", "token_revoked": end(&reaction, 403, error)
        case "server_error": end(&reaction, 500, error)
        default: reaction.skipped += 1
        }
    }

    /// Handles an error before the answer to the token. Clawline has no code for an unknown cursor: an invalid message
    /// counts as one if a cursor was sent (C5).
    private func refuseConnection(
        _ error: ClawlineError, hasCursor: Bool, _ reaction: inout Reaction<App.Event>
    ) {
        switch error.code {
        case "invalid_message" where hasCursor: reaction.events.append(.chat(.cursorRefused))
        case "rate_limited": end(&reaction, 429, error)
        default: reportGeneral(error, &reaction)
        }
    }

    private func end(_ reaction: inout Reaction<App.Event>, _ status: Int64, _ error: ClawlineError) {
        reaction.end = .refused(status: status, retryAfter: nil, message: error.message)
    }

    /// Handles an error on a connection; one that names a message affects only that message (C11).
    private func report(
        _ error: ClawlineError, _ decided: [DeviceID], _ progress: inout Progress,
        _ reaction: inout Reaction<App.Event>
    ) {
        switch (error.code, error.subject) {
        case ("rate_limited", let subject?):
            reaction.events.append(.chat(.deferred(ClientID(subject))))
        case ("rate_limited", nil): break  // for a typing frame, which may be lost (C18)
        case ("asset_not_found", let subject?) where subject.isClient:
            reaction.events.append(.chat(.assetMissing(ClientID(subject), nil, reason: error.message)))
        case ("payload_too_large", let subject?) where subject.isClient,
            ("invalid_message", let subject?) where subject.isClient:
            reaction.events.append(.chat(.rejected(ClientID(subject), reason: error.message)))
        case ("server_error", let subject?):
            let failed: Chat.ReplySubject =
                subject.isClient ? .question(ClientID(subject)) : .reply(MessageID(subject))
            reaction.events.append(.chat(.replyFailed(failed, reason: error.message)))
        case ("invalid_message", nil):
            guard let device = error.device ?? decided.last else {
                return reportGeneral(error, &reaction)
            }
            // Another admin was first (P9). The server does not answer a decision that it accepts, so an older decision
            // is more likely to be accepted.
            progress = .connected(decided: decided.filter { $0 != device })
            reaction.events.append(.pairing(.resolved(device)))
        case (let code, let subject?) where subject.isClient && !Self.closing.contains(code):
            // For every kind of error: a message without a result would be resent on every connection. The server may
            // have the message, so its echo may still come.
            reaction.events.append(
                .chat(.replyFailed(.question(ClientID(subject)), reason: error.message)))
        default: reportGeneral(error, &reaction)
        }
    }

    /// The codes that end the connection, whatever their subject.
    private static let closing: [ExactText] = ["session_replaced", "token_revoked", "auth_failed"]

    /// Handles an error of the connection, or one without a subject.
    private func reportGeneral(_ error: ClawlineError, _ reaction: inout Reaction<App.Event>) {
        switch error.code {
        case "session_replaced": reaction.events.append(.chat(.sessionReplaced))
        case "token_revoked": reaction.events.append(.chat(.credentialsRefused(.tokenRevoked)))
        case "auth_failed": reaction.events.append(.chat(.credentialsRefused(.authenticationFailed)))
        default: reaction.events.append(.chat(.failed(error.message)))
        }
    }
}

extension ExactText {
    /// Whether this is a client id, which the writing device has minted.
    fileprivate var isClient: Bool {
        utf8.starts(with: "c_".utf8)
    }
}
