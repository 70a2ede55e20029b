// What is shown and said of replies beside their rows, the same whether a socket pushes them or each has a stream
// of its own (SPEC R3, S16, S17).

extension Chat {
    /// What a screen reader says by itself (S17): that a reply is coming while nothing of it is in view, and how
    /// it ended, which is its text when it is finished. Nothing while it grows.
    public static func announcement(_ state: State, _ copy: Copy) -> LongText? {
        if isTyping(state) { return LongText(copy.typing.string) }
        guard let latest = latestRow(state, copy), !latest.isGrowing else { return nil }
        if let note = latest.note { return LongText(note.string) }
        return latest.role == .assistant ? latest.text : nil
    }

    /// What was measured of the latest reply of the conversation (S16), where it has a stream of its own. What a
    /// socket pushes answers no single question, and so nothing is measured of it.
    public static func measures(_ state: State) -> Streaming.Measures? {
        guard let stream = state.conversation.stream, stream.question != nil else { return nil }
        return stream.measures
    }

    /// Whether the first text of the latest reply came later than it should (S16); `nil` while nobody can say.
    public func missedFirstTokenTarget(_ state: State, at now: Instant) -> Bool? {
        guard let stream = state.conversation.stream, case .streams(let numbers) = configuration.carriage
        else { return nil }
        return Streaming(configuration: numbers).missedFirstTokenTarget(stream, at: now)
    }

    /// What the latest reply of the conversation has cost, if the server has told.
    public static func usage(_ state: State) -> Usage? {
        guard case .finished(let reply) = state.conversation.stream?.phase else { return nil }
        return reply.usage
    }
}

extension Chat.Row {
    /// What a screen reader says when it comes to the row (S17).
    public var label: LongText {
        text.isEmpty ? note.map { LongText($0.string) } ?? text : text
    }

    /// The button that asks again, if there is one (S17).
    public func retryButton(_ copy: Copy) -> Streaming.RetryButton? {
        offer == .retry ? Streaming.RetryButton(title: copy.retry, label: copy.retryLabel) : nil
    }
}
