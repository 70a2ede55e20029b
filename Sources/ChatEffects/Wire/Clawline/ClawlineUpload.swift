// An upload to a Clawline server: one HTTP request with a form of one field, whose bytes the driver inserts from the
// app's storage, and a JSON answer that names the asset.

import ChatDomain

/// The request and the answer of an upload.
enum ClawlineUpload {
    /// The most bytes that are read of an answer; a usual one has some hundred.
    static let answerLimit: Int64 = 65_536

    // MARK: The request

    static func exchange(_ attachment: Chat.Attachment, _ secret: SecretHandle, path: ExactText) -> Exchange {
        // The id is random and minted on this device, so no file contains it.
        let boundary = "chat-" + attachment.id.text.string
        let head = """
            --\(boundary)\r
            Content-Disposition: form-data; name="file"; filename="\(quoted(attachment.name))"\r
            Content-Type: \(attachment.mimeType.withoutControlCharacters.string)\r
            \r

            """
        let stored = Chat.Key.attachment(attachment.owner, attachment.id).path
        return .http(
            method: "POST", path: path,
            headers: [Header("content-type", ExactText("multipart/form-data; boundary=\(boundary)"))],
            body: Payload([
                .bytes(Array(head.utf8)), .stored(stored), .bytes(Array("\r\n--\(boundary)--\r\n".utf8)),
            ]), credential: secret)
    }

    /// A name for use within quotes: a quote is percent-encoded, as in browsers. A server does not accept a part as a
    /// file if it has no name, or one that ends like that of a folder.
    private static func quoted(_ name: ExactText) -> String {
        var bytes: [UInt8] = []
        for byte in name.withoutControlCharacters.utf8 {
            if byte == UInt8(ascii: "\"") { bytes += Array("%22".utf8) } else { bytes.append(byte) }
        }
        while let last = bytes.last, "\\/ ".utf8.contains(last) { bytes.removeLast() }
        return bytes.isEmpty ? "file" : String(decoding: bytes, as: UTF8.self)
    }

    // MARK: The answer

    static func receive(
        _ arrival: Arrival, _ answer: inout HTTPAnswer, _ reaction: inout Reaction<Chat.Event>
    ) {
        if case .sent(let count, let total) = arrival {
            reaction.events.append(.uploadProgress(sent: count, of: total))
        }
        guard answer.receive(arrival, &reaction) else { return }
        let json = answer.json
        guard answer.isGood else {
            let sentence = json?["message"]?.string?.cut(toByteCount: ClawlineAnswer.sentenceLimit) ?? ""
            return reaction.end = answer.refusal(sentence)
        }
        guard let asset: AssetID = json?["assetId"]?.string?.identifier() else {
            return reaction.end = .failed(.malformed)
        }
        reaction.events.append(.uploaded(asset))
    }
}
