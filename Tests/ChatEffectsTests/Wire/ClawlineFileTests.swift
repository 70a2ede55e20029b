@testable import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Clawline: files of messages that arrive")
struct ClawlineFileTests {
    private func files(_ attachments: String) -> [IncomingFile]? {
        let frame =
            #"{"type":"message","id":"s_1","role":"user","content":"x","timestamp":1,"streaming":false,"#
            + #""deviceId":"d","attachments":\#(attachments)}"#
        var streams = ClawlineStreams()
        guard case .message(let message) = ClawlineAnswer.read(Array(frame.utf8), &streams) else {
            return nil
        }
        return message.files
    }

    @Test("C14: a file that the server has, and an image within the message, are told by type and size")
    func reads() {
        let read = files(
            #"[{"type":"asset","assetId":"a_1","mimeType":"application/pdf","size":9},"#
                + #"{"type":"image","mimeType":"image/png","data":"QUJDRA=="}]"#)
        #expect(
            read == [
                IncomingFile(kind: .asset, mimeType: "application/pdf", byteCount: 9, asset: "a_1"),
                IncomingFile(kind: .image, mimeType: "image/png", byteCount: 4),
            ])
        #expect(files(#"[{"type":"asset","assetId":"a_1"}]"#)?.first?.byteCount == 0)
    }

    @Test("C14: a document has its name, type and size in a member of its own")
    func documents() {
        let read = files(
            #"[{"type":"document","assetId":"a_1","metadata":{"filename":" a\u0007.pdf","size":7.0,"#
                + #""mimeType":"application/pdf"}},{"type":"document","mimeType":"text/x","data":"QUJDRA=="},"#
                + #"{"type":"document"}]"#)
        #expect(
            read == [
                IncomingFile(
                    kind: .document, mimeType: "application/pdf", name: "a.pdf", byteCount: 7, asset: "a_1"),
                IncomingFile(kind: .document, mimeType: "text/x", byteCount: 4),
                IncomingFile(kind: .document, mimeType: "", byteCount: 0),
            ])
        let long = String(repeating: "n", count: 1_000)
        let hostile = files(
            #"[{"type":"document","metadata":{"filename":"\#(long)","size":1e300}},"#
                + #"{"type":"document","metadata":7,"assetId":""}]"#)
        #expect(hostile?.map { $0.name.byteCount } == [255, 0] && hostile?.map { $0.byteCount } == [0, 0])
    }

    @Test(
        "S12, L8: an attachment that is no file is left out, the message is never lost, and four are the limit"
    )
    func hostile() {
        for attachments in [
            "null", "{}", #""x""#, "[]", "[1,null,[]]", #"[{"type":"asset"}]"#,
            #"[{"type":"asset","assetId":""}]"#,
            #"[{"type":"video","assetId":"a"}]"#,
        ] { #expect(files(attachments) == []) }
        let mixed = files(
            #"[{"type":"video","assetId":"a"},{"type":"asset","assetId":"b"},7,{"type":"image"}]"#)
        #expect(mixed?.map { $0.kind } == [.asset, .image], "the files behind it are kept")
        let odd = files(#"[{"type":"image","size":-5,"mimeType":7,"data":"="},{"type":"image","data":"=="}]"#)
        #expect(odd?.map { $0.byteCount } == [0, 0])
        let many = Array(repeating: #"{"type":"image"}"#, count: 1_000).joined(separator: ",")
        #expect(files("[\(many)]")?.count == 4)
        let long = String(repeating: "t", count: 1_000)
        #expect(files(#"[{"type":"image","mimeType":"\#(long)"}]"#)?.first?.mimeType.byteCount == 255)
    }
}
