// The connection (C1–C5): when it is wanted, how it comes about, and what its end leads to.
//
//     disconnected ──wanted──▶ connecting ──▶ authenticating ──▶ replaying ──▶ connected
//           ▲                      │ lost, or a limit of time             │       │
//           │ not wanted           ▼                                      ▼       ▼
//           └────────────── reconnecting ──exhausted──▶ failed ◀──replaced, refused
//
// It is wanted while somebody is signed in, the chat is shown, the app is in front, and what is stored has
// been loaded. One attempt is alive at a time, however many reasons there are to connect (C4): only the
// states without a socket lead to `connect`.

extension Chat.State {
    /// Who is to be connected, when a connection is wanted.
    var accountToConnect: Account? {
        guard isShown, isRestored, case .foreground = presence else { return nil }
        return account
    }

    /// Whether the time is not over for which the server wants to be left alone (C3).
    fileprivate func isToldToWait(at now: Instant) -> Bool {
        authentications.pausedUntil.map { now < $0 } ?? false
    }

    /// Whether it lasts so long that the person is told its end instead of “reconnecting” (C3).
    fileprivate func isToldToWaitLong(_ configuration: Chat.Configuration, at now: Instant) -> Bool {
        authentications.pausedUntil.map { $0 - now > configuration.toldWaitLimit } ?? false
    }
}

extension Chat {
    // MARK: Reasons to connect

    func show(_ state: inout State, _ context: inout Context) -> [Effect] {
        state.isShown = true
        guard state.conversation.stream == nil else { return lookAnew(&state, &context) }
        return connectIfWanted(&state, &context)
    }

    func foreground(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .background(let since) = state.presence else { return [] }
        state.presence = .foreground
        guard context.now - since >= configuration.backgroundForgets else {
            return [.cancel(.background)] + connectIfWanted(&state, &context)
        }
        state.backoff.reset()
        switch state.connection {
        // A wait that is not over still counts.
        case .failed(.exhausted), .failed(.toldToWait): state.connection = .disconnected
        default: break
        }
        return [.cancel(.background)] + connectIfWanted(&state, &context)
    }

    func changeNetwork(_ state: inout State, _ isUp: Bool, _ context: inout Context) -> [Effect] {
        state.isNetworkUp = isUp
        guard state.conversation.stream == nil else { return lookForNetwork(&state, &context) }
        switch state.connection {
        case .reconnecting where isUp:
            return connect(&state, &context)
        case .failed(.exhausted(.failed)) where isUp:
            state.backoff.reset()
            return connect(&state, &context)
        case .reconnecting:
            state.connection = .reconnecting(.offline)
            return [.cancel(.reconnect)]
        case .disconnected, .connecting, .authenticating, .replaying, .connected, .failed:
            return []
        }
    }

    func reconnect(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream == nil else { return lookAnew(&state, &context) }
        switch state.connection {
        case .failed(.toldToWait) where state.isToldToWait(at: context.now): return []
        case .failed(.credentialsRefused): return []
        case .failed:
            state.backoff.reset()
            return connect(&state, &context)
        case .reconnecting: return connect(&state, &context)
        case .disconnected, .connecting, .authenticating, .replaying, .connected: return []
        }
    }

    func connectIfWanted(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream == nil else { return lookForNetwork(&state, &context) }
        guard case .disconnected = state.connection else { return [] }
        return connect(&state, &context)
    }

    func retryConnection(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.conversation.stream == nil else { return lookForNetwork(&state, &context) }
        guard case .reconnecting = state.connection else { return [] }
        return connect(&state, &context)
    }

    // MARK: Reasons not to

    func leave(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard state.isShown else { return [] }
        state.isShown = false
        return stopTyping(&state) + disconnect(&state, &context)
            + atEach(&state, &context) { self.saveDraft(&$0, &$1) }
    }

    func background(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .foreground = state.presence else { return [] }
        state.presence = .background(since: context.now)
        // Whatever the system does to the process from here on, the draft is safe (L5).
        return [.start(.background, after: configuration.backgroundGrace)] + stopTyping(&state)
            + leaveStreams(&state, &context) + atEach(&state, &context) { self.saveDraft(&$0, &$1) }
            + saveDeparted(&state, &context)
    }

    func leaveForeground(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard case .background = state.presence else { return [] }
        if case .failed = state.connection { return [] }  // coming back is no reason to try again (C3)
        return disconnect(&state, &context)
    }

