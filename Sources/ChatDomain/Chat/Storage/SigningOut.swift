// Sign-out (P10, L5): nothing of the person stays on the screen, and all of it stays stored under their id. Start with
// `signOut`. The pages are saved at once; a socket's server replays what is left out or refused, if it has a history.
// Unsaved outboxes and drafts continue in Departed.swift.

extension Chat.State {
    /// The most people with unsaved data (L8): more than share a device between two relaunches.
    private static var departedLimit: Int { 8 }

    /// Clears the state of the person, except unsaved data.
    mutating func signOut(_ step: inout Chat.Step) {
        let isShown = shared.wish.isShown
        shared.wish.isShown = false  // no stream starts the next question
        disconnect(&step)
        atEach(&step) { $0.endWork(&$1, &$2) }
        for index in places.indices { places[index].wrappedValue.savePagesAtOnce(&shared, &step) }
        let timers: [Chat.Timer] = [
            .restoring, .listLimit, .background, .uploadsAllowed, .rate, .reconnect,
        ]
        for timer in timers { step.add(.cancel(timer)) }
        var fresh = Chat.State(configuration: step.configuration)
        fresh.shared.wish.isShown = isShown
        fresh.shared.wish.isNetworkUp = shared.wish.isNetworkUp
        fresh.shared.wish.presence = shared.wish.presence
        if isSocket { fresh.shared.lasting = shared.lasting }
        fresh.departed = departed
        if let account {
            var left = Chat.Departed(
                account: account, list: shared.list, current: conversation.id,
                unstored: conversations.compactMap { Chat.Unstored(of: $0) })
            left.save(again: true, &step)
            if !left.isStored { fresh.departed = fresh.departed.suffix(Self.departedLimit - 1) + [left] }
        }
        step.asks = []  // they concern the cleared state
        self = fresh
    }
}

extension Chat.Conversation {
    /// Ends the waits and the timers, and erases the files that are being copied, because no stored draft names them.
    fileprivate mutating func endWork(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        stopWaits(&step)
        for copying in draft.copies {
            step.add(.cancel(.copying(copying.id)))
            erase(copying, &step)
        }
        for timer in [.outboxLimit(id), .draftSave(id), .draftLimit(id), .pageLimit(id)] as [Chat.Timer] {
            step.add(.cancel(timer))
        }
    }

    /// Saves the changed pages, and the contents after each.
    fileprivate mutating func savePagesAtOnce(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user else { return }
        // No step handles the answers, and a lost page would hide all earlier ones: storage stays as it is (C5).
        guard !transcript.pages.mayLosePages else { return }
        guard case .open = transcript.pages.record.access else { return }
        switch transcript.pages.work {
        case .savingPage(let page, _) where page >= transcript.pages.oldestPage:
            transcript.pages.markDirty(page)  // the disk may have lost it
        case .savingContents(let contents): transcript.pages.stored = contents
        case .savingPage, .none, .seeking, .loading, .lookingThrough: break  // a withdrawn page has no rows
        }
        let pages = transcript.pages
        // A cursor may name a row of any page, and one of them may be refused (C5).
        let isAlone = pages.dirty.first == pages.entries.last?.page
        let cursor = isAlone && !pages.hasForgotten ? self.cursor : pages.storedCursor
        for page in pages.toSaveUnheard(isReplayed: stream == nil) {
            let record = Page(messages: transcript.messages(ofPage: page), cursor: cursor)
            step.add(.save(.page(record), under: .page(user, id, page), step.context.nextAttempt()))
            guard let contents = transcript.pages.contents(after: page) else { continue }
            transcript.pages.stored = contents
            step.add(.save(.contents(contents), under: .contents(user, id), step.context.nextAttempt()))
        }
    }
}
