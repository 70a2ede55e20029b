// Saves and loads of the transcript (C21). One page is saved at a time, usually the oldest first, and the contents
// after a new page. So storage always has a gapless beginning of the transcript. The last page of a series carries the
// cursor, so the cursor never precedes its messages. Start with `savePages` and `pageLoaded`; PageTable.swift selects
// the next page.

extension Chat.Conversation {
    // MARK: At the end of every step

    /// Runs a step and finishes it.
    @inline(__always) mutating func run(
        _ body: (inout Chat.Conversation, inout Chat.Shared, inout Chat.Step) -> Void,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        let end = transcript.rows.ordinals.upperBound
        body(&self, &shared, &step)
        keep(addedFrom: end, &shared, &step)
    }

    /// Ends every step: erases the files of delivered messages, loads the page that the person asked for or saves a
    /// changed one, and limits the rows in memory if the step has added some from `end` on. Older rows that the person
    /// asked for, or has changed, exceed the limit and stay in view.
    private mutating func keep(addedFrom end: Int64, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        if !filesToErase.isEmpty {
            erase(filesToErase, &step)
            filesToErase = []
        }
        if transcript.pages.isOlderWanted, transcript.pages.work == .none { loadOlder(&shared, &step) }
        // Until a history is replayed anew, storage has the former one: a crash in between loses neither (C5).
        let isBeingRetold = pushed.retelling?.isOfWithdrawn == true
        if !isBeingRetold, transcript.pages.isToBeSaved { savePages(&shared, &step) }
        let limit = max(step.configuration.transcriptLimit, Chat.Conversation.fewestKept)
        if transcript.rows.count > limit, transcript.rows.ordinals.upperBound > end {
            transcript.forgetUnstored(to: limit)
        }
    }

    // MARK: Saving

    /// Saves one changed page. After the last one, the pages of a withdrawn history are searched for unconfirmed
    /// messages, and then the contents drop that history.
    private mutating func savePages(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let user = shared.account?.user else { return }
        if transcript.pages.dirty.isEmpty, transcript.pages.isContentsStale {
            guard let page = transcript.pages.withdrawn.last else {
                return saveContents(transcript.pages.contentsWithoutWithdrawn, user, &step)
            }
            let attempt = transcript.pages.record.saves(under: step.context.nextAttempt())
            guard let attempt else { return }
            step.add(.load(.page(user, id, page), attempt))
            return begin(.lookingThrough(page), &step)
        }
        guard let page = transcript.pages.nextToSave else { return }
        transcript.pages.beganSaving(page)
        let record = self.page(page)
        step.save(&transcript.pages.record, .page(record), under: .page(user, id, page))
        begin(.savingPage(page, cursor: record.cursor), &step)
    }

    private mutating func saveContents(_ contents: Contents, _ user: UserID, _ step: inout Chat.Step) {
        step.save(&transcript.pages.record, .contents(contents), under: .contents(user, id))
        begin(.savingContents(contents), &step)
    }

    private mutating func begin(_ work: PageTable.Work, _ step: inout Chat.Step) {
        transcript.pages.work = work
        step.add(.start(.pageLimit(id), after: step.configuration.storageLimit))
    }

    /// A page for storage. The cursor moves only if all other pages are stored, because it may name any row (C16).
    func page(_ number: Int64) -> Page {
        let pages = transcript.pages
        return Page(
            messages: transcript.messages(ofPage: number),
            cursor: pages.dirty.isEmpty && !pages.hasForgotten ? cursor : pages.storedCursor)
    }

    private mutating func pageSaved(
        _ answer: StorageAnswer<Chat.Record>, _ page: Int64, with cursor: MessageID?, _ attempt: Attempt,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let ended = transcript.pages.record.ended(attempt, succeeded: answer == .saved) else { return }
        pagesEnded(&step)
        guard ended == .durable else {
            transcript.pages.notSaved(page)
            return tell(ended, answer)
        }
        transcript.pages.saved(page, with: cursor, current: self.cursor)
        // None behind a page that a reset has withdrawn: the stored contents still name that history.
        let contents = transcript.pages.contents(after: page)
        transcript.pages.savesOn()
        // The contents name a new page only after the page is stored.
        guard let user = shared.account?.user, let contents else { return forgetHandedOver(&shared, &step) }
        _ = transcript.pages.record.changed()
        saveContents(contents, user, &step)
    }

    private mutating func contentsSaved(
        _ answer: StorageAnswer<Chat.Record>, _ contents: Contents, _ attempt: Attempt,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let ended = transcript.pages.record.ended(attempt, succeeded: answer == .saved) else { return }
        pagesEnded(&step)
        guard ended == .durable else { return tell(ended, answer) }
        transcript.pages.stored = contents
        transcript.pages.savesOn()
        forgetHandedOver(&shared, &step)
    }

