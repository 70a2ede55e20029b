// How the transcript stands to storage (C21): one page is saved at a time, the oldest first, and the contents
// after a page that is new; so what is stored is always a whole beginning of the transcript, and the cursor
// leads from it to the rest. A stream has no cursor and replays nothing: there the newest page is first. A
// message that moves to the next page, because a reply was put before it, is stored twice for a moment then,
// and never nowhere.

extension Chat {
    /// Saves one page that differs from what is stored, if none is being saved.
    func savePages(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .idle = state.conversation.transcript.pages.storage else {
            return []
        }
        if state.conversation.transcript.pages.isContentsStale {
            let contents = state.conversation.transcript.pages.contentsWithoutWithdrawn
            return saveContents(&state, contents, account, &context)
        }
        let dirty = state.conversation.transcript.pages.dirty
        guard let page = state.conversation.stream == nil ? dirty.first : dirty.last else { return [] }
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.beganSaving(page)
        state.conversation.transcript.pages.storage = .savingPage(page, attempt)
        return [
            .save(
                .page(state.conversation.page(page)),
                under: .page(account.user, state.conversation.id, page), attempt)
        ]
    }

    func loadOlder(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .idle = state.conversation.transcript.pages.storage,
            let page = state.conversation.transcript.pages.previousPage
        else { return [] }
        return loadPage(&state, page, account, &context)
    }

    private func loadPage(
        _ state: inout State, _ page: Int64, _ account: Account, _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.storage = .loadingPage(page, attempt)
        return [.load(.page(account.user, state.conversation.id, page), attempt)]
    }

