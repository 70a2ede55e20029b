// What is said and measured of replies beside their rows, the same whether a socket pushes them or each has a stream of
// its own (R3, S16, S17).

extension Chat {
    /// What a screen reader says by itself (S17): that a reply is coming while nothing of it is in view, and how it
    /// ended, which is its text when it is finished. Nothing while it grows.
    public static func announcement(_ state: State, _ copy: Copy) -> LongText? {
        if isTyping(state) { return LongText(copy.typing.string) }
        let maker = RowMaker(state.places[state.current])
        guard let latest = maker.latest(copy), !latest.isGrowing else { return nil }
        if let note = latest.note { return LongText(note.string) }
        return latest.role == .assistant ? latest.text : nil
    }

    /// What was measured of the latest reply of the conversation (S16), where it has a stream of its own. What a
    /// socket pushes answers no single question, and so nothing is measured of it.
    public static func measures(_ state: State) -> Streaming.Measures? {
        guard case .streamed(let stream) = state.conversation.exchange else { return nil }
        if case .idle = stream.wrappedValue.phase { return nil }
        return stream.wrappedValue.measures
    }

    /// Whether the first text of the latest reply came later than it should (S16); `nil` while nobody can say.
    public func missedFirstTokenTarget(_ state: State, at now: Instant) -> Bool? {
        guard case .streamed(let stream) = state.conversation.exchange,
            case .streams(let numbers) = configuration.carriage
        else { return nil }
        return Streaming(configuration: numbers).missedFirstTokenTarget(stream.wrappedValue, at: now)
    }

    /// What the latest reply of the conversation has cost, if the server has told.
    public static func usage(_ state: State) -> Usage? {
        guard case .streamed(let stream) = state.conversation.exchange,
            case .finished(let reply) = stream.wrappedValue.phase
        else { return nil }
        return reply.usage
    }
}

extension Chat.RowMaker {
    /// The row of the transcript in which something has happened last: the newest that is shown, but where a question
    /// was asked once more, its own or that of its reply.
    fileprivate func latest(_ copy: Copy) -> Chat.Row? {
        if case .streamed(let stream) = conversation.wrappedValue.exchange,
            let question = stream.wrappedValue.question?.origin,
            let ordinal = conversation.wrappedValue.transcript.answer(to: question)
                ?? conversation.wrappedValue.transcript.ordinal(of: question),
            let message = conversation.wrappedValue.transcript.box(at: ordinal),
            let row = row(message, at: ordinal, circumstance(of: message, at: ordinal), copy)
        {
            return row
        }
        for (ordinal, message) in conversation.wrappedValue.transcript.rows.newestFirst {
            let circumstance = circumstance(of: message, at: ordinal)
            if let row = row(message, at: ordinal, circumstance, copy) { return row }
        }
        return nil
    }
}
