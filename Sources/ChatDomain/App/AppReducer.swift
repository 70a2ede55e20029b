// The routes of the root. A child's action goes to the child, and the child's effects are mapped to the root's types.
// After each action of pairing the root compares the accounts, and passes a change on to the other features (R1, P10).

extension ChatApp {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        switch action {
        case .launched: toPairing(&state, .launched, &context)
        case .networkChanged(let isUp): changeNetwork(&state, isUp, &context)
        case .foregrounded: toChat(&state, .foregrounded, &context)
        case .backgrounded:
            toChat(&state, .backgrounded, &context) + toSmartReplies(&state, .backgrounded, &context)
        case .memoryWarned:
            toChat(&state, .memoryWarned, &context) + toSmartReplies(&state, .memoryWarned, &context)
        case .dataErased: toPairing(&state, .signedOutForGood, &context)
        case .pairing(let action): toPairing(&state, action, &context)
        case .chat(let action): toChat(&state, action, &context)
        case .assistant(let action): toAssistant(&state, action, &context)
        case .smartReplies(let action): toSmartReplies(&state, action, &context)

        case .received(.chat(let event), .chat(let call)):
            toChat(&state, .received(event, on: call), &context)
        case .received(.pairing(let event), .pairing(let call)):
            toPairing(&state, .received(event, on: call), &context)
        case .received(.pairing(let event), .chat(.socket(let attempt))):
            toPairing(&state, .received(event, on: .link(attempt)), &context)
        case .received(.assistant(let event), .assistant(let call)):
            toAssistant(&state, .received(event, on: call), &context)
        case .received(.smartReplies(let event), .smartReplies(let call)):
            toSmartReplies(&state, .received(event, on: call), &context)
        case .received: []
        case .ended(.pairing(let call), let end): toPairing(&state, .ended(call, end), &context)
        case .ended(.chat(let call), let end): toChat(&state, .ended(call, end), &context)
        case .ended(.assistant(let call), let end): toAssistant(&state, .ended(call, end), &context)
        case .ended(.smartReplies(let call), let end): toSmartReplies(&state, .ended(call, end), &context)
        case .stored(let answer, .pairing(let key), let attempt):
            toPairing(&state, .stored(answer.pairing, under: key, attempt), &context)
        case .stored(let answer, .chat(let key), let attempt):
            toChat(&state, .stored(answer.chat, under: key, attempt), &context)
        case .stored(let answer, .assistant(let key), let attempt):
            toAssistant(&state, .stored(answer.assistant, under: key, attempt), &context)
        case .stored(.failed, .person, let attempt): toPairing(&state, .dataNotErased(attempt), &context)
        case .stored(_, .person, let attempt): toPairing(&state, .dataErased(attempt), &context)
        case .timerFired(.pairing(let timer)): toPairing(&state, .timerFired(timer), &context)
        case .timerFired(.chat(let timer)): toChat(&state, .timerFired(timer), &context)
        case .timerFired(.assistant(let timer)): toAssistant(&state, .timerFired(timer), &context)
        case .timerFired(.smartReplies(let timer)): toSmartReplies(&state, .timerFired(timer), &context)
        }
    }

    private func changeNetwork(_ state: inout State, _ isUp: Bool, _ context: inout Context) -> [Effect] {
        state.isNetworkUp = isUp
        let resumed = isUp ? toPairing(&state, .networkReturned, &context) : []
        return resumed + toChat(&state, .networkChanged(isUp: isUp), &context)
            + toAssistant(&state, .networkChanged(isUp: isUp), &context)
    }

    // MARK: Pairing

    private func toPairing(
        _ state: inout State, _ action: Pairing.Action, _ context: inout Context
    ) -> [Effect] {
        let (before, erased) = (state.account, state.pairing.erasing.data)
        let effects = pairing.reduce(&state.pairing, action, in: &context).map(ChatApp.fromPairing)
        let told = accountChanged(&state, from: before, &context)
        let erasing = state.pairing.erasing.data
        guard !erasing.isEmpty else { return effects + told }
        return effects + told + erase(&state, erasing, except: erased, &context)
    }

    /// Erases the data of each person whose erasure is new (P10), after the saves of a sign-out.
    private func erase(
        _ state: inout State, _ data: [Pairing.Erasing.Data], except before: [Pairing.Erasing.Data],
        _ context: inout Context
    ) -> [Effect] {
        var effects: [Effect] = []
        for person in data where !before.contains(person) {
            guard let attempt = person.attempt else { continue }
            effects += toChat(&state, .dataErased(person.user), &context)
            effects.append(.erase(.person(person.user), attempt))
        }
        return effects
    }

    private func accountChanged(
        _ state: inout State, from before: Account?, _ context: inout Context
    ) -> [Effect] {
        let after = state.account
        guard before != after else { return [] }
        guard let after else {
            return toChat(&state, .signedOut, &context) + toAssistant(&state, .signedOut, &context)
                + toSmartReplies(&state, .accessChanged(nil), &context)
        }
        return toChat(&state, .signedIn(after), &context) + shareAccess(&state, &context)
            + toAssistant(&state, .signedIn(after), &context)
    }

    private static func fromPairing(_ effect: Pairing.Effect) -> Effect {
        effect.map(
            call: { call in
                switch call {
                case .ask: .pairing(call)
                case .link(let attempt): .chat(.socket(attempt))
                }
            },
            request: { .pairing($0) }, frame: { .pairing($0) }, key: { .pairing($0) },
            record: { .pairing($0) }, timer: { .pairing($0) })
    }

    // MARK: Chat

    private func toChat(_ state: inout State, _ action: Chat.Action, _ context: inout Context) -> [Effect] {
        let linkBefore = state.chat.shared.link
        let asked = chat.reduce(&state.chat, action, in: &context)
        // Most actions lead to no effect, and joining two empty arrays costs as much as the rest of this.
        var effects = asked.isEmpty ? [] : asked.map(ChatApp.fromChat)
        // On a socket, credentials change only with the account.
        if case .streams = chat.configuration.carriage {
            // Renewed credentials may be equal to the former ones. A ghost has no effects.
            let isRenewal = if case .received(.streamed(.refreshed), _) = action { true } else { false }
            effects += shareAccess(&state, isRenewed: isRenewal && !asked.isEmpty, &context)
        }
        // A change of the connection always starts or cancels a timer, so without effects there is none.
        guard !asked.isEmpty else { return effects }
        if let refusal = state.chat.connection.refusal {
            return effects + toPairing(&state, .credentialsRefused(refusal), &context)
        }
        let linkAfter = state.chat.shared.link
        guard linkBefore != linkAfter else { return effects }
        let closed = linkBefore.map { toPairing(&state, .linkClosed($0), &context) } ?? []
        let opened = linkAfter.map { toPairing(&state, .linkOpened($0), &context) } ?? []
        return effects + closed + opened
    }

    private static func fromChat(_ effect: Chat.Effect) -> Effect {
        effect.map(
            call: { .chat($0) }, request: { .chat($0) }, frame: { .chat($0) }, key: { .chat($0) },
            record: { .chat($0) }, timer: { .chat($0) })
    }

    // MARK: Assistant

    private func toAssistant(
        _ state: inout State, _ action: Assistant.Action, _ context: inout Context
    ) -> [Effect] {
        assistant.reduce(&state.assistant, action, in: &context).map(ChatApp.fromAssistant)
    }

    private static func fromAssistant(_ effect: Assistant.Effect) -> Effect {
        effect.map(
            call: { .assistant($0) }, request: { .assistant($0) }, key: { .assistant($0) },
            record: { .assistant($0) }, timer: { .assistant($0) })
    }

    // MARK: Smart replies

    private func toSmartReplies(
        _ state: inout State, _ action: SmartReplies.Action, _ context: inout Context
    ) -> [Effect] {
        let effects: [Effect] = smartReplies.reduce(&state.smartReplies, action, in: &context).map { effect in
            effect.map(
                call: { .smartReplies($0) }, request: { .smartReplies($0) }, timer: { .smartReplies($0) })
        }
        guard case .received(.refreshed, _) = action, !effects.isEmpty, let account = state.chat.account,
            let access = state.smartReplies.reply.access
        else { return effects }
        // The suggestions have renewed the credentials of all (S9), which may be equal to the former ones.
        let renewed = account.renewed(access)
        return effects + toChat(&state, .signedIn(renewed), &context)
            + toAssistant(&state, .signedIn(renewed), &context)
    }

    /// Gives the credentials of chat to the suggestions and the assistant (S9).
    private func shareAccess(
        _ state: inout State, isRenewed: Bool = false, _ context: inout Context
    ) -> [Effect] {
        guard let account = state.chat.account,
            isRenewed || account.access != state.smartReplies.reply.access
        else { return [] }
        return toSmartReplies(&state, .accessChanged(account.access), &context)
            + toAssistant(&state, .signedIn(account), &context)
    }
}

extension ChatApp.State {
    /// The signed-in account on this device, once the person and the device are known.
    public var account: Account? {
        guard let session = pairing.session, case .known(let device) = pairing.device else { return nil }
        return Account(user: session.credentials.user, secret: session.credentials.secret, device: device)
    }
}

extension StorageAnswer<ChatApp.Record> {
    fileprivate var pairing: StorageAnswer<Pairing.Record> {
        compactMap { if case .pairing(let record) = $0 { record } else { nil } }
    }

    fileprivate var chat: StorageAnswer<Chat.Record> {
        compactMap { if case .chat(let record) = $0 { record } else { nil } }
    }

    fileprivate var assistant: StorageAnswer<Assistant.Record> {
        compactMap { if case .assistant(let record) = $0 { record } else { nil } }
    }
}
