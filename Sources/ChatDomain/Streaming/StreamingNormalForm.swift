// The normal form of streaming and of smart replies, for a search: two machines with equal normal forms behave alike.
// The reasons:
//
// - Attempts are only compared for equality. Keys of questions and handles of secrets are minted here and only passed
//   on, or compared with each other. The id of a conversation stays unless it shows that it was minted here.
// - Each decision by time uses a difference from now. All waits that are over are equal, and an expired suggestion is
//   never used, as long as the wall clock is not set back.
// - No decision depends on a measure (S16), on the count of skipped events (S12), or on the tokens of a batch. Of the
//   count of visible updates only one fact matters: whether one action has changed it.

extension Streaming.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        (measures, skipped) = (Streaming.Measures(), Counter())
        access.normalize(&form)
        phase.normalize(&form)
    }
}

extension Streaming.Phase: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .idle: break
        case .waiting(let asking, let stage):
            self = .waiting(form.normal(asking), form.normal(stage))
        case .streaming(let asking, let reply):
            self = .streaming(form.normal(asking), form.normal(reply))
        case .finished(let reply):
            self = .finished(
                Streaming.FinishedReply(
                    question: form.normal(reply.question), id: reply.id, text: reply.text, flags: reply.flags,
                    usage: reply.usage))
        // Another asking keeps the text alone.
        case .interrupted(let reply, let partial):
            self = .interrupted(form.normal(reply), Streaming.Kept(earlier: partial.text))
        case .failed(let reply): self = .failed(form.normal(reply))
        }
    }
}

extension Streaming.Asking: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        question.normalize(&form)
        if case .used(let reason) = extra { extra = .used(after: form.normal(reason)) }
    }
}

extension Streaming.Stage: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .refreshing(let attempt, let cause): self = .refreshing(form.normal(attempt), cause)
        case .open(let reply): self = .open(form.normal(reply))
        case .fallingBack(let attempt): self = .fallingBack(form.normal(attempt))
        case .backingOff: break
        }
    }
}

extension Streaming.OpenReply: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        self = Streaming.OpenReply(
            attempt: form.normal(attempt), growth: form.normal(growth), isAccepted: isAccepted)
    }
}

extension Streaming.UnfinishedReply: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        self = Streaming.UnfinishedReply(question: form.normal(question), id: id, ending: form.normal(ending))
    }
}

extension Streaming.Question: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Streaming.Question(
            conversation: form.normal(conversation), client: form.renamed(client),
            key: form.renamed(key), text: text, purpose: purpose, earlier: earlier, person: person)
    }
}

extension NormalForm {
    /// The number of a conversation that was created here; a server's name and the main conversation stay.
    mutating func normal(_ conversation: ConversationID) -> ConversationID {
        ConversationID.isMinted(conversation) ? renamed(conversation) : conversation
    }

    /// The same, if there is one.
    mutating func normal(_ conversation: ConversationID?) -> ConversationID? {
        conversation.map { normal($0) }
    }
}

extension ReplyEnding: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = ReplyEnding(form.normal(reason), needsNewKey: needsNewKey)
    }
}

extension Streaming.Reason: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .refused(let status, var until?) = self else { return }
        form.relate(end: &until)
        self = .refused(status: status, until: until)
    }
}

extension Streaming.Access: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = Streaming.Access(secret: form.normal(secret), expires: form.normal(expires))
    }
}

extension Streaming.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .stream(let attempt): self = .stream(form.normal(attempt))
        case .fallback(let attempt): self = .fallback(form.normal(attempt))
        case .refresh(let attempt): self = .refresh(form.normal(attempt))
        }
    }
}

extension Streaming.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .stream(let question, let secret): self = .stream(form.normal(question), form.normal(secret))
        case .whole(let question, let secret): self = .whole(form.normal(question), form.normal(secret))
        case .refreshCredentials(let secret): self = .refreshCredentials(form.normal(secret))
        }
    }
}

extension Streaming.Event: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .limited(var until):
            form.relate(end: &until)
            self = .limited(until: until)
        case .refreshed(let access): self = .refreshed(form.normal(access))
        case .began, .token, .flagged, .done, .failed, .refused, .whole, .skipped: break
        }
    }
}

// Deadlines: nothing to replace.
extension Streaming.Timer: Normalizable {}

// The wish stays: it names a conversation and a message as the view does.
extension SmartReplies.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        reply.normalize(&form)
        cache.normalize(&form)
    }
}
