// The rows of replies on streams (S6, C16). A reply stores its question, so it finds it after a relaunch, and its row
// keeps its identity when the server gives it an id. Start with `setReply`.

extension Chat.Conversation {
    mutating func showReply(to client: ClientID, _ step: Chat.Step) {
        guard stream?.inView.isBlank == false else { return }
        if transcript.answer(to: client) == nil { setReply(to: client, .growing, [], step) }
        if transcript.message(client)?.status != .delivered { setStatus(of: client, to: .delivered) }
    }

    /// Sets the reply after its question. A reply that exists keeps its place.
    mutating func setReply(
        to client: ClientID, _ body: Message.Body, _ flags: [ExactText], _ step: Chat.Step
    ) {
        let question = transcript.ordinal(of: client)
        if let row = transcript.answer(to: client) {
            guard let question, row < question else {
                return transcript.update(row) { ($0.body, $0.flags) = (body, flags) }
            }
            // The question was retried before the older page with this reply was loaded.
            transcript.remove(row)
        }
        let reply = Message(author: .assistant(to: client), body: body, time: step.wall, flags: flags)
        let row =
            if let question { transcript.insert(reply, behind: question) } else { transcript.insert(reply) }
        countUnread(row)
        trim(step)
    }

    /// Whether a retry uses the same key: not after the server accepted the question, because a socket's server answers
    /// a key once, and a stream's answers it again unless it has failed (S6, C12).
    func keepsKey(_ message: Message) -> Bool {
        guard stream != nil || !message.isWithServer else { return false }
        let reply = message.client.flatMap(transcript.reply)
        return message.ending?.needsNewKey != true && reply?.ending?.needsNewKey != true
    }

    mutating func rekey(_ ordinal: Int64, _ key: ClientID) {
        transcript.rekey(ordinal, key)
        if let client = transcript[ordinal]?.client { freeKey(of: client) }
    }

    /// Clears `needsNewKey` of the last reply: the question has a new key now.
    mutating func freeKey(of client: ClientID) {
        guard let row = transcript.answer(to: client),
            case .interrupted(let partial, let ending) = transcript[row]?.body, ending.needsNewKey
        else { return }
        transcript.update(row) {
            $0.body = .interrupted(partial, ReplyEnding(ending.reason, needsNewKey: false))
        }
    }
}

extension ChatTranscript {
    /// Sets the server's id of a reply, unless another message has that id (C16).
    mutating func name(_ ordinal: Int64, _ id: MessageID) {
        guard self.ordinal(of: id) == nil, let message = self[ordinal] else { return }
        unindex(message, at: ordinal)
        update(ordinal) { $0.id = id }
        if let named = self[ordinal] { index(named, at: ordinal) }
    }
}

// MARK: - Waits

extension Message {
    package var ending: ReplyEnding? {
        if case .failed(.unanswered(let ending)) = status { return ending }
        if case .interrupted(_, let ending) = body { return ending }
        return nil
    }

    /// The text that a later question carries to the server: no deleted message, and none that the server may lack.
    var said: LongText? {
        guard !isHidden, role != .system, role != .user || isWithServer else { return nil }
        switch body {
        case .text(let text), .interrupted(let text, _): return text.isBlank ? nil : text
        case .growing: return nil
        }
    }

    /// Whether the server is known to have the message and has not failed it.
    var isWithServer: Bool {
        switch status {
        case nil, .accepted, .delivered: true
        case .queued, .uploading, .sending, .slow, .failed: false
        }
    }
}

extension ReplyEnding {
    func waiting(noLongerThan latest: WallTime) -> ReplyEnding {
        guard case .refused(let status, let until?) = reason else { return self }
        return ReplyEnding(.refused(status: status, until: min(until, latest)), needsNewKey: needsNewKey)
    }
}
