// Files of the in-process backend. An upload is one request with a form of one field, received in twentieths with a
// progress report for each, and answered with the asset's id; under that id its bytes are downloaded again.

import ChatDomain

extension LocalServer {
    /// The greatest accepted file, in bytes.
    static let uploadLimit: Int64 = 104_857_600

    /// The most bytes that are kept, of the newest files: those of one file of the greatest size.
    static var keptBytesLimit: Int64 { uploadLimit }

    /// The path of a download, before the asset's id.
    static var downloadPath: ExactText { "/download/" }

    /// A running upload.
    package struct Upload: PlainValue {
        let call: CallNumber
        let mimeType: ExactText
        /// The bytes of the file.
        let bytes: [UInt8]
        /// The number of bytes of the request, the total of the progress reports.
        let requestSize: Int64
    }

    /// Begins an upload.
    mutating func upload(_ call: CallNumber, _ headers: [Header], _ bytes: [UInt8]) {
        guard let form = UploadForm(headers, bytes) else {
            return refuseFile(call, "invalid_message", "The form cannot be read")
        }
        guard form.bytes.count <= Self.uploadLimit else {
            return refuseFile(call, "payload_too_large", "File too large")
        }
        let upload = Upload(
            call: call, mimeType: form.mimeType, bytes: form.bytes, requestSize: Int64(bytes.count))
        schedule(.upload(upload, percent: 0), after: .zero)
    }

    private mutating func refuseFile(_ call: CallNumber, _ code: ExactText, _ message: ExactText) {
        let body = ClawlineFrames.error(code, message: message)
        schedule(
            .respond(call, status: Self.httpStatus(of: code), body: body), after: .zero, mayFail: false)
    }

    /// Continues an upload; at the end, sends the asset's id.
    mutating func take(_ upload: Upload, percent: Int64, _ outcomes: inout [Outcome]) {
        guard isOpen(upload.call) else { return }
        if percent > 0 {
            // The least number of bytes that is this share of all.
            let (whole, rest) = upload.requestSize.quotientAndRemainder(dividingBy: 20)
            let sent = whole * (percent / 5) + (rest * (percent / 5) + 19) / 20
            outcomes.append(.arrived(upload.call, .sent(sent, of: upload.requestSize)))
        }
        guard percent >= 100 else {
            let part = Interval(nanoseconds: behaviour.uploadDelay.nanoseconds / 20)
            return schedule(.upload(upload, percent: percent + 5), after: part)
        }
        lastID += 1
        let asset = Asset(
            id: AssetID("a_\(lastID)"), mimeType: upload.mimeType, byteCount: Int64(upload.bytes.count))
        keep(StoredFile(asset: asset, bytes: upload.bytes))
        respond(upload.call, 200, body: ClawlineFrames.asset(asset), &outcomes)
    }

    /// Keeps a file, and drops the bytes of the oldest ones beyond the limit. Messages still name those.
    private mutating func keep(_ file: StoredFile) {
        files = files.suffix(Self.idempotencyWindow - 1) + [file]
        var room = Self.keptBytesLimit
        for index in files.indices.reversed() {
            guard let bytes = files[index].bytes else { return }
            room -= Int64(bytes.count)
            if room < 0 { files[index].bytes = nil }
        }
    }

    /// Sends the bytes of a file.
    mutating func download(_ call: CallNumber, _ path: ExactText) {
        let id = AssetID(ExactText(decoding: Array(path.utf8.dropFirst(Self.downloadPath.utf8.count))))
        guard let file = files.last(where: { $0.asset.id == id }), let bytes = file.bytes else {
            return refuseFile(call, "asset_not_found", "Asset not found")
        }
        // A browser must not guess what a file is, and must not show it as a page: its sender chose the type.
        let type = file.asset.mimeType
        let headers = [
            Header("content-type", type.isEmpty ? "application/octet-stream" : type),
            Header("x-content-type-options", "nosniff"), Header("content-disposition", "attachment"),
        ]
        schedule(
            .respond(call, status: 200, headers: headers, body: bytes), after: .zero, mayFail: false)
    }
}

/// A form of one field, `file`. The decoder is strict, since this package itself encodes its input.
private struct UploadForm {
    let mimeType: ExactText
    let bytes: [UInt8]

    init?(_ headers: [Header], _ request: [UInt8]) {
        let prefix = Array("multipart/form-data; boundary=".utf8)
        guard let type = headers.first(where: { $0.name == "content-type" })?.value,
            type.utf8.starts(with: prefix)
        else { return nil }
        let boundary = Array("--".utf8) + type.utf8.dropFirst(prefix.count)
        let end = Array("\r\n".utf8) + boundary + Array("--\r\n".utf8)
        guard request.starts(with: boundary), request.count > end.count,
            request[(request.count - end.count)...].elementsEqual(end),
            let body = Self.endOfHead(request), body <= request.count - end.count,
            let mimeType = Self.mimeType(request[..<body])
        else { return nil }
        self.mimeType = mimeType
        bytes = Array(request[body..<(request.count - end.count)])
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
