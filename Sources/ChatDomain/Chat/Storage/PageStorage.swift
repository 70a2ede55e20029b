// How the transcript stands to storage (C21). One page is saved at a time, mostly the oldest first, and the contents
// after a new page; so a whole beginning of the transcript is always stored, and the cursor leads from it to the
// rest. The last page to be saved carries the cursor, so the cursor never runs ahead. PageTable.swift says which page
// is next.

extension Chat.Conversation {
    // MARK: At the end of every step

    /// Applies a step, and keeps what it has changed.
    @inline(__always) mutating func run(
        _ body: (inout Chat.Conversation, inout Chat.Shared, inout Chat.Step) -> Void,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        body(&self, &shared, &step)
        keep(&shared, &step)
    }

    /// What a step has changed is saved, and what it has delivered is freed.
    mutating func keep(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if !delivered.isEmpty {
            erase(delivered, &step)
            delivered = []
        }
        if case .idle = transcript.pages.storage, transcript.pages.isToBeSaved { savePages(&shared, &step) }
        let limit = max(step.configuration.transcriptLimit, Chat.Conversation.fewestKept)
        if transcript.rows.count > limit { transcript.forgetUnstored(to: limit) }
    }

    // MARK: Saving

    /// Saves one page that differs from what is stored; none is being saved.
    private mutating func savePages(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user else { return }
        if transcript.pages.dirty.isEmpty, transcript.pages.isContentsStale {
            if let page = transcript.pages.withdrawn.last { return loadPage(page, user, &step) }
            return saveContents(transcript.pages.contentsWithoutWithdrawn, user, &step)
        }
        guard let page = transcript.pages.nextToSave else { return }
        let attempt = step.context.nextAttempt()
        transcript.pages.beganSaving(page)
        let record = self.page(page)
        transcript.pages.storage = .savingPage(page, attempt, cursor: record.cursor)
        step.add(.save(.page(record), under: .page(user, id, page), attempt))
        step.add(.start(.pageLimit(id), after: step.configuration.storageLimit))
    }

    private mutating func saveContents(_ contents: Contents, _ user: UserID, _ step: inout Chat.Step) {
        let attempt = step.context.nextAttempt()
        transcript.pages.storage = .savingContents(contents, attempt)
        step.add(.save(.contents(contents), under: .contents(user, id), attempt))
        step.add(.start(.pageLimit(id), after: step.configuration.storageLimit))
    }

    /// A page as it is to be stored. The cursor moves only when all else is stored, and may name any row (C16).
    func page(_ number: Int64) -> Page {
        let pages = transcript.pages
        return Page(
            messages: transcript.messages(ofPage: number),
            cursor: pages.dirty.isEmpty && !pages.hasForgotten ? cursor : pages.storedCursor)
    }

    private mutating func pageSaved(
        _ page: Int64, with cursor: MessageID?, _ failure: StorageFailure?, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        pagesEnded(&step)
        if let failure {
            transcript.pages.saveFailed(page)
            banner = .notSaved(failure)
            return
        }
        guard page >= transcript.pages.oldestPage else { return }  // withdrawn
        transcript.pages.saved(page, with: cursor, current: self.cursor)
        // A new page is named in the contents, after the page itself is stored.
        if let user = shared.account?.user, let contents = transcript.pages.contents(after: page) {
            saveContents(contents, user, &step)
        } else {
            forgetRefused(&shared, &step)
        }
    }

    private mutating func contentsSaved(
        _ contents: Contents, _ failure: StorageFailure?, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        pagesEnded(&step)
        if let failure {
            transcript.pages.saveFailed(nil)
            banner = .notSaved(failure)
        } else {
            transcript.pages.stored = contents
            forgetRefused(&shared, &step)
        }
    }

    /// What was asked of the disk is answered.
    private mutating func pagesEnded(_ step: inout Chat.Step) {
        transcript.pages.storage = .idle
        step.add(.cancel(.pageLimit(id)))
    }

    /// The disk is silent. A load is given up and may be asked for again; a save stays with the disk, so no more pile
    /// up.
    mutating func pagesTimedOut(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        switch transcript.pages.storage {
        case .loadingPage(let page, _):
            if !transcript.pages.withdrawn.contains(page) { transcript.pages.storage = .idle }
            banner = .notRestored(.unavailable)
        case .savingPage, .savingContents:
            transcript.pages.saveTimedOut()
            banner = .notSaved(.unavailable)
        case .unknown, .loadingContents, .seekingPage, .idle, .unreadable: break
        }
    }

    // MARK: Loading

    /// The person wants to see what is older (C21).
    mutating func loadOlder(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user, case .idle = transcript.pages.storage,
            let page = transcript.pages.previousPage
        else { return }
        loadPage(page, user, &step)
    }

    private mutating func loadPage(_ page: Int64, _ user: UserID, _ step: inout Chat.Step) {
        let attempt = step.context.nextAttempt()
        transcript.pages.storage = .loadingPage(page, attempt)
        step.add(.load(.page(user, id, page), attempt))
        // Before anything is connected another limit holds, and what comes after it is used all the same.
        if isRestored { step.add(.start(.pageLimit(id), after: step.configuration.storageLimit)) }
    }

