// The normal form of streaming and of smart replies, for a search: two machines with equal normal forms behave alike. Why
// that holds:
//
// - Attempts are compared for equality alone. Keys of questions and handles of secrets are minted here and only passed on,
//   or compared with each other; a conversation's name stays where it does not show that it was minted here.
// - Each decision by time is one by a difference from now. A wait that is over is as good as any other that is over, and
//   an expired suggestion is given to nobody, as long as the wall clock is not set back.
// - Nothing decides by a measure (S16), by the count of skipped events (S12), or by how many tokens a batch holds, but
//   for the count of visible updates: whether there was any, and whether one action has changed it.

extension Streaming.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        let hasShown = measures.visibleUpdates > 0
        (measures, skipped) = (Streaming.Measures(), Counter())
        measures.visibleUpdates = hasShown ? 1 : 0
        access.normalize(&form)
        phase.normalize(&form)
    }
}

extension Streaming.Phase: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .idle: break
        case .waiting(var asking, var stage):
            asking.question.normalize(&form)
            stage.normalize(&form)
            self = .waiting(asking, stage)
        case .streaming(var asking, var reply):
            asking.question.normalize(&form)
            reply.normalize(&form)
            self = .streaming(asking, reply)
        case .finished(let reply):
            var question = reply.question
            question.normalize(&form)
            self = .finished(
                Streaming.FinishedReply(
                    question: question, id: reply.id, text: reply.text, flags: reply.flags, usage: reply.usage
                ))
        case .interrupted(var reply, let text):
            reply.normalize(&form)
            self = .interrupted(reply, text)
        case .failed(var reply):
            reply.normalize(&form)
            self = .failed(reply)
        }
    }
}

extension Streaming.Stage: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .refreshing(var attempt, let cause):
            form.rename(&attempt)
            self = .refreshing(attempt, cause)
        case .open(var reply):
            reply.normalize(&form)
            self = .open(reply)
        case .fallingBack(var attempt):
            form.rename(&attempt)
            self = .fallingBack(attempt)
        case .backingOff: break
        }
    }
}

extension Streaming.OpenReply: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        var (attempt, growth) = (attempt, growth)
        form.rename(&attempt)
        growth.normalize(&form)
        self = Streaming.OpenReply(attempt: attempt, growth: growth, isAccepted: isAccepted)
    }
}

extension Streaming.UnfinishedReply: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        var (question, ending) = (question, ending)
        question.normalize(&form)
        ending.normalize(&form)
        self = Streaming.UnfinishedReply(question: question, id: id, ending: ending)
    }
}

extension Streaming.Question: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (conversation, client, origin) = (conversation, client, origin)
        conversation.normalize(&form)
        form.rename(&client)
        form.rename(&origin)
        self = Streaming.Question(
            conversation: conversation, client: client, origin: origin, text: text, purpose: purpose,
            earlier: earlier, person: person)
    }
}

extension ConversationID {
    /// Replaces the name of a conversation that was created here; a server's name, and the main one, stay.
    mutating func normalize(_ form: inout NormalForm) {
        if ConversationID.isMinted(self) { form.rename(&self) }
    }
}

extension ReplyEnding: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        guard case .refused(let status, var until?) = reason else { return }
        form.relate(end: &until)
        self = ReplyEnding(.refused(status: status, until: until), needsNewKey: needsNewKey)
    }
}

extension Streaming.Access: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        var (secret, expires) = (secret, expires)
        secret.normalize(&form)
        form.relate(&expires)
        self = Streaming.Access(secret: secret, expires: expires)
    }
}

extension Streaming.Call: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .stream(var attempt):
            form.rename(&attempt)
            self = .stream(attempt)
        case .fallback(var attempt):
            form.rename(&attempt)
            self = .fallback(attempt)
        case .refresh(var attempt):
            form.rename(&attempt)
            self = .refresh(attempt)
        }
    }
}

extension Streaming.Request: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .stream(var question, var secret):
            question.normalize(&form)
            secret.normalize(&form)
            self = .stream(question, secret)
        case .whole(var question, var secret):
            question.normalize(&form)
            secret.normalize(&form)
            self = .whole(question, secret)
        case .refreshCredentials(var secret):
            secret.normalize(&form)
            self = .refreshCredentials(secret)
        }
    }
}

extension Streaming.Event: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        switch self {
        case .limited(var until):
            form.relate(end: &until)
            self = .limited(until: until)
        case .refreshed(var access):
            access.normalize(&form)
            self = .refreshed(access)
        case .began, .token, .flagged, .done, .failed, .whole, .skipped: break
        }
    }
}

// Deadlines: nothing to replace.
extension Streaming.Timer: Normalizable {}

// The wish, which names a conversation and a message as the view does, stays.
extension SmartReplies.State: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        reply.normalize(&form)
        cache.normalize(&form)
    }
}
