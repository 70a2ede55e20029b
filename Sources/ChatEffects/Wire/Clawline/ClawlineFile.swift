// Decodes the files of a server's message for display in a row. The bytes of an inline image are dropped; their number
// follows from the length of the base64 text. An unknown file is omitted, and the message is shown without it (S12).

import ChatDomain

enum ClawlineFile {
    /// The most files of a message, which is Clawline's limit; further files are dropped (L8).
    private static let limit = 4

    /// The greatest length of a media type, in UTF-8 bytes: 127 for each half, and the slash (RFC 6838, section 4.2).
    private static let typeLimit: Int64 = 255

    /// The greatest length of a file's name, in UTF-8 bytes: the longest in common file systems.
    private static let nameLimit: Int64 = 255

    /// Decodes the files of a message.
    static func read(_ attachments: JSONValue?) -> [IncomingFile] {
        var files: [IncomingFile] = []
        for attachment in attachments?.array ?? [] where files.count < limit {
            if let file = file(attachment) { files.append(file) }
        }
        return files
    }

    private static func file(_ attachment: JSONValue) -> IncomingFile? {
        let metadata = attachment["metadata"]
        let type =
            (attachment["mimeType"]?.string ?? metadata?["mimeType"]?.string)?
            .cut(toByteCount: typeLimit).withoutControlCharacters ?? ""
        let size = (attachment["size"]?.integer ?? metadata?["size"]?.integer).map { max($0, 0) }
        let data = attachment["data"]?.string.map { Base64.byteCount(of: $0) }
        let asset = attachment["assetId"]?.string?.identifier() as AssetID?
        switch attachment["type"]?.string {
        case "asset":
            return asset.map {
                IncomingFile(kind: .asset, mimeType: type, byteCount: size ?? 0, asset: $0)
            }
        case "image": return IncomingFile(kind: .image, mimeType: type, byteCount: size ?? data ?? 0)
        case "document":
            let name = metadata?["filename"]?.string?.cut(toByteCount: nameLimit).withoutControlCharacters
            return IncomingFile(
                kind: .document, mimeType: type, name: name?.trimmed ?? "", byteCount: size ?? data ?? 0,
                asset: asset)
        default: return nil
        }
    }
}
