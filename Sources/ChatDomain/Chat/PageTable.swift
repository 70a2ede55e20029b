// How the rows of a transcript are stored: in pages of a fixed length, numbered from the oldest, each a record
// of its own. This table knows where each page that is in memory begins and which must be saved. One page is
// saved at a time, older ones first, and the contents after the page that they name: so what is stored is
// always a whole beginning of the transcript, whenever the process ends.

/// The pages of a transcript that are in memory, and how they stand to storage.
public struct PageTable: DomainValue {
    /// How the pages stand to storage. Nothing is saved before it is known what is stored.
    public enum Storage: DomainValue {
        /// Nothing was loaded yet.
        case unknown
        /// The contents are being loaded.
        case loadingContents(Attempt)
        /// A page is being loaded.
        case loadingPage(Int64, Attempt)
        /// What is needed is loaded, and nothing is being saved.
        case idle
        /// A page is being saved.
        case savingPage(Int64, Attempt)
        /// The contents are being saved.
        case savingContents(newest: Int64, Attempt)
        /// What is stored cannot be read, and must not be overwritten.
        case unreadable(StorageFailure)
    }

    /// A page in memory.
    public struct Entry: DomainValue {
        /// Its number; 0 is the oldest of the conversation.
        public let page: Int64
        /// Its first ordinal.
        public let first: Int64
        /// Whether it differs from what is stored.
        public var isDirty: Bool
    }

    /// How many rows a page takes.
    public let length: Int64
    /// The pages, oldest first; without gaps.
    public private(set) var entries: [Entry] = []
    /// The newest page that the stored contents name.
    public var storedNewest: Int64?
    /// How the pages stand to storage.
    public var storage: Storage = .unknown

    init(length: Int64) {
        self.length = max(length, 1)
    }

    /// The page before the oldest in memory, when there is one.
    public var previousPage: Int64? {
        if let oldest = entries.first { return oldest.page > 0 ? oldest.page - 1 : nil }
        return storedNewest
    }

    /// The oldest page that must be saved.
    public var firstDirty: Int64? { entries.first { $0.isDirty }?.page }

    /// The newest page.
    public var newest: Int64? { entries.last?.page }

    func ordinals(of page: Int64, end: Int64) -> Range<Int64>? {
        guard let index = entries.firstIndex(where: { $0.page == page }) else { return nil }
        let next = index + 1 < entries.count ? entries[index + 1].first : end
        return entries[index].first..<max(next, entries[index].first)
    }

    mutating func appended(_ ordinal: Int64) {
        if let last = entries.last, ordinal - last.first < length {
            changed(ordinal)
        } else {
            let page = (entries.last?.page ?? storedNewest ?? -1) + 1
            entries.append(Entry(page: page, first: ordinal, isDirty: true))
        }
    }

    mutating func changed(_ ordinal: Int64) {
        // The newest pages change most.
        guard let index = entries.lastIndex(where: { $0.first <= ordinal }) else { return }
        if !entries[index].isDirty { entries[index].isDirty = true }
    }

    mutating func loaded(_ page: Int64, from first: Int64) {
        entries.insert(Entry(page: page, first: first, isDirty: false), at: 0)
    }

    mutating func saving(_ page: Int64) {
        guard let index = entries.firstIndex(where: { $0.page == page }) else { return }
        entries[index].isDirty = false
    }

    mutating func saveFailed(_ page: Int64) {
        guard let index = entries.firstIndex(where: { $0.page == page }) else { return }
        entries[index].isDirty = true
    }

    /// The end of the oldest page, if it is stored as it is and not the only one.
    var endOfOldestForgettable: Int64? {
        guard entries.count > 1, !entries[0].isDirty, case .idle = storage else { return nil }
        return entries[1].first
    }

    mutating func forgetOldest() {
        entries.removeFirst()
    }
}
