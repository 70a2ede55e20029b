// The files of a message that a Clawline server sends: what each is like, for a row to show.
// The bytes of an image that the message carries are not kept; their number is told by the length of their
// letters. What is no file that is known here is left out, and the message is shown without it (S12).

import ChatDomain

enum ClawlineFile {
    /// How many files a message is shown with: as many as Clawline lets it have. A server that sends more is
    /// no reason to remember them (L8).
    private static let limit = 4

    /// How long a type may be, in UTF-8 bytes: 127 for each of its halves, and the stroke (RFC 6838,
    /// section 4.2).
    private static let typeLimit: Int64 = 255

    /// Reads the files of a message.
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
