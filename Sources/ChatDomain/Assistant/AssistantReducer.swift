// The transitions of the assistant. Three files follow from this switch: AssistantAsking, AssistantAnswers and
// AssistantPacing. While the view is closed, only the news of the root is noted.

extension Assistant {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .opened: open(&state, context)
        case .closed: close(&state)
        case .draftEdited(let text): editDraft(&state, text)
        case .exampleTapped(let text): state.conversation?.questionCount == 0 ? editDraft(&state, text) : []
        case .sent: send(&state, &context)
        case .retried(let id): retry(&state, id, &context)
        case .logInDismissed: dismissLogIn(&state)

        case .signedIn(let account): signIn(&state, account, &context)
        case .signedOut: signOut(&state, &context)
        case .networkChanged(let isUp): changeNetwork(&state, isUp, &context)

        case .received(let event, .ask(let attempt)): received(&state, event, attempt, &context)
        case .ended(.ask(let attempt), let end): ended(&state, attempt, end, &context)
        case .stored(let answer, let key, let attempt): stored(&state, answer, key, attempt, &context)

        case .timerFired(.notice): sayThatItTakesLong(&state)
        case .timerFired(.answer): giveUp(&state, &context)
        case .timerFired(.slot): ask(&state, &context)
        case .timerFired(.restoring): waitNoLonger(&state, &context)
        }
    }

    // MARK: The view

    private func open(_ state: inout State, _ context: Context) -> [Effect] {
        guard state.conversation == nil else { return [] }
        state.conversation = Conversation(created: context.wall)
        state.measures.openings.increment()
        return []
    }

    private func close(_ state: inout State) -> [Effect] {
        guard let conversation = state.conversation else { return [] }
        state.conversation = nil
        return stop(conversation.queue)
    }

    private func stop(_ queue: Queue) -> [Effect] {
        switch queue.head?.stage {
        case nil, .paused: []
        case .awaitingSlot: [.cancel(.slot)]
        case .asking(let asking): [.close(.ask(asking.attempt))] + Assistant.askingTimers
        }
    }

    static var askingTimers: [Effect] { [.cancel(.notice), .cancel(.answer)] }

    // MARK: The composer

    private func editDraft(_ state: inout State, _ text: ExactText) -> [Effect] {
        guard state.conversation != nil else { return [] }
        state.draft = text.cut(toByteCount: configuration.draftLimit)
        state.conversation?.refusal = state.draft == text ? nil : .tooLong
        return []
    }

    private func send(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let conversation = state.conversation else { return [] }
        let text = state.draft.trimmed
        state.conversation?.refusal = refusal(of: text, conversation)
        guard state.conversation?.refusal == nil else { return [] }

        let question = Question(id: QuestionID(number: state.written.value), text: text, time: context.wall)
        state.draft = ""
        state.written.increment()
        state.measures.questions.increment()
        if conversation.messages.value == 0 { state.measures.conversations.increment() }
        state.conversation?.messages.increment()
        state.conversation?.makeRoom(limit: configuration.exchangeLimit)
        return enqueue(&state, question, &context)
    }

    /// Why a text cannot be asked, if it cannot (A1, L8). The characters of a text with too many bytes are not counted.
    private func refusal(of text: ExactText, _ conversation: Conversation) -> TextRefusal? {
        if text.isBlank { return .empty }
        guard text.byteCount <= configuration.byteLimit,
            Int64(text.string.count) < configuration.characterLimit
        else { return .tooLong }
        guard conversation.queue.count < configuration.queueLimit else { return .queueFull }
        guard conversation.hasRoom(limit: configuration.exchangeLimit) else { return .conversationFull }
        return nil
    }

    private func dismissLogIn(_ state: inout State) -> [Effect] {
        state.conversation?.logIn = .notWanted
        return []
    }

    // MARK: The root

    /// Asks the questions from before the sign-in; those of another person are dropped (P10).
    private func signIn(_ state: inout State, _ account: Account, _ context: inout Context) -> [Effect] {
        let effects =
            if let former = state.account, former.user != account.user {
                signOut(&state, &context)
            } else { [] as [Effect] }
        if state.asker != account.user { state.asking = Throttle(configuration.asking) }
        (state.account, state.asker) = (account, account.user)
        state.conversation?.logIn = .notWanted
        return effects + loadPacing(&state, of: account, &context)
            + resume(&state, from: .notSignedIn, &context)
    }

    private func signOut(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.account != nil else { return [] }
        let stopping = state.conversation.map { stop($0.queue) } ?? []
        let effects = stopping + leavePacing(&state, &context)
        state.account = nil
        state.conversation = state.conversation.map { _ in Conversation(created: context.wall) }
        state.draft = ""
        return effects
    }

    private func changeNetwork(_ state: inout State, _ isUp: Bool, _ context: inout Context) -> [Effect] {
        state.isNetworkUp = isUp
        return isUp ? resume(&state, from: .offline, &context) : []
    }
}
