// The list of a person's conversations, in the order of creation (C19). The main conversation is always first and
// open. Storage/ListStorage.swift stores the list.

/// One entry of the list of conversations.
public struct ConversationEntry: DomainValue, Identifiable {
    /// The conversation.
    public let id: ConversationID
    /// The title, from the person or the server; empty if none is known.
    package internal(set) var title: ExactText
    /// Whether the person closed it. A message that arrives reopens it.
    package internal(set) var isClosed: Bool

    /// Creates an entry.
    package init(id: ConversationID, title: ExactText = "", isClosed: Bool = false) {
        (self.id, self.title, self.isClosed) = (id, title, isClosed)
    }
}

/// The list of a person's conversations, and the state of its stored record.
package struct ConversationList: DomainValue {
    /// The entries; the main conversation is first.
    package private(set) var entries = [ConversationEntry(id: .main)]
    /// The state of the stored record.
    package internal(set) var record = KeptRecord()

    /// Creates a list of the main conversation.
    package init() {}

    /// The entry of a conversation. O(conversations).
    package subscript(id: ConversationID) -> ConversationEntry? { entries.first { $0.id == id } }

    /// Merges the stored list with the conversations that are known here, which are newer (C6).
    mutating func restore(_ stored: [ConversationEntry]) {
        var restored: [ConversationEntry] = [stored.first { $0.id == .main } ?? entries[0]]
        restored[0].isClosed = false
        for var entry in stored + entries.dropFirst() where !restored.contains(where: { $0.id == entry.id }) {
            if let here = self[entry.id] {
                entry.isClosed = here.isClosed
                if !here.title.isEmpty { entry.title = here.title }
            }
            restored.append(entry)
        }
        entries = restored
    }

    mutating func append(_ entry: ConversationEntry) { entries.append(entry) }

    mutating func remove(_ id: ConversationID) { entries.removeAll { $0.id == id && id != .main } }

    /// Closes or reopens a conversation. Returns whether the list changed.
    mutating func setClosed(_ isClosed: Bool, _ id: ConversationID) -> Bool {
        guard id != .main, let index = entries.firstIndex(where: { $0.id == id && $0.isClosed != isClosed })
        else { return false }
        entries[index].isClosed = isClosed
        return true
    }

    /// Names a conversation. Returns whether the list changed.
    mutating func setTitle(_ title: ExactText, _ id: ConversationID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id && $0.title != title }) else {
            return false
        }
        entries[index].title = title
        return true
    }
}

extension ConversationID {
    /// A new id for a conversation that is created here.
    static func minted(_ context: inout Context) -> ConversationID {
        ConversationID("v_" + context.entropy.uuid())
    }

    /// Whether an id was minted here, as far as it shows: a prefix and a UUID.
    package static func isMinted(_ id: ConversationID) -> Bool {
        let bytes = id.text.utf8
        return bytes.count == 38 && bytes[0] == UInt8(ascii: "v") && bytes[1] == UInt8(ascii: "_")
    }
}

extension ConversationList: Normalizable {
    package mutating func normalize(_ form: inout NormalForm) {
        entries.normalize(&form)
        record.normalize(&form)
    }
}

extension ConversationEntry: Normalizable {
    public mutating func normalize(_ form: inout NormalForm) {
        self = ConversationEntry(id: form.normal(id), title: title, isClosed: isClosed)
    }
}
