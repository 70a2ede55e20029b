// Which conversations a person has (C19), in the order of their beginnings. Storage/ListStorage.swift stores the
// list.

/// One entry of the list of conversations.
public struct ConversationEntry: DomainValue, Identifiable {
    /// The conversation.
    public let id: ConversationID
    /// What the person calls it; empty when nobody has named it here.
    package internal(set) var title: ExactText
    /// Whether the person has closed it: it is not listed until something arrives in it.
    package internal(set) var isClosed: Bool

    /// Creates an entry.
    package init(id: ConversationID, title: ExactText = "", isClosed: Bool = false) {
        self.id = id
        self.title = title
        self.isClosed = isClosed
    }
}

/// The conversations of a person, and how their list stands to storage.
package struct ConversationList: DomainValue {
    /// The entries; the first is the conversation that there always is.
    package private(set) var entries = [ConversationEntry(id: .main)]
    /// How the record stands to storage.
    package internal(set) var record = KeptRecord()

    /// A list of the one conversation that there always is.
    package init() {}

    /// The entry of a conversation. O(conversations).
    package subscript(id: ConversationID) -> ConversationEntry? { entries.first { $0.id == id } }

    mutating func restore(_ stored: [ConversationEntry]) {
        var restored: [ConversationEntry] = [stored.first { $0.id == .main } ?? entries[0]]
        for var entry in stored + entries.dropFirst() where !restored.contains(where: { $0.id == entry.id }) {
            // What has spoken or was opened since is open.
            if let here = self[entry.id], !here.isClosed { entry.isClosed = false }
            restored.append(entry)
        }
        entries = restored
    }

    mutating func append(_ entry: ConversationEntry) { entries.append(entry) }

    mutating func remove(_ id: ConversationID) { entries.removeAll { $0.id == id && id != .main } }

    /// Closes or reopens a conversation. Returns whether that changes anything.
    mutating func setClosed(_ isClosed: Bool, _ id: ConversationID) -> Bool {
        guard id != .main, let index = entries.firstIndex(where: { $0.id == id && $0.isClosed != isClosed })
        else { return false }
        entries[index].isClosed = isClosed
        return true
    }
}