    /// Ends the connection, and every wish to have one again, without a word.
    func disconnect(_ state: inout State, _ context: inout Context) -> [Effect] {
        let attempt = state.connection.attempt
        state.connection = .disconnected
        return (attempt.map { [.close(.socket($0))] } ?? []) + [.cancel(.reconnect)]
            + leaveStreams(&state, &context) + cutOff(&state, &context)
            + atEach(&state, &context) { state, _ in self.haltUploads(&state) }
    }

    // MARK: Coming about

    /// Opens a socket, or sees to it that one is opened when the network or the throttle allows.
    private func connect(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.accountToConnect else {
            state.connection = .disconnected
            return [.cancel(.reconnect)]
        }
        guard state.isNetworkUp else {
            state.connection = .reconnecting(.offline)
            return [.cancel(.reconnect)]
        }
        switch state.authentications.admit(at: context.now) {
        case .wait(let until) where state.isToldToWaitLong(configuration, at: context.now):
            state.connection = .failed(.toldToWait(until: context.wall + (until - context.now)))
            return [.cancel(.reconnect)]
        case .wait(let until):
            state.connection = .reconnecting(.backoff(attempts: state.backoff.attempts))
            return [.start(.reconnect, after: until - context.now)]
        case .now:
            let attempt = context.nextAttempt()
            state.connection = .connecting(attempt)
            return savePacing(state, &context) + [
                .cancel(.reconnect),
                .open(
                    .socket(attempt),
                    .connect(account.secret, account.device, cursors: state.cursors)),
                .start(.connecting, after: configuration.connectLimit),
            ]
        }
    }

    func authenticate(_ state: inout State, _ attempt: Attempt) -> [Effect] {
        state.connection = .authenticating(attempt)
        return [
            .cancel(.connecting), .start(.authenticating, after: configuration.authenticationLimit),
        ]
    }

    /// The server knows who this is, and tells what has come since.
    func replay(
        _ state: inout State, _ count: Int64, isTruncated: Bool, isReset: Bool, _ context: inout Context
    ) -> [Effect] {
        guard let attempt = state.connection.attempt else { return [] }
        if isTruncated { state.conversation.banner = .replayTruncated }
        var reset: [Effect] = []
        if isReset {
            reset = atEach(&state, &context) { state, _ in
                for client in state.conversation.awaitingReply {
                    guard let row = state.conversation.transcript.ordinal(of: client),
                        let message = state.conversation.transcript[row], message.id != nil
                    else { continue }
                    state.conversation.delivered += message.attachments
                }
                state.conversation.transcript.withdraw()
                state.conversation.cursor = nil
                state.conversation.answeredEarly = nil
                return self.typingEnded(&state, by: nil)
            }
        }
        state.connection = .replaying(attempt, remaining: max(count, 0))
        let begun: [Effect] = reset + [.cancel(.connecting), .cancel(.authenticating)]
        guard count > 0 else { return begun + settle(&state, attempt, &context) }
        let limit = (configuration.replayPerMessage * count).clamped(to: configuration.replayLimits)
        return begun + [
            .start(.replay, after: limit),
            .start(.replayProgress, after: configuration.replayProgressLimit),
        ]
    }

    /// One more finished message of the replay has come.
    func replayed(_ state: inout State, _ remaining: Int64, _ context: inout Context) -> [Effect] {
        guard case .replaying(let attempt, _) = state.connection else { return [] }
        guard remaining > 1 else {
            state.backoff.reset()
            return settle(&state, attempt, &context)
        }
        state.connection = .replaying(attempt, remaining: remaining - 1)
        return [.start(.replayProgress, after: configuration.replayProgressLimit)]
    }

    /// The replay is complete: what the server has is matched, and what it has not is sent (C9).
    private func settle(_ state: inout State, _ attempt: Attempt, _ context: inout Context) -> [Effect] {
        state.connection = .connected(attempt)
        let settled = atEach(&state, &context) { state, _ in
            self.dropStoredPartials(&state)
            self.advanceCursor(&state)
            return []
        }
        return settled + [
            .cancel(.replay), .cancel(.replayProgress),
            .start(.stable, after: configuration.stableAfter),
        ] + flushAll(&state, &context)
    }

    func stabilise(_ state: inout State) -> [Effect] {
        guard case .connected = state.connection else { return [] }
        state.backoff.reset()
        return []
    }

    // MARK: Ending

    /// A limit of time has passed; it means nothing for another state than the one that set it (L4).
    func limitPassed(_ state: inout State, _ timer: Timer, _ context: inout Context) -> [Effect] {
        switch (timer, state.connection) {
        case (.connecting, .connecting), (.authenticating, .authenticating), (.replay, .replaying),
            (.replayProgress, .replaying), (.liveness, .connecting), (.liveness, .authenticating),
            (.liveness, .replaying), (.liveness, .connected):
            return giveUp(&state, .failed(.timedOut), &context)
        case (.acknowledgement(let id), .connected):
            guard state.home(where: { $0.id == id && $0.outbox.clientInFlight != nil }) != nil else {
                return []
            }
            return giveUp(&state, .failed(.timedOut), &context)
        default: return []
        }
    }

