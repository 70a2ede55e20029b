// Uploads to the in-process backend: one request with a form of one field, received in twentieths with a progress
// report for each, and answered with the asset's id. The bytes are dropped at once.

import ChatDomain

extension LocalServer {
    /// The greatest accepted file, in bytes.
    static let uploadLimit: Int64 = 104_857_600

    /// A running upload.
    package struct Upload: PlainValue {
        let call: CallNumber
        let mimeType: ExactText
        /// The number of bytes of the file.
        let byteCount: Int64
        /// The number of bytes of the request, the total of the progress reports.
        let requestSize: Int64
    }

    /// Begins an upload.
    mutating func upload(_ call: CallNumber, _ headers: [Header], _ bytes: [UInt8]) {
        guard let form = UploadForm(headers, bytes) else {
            return refuseUpload(call, "invalid_message", "The form cannot be read")
        }
        guard form.byteCount <= Self.uploadLimit else {
            return refuseUpload(call, "payload_too_large", "File too large")
        }
        let upload = Upload(
            call: call, mimeType: form.mimeType, byteCount: form.byteCount,
            requestSize: Int64(bytes.count))
        schedule(.upload(upload, percent: 0), after: .zero)
    }

    private mutating func refuseUpload(_ call: CallNumber, _ code: ExactText, _ message: ExactText) {
        let body = ClawlineFrames.error(code, message: message)
        schedule(
            .respond(call, status: Self.httpStatus(of: code), body: body), after: .zero, mayFail: false)
    }

    /// Continues an upload; at the end, sends the asset's id.
    mutating func take(_ upload: Upload, percent: Int64, _ outcomes: inout [Outcome]) {
        guard isOpen(upload.call) else { return }
        if percent > 0 {
            let sent = percent < 100 ? upload.requestSize / 20 * (percent / 5) : upload.requestSize
            outcomes.append(.arrived(upload.call, .sent(sent, of: upload.requestSize)))
        }
        guard percent >= 100 else {
            let part = Interval(nanoseconds: behaviour.uploadDelay.nanoseconds / 20)
            return schedule(.upload(upload, percent: percent + 5), after: part)
        }
        lastID += 1
        let asset = Asset(
            id: AssetID("a_\(lastID)"), mimeType: upload.mimeType, byteCount: upload.byteCount)
        assets = assets.suffix(Self.idempotencyWindow - 1) + [asset]
        respond(upload.call, 200, body: ClawlineFrames.asset(asset), &outcomes)
    }
}

/// A form of one field, `file`. The decoder is strict, since this package itself encodes its input.
private struct UploadForm {
    let mimeType: ExactText
    let byteCount: Int64

    init?(_ headers: [Header], _ bytes: [UInt8]) {
        let prefix = Array("multipart/form-data; boundary=".utf8)
        guard let type = headers.first(where: { $0.name == "content-type" })?.value,
            type.utf8.starts(with: prefix)
        else { return nil }
        let boundary = Array("--".utf8) + type.utf8.dropFirst(prefix.count)
        let end = Array("\r\n".utf8) + boundary + Array("--\r\n".utf8)
        guard bytes.starts(with: boundary), bytes.count > end.count,
            bytes[(bytes.count - end.count)...].elementsEqual(end),
            let body = Self.endOfHead(bytes), body <= bytes.count - end.count,
            let mimeType = Self.mimeType(bytes[..<body])
        else { return nil }
        self.mimeType = mimeType
        byteCount = Int64(bytes.count - end.count - body)
    }

    /// The position after the empty line; nil if there is none.
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let emptyLine = Array("\r\n\r\n".utf8)
        var index = 0
        while index + 4 <= bytes.count {
            if bytes[index..<index + 4].elementsEqual(emptyLine) { return index + 4 }
            index += 1
        }
        return nil
    }

    private static func mimeType(_ head: ArraySlice<UInt8>) -> ExactText? {
        let name = Array("Content-Type: ".utf8)
        for line in head.split(separator: UInt8(ascii: "\n")) where line.starts(with: name) {
            let value = String(decoding: line.dropFirst(name.count), as: UTF8.self)
            return ExactText(value).withoutControlCharacters
        }
        return nil
    }
}