    func contentsStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ account: Account,
        _ context: inout Context
    ) -> [Effect] {
        switch (state.conversation.transcript.pages.storage, answer) {
        case (.loadingContents(attempt), .loaded(.contents(let contents))):
            state.conversation.transcript.pages.restored(contents)
            guard contents.newestPage >= contents.oldestPage else {
                state.conversation.transcript.pages.storage = .idle
                return restoredSomething(&state, &context)
            }
            return loadPage(&state, contents.newestPage, account, &context)
        case (.loadingContents(attempt), .failed(let failure)) where failure != .damaged:
            state.conversation.transcript.pages.storage = .unreadable(failure)
            state.conversation.banner = .notRestored(failure)
        case (.loadingContents(attempt), .failed(let failure)):
            state.conversation.banner = .notRestored(failure)
            return seekPage(&state, 0, account, &context)
        case (.loadingContents(attempt), _):
            state.conversation.transcript.pages.restored(nil)
            state.conversation.transcript.pages.storage = .idle
        case (.savingContents(let contents, attempt), _):
            state.conversation.transcript.pages.storage = .idle
            guard answer == .saved else {
                state.conversation.transcript.pages.saveFailed(nil)
                if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
                return []
            }
            state.conversation.transcript.pages.stored = contents
            return forgetRefused(&state, &context)
        default:
            return []
        }
        return restoredSomething(&state, &context)
    }

    func pageStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ page: Int64, _ attempt: Attempt,
        _ account: Account, _ context: inout Context
    ) -> [Effect] {
        switch state.conversation.transcript.pages.storage {
        case .seekingPage(page, attempt):
            return sought(&state, answer, page, account, &context)
        case .loadingPage(page, attempt):
            state.conversation.transcript.pages.storage = .idle
            guard page >= state.conversation.transcript.pages.oldestPage else { return [] }  // withdrawn
            switch answer {
            case .loaded(.page(let stored)):
                for message in stored.messages where message.id == nil {
                    guard let client = message.client, case .text(let text) = message.body else { continue }
                    state.conversation.adopt(client, text)
                }
                for message in stored.messages {
                    guard let id = message.id, case .interrupted(_, .lost) = message.body,
                        state.conversation.transcript.ordinal(of: id) == nil
                    else { continue }
                    state.conversation.storedPartials.append(id)
                }
                state.conversation.transcript.load(stored.messages, page: page)
                if case .connected = state.connection { dropStoredPartials(&state) }
                // Only the newest page knows it, and only before the network knows better (C6).
                if !state.conversation.isRestored, state.conversation.cursor == nil {
                    state.conversation.cursor = stored.cursor
                }
            case .failed(let failure):
                state.conversation.banner = .notRestored(failure)
                // Only a damaged page was set aside; another stays, so no row may be added to it.
                if case .damaged = failure { state.conversation.transcript.load([], page: page) }
            case .missing, .loaded, .saved, .erased:
                state.conversation.transcript.load([], page: page)
            }
            // A page that cannot be read ends it, or it would be asked for over and over.
            if let older = state.conversation.pageToRestore, older < page {
                return loadPage(&state, older, account, &context)
            }
            return restoredSomething(&state, &context)
        case .savingPage(page, attempt):
            state.conversation.transcript.pages.storage = .idle
            guard answer == .saved else {
                state.conversation.transcript.pages.saveFailed(page)
                if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
                return []
            }
            guard page >= state.conversation.transcript.pages.oldestPage else { return [] }  // withdrawn
            // A new page is named in the contents, after the page itself is stored.
            let contents = state.conversation.transcript.pages.contents(through: page)
            guard contents != state.conversation.transcript.pages.stored else {
                return forgetRefused(&state, &context)
            }
            return saveContents(&state, contents, account, &context)
        default:
            return []
        }
    }

    /// Looks for a page, because nobody can say any more which there are (R5).
    private func seekPage(
        _ state: inout State, _ page: Int64, _ account: Account, _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.storage = .seekingPage(page, attempt)
        return [.load(.page(account.user, state.conversation.id, page), attempt)]
    }

    /// Pages are numbered without gaps, so the first that is missing comes after the newest.
    private func sought(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ page: Int64, _ account: Account,
        _ context: inout Context
    ) -> [Effect] {
        switch answer {
        case .missing where page == 0:
            state.conversation.transcript.pages.restored(nil)
            state.conversation.transcript.pages.storage = .idle
            return restoredSomething(&state, &context)
        case .missing:
            state.conversation.transcript.pages.restored(Contents(oldestPage: 0, newestPage: page - 1))
            return loadPage(&state, page - 1, account, &context)
        case .failed(let failure) where failure != .damaged:
            state.conversation.transcript.pages.storage = .unreadable(failure)
            return restoredSomething(&state, &context)
        case .loaded, .saved, .erased, .failed:
            return seekPage(&state, saturatingSum(page, 1), account, &context)
        }
    }

    private func saveContents(
        _ state: inout State, _ contents: Contents, _ account: Account, _ context: inout Context
    ) -> [Effect] {
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.storage = .savingContents(contents, attempt)
        return [
            .save(
                .contents(contents), under: .contents(account.user, state.conversation.id), attempt)
        ]
    }
}

extension Chat.Conversation {
    /// The page that must be loaded before anything is connected: a replay brings what came after the cursor,
    /// and nothing of that may be taken for new (L6), least of all what was deleted (C13). A stream replays
    /// nothing, and only what broke off needs its question.
    fileprivate var pageToRestore: Int64? {
        guard stream == nil else {
            return !isRestored && beginsWithAnswer ? transcript.pages.previousPage : nil
        }
        guard !isRestored, cursor.flatMap({ transcript.ordinal(of: $0) }) == nil,
            // As many ids as are recognised at least (SPEC section 8).
            transcript.rows.count < 1_000
        else { return nil }
        return transcript.pages.previousPage
    }

    /// A page as it is to be stored, with a cursor that does not run ahead of it.
    func page(_ number: Int64) -> Page {
        Page(messages: transcript.messages(ofPage: number), cursor: cursor(withinPage: number))
    }

    /// The cursor, if its row is stored once this page is; else the last finished message before the end
    /// of the page. It runs ahead neither of what is stored nor of a reply that still grows.
    private func cursor(withinPage number: Int64) -> MessageID? {
        guard let cursor, let row = transcript.ordinal(of: cursor),
            let page = transcript.pages.ordinals(of: number, end: transcript.rows.ordinals.upperBound),
            row >= page.upperBound
        else { return cursor }
        for row in transcript.rows.newestFirst(before: page.upperBound) where row.value.isFinished {
            return row.value.id
        }
        return nil
    }
}
