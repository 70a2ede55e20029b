// Replies that grow (C17, C20, S2–S4, S15). A reply has its row from the first sign of it; its text gathers
// beside the transcript, is shown in batches, and enters the transcript once, when it ends: because it is
// finished, because nothing more comes, or because the person has read enough.

extension Chat {
    // MARK: Text that comes

    func take(
        _ state: inout State, _ text: ExactText, for id: MessageID, _ context: inout Context
    ) -> [Effect] {
        grow(&state, id, .assistant, (context.wall, isServers: false), context) {
            $0.append(text, at: context.now)
        }
    }

    /// Takes a numbered piece (S15): what follows what is there is added, what comes too early waits, and what
    /// is missing is waited for.
    func takeChunk(
        _ state: inout State, _ text: ExactText, at index: Int64, isFinal: Bool, for id: MessageID,
        _ context: inout Context
    ) -> [Effect] {
        var accepted = ReorderBuffer<ExactText>.Accepted.ignored
        var before: Int64?
        var effects = grow(&state, id, .assistant, (context.wall, isServers: false), context) { reply in
            before = reply.chunks?.hasGap == true ? reply.chunks?.awaitedIndex : nil
            let taken: GrowingReply.Taken
            (accepted, taken) = reply.accept(text, index: index, isFinal: isFinal, at: context.now)
            return taken
        }
        guard let place = state.conversation.growing.firstIndex(where: { $0.id == id }) else {
            return effects
        }
        switch accepted {
        case .ready(_, completes: true): return effects + complete(&state, id)
        case .overflow: return effects + stop(&state, id, .timedOut)
        case .ready, .waiting, .duplicate, .ignored: break
        }
        let chunks = state.conversation.growing[place].chunks
        let after = chunks?.hasGap == true ? chunks?.awaitedIndex : nil
        guard before != after else { return effects }
        effects.append(
            after == nil ? .cancel(.gap(id)) : .start(.gap(id), after: configuration.chunkGapLimit))
        return effects
    }

