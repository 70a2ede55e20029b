// The story of chat. Three chapters follow from this switch: ChatConnection, ChatSending, ChatReceiving; a
// fourth, ChatStorage, keeps what must outlive the process. Whatever an action changed in the transcript is
// saved at the end of it, so no step has to think of that.

extension Chat {
    /// Applies an action.
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] {
        var effects = apply(&state, action, &context)
        if !state.conversation.delivered.isEmpty { effects += free(&state, &context) }
        guard state.conversation.transcript.pages.isToBeSaved else { return effects }
        return effects + savePages(&state, &context)
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
            return uploading(&state, event, id, attempt, &context)
        case .ended(.upload(let id, let attempt), _):
            return uploadEnded(&state, id, attempt, &context)
        case .stored(let answer, let key, let attempt):
            return stored(&state, answer, key, attempt, &context)

        case .shown: return show(&state, &context)
        case .left: return leave(&state, &context)
        case .reconnectRequested: return reconnect(&state, &context)
        case .networkChanged(let isUp): return changeNetwork(&state, isUp, &context)
        case .foregrounded: return foreground(&state, &context)
        case .backgrounded: return background(&state, &context)
        case .signedIn(let account): return signIn(&state, account, &context)
        case .signedOut: return signOut(&state, &context)

        case .draftEdited(let text): return editDraft(&state, text, context)
        case .sent: return send(&state, &context)
        case .attachmentPicked(let file): return pick(&state, file, &context)
        case .attachmentRemoved(let id): return unpick(&state, id, &context)
        case .retried(let row): return retry(&state, row, &context)
        case .deleted(let row): return delete(&state, row, &context)
        case .messageEdited(let client, let text): return edit(&state, client, text, &context)
        case .heldApproved(let client): return approve(&state, client, &context)
        case .replyStopped(let id): return stopReply(&state, id)
        case .scrolled(let isAtEnd): return scroll(&state, isAtEnd: isAtEnd)
        case .olderRequested: return loadOlder(&state, &context)
        case .bannerDismissed:
            state.banner = nil
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
            return take(&state, text, for: id, &context)
        }
        switch (event, state.connection) {
        case (.chunk(let id, let index, let text, let isFinal), .connected),
            (.chunk(let id, let index, let text, let isFinal), .replaying):
            return takeChunk(&state, text, at: index, isFinal: isFinal, for: id, &context)
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
        case (.credentialsRefused(let refusal), _): return stop(&state, .credentialsRefused(refusal))
        case (.sessionReplaced, _): return stop(&state, .sessionReplaced)

        case (.acknowledged(let client), _): return acknowledged(&state, client, &context)
        case (.rejected(let client, let reason), _): return rejected(&state, client, reason, &context)
        case (.deferred(let client), _): return deferred(&state, client, &context)
        case (.replyFailed(let subject, let reason), _):
            return replyFailed(&state, subject, reason, &context)
        case (.assetMissing(let client, let asset, let reason), _):
            return assetMissing(&state, client, asset, reason, &context)
        case (.typing(let isActive, let time), .connected), (.typing(let isActive, let time), .replaying):
            return typingHeard(&state, isActive, time)
        case (.gap, .connected), (.gap, .replaying): return refetch(&state, attempt)
        case (.refetched, _):
            state.isRefetching = false
            return [.cancel(.refetch)]
        case (.failed(let sentence), _):
            state.banner = .serverError(sentence)
            return []
        case (.opened, _), (.authenticated, _), (.message, _), (.unreadableMessage, _), (.delta, _),
            (.chunk, _), (.typing, _), (.gap, _), (.uploadProgress, _), (.uploaded, _):
            return []
        }
    }

    private func timerFired(_ state: inout State, _ timer: Timer, _ context: inout Context) -> [Effect] {
        switch timer {
        case .batch(let id): showBatch(&state, id, context)
        case .silence(let id): interrupt(&state, id, .timedOut, &context)
        case .gap(let id): interrupt(&state, id, .timedOut, &context)
        case .typing: typingHeard(&state, false, nil)
        case .typingStopped: stopTyping(&state)
        case .refetch: refetchTimedOut(&state)
        case .connecting, .authenticating, .replay, .replayProgress, .acknowledgement:
            limitPassed(&state, timer, &context)
        case .reconnect: retryConnection(&state, &context)
        case .stable: stabilise(&state)
        case .background: leaveForeground(&state)
        case .slow: markSlow(&state)
        case .rate: sendDeferred(&state, &context)
        case .reply(let client): replyMissing(&state, client)
        case .restoring: restoringTimedOut(&state, &context)
        case .outboxSave: outboxSaveTimedOut(&state, &context)
        case .copying(let id): copyTimedOut(&state, id, &context)
        case .upload(let id): uploadSilent(&state, id, &context)
        case .draftSave: saveDraft(&state, &context)
        }
    }
}
