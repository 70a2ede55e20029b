// What is said and measured of replies beside their rows, on either carriage (R3, S16, S17).

extension Chat {
    /// What a screen reader says by itself (S17): that a reply is coming, and then its text or how it ended. Nothing
    /// while it grows.
    public static func announcement(_ state: State, _ copy: Copy) -> LongText? {
        if isTyping(state) { return LongText(copy.typing.string) }
        return RowMaker(state.places[state.current]).announcement(copy)
    }

    /// What was measured of the latest reply (S16), where it has a stream. What a socket pushes answers no single
    /// question.
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
    /// The announcement of the newest row that is shown, or of the question that was asked once more and its reply.
    fileprivate func announcement(_ copy: Copy) -> LongText? {
        if case .streamed(let stream) = conversation.wrappedValue.exchange,
            let question = stream.wrappedValue.question?.origin,
            let ordinal = conversation.wrappedValue.transcript.answer(to: question)
                ?? conversation.wrappedValue.transcript.ordinal(of: question),
            let message = conversation.wrappedValue.transcript.box(at: ordinal),
            let announcement = announcement(of: message, at: ordinal, copy)
        {
            return announcement
        }
        for (ordinal, message) in conversation.wrappedValue.transcript.rows.newestFirst {
            if let announcement = announcement(of: message, at: ordinal, copy) { return announcement }
        }
        return nil
    }

    /// What is said of a row, without making it; `nil` when nothing of it is shown.
    private func announcement(of message: Boxed<Message>, at ordinal: Int64, _ copy: Copy) -> LongText?? {
        guard !message.wrappedValue.isHidden, let text = text(message, at: ordinal) else { return nil }
        let circumstance = circumstance(of: message, at: ordinal)
        guard circumstance != .growing else { return .some(nil) }
        let status = status(message, circumstance)
        if let note = remark(message, status, circumstance, copy).note { return LongText(note.string) }
        return .some(message.wrappedValue.role == .assistant ? text : nil)
    }
}
