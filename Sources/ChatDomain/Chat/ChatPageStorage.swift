// How the transcript stands to storage (C21): one page is saved at a time, the oldest first, and the contents
// after a page that is new; so what is stored is always a whole beginning of the transcript.

extension Chat {
    /// Saves one page that differs from what is stored, if none is being saved.
    func savePages(_ state: inout State, _ context: inout Context) -> [Effect] {
        guard let account = state.account, case .idle = state.conversation.transcript.pages.storage,
            let page = state.conversation.transcript.pages.dirty.first
        else { return [] }
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
            return loadPage(&state, contents.newestPage, account, &context)
        case (.loadingContents(attempt), .failed(let failure)) where failure != .damaged:
            state.conversation.transcript.pages.storage = .unreadable(failure)
            state.banner = .notRestored(failure)
        case (.loadingContents(attempt), _):
            state.conversation.transcript.pages.restored(nil)
            state.conversation.transcript.pages.storage = .idle
        case (.savingContents(let contents, attempt), _):
            state.conversation.transcript.pages.storage = .idle
            if answer == .saved { state.conversation.transcript.pages.stored = contents }
            return []
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
        case .loadingPage(page, attempt):
            state.conversation.transcript.pages.storage = .idle
            switch answer {
            case .loaded(.page(let stored)):
                state.conversation.transcript.load(stored.messages, page: page)
                if state.conversation.cursor == nil { state.conversation.cursor = stored.cursor }
            case .failed(let failure):
                state.conversation.transcript.load([], page: page)
                state.banner = .notRestored(failure)
            case .missing, .loaded, .saved, .erased:
                state.conversation.transcript.load([], page: page)
            }
            return restoredSomething(&state, &context)
        case .savingPage(page, attempt):
            state.conversation.transcript.pages.storage = .idle
            guard answer == .saved else {
                // Not tried again at once: a full disk stays full until something changes.
                state.conversation.transcript.pages.saveFailed(page)
                if case .failed(let failure) = answer { state.banner = .notSaved(failure) }
                return []
            }
            return saveContents(&state, page, account, &context)
        default:
            return []
        }
    }

    /// Names a new page in the contents, after the page itself is stored.
    private func saveContents(
        _ state: inout State, _ page: Int64, _ account: Account, _ context: inout Context
    ) -> [Effect] {
        let contents = state.conversation.transcript.pages.contents(through: page)
        guard contents != state.conversation.transcript.pages.stored else { return [] }
        let attempt = context.nextAttempt()
        state.conversation.transcript.pages.storage = .savingContents(contents, attempt)
        return [
            .save(
                .contents(contents), under: .contents(account.user, state.conversation.id), attempt)
        ]
    }
}

extension Chat.Conversation {
    /// A page as it is to be stored, with a cursor that does not run ahead of it.
    func page(_ number: Int64) -> Page {
        let messages = transcript.messages(ofPage: number)
        if let cursor, messages.contains(where: { $0.id == cursor }) {
            return Page(messages: messages, cursor: cursor)
        }
        let last = messages.last { message in
            if case .text = message.body { message.isPlaced } else { false }
        }
        return Page(messages: messages, cursor: last?.id)
    }
}
