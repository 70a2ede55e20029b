// Which conversations a person has (C19, L5). The list is stored before anything that only it leads to: what
// is written in a new conversation counts as saved once the list that names it is.

/// One entry of the list of conversations.
public struct ConversationEntry: DomainValue, Identifiable {
    /// The conversation.
    public let id: ConversationID
    /// What the person calls it; empty when nobody has named it here.
    public var title: ExactText
    /// Whether the person has closed it: it is not listed until something arrives in it.
    public var isClosed: Bool

    /// Creates an entry.
    public init(id: ConversationID, title: ExactText = "", isClosed: Bool = false) {
        self.id = id
        self.title = title
        self.isClosed = isClosed
    }
}

/// The conversations of a person, in the order in which they were begun, and how the list stands to storage.
public struct ConversationList: DomainValue {
    /// The entries; the first is the conversation that there always is.
    public private(set) var entries = [ConversationEntry(id: .main)]
    /// The saves of the record.
    public var saves = WriteBehind()
    /// How the list stands to storage.
    public var storage: Storage = .unknown

    /// How the list stands to storage.
    public enum Storage: DomainValue {
        /// Nothing was loaded yet.
        case unknown
        /// It is being loaded.
        case loading(Attempt)
        /// What was stored is in the list.
        case loaded
        /// What was stored cannot be read, and must not be overwritten.
        case unreadable(StorageFailure)
    }

    /// A list of the one conversation that there always is.
    public init() {}

    /// The entry of a conversation. O(conversations).
    public subscript(id: ConversationID) -> ConversationEntry? {
        entries.first { $0.id == id }
    }

    /// Puts what was stored before what has been begun since (C6).
    mutating func restore(_ stored: [ConversationEntry]) {
        var restored: [ConversationEntry] = [stored.first { $0.id == .main } ?? entries[0]]
        for var entry in stored + entries.dropFirst() where !restored.contains(where: { $0.id == entry.id }) {
            // What has spoken or was opened since is open.
            if let here = self[entry.id], !here.isClosed { entry.isClosed = false }
            restored.append(entry)
        }
        entries = restored
    }

    mutating func append(_ entry: ConversationEntry) {
        entries.append(entry)
    }

    mutating func remove(_ id: ConversationID) {
        entries.removeAll { $0.id == id && id != .main }
    }

    /// Closes or reopens a conversation. Returns whether that changes anything.
    mutating func setClosed(_ isClosed: Bool, _ id: ConversationID) -> Bool {
        guard id != .main, let index = entries.firstIndex(where: { $0.id == id && $0.isClosed != isClosed })
        else { return false }
        entries[index].isClosed = isClosed
        return true
    }
}
