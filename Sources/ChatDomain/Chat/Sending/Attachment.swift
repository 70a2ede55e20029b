// A file of a message (C14). Its bytes are never in a state: storage keeps them from the moment when the
// file is picked until neither the message nor a retry can need them.

/// A file of a message.
public struct Attachment: DomainValue, Identifiable {
    /// Its name here; minted when it is picked.
    public let id: AttachmentID
    /// Whose storage holds its bytes.
    public let owner: UserID
    /// What it is shown as.
    public let kind: Kind
    /// Its type as the front end knows it.
    public let mimeType: ExactText
    /// What the person calls it.
    public let name: ExactText
    /// How many bytes it has.
    public let byteCount: Int64
    /// Where the server gets it from.
    public internal(set) var source: Source
    /// How often it was uploaded.
    package internal(set) var uploads: Int64

    /// Creates an attachment.
    package init(
        id: AttachmentID, owner: UserID, kind: Kind, mimeType: ExactText, name: ExactText, byteCount: Int64,
        source: Source, uploads: Int64 = 0
    ) {
        self.id = id
        self.owner = owner
        self.kind = kind
        self.mimeType = mimeType
        self.name = name
        self.byteCount = byteCount
        self.source = source
        self.uploads = uploads
    }

    /// What an attachment is shown as.
    public enum Kind: String, DomainValue {
        case image
        case document
        /// Something that the server has already; no bytes of it are here.
        case asset
    }

    /// Where the server gets an attachment from.
    public enum Source: DomainValue {
        /// From the message itself, which carries the stored bytes.
        case inline
        /// From an upload, which must come before the message.
        case file(Upload)
        /// The server has it.
        case asset(AssetID)
    }

    /// How far an upload has come.
    public enum Upload: DomainValue {
        /// It has not begun.
        case waiting
        /// It runs; so many percent are sent, in steps of 5.
        case running(Attempt, percent: Int64)
        /// The network broke it: it goes on with the next connection, or after a while.
        case broken
        /// It failed, and waits for the person or the next launch.
        case failed
        /// The server does not take it, and says why: it waits for the person.
        case refused(ExactText)
    }
}

/// A file that a person has picked, with its bytes.
public struct PickedFile: PlainValue {
    /// What it is shown as.
    public let kind: Attachment.Kind
    /// Its type.
    public let mimeType: ExactText
    /// What the person calls it.
    public let name: ExactText
    /// Its bytes.
    public let bytes: [UInt8]

    /// Creates a picked file.
    public init(kind: Attachment.Kind, mimeType: ExactText, name: ExactText, bytes: [UInt8]) {
        self.kind = kind
        self.mimeType = mimeType
        self.name = name
        self.bytes = bytes
    }
}

/// A file of a message that arrives. What it is like is told; its bytes are not kept here.
public struct IncomingFile: DomainValue {
    /// What it is shown as.
    public let kind: Attachment.Kind
    /// Its type as its sender or the server says; may be empty.
    public let mimeType: ExactText
    /// How many bytes it has; 0 when nobody says.
    public let byteCount: Int64
    /// The server's name for it, if it can be had from there.
    public let asset: AssetID?

    /// Creates a file that arrives.
    public init(kind: Attachment.Kind, mimeType: ExactText, byteCount: Int64, asset: AssetID? = nil) {
        self.kind = kind
        self.mimeType = mimeType
        self.byteCount = byteCount
        self.asset = asset
    }
}

/// The bytes of an attachment as they are stored.
public struct AttachmentData: PlainValue {
    /// The bytes.
    package let bytes: [UInt8]
    /// Whether a message will carry them itself, so that they are stored as it will carry them.
    package let isInline: Bool

    /// Creates the data of an attachment.
    package init(bytes: [UInt8], isInline: Bool) {
        self.bytes = bytes
        self.isInline = isInline
    }
}

extension Attachment {
    /// A file that has arrived. Its name follows from its place, so it is the same whenever it arrives.
    init(_ file: IncomingFile, number: Int, of message: MessageID, owner: UserID) {
        self.init(
            id: AttachmentID(ExactText("\(message.text.string)/\(number)")), owner: owner, kind: file.kind,
            mimeType: file.mimeType, name: "", byteCount: file.byteCount,
            source: file.asset.map { .asset($0) } ?? .inline)
    }

    var isReady: Bool {
        if case .file = source { false } else { true }
    }

    /// The same, as if the server had never lost it.
    var neverUploadedAgain: Attachment {
        var attachment = self
        attachment.uploads = min(uploads, 1)
        return attachment
    }

    /// Whether a timer runs for it: it is being uploaded, or waits until it is once more.
    var isTimed: Bool {
        switch source {
        case .file(.running), .file(.broken): true
        case .file(.waiting), .file(.failed), .file(.refused), .inline, .asset: false
        }
    }

    var running: (attempt: Attempt, percent: Int64)? {
        if case .file(.running(let attempt, let percent)) = source { (attempt, percent) } else { nil }
    }

    /// The attachment after a relaunch or a lost upload. A final refusal stays.
    var atRest: Attachment {
        switch source {
        case .inline, .asset, .file(.refused): return self
        case .file(.waiting), .file(.running), .file(.broken), .file(.failed):
            var rested = self
            rested.source = .file(.waiting)
            return rested
        }
    }

    /// How much is sent, in percent and steps of 5 (C14).
    static func percent(_ sent: Int64, of total: Int64) -> Int64 {
        guard total > 0, sent > 0 else { return 0 }
        // In parts of a percent first, so that nothing overflows.
        return min(min(sent, total) / max(total / 20, 1), 20) * 5
    }

    /// How much is kept of what a server says about a file, in UTF-8 bytes (L8): more than anybody reads.
    static let sentenceLimit: Int64 = 1_024
}
