import ChatDomain
@testable import ChatEffects
import Testing

/// The HTTP side of the in-process Clawline server that no feature of the library asks: what a front end shows of a file
/// that another device sent, and which protocol the server speaks.
@Suite("The in-process server: download and version")
struct DownloadTests {
    private struct Answer: Equatable {
        var status: Int64?
        var headers: [Header] = []
        var body: [UInt8] = []
        var ends: [CallEnd] = []
    }

    private static let bearer = Header(
        "authorization", ExactText("Bearer " + LocalServer.token(of: "d", as: "kay").reveal().string))

    /// Asks, and collects the whole answer.
    private func ask(
        _ server: inout LocalServer, _ path: ExactText, method: ExactText = "GET",
        _ headers: [Header] = [bearer], body: [UInt8] = []
    ) -> Answer {
        let call = CallNumber(UInt64(server.lastID + 1_000))
        server.carryOut(
            .open(
                call,
                .http(
                    method: method, path: path, headers: headers, body: Payload(bytes: body), credential: nil)
            ),
            at: Stage.moment(0))
        var answer = Answer()
        for outcome in server.advance(to: Stage.moment(60_000)) {
            guard case .arrived(call, let arrival) = outcome else { continue }
            switch arrival {
            case .head(let status, let headers): (answer.status, answer.headers) = (status, headers)
            case .body(let bytes): answer.body += bytes
            case .ended(let end): answer.ends.append(end)
            default: break
            }
        }
        return answer
    }

    private func upload(_ server: inout LocalServer, _ bytes: [UInt8], type: String) -> AssetID? {
        let form =
            Array(
                ("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n"
                    + "Content-Type: \(type)\r\n\r\n").utf8) + bytes + Array("\r\n--b--\r\n".utf8)
        let answer = ask(
            &server, "/upload", method: "POST",
            [Self.bearer, Header("content-type", "multipart/form-data; boundary=b")], body: form)
        let id = try? JSONReader().value(of: answer.body)["assetId"]?.string
        return id.map { AssetID($0) }
    }

    @Test("a file is downloaded byte by byte as it was uploaded, with its type")
    func downloads() throws {
        var server = LocalServer()
        let bytes = (0...255).map { UInt8($0) } + Array("\r\n--b--\r\n".utf8)
        let id = try #require(upload(&server, bytes, type: "image/png"))
        let other = try #require(upload(&server, [1], type: "text/html"))
        let answer = ask(&server, ExactText("/download/\(id.text.string)"))
        #expect(answer.status == 200 && answer.body == bytes && answer.ends == [.completed])
        #expect(answer.headers.contains(Header("content-type", "image/png")))
        #expect(ask(&server, ExactText("/download/\(other.text.string)")).body == [1])
    }

    @Test("an empty file is a file")
    func empty() throws {
        var server = LocalServer()
        let id = try #require(upload(&server, [], type: "text/plain"))
        let answer = ask(&server, ExactText("/download/\(id.text.string)"))
        #expect(answer.status == 200 && answer.body.isEmpty && answer.ends == [.completed])
    }

    @Test(
        "a download of nothing that is there is answered so",
        arguments: ["/download/", "/download/a_0", "/download/../upload", "/download/a_1/x"])
    func unknown(path: ExactText) throws {
        var server = LocalServer()
        _ = upload(&server, [1], type: "text/plain")
        let answer = ask(&server, path)
        #expect(answer.status == 404 && answer.ends == [.completed])
        #expect(try JSONReader().value(of: answer.body)["code"]?.string == "asset_not_found")
    }

    @Test("nobody downloads without a token, or with a revoked one")
    func unauthorised() throws {
        var server = LocalServer()
        let id = try #require(upload(&server, [1], type: "text/plain"))
        let path = ExactText("/download/\(id.text.string)")
        #expect(ask(&server, path, []).status == 401)
        server.revoke("d")
        #expect(ask(&server, path).status == 401)
    }

    @Test("the bytes of the newest files are kept, up to one file of the greatest size")
    func bounded() throws {
        var server = LocalServer()
        let half = [UInt8](repeating: 1, count: Int(LocalServer.keptBytesLimit / 2))
        let first = try #require(upload(&server, [1], type: "text/plain"))
        let second = try #require(upload(&server, half, type: "text/plain"))
        _ = try #require(upload(&server, half, type: "text/plain"))
        #expect(ask(&server, ExactText("/download/\(first.text.string)")).status == 404)
        #expect(ask(&server, ExactText("/download/\(second.text.string)")).status == 200)
        #expect(server.files.map { $0.asset.id }.contains(first))
    }

    @Test("the version of the protocol is told to everybody")
    func version() throws {
        var server = LocalServer()
        let answer = ask(&server, "/version", [])
        #expect(answer.status == 200 && answer.ends == [.completed])
        #expect(try JSONReader().value(of: answer.body)["protocolVersion"]?.integer == 1)
    }
}
