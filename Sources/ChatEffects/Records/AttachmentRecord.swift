// The fields of a message's attachments in the records of chat; omitted if there are none:
//
//     "attachments":[{"id":"f_1","owner":"ada","kind":"image","mimeType":"image/png","name":"x.png","size":9,
//                     "source":"asset","asset":"a_1","uploads":1}]
//
// A running or failed upload is stored as a waiting one: it does not outlive the process.

import ChatDomain

extension [Chat.Attachment] {
    func write(to object: inout JSONObjectWriter) {
        guard !isEmpty else { return }
        object.objects("attachments", self) { $0.write(to: &$1) }
    }

    init(in fields: Fields) throws(FieldError) {
        self = []
        guard fields.optional("attachments") != nil else { return }
        self = try fields.objects("attachments", Chat.Attachment.init)
    }
}

extension Chat.Attachment {
    fileprivate func write(to object: inout JSONObjectWriter) {
        object.member("id", id.text)
        object.member("owner", owner.text)
        object.member("kind", kind.word)
        object.member("mimeType", mimeType)
        object.member("name", name)
        object.member("size", byteCount)
        switch source {
        case .inline: object.member("source", "inline")
        case .file: object.member("source", "file")
        case .asset(let asset):
            object.member("source", "asset")
            object.member("asset", asset.text)
        }
        object.member("uploads", uploads)
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        // A server may tell any size, and what was written is read back.
        let counts = 0...Int64.max
        self.init(
            id: try fields.identifier("id"), owner: try fields.identifier("owner"),
            kind: try Kind(word: fields.text("kind")), mimeType: try fields.text("mimeType"),
            name: try fields.text("name"), byteCount: try fields.integer("size", in: counts),
            source: try Source(fields), uploads: try fields.integer("uploads", in: counts))
    }
}

extension Chat.Attachment.Source {
    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("source") {
        case "inline": self = .inline
        case "file": self = .file(.waiting)
        case "asset": self = .asset(try fields.identifier("asset"))
        case let word: throw FieldError("source", .unknownWord(word))
        }
    }
}

extension Chat.Attachment.Kind {
    var word: ExactText {
        switch self {
        case .image: "image"
        case .document: "document"
        case .asset: "asset"
        }
    }

    init(word: ExactText) throws(FieldError) {
        switch word {
        case "image": self = .image
        case "document": self = .document
        case "asset": self = .asset
        default: throw FieldError("kind", .unknownWord(word))
        }
    }
}