    mutating func contentsStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        switch transcript.pages.storage {
        case .loadingContents(attempt): contentsLoaded(answer, &shared, &step)
        case .savingContents(let contents, attempt): contentsSaved(contents, answer.failure, &shared, &step)
        default: break
        }
    }

    private mutating func contentsLoaded(
        _ answer: StorageAnswer<Chat.Record>, _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let user = shared.account?.user else { return }
        switch answer {
        case .loaded(.contents(let contents)) where contents.isPlausible:
            transcript.pages.restored(contents)
            transcript.hideDeleted()
            transcript.pages.storage = .idle
            guard contents.newestPage < transcript.pages.oldestPage else {
                return loadPage(contents.newestPage, user, &step)
            }
        case .loaded(.contents), .failed(.damaged):
            banner = .notRestored(.damaged)
            return seekPage(0, user, &step)
        case .failed(let failure):
            banner = .notRestored(failure)
            transcript.pages.storage = .unreadable(failure)
        case .missing, .loaded, .saved, .erased:
            transcript.pages.restored(nil)
            transcript.pages.storage = .idle
        }
        restoredSomething(&shared, &step)
    }

    mutating func pageStored(
        _ answer: StorageAnswer<Chat.Record>, _ page: Int64, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        switch transcript.pages.storage {
        case .seekingPage(page, attempt): sought(page, answer, &shared, &step)
        case .loadingPage(page, attempt): pageLoaded(page, answer, &shared, &step)
        case .savingPage(page, attempt, let cursor):
            pageSaved(page, with: cursor, answer.failure, &shared, &step)
        default: break
        }
    }

    private mutating func pageLoaded(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        pagesEnded(&step)
        guard let user = shared.account?.user else { return }
        guard page != transcript.pages.withdrawn.last else { return keep(page, answer, &shared, &step) }
        // It may have been withdrawn, or newer ones forgotten, meanwhile.
        guard page == transcript.pages.previousPage else { return restoredSomething(&shared, &step) }
        let end = transcript.rows.ordinals.lowerBound
        switch answer {
        case .loaded(.page(let stored)):
            if page == transcript.pages.stored?.newestPage { transcript.pages.storedCursor = stored.cursor }
            transcript.load(stored.messages, page: page)
            // Only the newest page knows it, and only before the network knows better (C6).
            if !isRestored, cursor == nil { pushed.cursor = stored.cursor }
        case .failed(.damaged):
            banner = .notRestored(.damaged)
            transcript.load([], page: page)  // it was set aside: what is before it may be whole
        case .failed(let failure): banner = .notRestored(failure)  // it stays, so no row may be added to it
        case .missing, .loaded, .saved, .erased:
            banner = .notRestored(.damaged)
            guard page < transcript.pages.stored?.newestPage ?? page else {
                return seekPage(transcript.pages.oldestPage, user, &step)
            }
            transcript.pages.missing = page
        }
        // A page that cannot be read ends it, or it would be asked for over and over.
        if let older = pageToRestore, older < page { return loadPage(older, user, &step) }
        restoredSomething(loaded: transcript.rows.ordinals.lowerBound..<end, &shared, &step)
    }

    /// A page has come whose history was withdrawn before it was loaded: what the server never had of it stays (C5, L5).
    private mutating func keep(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        let end = transcript.rows.ordinals.upperBound
        switch answer {
        case .loaded(.page(let stored)): transcript.keepUnconfirmed(of: stored.messages)
        case .failed(.damaged): banner = .notRestored(.damaged)
        case .failed(let failure):
            banner = .notRestored(failure)
            transcript.pages.storage = .unreadable(failure)
            return
        case .missing, .loaded, .saved, .erased: return transcript.pages.lookedThrough(page, isFirst: true)
        }
        transcript.pages.lookedThrough(page)
        guard end < transcript.rows.ordinals.upperBound else { return }
        bringInLine(isFirst: false, in: end..<transcript.rows.ordinals.upperBound, &shared, &step)
    }

    /// The page that must be loaded before a connection. Without it a replay would show known or deleted messages as
    /// new (L6, C13). A stream replays nothing; it needs the latest question, and one whose reply broke off.
    private var pageToRestore: Int64? {
        guard !isRestored else { return nil }
        guard stream == nil else { return beginsWithAnswer ? transcript.pages.previousPage : nil }
        guard cursor.flatMap({ transcript.ordinal(of: $0) }) == nil,
            transcript.rows.count < Chat.Conversation.fewestKept,
            transcript.pages.entries.count < PageTable.searchLimit
        else { return nil }
        return transcript.pages.previousPage
    }

    // MARK: Searching

    /// Looks for a page, because nobody can say any more which there are (R5).
    private mutating func seekPage(_ page: Int64, _ user: UserID, _ step: inout Chat.Step) {
        let attempt = step.context.nextAttempt()
        transcript.pages.storage = .seekingPage(page, attempt)
        step.add(.load(.page(user, id, page), attempt))
    }

    /// Pages are numbered without gaps, so the first that is missing comes after the newest.
    private mutating func sought(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let user = shared.account?.user else { return }
        let oldest = transcript.pages.stored?.oldestPage ?? 0
        switch answer {
        case .missing where page <= oldest:
            transcript.pages.restored(nil)
            transcript.pages.storage = .idle
            restoredSomething(&shared, &step)
        case .missing:
            transcript.pages.restored(Contents(oldestPage: oldest, newestPage: page - 1))
            transcript.pages.storage = .idle
            guard let newest = transcript.pages.previousPage else { return restoredSomething(&shared, &step) }
            loadPage(newest, user, &step)
        case .failed(let failure) where failure != .damaged:
            transcript.pages.storage = .unreadable(failure)
            restoredSomething(&shared, &step)
        case .loaded, .saved, .erased, .failed:
            guard page - oldest < PageTable.searchLimit else {
                transcript.pages.storage = .unreadable(.damaged)
                return restoredSomething(&shared, &step)
            }
            seekPage(page + 1, user, &step)
        }
    }
}
