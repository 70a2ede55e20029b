// The reducer of chat. Start with `apply`, which runs a step, a method of `Conversation`, on the conversation of an
// action. The transcript is saved after each step, so no step saves it; requests to the whole chat are answered last
// (Conversations/Places.swift). An event of an earlier attempt changes nothing (L4).

extension Chat {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        var step = Step(settings, context)
        state.apply(action, &step)
        if !step.asks.isEmpty { state.answer(&step) }
        context = step.context
        return step.effects
    }
}

extension Chat.State {
    fileprivate mutating func apply(_ action: Chat.Action, _ step: inout Chat.Step) {
        switch action {
        // First, because nearly all events are these. The socket must be authenticated.
        case .received(.delta(let id, let text), .socket(let attempt)):
            guard shared.link == attempt else { return }
            at(index(ofReply: id), &step) { $0.grow(id, .token(text), &$1, &$2) }
        case .received(.message(let message), .socket(let attempt)):
            guard shared.link == attempt else { return }
            receive(message, &step)
        case .received(let event, .socket(let attempt)):
            guard shared.connection.attempt == attempt else { return }
            receive(event, &step)
        case .timerFired(let timer): fired(timer, &step)
        case .ended(.socket(let attempt), let end):
            guard shared.connection.attempt == attempt else { return }
            tell(.ended(end), &step)
        case .received(let event, .upload(let id, let attempt)):
            at(index { $0.outbox.uploading(id, attempt) != nil }, &step) {
                $0.uploading(event, id, attempt, &$1, &$2)
            }
        case .ended(.upload(let id, let attempt), let end):
            at(index { $0.outbox.uploading(id, attempt) != nil }, &step) {
                $0.uploadEnded(id, attempt, end, &$1, &$2)
            }
        case .received(.streamed(let event), .stream(let id, let call)):
            at(index(of: id), &step) { $0.toStream(.received(event, on: call), &$1, &$2) }
        case .received(_, .stream): break
        case .ended(.stream(let id, let call), let end):
            at(index(of: id), &step) { $0.toStream(.ended(call, end), &$1, &$2) }
        case .stored(let answer, let key, let attempt): stored(answer, key, attempt, &step)

        case .shown: show(&step)
        case .left: leave(&step)
        case .reconnectRequested: if isSocket { tell(.requested, &step) } else { tryAgain(&step) }
        case .networkChanged(let isUp): changeNetwork(isUp, &step)
        case .foregrounded: foreground(&step)
        case .backgrounded: background(&step)
        case .memoryWarned: saveMemory(&step)
        case .signedIn(let account): signIn(account, &step)
        case .signedOut: signOut(&step)
        case .dataErased(let user): departed.removeAll { $0.account.user == user }

        case .draftEdited(let text): at(current, &step) { $0.editDraft(text, &$1, &$2) }
        case .sent: at(current, &step) { $0.send(&$1, &$2) }
        case .attachmentPicked(let file): at(current, &step) { $0.pick(file, &$1, &$2) }
        case .attachmentRemoved(let id): at(current, &step) { $0.unpick(id, &$1, &$2) }
        case .retried(let row): at(current, &step) { $0.retry(row, &$1, &$2) }
        case .deleted(let row): at(current, &step) { $0.delete(row, &$1, &$2) }
        case .messageEdited(let client, let text): at(current, &step) { $0.edit(client, text, &$1, &$2) }
        case .heldApproved(let client): at(current, &step) { $0.approve(client, &$1, &$2) }
        case .replyStopped(let row): at(current, &step) { $0.stopReply(row, &$1, &$2) }
        case .waitingStopped: at(current, &step) { $0.stopWaiting(&$1, &$2) }
        case .conversationCreated(let title): create(title, &step)
        case .conversationSwitched(let id): switchTo(id, &step)
        case .conversationClosed(let id): close(id, &step)
        case .scrolled(let isAtEnd): conversation.scroll(isAtEnd: isAtEnd)
        case .olderRequested: at(current, &step) { conversation, _, _ in conversation.wantOlder() }
        case .bannerDismissed: if conversation.banner != nil { conversation.banner = nil }
        }
    }

