// The words for a chat in which each question has a stream of its own.

@testable import ChatDomain

extension Driver where F == Chat {
    /// Before anybody is signed in.
    static func freshAsking(
        seed: UInt64 = 1, _ streaming: Streaming.Configuration = Streaming.Configuration(),
        _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        fresh(seed: seed) {
            $0.carriage = .streams(streaming)
            change(&$0)
        }
    }

    /// Signed in, restored from a disk, and shown.
    static func asking(
        _ disk: inout Disk<Chat>, seed: UInt64 = 1,
        _ streaming: Streaming.Configuration = Streaming.Configuration(),
        _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        var driver = freshAsking(seed: seed, streaming, change)
        driver.send(.signedIn(account))
        driver.serve(from: &disk)
        driver.send(.shown)
        return driver
    }

    static func asking(
        _ streaming: Streaming.Configuration = Streaming.Configuration(),
        _ change: (inout Chat.Configuration) -> Void = { _ in }
    ) -> Self {
        var disk = Disk<Chat>()
        return asking(&disk, streaming, change)
    }

    /// “Hi” was asked, and the server has taken it.
    static func accepted(_ streaming: Streaming.Configuration = Streaming.Configuration()) -> Self {
        var driver = asking(streaming)
        driver.sayDurably("Hi")
        driver.reply(.began(nil))
        return driver
    }

    /// “Hel” of the reply to “Hi” is in view, and “lo” is pending.
    static func replying(_ streaming: Streaming.Configuration = Streaming.Configuration()) -> Self {
        var driver = accepted(streaming)
        driver.reply(.token("Hel"))
        driver.advance(by: .milliseconds(75))
        driver.reply(.token("lo"))
        return driver
    }

    // MARK: The server

    /// The newest call of a conversation that carries a question, or what it waits for.
    func stream(in conversation: ConversationID = .main) -> Chat.Call? {
        calls.last { if case .stream(conversation, _) = $0.call { true } else { false } }?.call
    }

    /// The open stream brings something.
    @discardableResult
    mutating func reply(_ event: Streaming.Event, in conversation: ConversationID = .main) -> [Chat.Effect] {
        guard let call = stream(in: conversation) else { return [] }
        return send(.received(.streamed(event), on: call))
    }

    /// The open stream breaks.
    @discardableResult
    mutating func breakOff(_ end: CallEnd = .failed(.lost)) -> [Chat.Effect] {
        guard let call = stream() else { return [] }
        return self.end(call, end)
    }

    /// The stream brings a reply and its end.
    mutating func answer(_ text: ExactText, id: MessageID? = nil, in conversation: ConversationID = .main) {
        reply(.began(nil), in: conversation)
        reply(.token(text), in: conversation)
        reply(.done(id, Usage(prompt: 1, completion: 2, total: 3)), in: conversation)
        save()
    }

    // MARK: The person

    /// Stops the reply, whether anything of it is in view or not.
    mutating func stop() {
        if let row = rows.first(where: { $0.offer == .stop }) { send(.replyStopped(row.id)) }
        send(.waitingStopped)
    }

    // MARK: Looking

    /// What is asked and not answered, oldest first.
    var questions: [Streaming.Question] {
        calls.compactMap { open in
            switch open.request {
            case .ask(.stream(let question, _)), .ask(.whole(let question, _)): question
            default: nil
            }
        }
    }

    /// What the transcript and the outbox show, as “role: text”; a reply that grows ends in “…”.
    var screen: [String] {
        rows.map { row in
            (row.role == .user ? "user: " : "coach: ") + row.text.string + (row.isGrowing ? "…" : "")
        }
    }

    var isTyping: Bool { Chat.isTyping(state) }

    /// What stands in the way of all questions.
    var obstacle: Chat.Obstacle? {
        if case .streams(let streams) = state.shared.carrier { streams.obstacle } else { nil }
    }
}

extension Driver where F == Chat {
    /// The same where each question has a stream of its own: what is in flight, accepted or growing is what the
    /// stream runs, and its timers run too.
    func stuckSpinner(in conversation: Chat.Conversation, _ stream: Streaming.State) -> String? {
        let id = conversation.id
        let running = stream.isRunning ? stream.question : nil
        for timer in stream.neededTimers where !isRunning(.stream(id, timer)) { return "stream" }
        if case .blocked = conversation.outbox.queue.phase { return "blocked" }
        if case .inFlight(let outgoing) = conversation.outbox.queue.phase, outgoing.id != running?.key {
            return "sending"
        }
        for row in conversation.transcript.rows where !row.value.wrappedValue.isHidden {
            let message = row.value.wrappedValue
            if message.body == .growing, running == nil { return "growing" }
            switch message.status {
            case .sending, .accepted:
                // As long as older pages are awaited nobody says what became of it; that has a limit.
                if conversation.isRestored, message.client != running?.client { return "unanswered" }
            case .uploading, .slow: return "not of a stream"
            case .queued:
                guard let client = message.client, conversation.isRestored else { continue }
                if !conversation.outbox.queue.elements.contains(where: { $0.client == client }) {
                    return "queued"
                }
            case .delivered, .failed, nil: break
            }
        }
        if conversation.outbox.record.isPending, !isRunning(.outboxLimit(id)) { return "saving" }
        guard state.account != nil, state.shared.wish.isShown, state.shared.wish.isRestored,
            state.shared.wish.isNetworkUp, running == nil,
            obstacle != .credentialsRefused, case .foreground = state.shared.wish.presence,
            let head = conversation.outbox.queue.waiting.first
        else { return nil }
        // What failed for a reason that passes holds up those behind it, and says so with its retry (C8).
        if case .failed(let reply) = stream.phase,
            conversation.transcript.ordinal(of: reply.question.client).flatMap({
                conversation.transcript[$0]?.status
            }) == .failed(.unanswered(reply.ending))
        {
            return nil
        }
        let waits =
            head.consent == .asked || isRunning(.rate) || isRunning(.outboxLimit(id))
            || isRunning(.reconnect) || !conversation.isRestored
        return waits ? nil : "waiting"
    }
}

extension Streaming.State {
    /// The timers that end what is under way (L3).
    var neededTimers: [Streaming.Timer] {
        switch phase {
        case .idle, .finished, .interrupted, .failed: []
        case .waiting(_, .refreshing): [.refresh]
        case .waiting(_, .backingOff): [.retry]
        case .waiting(_, .fallingBack): [.fallback]
        case .waiting(_, .open(let reply)):
            [.firstToken, .total] + (reply.growth.isPending ? [.batch] : [])
        case .streaming(_, let reply):
            [.silence, .total] + (reply.growth.isPending ? [.batch] : [])
        }
    }
}
