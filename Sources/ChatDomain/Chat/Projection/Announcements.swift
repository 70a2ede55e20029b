// Announcements and measures of replies, on either carriage (R3, S16, S17). Start with `announcement`. While a reply
// grows, a screen reader says nothing of it.

extension Chat {
    /// The announcement of a screen reader (S17): that a reply comes, then its text or ending; `nil` while it grows.
    public static func announcement(_ state: State, _ wording: Wording) -> LongText? {
        if isTyping(state) { return LongText(wording.typing) }
        return RowMaker(state).announcement(wording)
    }

    /// The measures of the latest reply (S16); `nil` on a socket, whose replies cannot be timed from one question.
    public static func measures(_ state: State) -> Streaming.Measures? {
        guard case .streamed(let stream) = state.conversation.replyPath else { return nil }
        if case .idle = stream.wrappedValue.phase { return nil }
        return stream.wrappedValue.measures
    }

    /// Whether the first text of the latest reply came later than the target (S16). `nil` on a socket, while it may still
    /// be in time, which includes the instant of the target, and after an end without text.
    public func missedFirstTokenTarget(_ state: State, at now: Instant) -> Bool? {
        guard case .streamed(let stream) = state.conversation.replyPath,
            case .streams(let streaming) = configuration.carriage
        else { return nil }
        return Streaming(configuration: streaming).missedFirstTokenTarget(stream.wrappedValue, at: now)
    }

    /// The token usage of the latest complete reply, if the server reported it.
    public static func usage(_ state: State) -> Usage? {
        guard case .streamed(let stream) = state.conversation.replyPath,
            case .finished(let reply) = stream.wrappedValue.phase
        else { return nil }
        return reply.usage
    }
}

extension Chat.RowMaker {
    /// The announcement of the stream's question or its reply, wherever the row is; else of the newest visible row.
    fileprivate func announcement(_ wording: Wording) -> LongText? {
        if case .streamed(let stream) = conversation.wrappedValue.replyPath,
            let question = stream.wrappedValue.question?.client,
            let ordinal = conversation.wrappedValue.transcript.answer(to: question)
                ?? conversation.wrappedValue.transcript.ordinal(of: question),
            let message = conversation.wrappedValue.transcript.box(at: ordinal),
            let announcement = announcement(of: message, at: ordinal, wording)
        {
            return announcement
        }
        for (ordinal, message) in conversation.wrappedValue.transcript.rows.newestFirst {
            if let announcement = announcement(of: message, at: ordinal, wording) { return announcement }
        }
        return nil
    }

    /// The announcement of a row: `nil` if the row is not visible, `.some(nil)` if it says nothing.
    private func announcement(of message: Boxed<Message>, at row: Int64, _ wording: Wording) -> LongText?? {
        guard !message.wrappedValue.isHidden, let text = text(message, at: row) else { return nil }
        let circumstance = circumstance(of: message, at: row)
        guard circumstance != .growing else { return .some(nil) }
        let status = status(message, circumstance)
        if let note = remark(message, status, circumstance, wording).note { return LongText(note) }
        return .some(message.wrappedValue.role == .assistant ? text : nil)
    }
}
