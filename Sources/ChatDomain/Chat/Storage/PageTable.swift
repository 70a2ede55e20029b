// Where the pages in memory begin, and which of them wait to be saved. A page has a fixed length and is a record of
// its own; pages are numbered from the oldest. Pages are saved one at a time, older ones first, and the contents
// after the page that they name. When a row moves to the next page, the page that gains it is saved before the one
// that loses it: wherever the process ends, the row is stored twice and never nowhere.

/// The pages of a transcript that are in memory, and how they stand to storage.
package struct PageTable: DomainValue {
    /// What of the pages is under way.
    enum Work: DomainValue {
        /// Nothing; or the contents are being loaded, as the record says.
        case none
        /// The contents were damaged: the pages are looked for, from the oldest on.
        case seeking(Int64)
        /// A page is being loaded.
        case loading(Int64, Attempt)
        /// A withdrawn page is being looked through, as a part of the save that forgets it.
        case lookingThrough(Int64)
        /// A page is being saved, with a cursor.
        case savingPage(Int64, cursor: MessageID?)
        /// The contents are being saved.
        case savingContents(Contents)
    }

    /// A page in memory.
    struct Entry: DomainValue {
        /// Its number; they rise from the oldest.
        let page: Int64
        /// Its first ordinal.
        let first: Int64
    }

    /// How many rows a page takes.
    let length: Int64
    /// The pages, oldest first; without gaps.
    private(set) var entries: [Entry] = []
    /// The pages that differ from what is stored.
    private(set) var dirty = PageSet()
    /// What the stored contents name.
    var stored: Contents?
    /// The cursor that the newest page tells as it is stored: all up to it is stored (C5).
    var storedCursor: MessageID?
    /// A page that the contents name and that is not there: nothing before it is looked for.
    var missing: Int64?
    /// Whether rows were forgotten that are not stored. The stored cursor then stays, so that they are told again
    /// (C5).
    private(set) var hasForgotten = false
    /// The newest page that was saved, though the contents may not name it yet.
    private var newestSaved: Int64 = -1
    /// Whether rows have moved to the next page since all was stored.
    private(set) var movesOn = false
    /// Whether the history was withdrawn before it was known what is stored of it.
    private var isWithdrawnUnread = false
    /// The stored pages of a withdrawn history that were not in memory: what the server never had may stand there (L5).
    private(set) var withdrawn: Range<Int64> = 0..<0
    /// The oldest page that still belongs to the conversation.
    private(set) var oldestPage: Int64 = 0
    /// The server's names of deleted messages, the latest last; also of those on pages that are not in memory (C13).
    private(set) var hidden: [MessageID] = []
    /// How the contents and the pages, together, stand to storage: what is known is durable once all of them are.
    var record = KeptRecord()
    /// What of that is under way.
    var work = Work.none

    /// How many deleted messages are remembered (limits).
    private static let hiddenLimit = 1_000

    /// How many pages are looked for at most when nobody can say which there are: half a million messages.
    static let searchLimit: Int64 = 10_000

    init(length: Int64) { self.length = max(length, 1) }

    /// The page before the oldest in memory, when there is one.
    package var previousPage: Int64? {
        guard let oldest = entries.first else {
            return stored.flatMap { $0.newestPage >= oldestPage ? $0.newestPage : nil }
        }
        let previous = oldest.page - 1
        return previous >= oldestPage && previous != missing ? previous : nil
    }

    /// Whether every row that is stored is in memory.
    var isWhole: Bool { isComplete && previousPage == nil }

    /// Whether it is known which pages there are.
    var isComplete: Bool { record.mayBeSaved }

    /// The contents to be saved after a page, when they say something new. Those of a withdrawn history stay until
    /// all that is kept of it is stored anew (C5, L5).
    func contents(after page: Int64) -> Contents? {
        guard !isContentsStale || dirty.isEmpty && withdrawn.isEmpty else { return nil }
        let newest = isContentsStale ? entries.last?.page ?? page : page
        let contents = Contents(
            oldestPage: oldestPage, newestPage: max(newest, stored?.newestPage ?? newest), hidden: hidden)
        return contents == stored ? nil : contents
    }

    func ordinals(of page: Int64, end: Int64) -> Range<Int64>? {
        let index = PageTable.firstIndex(in: entries) { $0.page >= page }
        guard index < entries.count, entries[index].page == page else { return nil }
        let next = index + 1 < entries.count ? entries[index + 1].first : end
        return entries[index].first..<max(next, entries[index].first)
    }

    // MARK: Rows

    mutating func appended(_ ordinal: Int64) {
        if let last = entries.last, ordinal - last.first < length {
            markDirty(last.page)
        } else {
            let page = max((entries.last?.page ?? stored?.newestPage ?? -1) + 1, oldestPage)
            entries.append(Entry(page: page, first: ordinal))
            markDirty(page)
        }
    }

    mutating func changed(_ ordinal: Int64) {
        guard let newest = entries.last else { return }
        guard ordinal < newest.first else { return markDirty(newest.page) }
        // Nearly every page is as long as the others; what was loaded may be shorter.
        let likely = entries.count - 1 - Int(clamping: (newest.first - ordinal + length - 1) / length)
        if likely >= 0, entries[likely].first <= ordinal, ordinal < entries[likely + 1].first {
            return markDirty(entries[likely].page)
        }
        let index = PageTable.firstIndex(in: entries) { $0.first > ordinal }
        if index > 0 { markDirty(entries[index - 1].page) }
    }

    /// A row was put between older ones, and those that it has passed have each moved on by one.
    mutating func moved(back target: Int64, from ordinal: Int64) {
        guard let index = index(of: ordinal), index != self.index(of: target) else { return }
        movesOn = true
    }

    /// Where the page of a row stands among those in memory.
    private func index(of ordinal: Int64) -> Int? {
        let next = PageTable.firstIndex(in: entries) { $0.first > ordinal }
        return next > 0 ? next - 1 : nil
    }

    /// The person has deleted a message that the server has.
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

    /// The first index at which something holds that holds for all behind it. O(log n).
    private static func firstIndex<Element>(
        in elements: [Element], where isBehind: (Element) -> Bool
    ) -> Int {
        var range = 0..<elements.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBehind(elements[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }

    // MARK: Storage

    /// What is stored is known now.
    mutating func restored(_ contents: Contents?) {
        stored = contents
        oldestPage = contents?.oldestPage ?? 0
        if isWithdrawnUnread {
            lookThrough(before: nil)
            oldestPage = max(oldestPage, (contents?.newestPage ?? -1) + 1)
        }
        isWithdrawnUnread = false
        let known = hidden
        hidden = Array((contents?.hidden ?? []).suffix(PageTable.hiddenLimit))
        for id in known { hid(id) }
        // Pages that were begun before it was known what is stored get numbers behind it.
        newestSaved = contents?.newestPage ?? -1
        if let first = entries.first { renumber(by: max(newestSaved + 1, oldestPage) - first.page) }
        savesOn()
    }

    /// The pages in memory, none of which is stored, get other numbers.
    private mutating func renumber(by shift: Int64) {
        guard shift != 0 else { return }
        entries = entries.map { Entry(page: $0.page + shift, first: $0.first) }
        let numbers = dirty.numbers
        dirty = PageSet()
        for page in numbers { dirty.insert(page + shift) }
    }

    /// Whether something differs from what is stored.
    var isDirty: Bool { !dirty.isEmpty || isContentsStale }

    /// Whether something is to be saved as soon as nothing is being saved.
    var isToBeSaved: Bool { work == .none && isDirty && record.isToBeSaved }

    /// Whether the stored contents name pages that were withdrawn.
    var isContentsStale: Bool { stored.map { $0.oldestPage < oldestPage } ?? false }

    /// The contents without what is withdrawn, when all else is stored; with no page, the newest is before the
    /// oldest.
    var contentsWithoutWithdrawn: Contents {
        Contents(
            oldestPage: oldestPage,
            newestPage: max(stored?.newestPage ?? -1, entries.last?.page ?? oldestPage - 1), hidden: hidden)
    }

    /// The page to be saved next: when rows have moved on, first those that were never stored, then the newest.
    var nextToSave: Int64? {
        guard movesOn else { return dirty.first }
        return dirty.first(after: stored?.newestPage ?? -1) ?? dirty.last
    }

    /// Whether the disk may not take all that is to be saved, and what it would miss is not all on the newest page.
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

    /// A page was saved. A launch reads the cursor from the newest page, so that is saved again when its cursor is
    /// old.
    mutating func saved(_ page: Int64, with cursor: MessageID?, current: MessageID?) {
        newestSaved = max(newestSaved, page)
        guard let newest = entries.last?.page else { return }
        if page == newest { storedCursor = cursor }
        if dirty.isEmpty, storedCursor != current, !hasForgotten { markDirty(newest) }
    }

    /// A page was not saved. The next change carries it too, as `KeptRecord` says.
    mutating func notSaved(_ page: Int64) {
        guard let oldest = entries.first?.page else { return }
        // One that was forgotten meanwhile and is on no disk leaves no gap.
        if page >= oldest { dirty.insert(page) } else if page > newestSaved { renumber(by: -1) }
    }

    /// Starts anew behind everything stored: the history so far was withdrawn.
    mutating func withdraw() {
        (movesOn, storedCursor, missing, hasForgotten) = (false, nil, nil, false)
        isWithdrawnUnread = !isComplete
        lookThrough(before: entries.first?.page)
        oldestPage = max(entries.last?.page ?? -1, stored?.newestPage ?? -1) + 1
        entries = []
        dirty = PageSet()
        savesOn()
    }

    /// What is still to be saved counts as a change anew.
    mutating func savesOn() { if isDirty { _ = record.changed() } }

    /// The stored pages before one in memory are withdrawn.
    private mutating func lookThrough(before page: Int64?) {
        guard let stored else { return }
        let end = min(page ?? .max, stored.newestPage + 1)
        withdrawn = stored.oldestPage..<max(end, stored.oldestPage)
    }

    /// What is to be kept of a withdrawn page is in memory; of those before it, when there are any, it is not.
    mutating func lookedThrough(_ page: Int64, isFirst: Bool = false) {
        withdrawn = withdrawn.lowerBound..<(isFirst ? withdrawn.lowerBound : max(page, withdrawn.lowerBound))
    }

    // MARK: Forgetting

    /// Whether the oldest page in memory is not the only one.
    private var hasNewer: Bool { entries.count > 1 }

    /// Whether the oldest page in memory is stored as it is.
    private var isOldestStored: Bool {
        guard let oldest = entries.first?.page, dirty.first != oldest, oldest <= newestSaved else {
            return false
        }
        return !isBeingSaved(oldest)
    }

    private func isBeingSaved(_ page: Int64) -> Bool {
        if case .savingPage(page, _) = work { true } else { false }
    }

    /// The end of the oldest page, if it is stored as it is and not the only one.
    var endOfOldestForgettable: Int64? { isOldestStored && hasNewer ? entries[1].first : nil }

    /// The end of the oldest page, if the disk does not have it as it is and it is not the only one.
    var endOfOldestUnstored: Int64? { !isOldestStored && hasNewer ? entries[1].first : nil }

    /// Forgets the oldest page. What of it is kept is on the next page from now on.
    mutating func forgetOldest(keepingFrom kept: Int64? = nil) {
        guard hasNewer else { return }
        if !isOldestStored { hasForgotten = true }
        let oldest = entries.removeFirst().page
        dirty.remove(oldest)
        // One that is with the disk may be stored all the same; the end of its save tells.
        if oldest > newestSaved, !isBeingSaved(oldest) { renumber(by: -1) }
        guard let kept else { return }
        entries[0] = Entry(page: entries[0].page, first: kept)
        markDirty(entries[0].page)
    }
}
