// A file of a message (C14), in its stages: picked, attached, received, stored. Start with `Attachment` and its
// `Upload`. The bytes are never in a state: storage keeps them from the pick until neither the message nor a retry can
// need them.

extension Chat {
    /// A file of a message.
    public struct Attachment: DomainValue, Identifiable {
        /// Minted on this device when the file is picked.
        public let id: AttachmentID
        /// The user whose storage holds the bytes.
        public let owner: UserID
        /// The form in which the front end shows it.
        public let kind: Kind
        /// The MIME type that the front end gave.
        public let mimeType: ExactText
        /// The file name that the person sees.
        public let name: ExactText
        /// The size in bytes.
        public let byteCount: Int64
        /// How the bytes reach the server.
        public internal(set) var source: Source
        /// The number of completed uploads.
        package internal(set) var uploads: Int64

        /// Creates an attachment.
        package init(
            id: AttachmentID, owner: UserID, kind: Kind, mimeType: ExactText, name: ExactText,
            byteCount: Int64, source: Source, uploads: Int64 = 0
        ) {
            (self.id, self.owner, self.kind, self.mimeType, self.name) = (id, owner, kind, mimeType, name)
            (self.byteCount, self.source, self.uploads) = (byteCount, source, uploads)
        }

        /// The form in which the front end shows an attachment.
        public enum Kind: DomainValue {
            case image
            case document
            /// A file that only the server has; no bytes of it are stored here.
            case asset
        }

        /// The way of an attachment to the server.
        public enum Source: DomainValue {
            /// The message carries the stored bytes.
            case inline
            /// An upload, which must end before the message is sent.
            case file(Upload)
            /// The server has the file under this id.
            case asset(AssetID)
        }

        /// The stage of an upload.
        public enum Upload: DomainValue {
            /// Not started.
            case waiting
            /// In progress: the bytes that were last reported as sent, and the greatest percentage in steps of 5.
            case running(Attempt, sent: Int64, percent: Int64)
            /// Interrupted by the network. The next connection or a timer starts it again.
            case broken
            /// Failed. The person or the next launch starts it again.
            case failed
            /// Refused by the server with this sentence. Only the person starts it again.
            case refused(ExactText)
        }
    }
}

/// A file from the person, with its bytes.
public struct PickedFile: PlainValue {
    /// The form in which the front end shows it.
    package let kind: Chat.Attachment.Kind
    /// The MIME type.
    package let mimeType: ExactText
    /// The file name that the person sees.
    package let name: ExactText
    package let bytes: [UInt8]

    /// Creates a picked file.
    public init(kind: Chat.Attachment.Kind, mimeType: ExactText, name: ExactText, bytes: [UInt8]) {
        (self.kind, self.mimeType, self.name, self.bytes) = (kind, mimeType, name, bytes)
    }
}

/// A file of a received message: its description, without its bytes.
public struct IncomingFile: DomainValue {
    /// The form in which the front end shows it.
    let kind: Chat.Attachment.Kind
    /// The MIME type from the sender or the server; may be empty.
    let mimeType: ExactText
    /// The file name from the sender or the server; may be empty.
    let name: ExactText
    /// The size in bytes; 0 if unknown.
    let byteCount: Int64
    /// The server's id of the file; `nil` if the server does not offer it.
    let asset: AssetID?

    /// Creates a received file.
    public init(
        kind: Chat.Attachment.Kind, mimeType: ExactText, name: ExactText = "", byteCount: Int64,
        asset: AssetID? = nil
    ) {
        (self.kind, self.mimeType, self.name) = (kind, mimeType, name)
        (self.byteCount, self.asset) = (byteCount, asset)
    }
}

/// The stored bytes of an attachment.
public struct AttachmentData: DomainValue {
    package let bytes: [UInt8]
    /// Whether a message will carry the bytes; storage then encodes them as the message does.
    package let isInline: Bool

    /// Creates the stored bytes of an attachment.
    package init(bytes: [UInt8], isInline: Bool) {
        self.bytes = bytes
        self.isInline = isInline
    }
}

extension Chat.Attachment {
    /// A received file. Its id follows from its position in the message, so a replay gives the same id.
    init(_ file: IncomingFile, number: Int, of message: MessageID, owner: UserID) {
        self.init(
            id: AttachmentID(ExactText("\(message.text.string)/\(number)")), owner: owner, kind: file.kind,
            mimeType: file.mimeType, name: file.name, byteCount: file.byteCount,
            source: file.asset.map { .asset($0) } ?? .inline)
    }

    /// The text of a message that consists of this file; never blank.
    var title: ExactText {
        for text in [name, mimeType] {
            let title = text.withoutControlCharacters.cut(toByteCount: Self.titleLimit).trimmed
            if !title.isBlank { return title }
        }
        return "file"
    }

    /// The longest title, in UTF-8 bytes: the longest name in common file systems.
    private static let titleLimit: Int64 = 255

    var isReady: Bool { if case .file = source { false } else { true } }

    /// The attachment for a retry: its file may be uploaded once more if the server loses it (C14).
    var forRetry: Chat.Attachment {
        var attachment = self
        attachment.uploads = min(uploads, 1)
        return attachment
    }

    /// Whether a timer runs for it: the silence limit of an upload, or the delay after an interruption.
    package var isTimed: Bool {
        switch source {
        case .file(.running), .file(.broken): true
        case .file(.waiting), .file(.failed), .file(.refused), .inline, .asset: false
        }
    }

    package var running: (attempt: Attempt, sent: Int64, percent: Int64)? {
        guard case .file(.running(let attempt, let sent, let percent)) = source else { return nil }
        return (attempt, sent, percent)
    }

    /// The attachment after a relaunch or a lost upload. A refusal stays.
    var atRest: Chat.Attachment {
        switch source {
        case .inline, .asset, .file(.refused): return self
        case .file(.waiting), .file(.running), .file(.broken), .file(.failed):
            var rested = self
            rested.source = .file(.waiting)
            return rested
        }
    }

    /// The progress in percent, in steps of 5 (C14).
    package static func percent(_ sent: Int64, of total: Int64) -> Int64 {
        guard total > 0, sent > 0 else { return 0 }
        let sent = min(sent, total)
        // A total that is too large to be multiplied by 20 loses nothing that can be seen when it is divided by it.
        return (total > .max / 20 ? (sent / 20) * 20 / (total / 20) : sent * 20 / total) * 5
    }

    /// The longest stored sentence about a file, in UTF-8 bytes (L8): more than a person reads.
    static let sentenceLimit: Int64 = 1_024
}

extension [Chat.Attachment] {
    /// The length of the files that a message carries itself, in bytes.
    var inlineByteCount: Int64 {
        reduce(0) { $1.source == .inline ? saturatingSum($0, $1.byteCount) : $0 }
    }
}