    private mutating func tell(_ ended: KeptRecord.Ended, _ answer: StorageAnswer<Chat.Record>) {
        if ended == .failed(isNews: true), let failure = answer.failure { banner = .notSaved(failure) }
    }

    private mutating func pagesEnded(_ step: inout Chat.Step) {
        transcript.pages.work = .none
        step.add(.cancel(.pageLimit(id)))
    }

    /// The disk is silent. A load ends and can be requested again; a save continues, so that saves do not pile up.
    mutating func pagesTimedOut(_ step: inout Chat.Step) {
        switch transcript.pages.work {
        case .none, .seeking: break
        case .loading:
            transcript.pages.work = .none
            banner = .notRestored(.unavailable)
        case .lookingThrough: if transcript.pages.record.timedOut() { banner = .notRestored(.unavailable) }
        case .savingPage, .savingContents:
            if transcript.pages.record.timedOut() { banner = .notSaved(.unavailable) }
        }
    }

    // MARK: Loading

    /// Asks for the page before the oldest in memory (C21): a list asks once, so the wish outlasts a running save.
    mutating func wantOlder() {
        // A running load brings older rows already.
        if case .loading = transcript.pages.work { return }
        let hasOlder = transcript.pages.previousPage != nil
        transcript.pages.isOlderWanted = hasOlder && transcript.pages.isContentsKnown
    }

    private mutating func loadOlder(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        transcript.pages.isOlderWanted = false
        guard let user = shared.account?.user, let page = transcript.pages.previousPage else { return }
        loadPage(page, user, &step)
    }

    private mutating func loadPage(_ page: Int64, _ user: UserID, _ step: inout Chat.Step) {
        let attempt = step.context.nextAttempt()
        step.add(.load(.page(user, id, page), attempt))
        // The deadline of the launch limits this load, and a late answer is still used.
        guard isRestored else { return transcript.pages.work = .loading(page, attempt) }
        begin(.loading(page, attempt), &step)
    }

    mutating func contentsStored(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        switch transcript.pages.work {
        case .savingContents(let contents): contentsSaved(answer, contents, attempt, &shared, &step)
        case .none where transcript.pages.record.access == .loading(attempt):
            contentsLoaded(answer, attempt, &shared, &step)
        default: break
        }
    }

    private mutating func contentsLoaded(
        _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let user = shared.account?.user else { return }
        switch answer {
        case .loaded(.contents(let contents)) where contents.isPlausible:
            transcript.pages.restored(contents)
            transcript.hideDeleted()
            _ = transcript.pages.record.loaded(attempt, nil)
            guard contents.newestPage < transcript.pages.oldestPage else {
                return loadPage(contents.newestPage, user, &step)
            }
        case .loaded(.contents), .failed(.damaged):
            (banner, transcript.pages.hasLost) = (.notRestored(.damaged), true)
            return seekPage(0, user, &step)
        case .failed(let failure):
            banner = .notRestored(failure)
            _ = transcript.pages.record.loaded(attempt, failure)
        // Pages may be there nevertheless: the first is stored before them, and damaged ones were set aside.
        case .missing, .loaded, .saved, .erased: return seekPage(0, user, &step)
        }
        restoredSomething(&shared, &step)
    }

    mutating func pageStored(
        _ answer: StorageAnswer<Chat.Record>, _ page: Int64, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        switch transcript.pages.work {
        case .seeking(page) where transcript.pages.record.access == .loading(attempt):
            sought(page, answer, attempt, &shared, &step)
        case .loading(page, attempt): pageLoaded(page, answer, &shared, &step)
        case .lookingThrough(page): lookedThrough(page, answer, attempt, &shared, &step)
        case .savingPage(page, let cursor): pageSaved(answer, page, with: cursor, attempt, &shared, &step)
        default: break
        }
    }

    private mutating func pageLoaded(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        pagesEnded(&step)
        guard let user = shared.account?.user else { return }
        // A reset may have withdrawn it meanwhile, or newer pages may have left memory.
        guard page == transcript.pages.previousPage else { return restoredSomething(&shared, &step) }
        let end = transcript.rows.ordinals.lowerBound
        switch answer {
        case .loaded(.page(let stored)):
            if page == transcript.pages.newestSaved { transcript.pages.storedCursor = stored.cursor }
            // A cursor from the network is newer (C6). Behind a damaged page, the cursor of an older one may name what
            // was lost with it; without one, the server tells it again (C5).
            if !isRestored, cursor == nil, !transcript.pages.hasStoredInMemory {
                pushed.cursor = stored.cursor
            }
            transcript.load(stored.messages, page: page)
            recognize(stored.messages, &shared, &step)
            if stored.messages.isEmpty { transcript.pages.hasLost = true }
        case .failed(let failure) where failure != .damaged:
            banner = .notRestored(failure)  // it stays on disk; no row is added to it
        case .missing, .loaded, .saved, .erased, .failed:
            (banner, transcript.pages.hasLost) = (.notRestored(.damaged), true)
            guard answer.failure == .damaged || page < transcript.pages.newestSaved else {
                return seekPage(transcript.pages.oldestPage, user, &step)
            }
            // Earlier pages may be intact: an empty page is stored in its place, so that no launch stops here.
            transcript.load([], page: page)
            transcript.pages.markDirty(page)
        }
        // An unreadable page ends the loop; otherwise it would be loaded again and again.
        if let older = pageToRestore, older < page { return loadPage(older, user, &step) }
        restoredSomething(loaded: transcript.rows.ordinals.lowerBound..<end, &shared, &step)
    }