    /// A limit of time has passed, so the socket is closed from here.
    func giveUp(_ state: inout State, _ end: CallEnd, _ context: inout Context) -> [Effect] {
        guard let attempt = state.connection.attempt else { return [] }
        return [.close(.socket(attempt))] + lose(&state, end, &context)
    }

    /// The socket is gone, and another is wanted unless its end says otherwise. A message whose own bytes are
    /// missing would end the next one too, so it leaves the line and says so (C14).
    func lose(_ state: inout State, _ end: CallEnd, _ context: inout Context) -> [Effect] {
        let incomplete = end == .failed(.recordMissing) ? state.inlineInFlight : []
        return loseLink(&state, end, &context)
            + incomplete.flatMap { client in
                at(state.home(of: client), &state, &context) { self.park(&$0, client, .fileMissing, &$1) }
            }
    }

    private func loseLink(_ state: inout State, _ end: CallEnd, _ context: inout Context) -> [Effect] {
        var cut = cutOff(&state, &context)
        var told = Interval.zero
        switch end {
        case .failed(.secretMissing):
            state.connection = .failed(.credentialsRefused(.tokenExpired))
            return cut
        case .refused(_, let retryAfter?, _):
            // Whatever leads to the next attempt, it keeps to this.
            state.authentications.pause(until: context.now + retryAfter)
            cut += savePacing(state, &context)
            guard retryAfter <= configuration.toldWaitLimit else {
                state.connection = .failed(.toldToWait(until: context.wall + retryAfter))
                return cut
            }
            told = retryAfter
        case .failed(.offline):
            // It does not count as an attempt, nor as an authentication when nothing was opened (C2); the timer is
            // for devices that never say “network up”.
            if case .connecting = state.connection {
                state.authentications.withdraw()
                cut += savePacing(state, &context)
            }
            state.connection = .reconnecting(.offline)
            return cut + [.start(.reconnect, after: configuration.backoff.greatest)]
        case .completed, .closed, .failed, .refused: break
        }
        guard state.isNetworkUp else {
            state.connection = .reconnecting(.offline)
            return cut
        }
        guard let delay = state.backoff.next(&context.entropy) else {
            state.connection = .failed(.exhausted(end))
            return cut
        }
        state.connection = .reconnecting(.backoff(attempts: state.backoff.attempts))
        return cut + [.start(.reconnect, after: max(delay, told))]
    }

    /// The server has said that no attempt of ours will help.
    func stop(
        _ state: inout State, _ failure: ConnectionFailure, _ context: inout Context
    ) -> [Effect] {
        let effects = disconnect(&state, &context)
        state.connection = .failed(failure)
        return effects
    }

    /// The server does not know a cursor: everything is asked for, once (C5).
    func refuseCursor(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard !state.cursors.isEmpty else { return giveUp(&state, .failed(.malformed), &context) }
        state.conversation.cursor = nil
        for index in state.parked.indices { state.parked[index].cursor = nil }
        return disconnect(&state, &context) + connectIfWanted(&state, &context)
    }

    /// What every end of a connection does: its limits no longer run, what is on the wire goes back to wait,
    /// and replies that grow are kept as far as they came.
    private func cutOff(_ state: inout State, _ context: inout Context) -> [Effect] {
        [
            .cancel(.connecting), .cancel(.authenticating), .cancel(.replay), .cancel(.replayProgress),
            .cancel(.liveness), .cancel(.stable), .cancel(.rate),
        ] + refetchTimedOut(&state)
            + atEach(&state, &context) { state, _ in
                state.conversation.replayed = nil  // the next replay begins at the cursor again
                return self.takeBack(&state) + self.interruptAll(&state, .lost) + self.typingCutOff(&state)
            }
    }

    // MARK: Gaps

    /// Something was missed: it is asked for again, once until that is answered (C5).
    func refetch(_ state: inout State, _ attempt: Attempt) -> [Effect] {
        guard !state.isRefetching else { return [] }
        state.isRefetching = true
        return [
            .send(.socket(attempt), .refetch(cursors: state.cursors)),
            .start(.refetch, after: configuration.refetchLimit),
        ]
    }

    func refetchTimedOut(_ state: inout State) -> [Effect] {
        guard state.isRefetching else { return [] }
        state.isRefetching = false
        return [.cancel(.refetch)]
    }
}
