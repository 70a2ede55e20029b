// The story of chat. Three chapters follow from this switch: ChatConnection, ChatSending, ChatReceiving; where no
// socket pushes, ChatAsking takes the place of the first and the third. ChatStorage keeps what must outlive the
// process. Whatever an action changed in the transcript is
// saved at the end of it, so no step has to think of that.

extension Chat {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        let effects = apply(&state, action, &context)
        let kept = keep(&state, &context)
        return kept.isEmpty ? effects : effects + kept
    }

    /// What follows from every step in a conversation: what it has changed is saved, and what it has
    /// delivered is freed.
    func keep(_ state: inout State, _ context: inout Context) -> [Effect] {
        let freed = state.conversation.delivered.isEmpty ? [] : free(&state, &context)
        guard state.conversation.transcript.pages.isToBeSaved else { return freed }
        return freed + savePages(&state, &context)
    }

    private func apply(_ state: inout State, _ action: Action, _ context: inout Context) -> [Effect] {
        switch action {
        case .received(let event, .socket(let attempt)):
            guard state.connection.attempt == attempt else { return [] }
            return receive(&state, event, attempt, &context)
        case .timerFired(let timer): return timerFired(&state, timer, &context)
        case .ended(.socket(let attempt), let end):
            guard state.connection.attempt == attempt else { return [] }
            return lose(&state, end, &context)
        case .received(let event, .upload(let id, let attempt)):
            let home = state.home { $0.outbox.uploading(id, attempt) != nil }
            return at(home, &state, &context) { self.uploading(&$0, event, id, attempt, &$1) }
        case .ended(.upload(let id, let attempt), let end):
            let home = state.home { $0.outbox.uploading(id, attempt) != nil }
            return at(home, &state, &context) { self.uploadEnded(&$0, id, attempt, end, &$1) }
        case .received(.reply(let event), .stream(let id, let call)):
            return at(id, &state, &context) { self.toStream(&$0, .received(event, on: call), &$1) }
        case .received(_, .stream): return []
        case .ended(.stream(let id, let call), let end):
            return at(id, &state, &context) { self.toStream(&$0, .ended(call, end), &$1) }
        case .stored(let answer, let key, let attempt):
            return stored(&state, answer, key, attempt, &context)

        case .shown: return show(&state, &context)
        case .left: return leave(&state, &context)
        case .reconnectRequested: return reconnect(&state, &context)
        case .networkChanged(let isUp): return changeNetwork(&state, isUp, &context)
        case .foregrounded: return foreground(&state, &context)
        case .backgrounded: return background(&state, &context)
        case .memoryWarned: return saveMemory(&state, &context)
        case .signedIn(let account): return signIn(&state, account, &context)
        case .signedOut: return signOut(&state, &context)
        case .dataErased(let user): return forget(user, &state)

        case .draftEdited(let text): return editDraft(&state, text, context)
        case .sent: return send(&state, &context)
        case .attachmentPicked(let file): return pick(&state, file, &context)
        case .attachmentRemoved(let id): return unpick(&state, id, &context)
        case .retried(let row): return retry(&state, row, &context)
        case .deleted(let row): return delete(&state, row, &context)
        case .messageEdited(let client, let text): return edit(&state, client, text, &context)
        case .heldApproved(let client): return approve(&state, client, &context)
        case .replyStopped(let id): return stopReply(&state, id) + stopAsking(&state, id, &context)
        case .waitingStopped: return stopWaiting(&state) + stopAsking(&state, &context)
        case .conversationCreated(let title): return create(&state, title, &context)
        case .conversationSwitched(let id): return switchTo(&state, id, &context)
        case .conversationClosed(let id): return close(&state, id, &context)
        case .scrolled(let isAtEnd): return scroll(&state, isAtEnd: isAtEnd)
        case .olderRequested: return loadOlder(&state, &context)
        case .bannerDismissed:
            state.conversation.banner = nil
            return []
        }
    }

    private func receive(
        _ state: inout State, _ event: Event, _ attempt: Attempt, _ context: inout Context
    ) -> [Effect] {
        // Most of what arrives is this; the pairs below are copied before they are compared.
        if case .message(let message) = event, case .connected = state.connection {
            return take(&state, message, &context)
        }
        if case .delta(let id, let text) = event {
            guard state.connection.link != nil else { return [] }
            return at(state.home(ofReply: id), &state, &context) { self.take(&$0, text, for: id, &$1) }
        }
        switch (event, state.connection) {
        case (.chunk(let id, let index, let text, let isFinal), .connected),
            (.chunk(let id, let index, let text, let isFinal), .replaying):
            return at(state.home(ofReply: id), &state, &context) {
                self.takeChunk(&$0, text, at: index, isFinal: isFinal, for: id, &$1)
            }
        case (.began(let id, let conversation), .connected), (.began(let id, let conversation), .replaying):
            return hear(conversation, &state, &context) { self.take(&$0, "", for: id, &$1) }
        case (.message(let message), .replaying(_, let remaining)):
            let effects = take(&state, message, &context)
            return message.isGrowing ? effects : effects + replayed(&state, remaining, &context)
        case (.unreadableMessage, .replaying(_, let remaining)):
            return replayed(&state, remaining, &context)

        case (.opened, .connecting): return authenticate(&state, attempt)
        case (.authenticated(let count, let isTruncated, let isReset), .connecting),
            (.authenticated(let count, let isTruncated, let isReset), .authenticating):
            return replay(&state, count, isTruncated: isTruncated, isReset: isReset, &context)
        case (.cursorRefused, _): return refuseCursor(&state, &context)
        case (.credentialsRefused(let refusal), _):
            return stop(&state, .credentialsRefused(refusal), &context)
        case (.sessionReplaced, _): return stop(&state, .sessionReplaced, &context)

        case (.acknowledged(let client), _):
            return at(state.home(of: client), &state, &context) { self.acknowledged(&$0, client, &$1) }
        case (.rejected(let client, let reason), _):
            return at(state.home(of: client), &state, &context) { self.rejected(&$0, client, reason, &$1) }
        case (.deferred(let client), _):
            return at(state.home(of: client), &state, &context) { self.deferred(&$0, client, &$1) }
        case (.replyFailed(.reply(let id), let reason), _):
            return at(state.home(ofFailed: id), &state, &context) {
                self.replyFailed(&$0, id, reason, &$1)
            }
        case (.replyFailed(.question(let client), let reason), _):
            return at(state.home(of: client), &state, &context) {
                self.replyFailed(&$0, to: client, reason, &$1)
            }
        case (.assetMissing(let client, let asset, let reason), _):
            return at(state.home(of: client), &state, &context) {
                self.assetMissing(&$0, client, asset, reason, &$1)
            }
        case (.typing(let isActive, let time, let conversation), .connected),
            (.typing(let isActive, let time, let conversation), .replaying):
            return at(conversation, &state, &context) { state, _ in
                self.typingHeard(&state, isActive, time)
            }
        case (.alive, _): return [.start(.liveness, after: configuration.livenessLimit)]
        case (.gap, .connected), (.gap, .replaying): return refetch(&state, attempt)
        case (.refetched, _):
            state.isRefetching = false
            return [.cancel(.refetch)]
        case (.failed(let sentence), _):
            state.conversation.banner = .serverError(sentence)
            return []
        case (.opened, _), (.authenticated, _), (.message, _), (.unreadableMessage, _), (.delta, _),
            (.began, _), (.chunk, _), (.typing, _), (.gap, _), (.uploadProgress, _), (.uploaded, _),
            (.reply, _):
            return []
        }
    }

    private func timerFired(_ state: inout State, _ timer: Timer, _ context: inout Context) -> [Effect] {
        switch timer {
        case .batch(let id):
            at(state.home(ofReply: id), &state, &context) { state, _ in self.showBatch(&state, id) }
        case .silence(let id): at(state.home(ofReply: id), &state, &context) { self.silent(&$0, id, &$1) }
        case .whole(let id), .gap(let id):
            at(state.home(ofReply: id), &state, &context) { self.interrupt(&$0, id, .timedOut, &$1) }
        case .typing(let id): at(id, &state, &context) { state, _ in self.typingEnded(&state, by: nil) }
        case .typingStopped(let id): at(id, &state, &context) { state, _ in self.stopTyping(&state) }
        case .refetch: refetchTimedOut(&state)
        case .connecting, .authenticating, .replay, .replayProgress, .liveness, .acknowledgement:
            limitPassed(&state, timer, &context)
        case .reconnect: retryConnection(&state, &context)
        case .stable: stabilise(&state)
        case .background: leaveForeground(&state, &context)
        case .slow(let id): at(id, &state, &context) { state, _ in self.markSlow(&state) }
        case .rate: rateAllows(&state, &context)
        case .deferral(let id): at(id, &state, &context) { self.sendDeferred(&$0, &$1) }
        case .reply(let client):
            at(state.home(of: client), &state, &context) { state, _ in self.replyMissing(&state, client) }
        case .restoring: restoringTimedOut(&state, &context)
        case .outboxSave(let id): at(id, &state, &context) { self.outboxSaveTimedOut(&$0, &$1) }
        case .listSave: listSaveTimedOut(&state, &context)
        case .copying(let id):
            at(state.home { $0.draft.isCopying(id) }, &state, &context) { self.copyTimedOut(&$0, id, &$1) }
        case .upload(let id):
            at(state.home { $0.outbox.attachment(id) != nil }, &state, &context) {
                self.uploadSilent(&$0, id, &$1)
            }
        case .uploadsAllowed: uploadsAllowed(&state, &context)
        case .draftSave(let id): at(id, &state, &context) { self.saveDraft(&$0, &$1) }
        case .draftLimit(let id): at(id, &state, &context) { state, _ in self.draftTimedOut(&state) }
        case .pageLimit(let id): at(id, &state, &context) { state, _ in self.pagesTimedOut(&state) }
        case .stream(let id, let timer):
            at(id, &state, &context) { self.toStream(&$0, .timerFired(timer), &$1) }
        }
    }
}
