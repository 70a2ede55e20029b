// How the transcript stands to storage (C21): one page is saved at a time, mostly the oldest first, and the
// contents after a page that is new; so what is stored is always a whole beginning of the transcript, and the
// cursor leads from it to the rest. When a message has moved to the next page, because another was put before
// it, that page is saved first (PageTable.swift): it is stored twice for a moment, and never nowhere. The cursor
// is stored with the page that is saved last, so that it never runs ahead of what is stored.

extension Chat {
    /// Saves one page that differs from what is stored, if none is being saved.
    func savePages(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .idle = state.conversation.transcript.pages.storage,
            state.conversation.outbox.saves.durability(of: state.conversation.renamed) != .pending
        else { return [] }
        if state.conversation.transcript.pages.dirty.isEmpty,
            state.conversation.transcript.pages.isContentsStale
        {
            let contents = state.conversation.transcript.pages.contentsWithoutWithdrawn
            return saveContents(&state, contents, account, &context)
        }
        guard let page = state.conversation.transcript.pages.nextToSave else { return [] }
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.beganSaving(page)
        let record = state.conversation.page(page)
        state.conversation.transcript.pages.storage = .savingPage(page, attempt, cursor: record.cursor)
        return [
            .save(
                .page(record),
                under: .page(account.user, state.conversation.id, page), attempt),
            pageLimit(state),
        ]
    }

    /// From here on the disk has so long for what it was asked of the transcript.
    private func pageLimit(_ state: State) -> Effect {
        .start(.pageLimit(state.conversation.id), after: configuration.storageLimit)
    }

    /// The disk says nothing, and the person has to know. What was to be loaded is waited for no longer, and may
    /// be asked for again. What is to be saved stays with the disk, so that no more of it piles up there.
    func pagesTimedOut(_ state: inout State) -> [Effect] {
        switch state.conversation.transcript.pages.storage {
        case .loadingPage:
            state.conversation.transcript.pages.storage = .idle
            state.conversation.banner = .notRestored(.unavailable)
        case .savingPage, .savingContents:
            state.conversation.transcript.pages.saveTimedOut()
            state.conversation.banner = .notSaved(.unavailable)
        case .unknown, .loadingContents, .seekingPage, .idle, .unreadable: break
        }
        return []
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
        // Before anything is connected another limit holds, and what comes after it is used all the same.
        let limit = state.conversation.isRestored ? [pageLimit(state)] : []
        return [.load(.page(account.user, state.conversation.id, page), attempt)] + limit
    }

    func contentsStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ attempt: Attempt, _ account: Account,
        _ context: inout Context
    ) -> [Effect] {
        switch (state.conversation.transcript.pages.storage, answer) {
        case (.loadingContents(attempt), .loaded(.contents(let contents))):
            state.conversation.transcript.pages.restored(contents)
            state.conversation.transcript.hideDeleted()
            guard contents.newestPage >= state.conversation.transcript.pages.oldestPage else {
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
            let ended = Effect.cancel(.pageLimit(state.conversation.id))
            guard answer == .saved else {
                state.conversation.transcript.pages.saveFailed(nil)
                if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
                return [ended]
            }
            state.conversation.transcript.pages.stored = contents
            return [ended] + forgetRefused(&state, &context)
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
            let ended = Effect.cancel(.pageLimit(state.conversation.id))
            guard page >= state.conversation.transcript.pages.oldestPage else { return [ended] }  // withdrawn
            switch answer {
            case .loaded(.page(let stored)):
                state.conversation.adopt(stored.messages, on: account.device)
                for message in stored.messages {
                    guard let id = message.id, case .interrupted(_, .lost) = message.body,
                        state.conversation.transcript.ordinal(of: id) == nil
                    else { continue }
                    state.conversation.storedPartials.append(id)
                }
                if page == state.conversation.transcript.pages.stored?.newestPage {
                    state.conversation.transcript.pages.storedCursor = stored.cursor
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
            return [ended] + restoredSomething(&state, &context)
        case .savingPage(page, attempt, let cursor):
            state.conversation.transcript.pages.storage = .idle
            let ended = Effect.cancel(.pageLimit(state.conversation.id))
            guard answer == .saved else {
                state.conversation.transcript.pages.saveFailed(page)
                if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
                return [ended]
            }
            guard page >= state.conversation.transcript.pages.oldestPage else { return [ended] }  // withdrawn
            state.conversation.transcript.pages.saved(page, with: cursor, current: state.conversation.cursor)
            // A new page is named in the contents, after the page itself is stored.
            guard let contents = state.conversation.transcript.pages.contents(after: page) else {
                return [ended] + forgetRefused(&state, &context)
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
            guard page > state.conversation.transcript.pages.oldestPage else {
                state.conversation.transcript.pages.storage = .idle
                return restoredSomething(&state, &context)
            }
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
                .contents(contents), under: .contents(account.user, state.conversation.id), attempt),
            pageLimit(state),
        ]
    }
}

extension Chat.Conversation {
    /// The page that must be loaded before anything is connected: a replay brings what came after the cursor,
    /// and nothing of that may be taken for new (L6), least of all what was deleted (C13). A stream replays
    /// nothing, and only the latest question and one whose reply broke off are needed.
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

    /// A page as it is to be stored. It tells the cursor only when all else is stored: as long as it is not, the
    /// cursor that leads to all of it stays. What the server has said last may stand anywhere (C16).
    func page(_ number: Int64) -> Page {
        Page(
            messages: transcript.messages(ofPage: number),
            cursor: transcript.pages.dirty.isEmpty ? cursor : transcript.pages.storedCursor)
    }
}
