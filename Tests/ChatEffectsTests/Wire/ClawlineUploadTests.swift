import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: files")
struct ClawlineUploadTests {
    private static func attachment(
        _ source: Chat.Attachment.Source, id: AttachmentID = "f_1", name: ExactText = "a\"b\r\n.png"
    ) -> Chat.Attachment {
        Chat.Attachment(
            id: id, owner: "ada", kind: .image, mimeType: "image/png", name: name, byteCount: 3,
            source: source)
    }

    private static func stored(_ id: ExactText) -> RecordPath {
        RecordPath(["users", "ada", "attachments", id])
    }

    private func filled(_ payload: Payload, _ data: String, second: String = "") throws -> String {
        let records = [Self.stored("f_1"): Array(data.utf8), Self.stored("f_2"): Array(second.utf8)]
        let bytes = try payload.filled(secret: { _ in nil }, record: { records[$0] })
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("C14: a message carries what is stored of each of its files, and names what the server has")
    func message() throws {
        let files = [Self.attachment(.inline), Self.attachment(.asset("a_1"))]
        let further = Self.attachment(.inline, id: "f_2")
        let start = #"{"type":"message","id":"c_1","content":"Hi","attachments":["#
        let both =
            #"{"type":"image","mimeType":"image/png","data":"QUJD"},{"type":"asset","assetId":"a_1"}"#
        let frame = try filled(ClawlineRequests.say("c_1", .main, "Hi", files), "QUJD")
        #expect(frame == start + both + "]}")
        let three = ClawlineRequests.say("c_1", .main, "Hi", files + [further])
        #expect(
            try filled(three, "QUJD", second: "REVG")
                == start + both + #",{"type":"image","mimeType":"image/png","data":"REVG"}]}"#)
    }

    @Test("C14: a file that travels within its message is stored as Base64, any other as it is")
    func record() {
        let written = WallTime(millisecondsSince1970: 0)
        for (isInline, text) in [(true, "QUJD"), (false, "ABC")] {
            let data = AttachmentData(bytes: Array("ABC".utf8), isInline: isInline)
            let content = ChatApp.Record.chat(.attachment(data)).content(written: written)
            #expect(content == .bytes(Array(text.utf8)))
        }
    }

    @Test("C14: an upload is a form of one field, whose name cannot break it")
    func form() throws {
        let (exchange, _) = ClawlineBackend().open(
            .chat(.upload(SecretHandle("s"), Self.attachment(.file(.waiting)))))
        guard case .http(let method, let path, let headers, let body, let credential) = exchange else {
            return #expect(Bool(false))
        }
        #expect(method == "POST" && path == "/upload" && credential == SecretHandle("s"))
        #expect(headers == [Header("content-type", "multipart/form-data; boundary=chat-f_1")])
        #expect(
            try filled(body, "ABC").utf8.elementsEqual(
                ("--chat-f_1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22b.png\"\r\n"
                    + "Content-Type: image/png\r\n\r\nABC\r\n--chat-f_1--\r\n").utf8))
    }

    @Test("C14: a part always has a file name that no server takes for none or for a folder")
    func fileNames() throws {
        let cases: [(ExactText, String)] = [
            ("", "file"), (" \n", "file"), ("\\", "file"), ("a\\", "a"), ("a/\\ ", "a"), ("a\\b", "a\\b"),
        ]
        for (name, written) in cases {
            let exchange = ClawlineUpload.exchange(
                Self.attachment(.file(.waiting), name: name), SecretHandle("s"), path: "/upload")
            guard case .http(_, _, _, let body, _) = exchange else { return #expect(Bool(false)) }
            #expect(try filled(body, "").contains("filename=\"\(written)\"\r\n"), "\(written)")
        }
    }

    private func answer(_ status: Int64, _ body: String) -> (events: [ChatApp.Event], end: CallEnd?) {
        let backend = ClawlineBackend()
        var (_, progress) = backend.open(
            .chat(.upload(SecretHandle("s"), Self.attachment(.file(.waiting)))))
        var events: [ChatApp.Event] = []
        var end: CallEnd?
        var arrivals: [Arrival] = [.sent(3, of: 9), .head(status: status, headers: [])]
        arrivals += body.utf8.map { .body([$0]) } + [.ended(.completed)]
        for arrival in arrivals {
            var reaction = Reaction<ChatApp.Event>()
            backend.receive(arrival, progress: &progress, reaction: &reaction)
            events += reaction.events
            end = end ?? reaction.end
        }
        return (events, end)
    }

    @Test("C14, L9: the answer names the file, however it is split; anything else is a failure")
    func answers() {
        let progress = ChatApp.Event.chat(.uploadProgress(sent: 3, of: 9))
        let good = answer(200, #"{"assetId":"a_1","mimeType":"image/png","size":3}"#)
        #expect(good.events == [progress, .chat(.uploaded("a_1"))] && good.end == nil)
        let large = answer(413, #"{"type":"error","code":"payload_too_large","message":"M"}"#)
        #expect(large.events == [progress])
        #expect(large.end == .refused(status: 413, retryAfter: nil, message: "M"))
        let half = answer(404, #"{"message":"gone \ud83d"}"#)
        #expect(half.end == .refused(status: 404, retryAfter: nil, message: "gone \u{FFFD}"))
        #expect(answer(200, #"{"assetId":""}"#).end == .failed(.malformed))
        #expect(answer(200, "").end == .failed(.malformed))
        #expect(answer(200, String(repeating: "x", count: 65_537)).end == .failed(.tooLarge))
        let page = answer(429, String(repeating: "x", count: 65_537))
        #expect(page.end == .refused(status: 429, retryAfter: nil, message: ""))
    }
}
