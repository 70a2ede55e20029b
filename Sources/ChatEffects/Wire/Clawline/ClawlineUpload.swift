// An upload to a Clawline server: one HTTP request with a form of one field, whose bytes the driver inserts from the
// app's storage, and a JSON answer that names the asset.

import ChatDomain

/// The answer to an upload so far.
public struct ClawlineUpload: DomainValue {
    /// The greatest accepted answer, in bytes; a usual one has some hundred.
    static let answerLimit = 65_536

    var status: Int64 = 0
    var retryAfter: Interval?
    var body: [UInt8] = []

    init() {}

    // MARK: The request

    static func exchange(_ attachment: Attachment, _ secret: SecretHandle, path: ExactText) -> Exchange {
        // The id is random and minted on this device, so no file contains it.
        let boundary = "chat-" + attachment.id.text.string
        let head = """
            --\(boundary)\r
            Content-Disposition: form-data; name="file"; filename="\(quoted(attachment.name))"\r
            Content-Type: \(attachment.mimeType.withoutControlCharacters.string)\r
            \r

            """
        let stored = App.Key.chat(.attachment(attachment.owner, attachment.id)).path
        return .http(
            method: "POST", path: path,
            headers: [Header("content-type", ExactText("multipart/form-data; boundary=\(boundary)"))],
            body: Payload([
                .bytes(Array(head.utf8)), .stored(stored), .bytes(Array("\r\n--\(boundary)--\r\n".utf8)),
            ]), credential: secret)
    }

    /// A name for use within quotes: a quote is percent-encoded, as in browsers.
    private static func quoted(_ name: ExactText) -> String {
        var bytes: [UInt8] = []
        for byte in name.withoutControlCharacters.utf8 {
            if byte == UInt8(ascii: "\"") { bytes += Array("%22".utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: The answer

    mutating func receive(_ arrival: Arrival, _ reaction: inout Reaction<App.Event>) {
        switch arrival {
        case .sent(let count, let total):
            reaction.events.append(.chat(.uploadProgress(sent: count, of: total)))
        case .head(let status, let headers):
            self.status = status
            retryAfter = AssistantCallable.retryAfter(headers)
        case .body(let bytes):
            guard body.count + bytes.count <= Self.answerLimit else {
                return reaction.end = .failed(.tooLarge)
            }
            body += bytes
        case .ended(.completed): finish(&reaction)
        case .ended: break
        case .opened, .text, .signOfLife: reaction.skipped += 1  // not for an HTTP exchange
        }
    }

    private func finish(_ reaction: inout Reaction<App.Event>) {
        let policy = JSONPolicy(size: Int64(Self.answerLimit), malformedText: .replace)
        let answer = try? JSONReader(policy).value(of: body)
        guard (200..<300).contains(status) else {
            let sentence = answer?["message"]?.string?.cut(toByteCount: ClawlineAnswer.sentenceLimit) ?? ""
            reaction.end = .refused(status: status, retryAfter: retryAfter, message: sentence)
            return
        }
        guard let asset = answer?["assetId"]?.string, !asset.isEmpty else {
            return reaction.end = .failed(.malformed)
        }
        reaction.events.append(.chat(.uploaded(AssetID(asset))))
    }
}