    private mutating func receive(_ event: Chat.Event, _ step: inout Chat.Step) {
        switch event {
        case .chunk, .began, .typing, .oversizedMessage, .named: guard shared.link != nil else { return }
        default: break
        }
        switch event {
        case .chunk(let id, let number, let text, let isFinal):
            at(index(ofReply: id), &step) { $0.grow(id, .chunk(number, text, isFinal: isFinal), &$1, &$2) }
        case .began(let id, let conversation):
            guard let conversation = conversation ?? unnamedHome(of: id, step),
                !isGrowing(id, outside: conversation)
            else { return }
            at(home(of: conversation, &step), &step) { $0.grow(id, .token(""), &$1, &$2) }
        case .unreadableMessage: tell(.replayed, &step)
        case .oversizedMessage:
            conversation.banner = .messageTooLong
            tell(.replayed, &step)
        case .named(let id, let title): name(id, title, &step)

        case .opened: tell(.opened, &step)
        case .authenticated(let count, let isTruncated, let isReset):
            authenticated(count, isTruncated: isTruncated, isReset: isReset, &step)
        case .replayEnded: tell(.replayEnded, &step)
        case .cursorRefused: refuseCursor(&step)
        case .credentialsRefused(let refusal): tell(.stopped(.credentialsRefused(refusal)), &step)
        case .sessionReplaced: tell(.stopped(.sessionReplaced), &step)

        case .acknowledged(let key): at(index(of: key), &step) { $0.acknowledged(key, &$1, &$2) }
        case .obeyed(let key): at(index(of: key), &step) { $0.obeyed(key, &$1, &$2) }
        case .rejected(let key, let reason): at(index(of: key), &step) { $0.rejected(key, reason, &$1, &$2) }
        case .deferred(let key, let wait): at(index(of: key), &step) { $0.deferred(key, wait, &$2) }
        case .replyFailed(.reply(let id), let reason):
            at(index(ofFailed: id), &step) { $0.replyFailed(id, reason, &$1, &$2) }
        case .replyFailed(.question(let key), let reason):
            at(index(of: key), &step) { $0.replyFailed(to: key, reason, &$1, &$2) }
        case .assetMissing(let key, let asset, let reason):
            at(index(of: key), &step) { $0.assetMissing(key, asset, reason, &$1, &$2) }
        case .typing(let isActive, let time, let conversation?):
            at(index(of: conversation), &step) { $0.typingHeard(isActive, time, &$2) }
        case .typing(isActive: true, let time, nil):
            // One server answers all: an event that is older than a message of any conversation is over (C18).
            guard index(where: { $0.isOlderThanMessage(time) }) == nil else { return }
            at(index(of: answeredHome(step)), &step) { $0.typingHeard(true, time, &$2) }
        case .typing(isActive: false, _, nil): atEach(&step) { $0.typingEnded(by: nil, &$2) }
        case .alive: tell(.alive, &step)
        case .heartbeat(let interval): tell(.heartbeat(every: interval), &step)
        case .gap: tell(.gap, &step)
        case .refetched: tell(.refetched, &step)
        case .failed(let sentence): conversation.banner = .serverError(sentence)
        case .message, .delta, .uploadProgress, .uploaded, .streamed: break
        }
    }

    private mutating func receive(_ message: Boxed<IncomingMessage>, _ step: inout Chat.Step) {
        let conversation = message.wrappedValue.conversation ?? unnamedHome(of: message.wrappedValue)
        let isGrowing = message.wrappedValue.isGrowing
        guard !isGrowing || !self.isGrowing(message.wrappedValue.id, outside: conversation) else { return }
        at(home(of: conversation, &step), &step) { $0.take(message, &$1, &$2) }
        if !isGrowing, shared.isReplaying { tell(.replayed, &step) }
    }

    private mutating func fired(_ timer: Chat.Timer, _ step: inout Chat.Step) {
        switch timer {
        case .batch(let id): at(index(ofReply: id), &step) { $0.showBatch(id, &$1, &$2) }
        case .silence(let id): at(index(ofReply: id), &step) { $0.silent(id, &$1, &$2) }
        case .total(let id): at(index(ofReply: id), &step) { $0.stop(id, .timedOut, &$1, &$2) }
        case .gap(let id): at(index(ofReply: id), &step) { $0.stop(id, .gap, &$1, &$2) }
        case .typing(let id): at(index(of: id), &step) { $0.typingEnded(by: nil, &$2) }
        case .typingStopped(let id): at(index(of: id), &step) { $0.stopTyping(&$1, &$2) }
        case .connecting, .authenticating, .replay, .replayProgress, .liveness, .reconnect, .stable, .refetch,
            .background:
            connectionTimerFired(timer, &step)
        case .acknowledgement(let id):
            guard let index = index(of: id), places[index].wrappedValue.outbox.keyInFlight != nil else {
                return
            }
            guard !isAnswerDue(step) else {
                return step.add(.start(timer, after: step.configuration.lostAfterSlow))
            }
            tell(.gaveUp(.failed(.timedOut)), &step)
        case .slow(let id):
            let isExcused = isAnswerDue(step)
            at(index(of: id), &step) { $0.markSlow(isExcused: isExcused, &$1, &$2) }
        case .rate: if isSocket { flushAll(&step) } else { goOnAsking(&step) }
        case .deferral(let id): at(index(of: id), &step) { $0.sendDeferred(&$1, &$2) }
        case .replyLimit(let asked, let id): at(index(of: id), &step) { $0.replyTimedOut(asked, &$1, &$2) }
        case .restoring: restoringTimedOut(&step)
        case .outboxLimit(let id): at(index(of: id), &step) { $0.outboxSaveTimedOut(&$1, &$2) }
        case .listLimit: if shared.list.record.timedOut() { notListed(.unavailable, &step) }
        case .copying(let id): at(index { $0.draft.isCopying(id) }, &step) { $0.copyTimedOut(id, &$1, &$2) }
        case .upload(let id):
            at(index { $0.outbox.attachment(id) != nil }, &step) { $0.uploadSilent(id, &$1, &$2) }
        case .uploadsAllowed: uploadsAllowed(&step)
        case .draftSave(let id): at(index(of: id), &step) { $0.saveDraft(&$1, &$2) }
        case .draftLimit(let id): at(index(of: id), &step) { $0.draftTimedOut(&$2) }
        case .pageLimit(let id): at(index(of: id), &step) { $0.pagesTimedOut(&$2) }
        case .stream(let id, let timer):
            at(index(of: id), &step) { $0.toStream(.timerFired(timer), &$1, &$2) }
        }
    }
}
