// The transitions of a suggestion: from the cache or the server, then selected until it is taken or dismissed.
// Streaming decides how it grows. At the end, the panel of buttons and bubble.

extension SmartReplies {
    private var streaming: Streaming { Streaming(configuration: configuration.streaming) }

    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .requested(let kind, let target): request(&state, Wish(kind: kind, target: target), &context)
        case .retried: toReply(&state, .retried, &context)
        case .taken: take(&state)
        case .dismissed: clear(&state, &context)
        case .left, .backgrounded: leave(&state, &context)
        case .memoryWarned: forgetCache(&state)
        case .accessChanged(let access): changeAccess(&state, access, &context)

        case .received(let event, let call): grow(&state, .received(event, on: call), &context)
        case .ended(let call, let end): grow(&state, .ended(call, end), &context)
        case .stored: []
        case .timerFired(let timer): grow(&state, .timerFired(timer), &context)
        }
    }

    private func request(_ state: inout State, _ wish: Wish, _ context: inout Context) -> [Effect] {
        if let text = state.cache.text(for: wish.key, at: context.wall) {
            let closing = toReply(&state, .dismissed, &context)
            state.phase = .selected(wish, text)
            return closing
        }
        state.phase = .asked(wish)
        let question = Streaming.Question(
            conversation: wish.target.conversation, client: ClientID(context.entropy.uuid()),
            text: wish.target.text, purpose: .smartReply(wish.kind))
        return toReply(&state, .asked(question), &context)
    }

    private func take(_ state: inout State) -> [Effect] {
        if case .selected = state.phase { state.phase = .idle }
        return []
    }

    private func clear(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.phase = .idle
        return toReply(&state, .dismissed, &context)
    }

    /// A growing suggestion ends with the view; a selected one stays.
    private func leave(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.reply.isRunning else { return [] }
        return clear(&state, &context)
    }

    private func forgetCache(_ state: inout State) -> [Effect] {
        state.cache = ReplyCache(limit: configuration.cacheLimit, lifetime: configuration.cacheLifetime)
        return []
    }

    private func changeAccess(
        _ state: inout State, _ access: Streaming.Access?, _ context: inout Context
    ) -> [Effect] {
        let effects = toReply(&state, .accessChanged(access), &context)
        if access == nil { state = State(configuration: configuration) }
        return effects
    }

    /// Haptic feedback follows visible changes only.
    private func grow(
        _ state: inout State, _ action: Streaming.Action, _ context: inout Context
    ) -> [Effect] {
        let before = state.reply.measures.visibleUpdates
        var effects = toReply(&state, action, &context)
        if configuration.hasHaptics, state.reply.measures.visibleUpdates > before {
            effects.append(.haptic)
        }
        guard case .asked(let wish) = state.phase, case .finished(let reply) = state.reply.phase
        else { return effects }
        state.cache.store(reply.text, for: wish.key, at: context.wall)
        state.phase = .selected(wish, reply.text)
        return effects + toReply(&state, .dismissed, &context)
    }

    private func toReply(
        _ state: inout State, _ action: Streaming.Action, _ context: inout Context
    ) -> [Effect] {
        streaming.reduce(&state.reply, action, in: &context)
    }
}

extension SmartReplies {
    /// The buttons for the kinds, and the suggestion.
    public struct Panel: PlainValue {
        /// One button for each kind.
        public let buttons: [Button]
        /// The suggestion while it grows, or why it failed.
        public let bubble: Streaming.Bubble?
        /// The complete suggestion, to be taken or dismissed.
        public let selected: LongText?
    }

    /// The button for one kind.
    public struct Button: PlainValue {
        /// The kind.
        public let kind: Kind
        /// Whether it can be tapped: not while a suggestion grows.
        public let isEnabled: Bool
        /// Whether the growing or selected suggestion is of this kind.
        public let isCurrent: Bool
    }

    /// The panel of a conversation; a suggestion for another conversation is not shown (S11).
    public func panel(_ state: State, in conversation: ConversationID, _ wording: Wording) -> Panel {
        let wish = state.phase.wish.flatMap { $0.target.conversation == conversation ? $0 : nil }
        let kinds = Kind.shipped + configuration.ownKinds.map { .own($0) }
        let isRunning = state.reply.isRunning
        return Panel(
            buttons: kinds.map { kind in
                let isCurrent = wish?.kind == kind
                return Button(kind: kind, isEnabled: !isRunning, isCurrent: isCurrent)
            },
            bubble: wish == nil ? nil : Streaming.bubble(state.reply, wording),
            selected: wish == nil ? nil : state.selected)
    }
}

extension SmartReplies.Phase {
    /// The request of the person, unless idle.
    package var wish: SmartReplies.Wish? {
        switch self {
        case .idle: nil
        case .asked(let wish), .selected(let wish, _): wish
        }
    }
}