    /// Keeps the unconfirmed messages of a withdrawn page that was not in memory (C5, L5), and recognises the others.
    private mutating func lookedThrough(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        let failure = answer.failure == .damaged ? nil : answer.failure
        guard let ended = transcript.pages.record.ended(attempt, succeeded: failure == nil) else { return }
        pagesEnded(&step)
        if let failure {
            if ended == .failed(isNews: true) { banner = .notRestored(failure) }
            return
        }
        if answer.failure == .damaged { banner = .notRestored(.damaged) }
        let end = transcript.rows.ordinals.upperBound
        if case .loaded(.page(let stored)) = answer {
            transcript.keepUnconfirmed(of: stored.messages)
            recognize(stored.messages, &shared, &step)
        }
        // Contents whose newest page is missing may name any number of pages that never were.
        let isLast = answer == .missing && page == transcript.pages.stored?.newestPage
        transcript.pages.lookedThrough(page, isLast: isLast)
        transcript.pages.savesOn()
        guard end < transcript.rows.ordinals.upperBound else { return }
        bringInLine(isFirst: false, in: end..<transcript.rows.ordinals.upperBound, &shared, &step)
    }

    /// The next page to load before the first connection. Without it, a replay would show known or deleted messages as
    /// new (L6, C13). Streams have no replay; they need the latest question and its interrupted reply.
    private var pageToRestore: Int64? {
        guard !isRestored else { return nil }
        guard stream == nil else { return beginsWithAnswer ? transcript.pages.previousPage : nil }
        guard cursor.flatMap({ transcript.ordinal(of: $0) }) == nil,
            transcript.rows.count < Chat.Conversation.fewestKept,
            transcript.pages.entries.count < PageTable.searchLimit
        else { return nil }
        return transcript.pages.previousPage
    }

    /// Loads an older page, if a message in the outbox was sent and no page so far has it; returns whether it does. The
    /// process may have ended after a full page was stored and before the outbox was: a message on that page would be
    /// sent again, and be shown twice (L6).
    mutating func looksForSent() -> Bool {
        guard stream == nil, transcript.pages.previousPage != nil,
            transcript.rows.count < Chat.Conversation.fewestKept,
            outbox.queue.elements.contains(where: {
                $0.entry.wasSent && transcript.ordinal(of: $0.client) == nil
            })
        else { return false }
        transcript.pages.isOlderWanted = true  // the load follows a save under way
        return true
    }

    // MARK: Searching

    /// Searches for the pages one by one, because the contents are missing, damaged or wrong (R5).
    private mutating func seekPage(_ page: Int64, _ user: UserID, _ step: inout Chat.Step) {
        transcript.pages.work = .seeking(page)
        transcript.pages.record.readsAgain(evenIfOpen: true)
        step.load(&transcript.pages.record, .page(user, id, page))
    }

    /// Pages are numbered without gaps, so the first missing one comes after the newest.
    private mutating func sought(
        _ page: Int64, _ answer: StorageAnswer<Chat.Record>, _ attempt: Attempt, _ shared: inout Chat.Shared,
        _ step: inout Chat.Step
    ) {
        guard let user = shared.account?.user else { return }
        let oldest = transcript.pages.stored?.oldestPage ?? 0
        var failure: StorageFailure?
        switch answer {
        case .missing:
            transcript.pages.restored(transcript.pages.stored, newest: page - 1)
        case .failed(let reason) where reason != .damaged: failure = reason
        case .loaded, .saved, .erased, .failed:
            guard page - oldest >= PageTable.searchLimit else { return seekPage(page + 1, user, &step) }
            failure = .unreadable
        }
        transcript.pages.work = .none
        _ = transcript.pages.record.loaded(attempt, failure)
        guard failure == nil, let newest = transcript.pages.previousPage else {
            return restoredSomething(&shared, &step)
        }
        loadPage(newest, user, &step)
    }
}
