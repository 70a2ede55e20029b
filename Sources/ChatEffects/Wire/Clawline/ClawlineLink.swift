// Chat over Clawline, pure: a socket that authenticates once it is open, and one HTTP request for each file. Start at
// `connect`; the progress of a call has its purpose and its phase:
//
//     connecting ──opened──▶ authenticating ──auth_result──▶ connected
//
// Nothing that a server sends traps or ends a socket here. A message over the limit is skipped and reported: a server
// that keeps it sends it again on each connection.

import ChatDomain

/// The backend of chat's connection and of its uploads over Clawline.
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

    /// The purpose and the phase of a call.
    public enum Progress: DomainValue {
        /// The socket opens, to connect.
        case connecting(SecretHandle, DeviceID, cursors: [Chat.Cursor])
        /// The token was sent, with the cursors of these conversations, which the server may refuse.
        case authenticating(after: [ConversationID])
        /// The server has accepted the token. Here are the unanswered frames, which an error without a name may
        /// concern, and the server's names for its streams.
        case connected(Unanswered, ClawlineStreams)
        /// A file is uploaded.
        case uploading(HTTPAnswer)
    }

    /// Opens a socket, which authenticates when it is open.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) {
        (.socket(path: path), .connecting(secret, device, cursors: cursors))
    }

    /// Uploads a file by one request.
    public func upload(
        _ secret: SecretHandle, _ attachment: Chat.Attachment
    ) -> (exchange: Exchange, progress: Progress) {
        (
            ClawlineUpload.exchange(attachment, secret, path: uploadPath),
            .uploading(HTTPAnswer(limit: ClawlineUpload.answerLimit))
        )
    }

    /// Encodes a frame of chat.
    public func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .say(let client, let conversation, let text, let attachments):
            progress.unanswered.add(client)
            reaction.frames.append(ClawlineRequests.say(client, conversation, text, attachments))
        case .typing(let isActive, let conversation):
            guard progress.unanswered.typing != .unknown else { return }  // the server would not know it
            progress.unanswered.typing = .sent
            reaction.frames.append(ClawlineRequests.typing(isActive, conversation))
        case .refetch: break  // its streams are not numbered, so a gap is never known
        case .stop: break  // the server has no word for it
        }
    }

    /// Encodes a decision of an admin.
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch frame {
        case .decide(let device, let decision):
            progress.unanswered.add(device)
            reaction.frames.append(ClawlineRequests.decide(device, decision))
        }
    }

    /// Decodes an arrival.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        // Consumed, so that its buffers grow in place.
        switch consume progress {
        case .uploading(var answer):
            ClawlineUpload.receive(arrival, &answer, &reaction)
            progress = .uploading(answer)
        case let socket:
            progress = socket
            receive(arrival, &progress, &reaction, &pairing)
        }
    }

    /// Decodes an arrival on the socket.
    private func receive(
        _ arrival: Arrival, _ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>,
        _ pairing: inout [Pairing.Event]
    ) {
        switch arrival {
        case .opened:
            begin(&progress, &reaction)
        case _ where arrival.isMessage(over: Clawline.frameLimit):
            // Its content is not read.
            reaction.skipped += 1
            if case .connected = progress { reaction.events.append(.oversizedMessage) }
        case .text(let bytes):
            var streams = progress.streams
            let answer = ClawlineAnswer.read(bytes, &streams)
            if streams != progress.streams { progress.streams = streams }
            guard let answer else { return reaction.skipped += 1 }
            take(answer, streams, &progress, &reaction, &pairing)
        case .signOfLife:
            // The server pings every 30 s; only a driver that sees it reports it.
            reaction.events.append(.alive)
        case .ended:
            break
        case .head, .body, .sent, .tooLong:  // not of a socket, or handled above
            reaction.skipped += 1
        }
    }

    private func begin(_ progress: inout Progress, _ reaction: inout Reaction<Chat.Event>) {
        guard case .connecting(let secret, let device, let cursors) = progress else {
            return reaction.skipped += 1
        }
        let named = cursors.filter { !$0.last.text.isEmpty }  // an empty one is refused
        progress = .authenticating(after: named.map { $0.conversation })
        reaction.frames.append(ClawlineRequests.authenticate(secret, device, named))
        reaction.events.append(.opened)
    }

    private func take(
        _ answer: ClawlineAnswer, _ streams: ClawlineStreams, _ progress: inout Progress,
        _ reaction: inout Reaction<Chat.Event>, _ pairing: inout [Pairing.Event]
    ) {
        switch (answer, progress) {
        case (
            .authenticated(let count, let isTruncated, let isReset, let isAdmin, let listed),
            .authenticating(let cursors)
        ):
            // A server that got no cursor for one of its streams always reports a reset. Its replay is then all that it
            // has, but no reason to withdraw the known history.
            let isReset = isReset && !cursors.isEmpty && listed.allSatisfy { cursors.contains($0) }
            progress = .connected(Unanswered(), streams)
            reaction.events.append(
                .authenticated(replayCount: count, isTruncated: isTruncated, isReset: isReset))
            if let isAdmin { pairing.append(.rights(isAdmin: isAdmin)) }
        case (.notAuthenticated(let refusal), .authenticating):
            reaction.events.append(.credentialsRefused(refusal))
        case (.toldToWait(let sentence), .authenticating):
            reaction.end = .refused(status: 429, retryAfter: nil, message: sentence)
        case (.error(let error), .authenticating(let cursors)):
            refuseConnection(error, hasCursor: !cursors.isEmpty, &reaction)

        case (.acknowledged(let client), .connected):
            progress.unanswered.remove(client)
            reaction.events.append(.acknowledged(client))
        case (.message(let message), .connected):
            if let client = message.client { progress.unanswered.remove(client) }
            reaction.events.append(.message(message))
        case (.replayEnded, .connected): reaction.events.append(.replayEnded)
        case (.unreadableMessage, .connected):
            reaction.skipped += 1
            reaction.events.append(.unreadableMessage)
        case (.delta(let id, let text), .connected): reaction.events.append(.delta(id, text))
        case (.pairing(.requested(let request)), .connected):
            // The server has handled the earlier decision, and the device asks again.
            progress.unanswered.remove(request.device)
            pairing.append(.requested(request))
        case (.streams(let streams), .connected):
            for (conversation, title) in streams {
                reaction.events.append(.named(conversation, title: title))
            }
        case (.rights(let isAdmin), .connected): pairing.append(.rights(isAdmin: isAdmin))
        case (.error(let error), .connected): report(error, &progress, &reaction, &pairing)
        case (.chunk(let id, let conversation, let index, let text, let isFinal), .connected):
            reaction.events.append(.began(id, in: conversation))
            reaction.events.append(.chunk(id, index: index, text, isFinal: isFinal))
        case (.typing(let isActive, let conversation), .connected):
            reaction.events.append(.typing(isActive: isActive, at: nil, in: conversation))
        default: reaction.skipped += 1  // unexpected in this phase
        }
    }
}
