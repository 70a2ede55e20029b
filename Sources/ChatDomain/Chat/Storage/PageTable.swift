// The pages of a transcript: which rows they have, and which of them wait for a save. A page has about
// `length` rows and is a record of its own, numbered from the oldest. When a row moves to the next page, the page that
// gains it is saved before the one that loses it: wherever the process ends, the row is stored at least once. Start
// with `nextToSave`.

/// The pages of a transcript in memory, and their state in storage.
package struct PageTable: DomainValue {
    /// The operation under way.
    package enum Work: DomainValue {
        /// No work of a page. `record.access` says whether the contents are being loaded.
        case none
        /// The search for this page, because the contents do not say which pages there are.
        case seeking(Int64)
        /// The load of a page.
        case loading(Int64, Attempt)
        /// The load of a withdrawn page, for its unconfirmed messages.
        case lookingThrough(Int64)
        /// The save of a page with a cursor.
        case savingPage(Int64, cursor: MessageID?)
        /// The save of the contents.
        case savingContents(Contents)
    }

    /// A page in memory.
    struct Entry: DomainValue {
        /// The number; numbers rise from the oldest page.
        let page: Int64
        let first: Int64
    }

    /// The number of rows of a page.
    let length: Int64
    /// The pages in memory, oldest first, without gaps.
    private(set) var entries: [Entry] = []
    /// The pages that differ from storage.
    private(set) var dirty = PageSet()
    /// The contents as storage has them; `nil` if it has none, or damaged ones.
    var stored: Contents?
    /// The cursor of the stored newest page: everything up to it is stored (C5).
    var storedCursor: MessageID?
    /// Whether the rows of a stored page are lost; the server may replay them. A page without rows is in its place.
    var hasLost = false
    /// Whether unstored rows were dropped. The stored cursor then stays, so that the server replays them (C5).
    private(set) var hasForgotten = false
    /// The newest page in storage; the contents may not name it yet, or name a later one that is gone.
    private(set) var newestSaved: Int64 = -1
    /// Whether rows have moved to the next page since everything was stored.
    private(set) var movesOn = false
    /// Whether a reset came before the contents were loaded.
    private var isWithdrawnUnread = false
    /// The stored pages of a withdrawn history that were not in memory. They may hold unconfirmed messages (L5).
    private(set) var withdrawn: Range<Int64> = 0..<0
    /// The oldest page that is not withdrawn.
    private(set) var oldestPage: Int64 = 0
    /// The server's ids of deleted messages, the latest last; also of those outside memory (C13).
    package private(set) var hidden: [MessageID] = []
    /// The state of the stored contents and pages together: a change is durable once all of them are saved.
    var record = KeptRecord()
    /// The operation under way.
    package var work = Work.none
    /// Whether the person has asked for the page before the oldest in memory; its load follows the work under way.
    var isOlderWanted = false

    /// The most remembered deletions (limits).
    static let hiddenLimit = 1_000

    /// The most pages of a search: half a million messages at 50 a page.
    static let searchLimit: Int64 = 10_000

    init(length: Int64) { self.length = max(length, 1) }

    /// The page before the oldest in memory; `nil` if there is none.
    package var previousPage: Int64? {
        let previous = entries.first.map { $0.page - 1 } ?? newestSaved
        return previous >= oldestPage ? previous : nil
    }

    /// Whether every row is in memory, so that an unknown message is a new one.
    var isWhole: Bool { isContentsKnown && previousPage == nil && !hasForgotten && !hasLost }

    /// Whether the stored pages are known.
    var isContentsKnown: Bool { record.mayBeSaved }

    /// The contents to save after a page, which is in storage from now on; `nil` if they are unchanged. A withdrawn
    /// history stays until its unconfirmed messages are stored again (C5, L5).
    mutating func contents(after page: Int64) -> Contents? {
        newestSaved = max(newestSaved, page)
        guard !isContentsStale else { return nil }
        let contents = Contents(oldestPage: oldestPage, newestPage: newestSaved, hidden: hidden)
        return contents == stored ? nil : contents
    }

    func ordinals(of page: Int64, end: Int64) -> Range<Int64>? {
        let index = entries.partitioningIndex { $0.page >= page }
        guard index < entries.count, entries[index].page == page else { return nil }
        let next = index + 1 < entries.count ? entries[index + 1].first : end
        return entries[index].first..<max(next, entries[index].first)
    }

    // MARK: Rows

    mutating func appended(_ ordinal: Int64) {
        if let last = entries.last, ordinal - last.first < length {
            markDirty(last.page)
        } else {
            let page = max((entries.last?.page ?? newestSaved) + 1, oldestPage)
            entries.append(Entry(page: page, first: ordinal))
            markDirty(page)
        }
    }

    mutating func changed(_ ordinal: Int64) {
        guard let newest = entries.last else { return }
        guard ordinal < newest.first else { return markDirty(newest.page) }
        // Fast path: nearly every page has the full length; only loaded ones may be shorter.
        let likely = entries.count - 1 - Int(clamping: (newest.first - ordinal + length - 1) / length)
        if likely >= 0, entries[likely].first <= ordinal, ordinal < entries[likely + 1].first {
            return markDirty(entries[likely].page)
        }
        if let index = index(of: ordinal) { markDirty(entries[index].page) }
    }

    /// Notes that rows moved to the next page, if the moved row crossed one.
    mutating func moved(back target: Int64, from ordinal: Int64) {
        guard let index = index(of: ordinal), index != self.index(of: target) else { return }
        movesOn = true
    }

    /// Notes that a row moved over later ones. The pages keep these, and only that row changes its page. A page that has
    /// no other row stays as it is stored, because a stored page without rows says that rows are lost.
    mutating func moved(_ ordinal: Int64, over passed: [Int64]) {
        guard let start = index(of: ordinal), let last = passed.last, let end = index(of: last), start < end
        else { return }
        for index in start + 1...end {
            let place = passed.partitioningIndex { $0 >= entries[index].first }
            let first = place > 0 ? passed[place - 1] : ordinal
            entries[index] = Entry(page: entries[index].page, first: first)
        }
        movesOn = true
        if entries[start].first == entries[start + 1].first { dirty.remove(entries[start].page) }
    }

    /// The index of the page of a row.
    private func index(of ordinal: Int64) -> Int? {
        let next = entries.partitioningIndex { $0.first > ordinal }
        return next > 0 ? next - 1 : nil
    }

    /// Remembers a deletion; at the limit the oldest is dropped.
    mutating func hid(_ id: MessageID) {
        guard !hidden.contains(id) else { return }
        if hidden.count >= PageTable.hiddenLimit { hidden.removeFirst() }
        hidden.append(id)
    }

    mutating func loaded(_ page: Int64, from first: Int64) {
        entries.insert(Entry(page: page, first: first), at: 0)
    }

    mutating func markDirty(_ page: Int64) {
        _ = record.changed()
        dirty.insert(page)
    }

    // MARK: Storage

    /// Applies the loaded contents, or `nil` if there are none, and the newest page that a search has found.
    mutating func restored(_ contents: Contents?, newest: Int64? = nil) {
        stored = contents
        newestSaved = newest ?? contents?.newestPage ?? -1
        oldestPage = contents?.oldestPage ?? 0
        if isWithdrawnUnread {
            lookThrough(before: nil)
            oldestPage = max(oldestPage, newestSaved + 1)
        }
        isWithdrawnUnread = false
        let known = hidden
        hidden = Array((contents?.hidden ?? []).suffix(PageTable.hiddenLimit))
        for id in known { hid(id) }
        // Pages from before the load are numbered after the stored ones.
        if let first = entries.first { renumber(by: max(newestSaved + 1, oldestPage) - first.page) }
        savesOn()
    }

    /// Shifts the numbers of the pages in memory, none of which is stored.
    private mutating func renumber(by shift: Int64) {
        guard shift != 0 else { return }
        entries = entries.map { Entry(page: $0.page + shift, first: $0.first) }
        let numbers = dirty.numbers
        dirty = PageSet()
        for page in numbers { dirty.insert(page + shift) }
    }

    /// Whether a stored page is in memory, intact or not.
    var hasStoredInMemory: Bool { entries.first.map { $0.page <= newestSaved } ?? false }

    /// Whether anything differs from storage.
    var isDirty: Bool { !dirty.isEmpty || isContentsStale }

    /// Whether a save can start now.
    var isToBeSaved: Bool { work == .none && record.isToBeSaved }

    /// Whether a launch would show withdrawn pages: the contents name them, or there are none and it searches.
    var isContentsStale: Bool { stored?.oldestPage ?? 0 < oldestPage }

    /// The contents without withdrawn pages. Without any page, the newest is one less than the oldest.
    var contentsWithoutWithdrawn: Contents {
        Contents(
            oldestPage: oldestPage,
            newestPage: max(newestSaved, entries.last?.page ?? oldestPage - 1), hidden: hidden)
    }

    /// The next page to save, oldest first. After a shift of rows: first the pages that were never stored, then the
    /// newest.
    var nextToSave: Int64? {
        guard movesOn else { return dirty.first }
        return dirty.first(after: newestSaved) ?? dirty.last
    }

    /// The pages to save, in order, when no answer will be heard. What a server replays may be left out, so that no page
    /// needs the save of another: all but the first where rows move on, and else all new pages but the first.
    func toSaveUnheard(isReplayed: Bool) -> [Int64] {
        var (rest, pages) = (self, [Int64]())
        while let page = rest.nextToSave {
            rest.beganSaving(page)
            pages.append(page)
        }
        guard isReplayed else { return pages }
        return movesOn ? Array(pages.prefix(1)) : pages.filter { $0 <= max(newestSaved + 1, oldestPage) }
    }

    /// Whether the disk may lose a save that would leave a gap: one of any page but the newest.
    var mayLosePages: Bool {
        guard record.isInDoubt else { return false }
        let newest = entries.last?.page
        if case .savingPage(let page, _) = work, page != newest { return true }
        return !dirty.isEmpty && dirty.first != newest
    }

    mutating func beganSaving(_ page: Int64) {
        dirty.remove(page)
        if dirty.isEmpty { movesOn = false }
    }

    /// Applies a saved page. A launch reads the cursor from the newest page, so that page is saved again if its
    /// cursor is old.
    mutating func saved(_ page: Int64, with cursor: MessageID?, current: MessageID?) {
        guard let newest = entries.last?.page else { return }
        if page == newest { storedCursor = cursor }
        if dirty.isEmpty, storedCursor != current, !hasForgotten { markDirty(newest) }
    }

    /// Applies a failed save. The next change carries the page too, as in `KeptRecord`.
    mutating func notSaved(_ page: Int64) {
        // A reset may have withdrawn it; then the pages in memory have numbers of their own.
        guard page >= oldestPage, let oldest = entries.first?.page else { return }
        // A page that was dropped meanwhile and is not stored leaves no gap.
        if page >= oldest { dirty.insert(page) } else if page > newestSaved { renumber(by: -1) }
    }

    /// Starts after all pages that storage may have, because a reset has withdrawn them. No number is left out, because
    /// a search ends at the first missing page.
    mutating func withdraw() {
        (movesOn, storedCursor, hasForgotten, hasLost) = (false, nil, false, false)
        isWithdrawnUnread = !isContentsKnown
        lookThrough(before: entries.first?.page)
        oldestPage = max(newestSaved, pageBeingSaved ?? -1) + 1
        entries = []
        dirty = PageSet()
        savesOn()
    }

    /// Makes what the disk has refused due again. Refused contents follow the newest page once more.
    mutating func retry() {
        record.retry()
        guard work == .none, !isDirty, !record.isClean, let newest = entries.last?.page else { return }
        dirty.insert(newest)
    }

    /// Counts unsaved pages as a change, so that the next save starts.
    mutating func savesOn() { if isDirty { _ = record.changed() } }

    /// Withdraws the stored pages before a page in memory.
    private mutating func lookThrough(before page: Int64?) {
        let oldest = stored?.oldestPage ?? 0
        withdrawn = oldest..<max(min(page ?? .max, newestSaved + 1), oldest)
    }

    /// Ends the search of a withdrawn page; the earlier ones remain, unless it is the last to be searched.
    mutating func lookedThrough(_ page: Int64, isLast: Bool) {
        withdrawn = withdrawn.lowerBound..<(isLast ? withdrawn.lowerBound : max(page, withdrawn.lowerBound))
    }

    // MARK: Forgetting

    /// Whether the oldest page in memory is not the only one.
    private var hasNewer: Bool { entries.count > 1 }

    /// Whether storage has the oldest page in memory, unchanged.
    private var isOldestStored: Bool {
        guard let oldest = entries.first?.page, dirty.first != oldest, oldest <= newestSaved else {
            return false
        }
        return pageBeingSaved != oldest
    }

    /// The page of the save under way.
    private var pageBeingSaved: Int64? { if case .savingPage(let page, _) = work { page } else { nil } }

    /// The end of the oldest page, if storage has it unchanged and another page follows.
    var endOfOldestForgettable: Int64? { isOldestStored && hasNewer ? entries[1].first : nil }

    /// The end of the oldest page, if storage lacks it and another page follows.
    var endOfOldestUnstored: Int64? { !isOldestStored && hasNewer ? entries[1].first : nil }

    /// Drops the oldest page from memory. Rows from `kept` on move to the next page.
    mutating func forgetOldest(keepingFrom kept: Int64? = nil) {
        guard hasNewer else { return }
        if !isOldestStored { hasForgotten = true }
        let oldest = entries.removeFirst().page
        dirty.remove(oldest)
        // The end of a running save decides whether the number is in use.
        if oldest > newestSaved, pageBeingSaved != oldest { renumber(by: -1) }
        guard let kept else { return }
        entries[0] = Entry(page: entries[0].page, first: kept)
        markDirty(entries[0].page)
    }
}
