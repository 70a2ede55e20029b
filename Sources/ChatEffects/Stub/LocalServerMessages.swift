// Messages in the in-process backend: each is acknowledged, echoed, and answered word by word. A reply grows on the
// server whether or not a client is connected, and enters the log when it is finished.

import ChatDomain

extension LocalServer {
    // MARK: Messages

    mutating func receive(
        _ text: ExactText, _ files: [ClawlineQuestion.File], _ sender: Sender, _ call: CallNumber,
        _ outcomes: inout [Outcome]
    ) {
        let subject = subject(sender.client)
        guard text.byteCount <= Self.textLimit, Self.fits(text, files) else {
            return complain(call, "payload_too_large", "Message too large", about: subject, &outcomes)
        }
        let log = logs[logIndex(of: sender.user)]
        if log.failed.contains(sender.client) {
            return complain(call, "invalid_message", "Send again under a new id", about: subject, &outcomes)
        }
        for entry in log.entries.suffix(Self.idempotencyWindow) {
            guard case .device(_, sender.client) = entry.author else { continue }
            guard entry.text == text else {
                return complain(call, "invalid_message", "Id used before", about: subject, &outcomes)
            }
            return schedule(.acknowledgement(call, sender.client), after: behaviour.acknowledgementDelay)
        }
        guard let found = known(files) else {
            return complain(call, "asset_not_found", "File not found", about: subject, &outcomes)
        }
        schedule(.acknowledgement(call, sender.client), after: behaviour.acknowledgementDelay)
        accept(text, found, sender, call)
    }

    /// Stores a message, echoes it to all of the user's devices, and schedules the reply.
    mutating func accept(_ text: ExactText, _ files: [File], _ sender: Sender, _ call: CallNumber?) {
        let entry = Entry(
            id: nextMessageID(), conversation: sender.conversation,
            author: .device(sender.device, sender.client), text: text, files: files, time: moment.wall)
        append(entry, to: sender.user)
        schedule(.echo(call, sender.user, entry), after: behaviour.acknowledgementDelay)
        schedule(.reply(call, sender, text), after: behaviour.replyDelay)
        guard behaviour.showsTyping else { return }
        for listener in connections(of: sender.user) {
            schedule(
                .send(listener, ClawlineFrames.typing(true, sender.conversation)),
                after: behaviour.acknowledgementDelay)
            schedule(
                .send(listener, ClawlineFrames.typing(false, sender.conversation)),
                after: behaviour.replyDelay)
        }
    }

    /// The stored form of a message's files; nil when one is missing.
    private func known(_ files: [ClawlineQuestion.File]) -> [File]? {
        var known: [File] = []
        for file in files {
            switch file {
            case .image(let mimeType, let data): known.append(.image(mimeType: mimeType, data: data))
            case .asset(let id):
                guard let file = self.files.last(where: { $0.asset.id == id }) else { return nil }
                known.append(.asset(file.asset))
            }
        }
        return known
    }

    /// Whether the inline content is within the limits.
    private static func fits(_ text: ExactText, _ files: [ClawlineQuestion.File]) -> Bool {
        var inline: Int64 = 0
        for case .image(_, let data) in files { inline += Base64.byteCount(of: data) }
        return inline <= inlineLimit && text.byteCount + inline <= messageLimit
    }

    // MARK: Replies

    mutating func begin(_ text: ExactText, _ sender: Sender, _ call: CallNumber?) {
        let entry = Entry(
            id: nextMessageID(), conversation: sender.conversation, author: .server,
            text: ExactText("You said: " + text.string), files: [], time: moment.wall)
        replies.append(Reply(entry: entry, sender: sender))
        schedule(.token(call, entry.id), after: .zero)
    }

    /// Sends the next word of a reply, in the form of the dialect.
    mutating func grow(_ id: MessageID, _ call: CallNumber?, _ outcomes: inout [Outcome]) {
        guard let index = indexOfReply(id) else { return }
        let text = replies[index].entry.text
        let bytes = text.utf8
        let sent = replies[index].sentBytes
        let end = behaviour.dialect == .whole ? bytes.endIndex : Self.endOfWord(in: bytes, after: sent)
        replies[index].sentTokens += 1
        replies[index].sentBytes = end
        guard end < bytes.endIndex else {
            let (entry, user) = (replies[index].entry, replies[index].sender.user)
            replies.remove(at: index)
            append(entry, to: user)
            return broadcast(entry, text, isGrowing: false, to: user, &outcomes)
        }
        // This runs for each word, so only the needed parts of the reply are copied.
        let soFar = ExactText(decoding: Array(bytes[..<end]))
        let word = ExactText(decoding: Array(bytes[sent..<end]))
        switch behaviour.dialect {
        case .cumulative, .whole:
            let (entry, user) = (replies[index].entry, replies[index].sender.user)
            broadcast(entry, soFar, isGrowing: true, to: user, &outcomes)
        case .deltas:
            for listener in connections(of: replies[index].sender.user) {
                if replies[index].followers.contains(listener) {
                    send(ClawlineFrames.delta(id, word), to: listener, &outcomes)
                } else {
                    replies[index].followers.append(listener)
                    let frame = ClawlineFrames.message(
                        replies[index].entry, text: soFar, isGrowing: true,
                        namesClient: false)
                    send(frame, to: listener, &outcomes)
                }
            }
        case .chunks:
            let piece = ClawlineFrames.chunk(
                id, replies[index].entry.conversation, index: replies[index].sentTokens - 1,
                word)
            for listener in connections(of: replies[index].sender.user) {
                send(piece, to: listener, &outcomes)
            }
        }
        schedule(.token(call, id), after: behaviour.wordInterval)
    }

    /// The end of the next word, with the space before it. A space is one byte of ASCII, so no character is cut.
    private static func endOfWord(in bytes: [UInt8], after start: Int) -> Int {
        bytes[start...].dropFirst().firstIndex(of: UInt8(ascii: " ")) ?? bytes.endIndex
    }

    // MARK: Sending

    /// The user's connections, oldest first.
    package func connections(of user: UserID) -> [CallNumber] {
        sockets.compactMap { socket in
            if case .connected(user, _) = socket.phase { socket.call } else { nil }
        }
    }

    func broadcast(
        _ entry: Entry, _ text: ExactText, isGrowing: Bool, to user: UserID, _ outcomes: inout [Outcome]
    ) {
        let frame = ClawlineFrames.message(
            entry, text: text, isGrowing: isGrowing, namesClient: behaviour.namesClients)
        for call in connections(of: user) { send(frame, to: call, &outcomes) }
    }

    /// The name of a refused message; nil for a strict server, which does not say which message it refuses.
    func subject(_ client: ClientID) -> ExactText? { behaviour.isStrict ? nil : client.text }

    func complain(
        _ call: CallNumber, _ code: ExactText, _ message: ExactText, about subject: ExactText?,
        _ outcomes: inout [Outcome]
    ) {
        send(ClawlineFrames.error(code, message: message, about: subject), to: call, &outcomes)
    }

    func send(_ bytes: [UInt8], to call: CallNumber, _ outcomes: inout [Outcome]) {
        guard sockets.contains(where: { $0.call == call }) else { return }
        outcomes.append(.arrived(call, .text(bytes)))
    }

    mutating func end(_ call: CallNumber, _ end: CallEnd, _ outcomes: inout [Outcome]) {
        forget(call)
        outcomes.append(.arrived(call, .ended(end)))
    }
}