    /// All pieces are there: the reply is finished, unless the whole of it comes and says something else.
    private func complete(_ state: inout State, _ id: MessageID) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }) else { return [] }
        _ = state.conversation.growing[index].flush()
        let shown = state.conversation.growing[index].shown
        if let ordinal = state.conversation.transcript.ordinal(of: id) {
            state.conversation.transcript.update(ordinal) { $0.body = .text(shown) }
        }
        replacePartial(&state, by: id)
        return stopGrowing(&state, id)
    }

    /// Adds to a growing reply, which begins here if it is new. After its end nothing is applied (S3), unless
    /// only the connection ended it: then it goes on.
    func grow(
        _ state: inout State, _ id: MessageID, _ role: Message.Role,
        _ time: (WallTime, isServers: Bool), _ context: Context,
        _ add: (inout GrowingReply) -> GrowingReply.Taken
    ) -> [Effect] {
        var effects: [Effect] = []
        var index = state.conversation.growing.firstIndex { $0.id == id }
        if index == nil {
            // What goes on after the connection was lost began before, and answers what it answered then.
            let isNew = state.conversation.transcript.ordinal(of: id) == nil
            guard hasPlace(&state, id), let shown = begin(&state, id, role, time) else { return [] }
            effects = typingEnded(&state, by: time.isServers ? time.0 : nil)
            let (isWanted, began) = isNew ? replyBegan(&state, id) : (true, [])
            effects += began
            effects.append(.start(.silence(id), after: configuration.silenceLimit))
            effects.append(.start(.whole(id), after: configuration.wholeLimit))
            index = state.conversation.growing.count
            state.conversation.growing.append(GrowingReply(id: id, shown: shown, at: context.now))
            if !isWanted { return effects + stop(&state, id, .stopped) }
            if isNew, state.conversation.shows(id) { arrived(&state) }
        }
        guard let index else { return effects }
        let taken = add(&state.conversation.growing[index])
        if state.conversation.growing[index].byteCount > configuration.replyTextLimit {
            return effects + stop(&state, id, .tooLong)
        }
        guard case .first = taken else { return effects }
        return effects + [.start(.batch(id), after: TokenBatch.interval(configuration.batchInterval))]
    }

    /// Four times as many as may grow: what a server sends at once beyond that is no conversation.
    private static var crowdLimit: Int { 64 }

    /// Whether a reply that is not growing may begin, which one that found no place before may not (SPEC section 8).
    private func hasPlace(_ state: inout State, _ id: MessageID) -> Bool {
        guard !state.conversation.crowdedOut.contains(id) else { return false }
        guard state.conversation.growing.count >= configuration.growingLimit else { return true }
        state.conversation.crowdedOut = state.conversation.crowdedOut.suffix(Self.crowdLimit - 1) + [id]
        return false
    }

    /// Gives a reply its row, whose place is learnt with the server's time. Returns what is shown of it
    /// already, or nothing when it may not grow.
    private func begin(
        _ state: inout State, _ id: MessageID, _ role: Message.Role, _ time: (WallTime, isServers: Bool)
    ) -> LongText? {
        // Its deadlines bear its id, and so it can grow in one conversation only.
        guard !state.parked.contains(where: { $0.growing.contains { $0.id == id } }) else { return nil }
        guard let ordinal = state.conversation.transcript.ordinal(of: id) else {
            _ = state.conversation.transcript.receive(
                Message(id: id, role: role, body: .growing, time: time.0, isPlaced: time.isServers))
            trim(&state)
            return LongText()
        }
        guard case .interrupted(let partial, .lost) = state.conversation.transcript[ordinal]?.body else {
            return nil
        }
        state.conversation.transcript.update(ordinal) { $0.body = .growing }
        return partial
    }

    // MARK: What is shown

    /// Shows what has gathered. The deadlines of the reply run on: no effect follows.
    func showBatch(_ state: inout State, _ id: MessageID) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }),
            state.conversation.growing[index].pending != .nothing
        else { return [] }
        _ = state.conversation.growing[index].flush()
        replacePartial(&state, by: id)
        return []
    }

    // MARK: Text that does not come

    /// The time is up that the first text of a reply began. Text that has come since does not start the timer anew,
    /// which would be a restart a token; what is left of the silence after the last of it is waited for here (S7).
    func silent(_ state: inout State, _ id: MessageID, _ context: inout Context) -> [Effect] {
        guard let reply = state.conversation.growing.first(where: { $0.id == id }) else { return [] }
        let silent = context.now - reply.lastArrival
        guard silent >= configuration.silenceLimit else {
            return [.start(.silence(id), after: configuration.silenceLimit - silent)]
        }
        return interrupt(&state, id, .timedOut, &context)
    }

    /// A reply will not be finished: what has come of it stays (S3, S4, S5).
    func interrupt(
        _ state: inout State, _ id: MessageID, _ reason: Interruption, _ context: inout Context
    ) -> [Effect] {
        stop(&state, id, reason)
    }

    /// The person has read enough of it: it is muted at once and kept as far as it came (C20, S3, S10).
    func stopReply(_ state: inout State, _ id: MessageID) -> [Effect] {
        stop(&state, id, .stopped)
    }

    func interruptAll(_ state: inout State, _ reason: Interruption) -> [Effect] {
        var effects: [Effect] = []
        for reply in state.conversation.growing { effects += stop(&state, reply.id, reason) }
        return effects
    }

    private func stop(_ state: inout State, _ id: MessageID, _ reason: Interruption) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }) else { return [] }
        _ = state.conversation.growing[index].flush()
        let shown = state.conversation.growing[index].shown
        if let ordinal = state.conversation.transcript.ordinal(of: id) {
            state.conversation.transcript.update(ordinal) { $0.body = .interrupted(shown, reason) }
        }
        if !shown.isEmpty { replacePartial(&state, by: id) }
        return stopGrowing(&state, id)
    }

    func stopGrowing(_ state: inout State, _ id: MessageID) -> [Effect] {
        guard let index = state.conversation.growing.firstIndex(where: { $0.id == id }) else { return [] }
        let isNumbered = state.conversation.growing.remove(at: index).chunks != nil
        let ended: [Effect] = [.cancel(.batch(id)), .cancel(.silence(id)), .cancel(.whole(id))]
        return isNumbered ? ended + [.cancel(.gap(id))] : ended
    }

    // MARK: Partials

    /// Text of a reply can be seen: the partial whose question was asked again goes (S6).
    func replacePartial(_ state: inout State, by id: MessageID) {
        let place = state.conversation.replaced.firstIndex { $0.by == .reply(id) }
        guard let place else { return }
        let partial = state.conversation.replaced.remove(at: place).partial
        guard partial != id, let ordinal = state.conversation.transcript.ordinal(of: partial),
            case .interrupted = state.conversation.transcript[ordinal]?.body
        else { return }
        state.conversation.transcript.remove(ordinal)
    }
}
