// Decodes the files of a server's message for display in a row. The bytes of an inline image are dropped; their number
// follows from the length of the base64 text. An unknown file is omitted, and the message is shown without it (S12).

import ChatDomain

enum ClawlineFile {
    /// The most files of a message, which is Clawline's limit; further files are dropped (L8).
    private static let limit = 4

    /// The greatest length of a media type, in UTF-8 bytes: 127 for each half, and the slash (RFC 6838, section 4.2).
    private static let typeLimit: Int64 = 255

    /// Decodes the files of a message.
    static func read(_ attachments: JSONValue?) -> [IncomingFile] {
        var files: [IncomingFile] = []
        for attachment in attachments?.array ?? [] where files.count < limit {
            if let file = file(attachment) { files.append(file) }
        }
        return files
    }

    private static func file(_ attachment: JSONValue) -> IncomingFile? {
        let type = attachment["mimeType"]?.string?.cut(toByteCount: typeLimit).withoutControlCharacters ?? ""
        let size = attachment["size"]?.integer.map { max($0, 0) }
        switch attachment["type"]?.string {
        case "asset":
            guard let asset = attachment["assetId"]?.string, !asset.isEmpty else { return nil }
            return IncomingFile(kind: .asset, mimeType: type, byteCount: size ?? 0, asset: AssetID(asset))
        case "image":
            let data = attachment["data"]?.string
            return IncomingFile(
                kind: .image, mimeType: type, byteCount: size ?? data.map { Base64.byteCount(of: $0) } ?? 0)
        default: return nil
        }
    }
}
