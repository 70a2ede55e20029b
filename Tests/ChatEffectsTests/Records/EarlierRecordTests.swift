// Versions 1 and 2 of an outbox and a page come back in the words of today.

@testable import ChatDomain
import ChatEffects
import Testing

@Suite("Earlier records")
struct EarlierRecordTests {
    private static let time = WallTime(millisecondsSince1970: 1)

    private func messages(_ records: String...) -> [Message]? {
        let page = #"{"messages":[\#(records.joined(separator: ","))]}"#
        let text = #"{"format":"page","version":2,"written":0,"record":\#(page)}"#
        let key = RecordExample(.page).key
        guard case .record(.chat(.page(let read))) = ChatApp.Record.read(jsonBytes(text), under: key) else {
            return nil
        }
        return read.messages
    }

    private func mine(_ rest: String, as client: String = "c2") -> String {
        #"{"role":"user","text":"Hi","time":1,"placed":true,"client":"\#(client)"\#(rest)}"#
    }

    private func reply(_ rest: String) -> String {
        #"{"role":"assistant","text":"Hel","time":1,"placed":true\#(rest)}"#
    }

    @Test("R5, L6: an outbox names the message by the key that the attempt replaced")
    func outbox() {
        let entry = #"{"client":"c2","text":"Hi","written":1,"wasSent":true,"replaces":"c1"}"#
        let text = #"{"format":"outbox","version":2,"written":0,"record":{"entries":[\#(entry)]}}"#
        let expected = OutboxEntry(key: "c2", client: "c1", text: "Hi", written: Self.time, wasSent: true)
        #expect(
            ChatApp.Record.read(jsonBytes(text), under: RecordExample(.outbox).key)
                == .record(.chat(.outbox([expected]))))
    }

    @Test("R5, C12: a message keeps its first key as its name, and its reply names it so")
    func names() throws {
        let copies = #","status":"delivered","unechoed":["c1","c2"]"#
        let other = mine(#","status":"delivered""#, as: "c3")
        let read = try #require(
            messages(mine(copies), reply(#","client":"r_c2""#), other, reply(#","client":"r_c3""#)))
        #expect(
            read[0].written
                == Message.Written(
                    client: "c1", key: "c2", status: .delivered, former: [Message.Former(key: "c1")]))
        #expect(read[1].author == .assistant(to: "c1"))
        #expect(read[3].author == .assistant(to: "c3"))
    }

    @Test(
        "R5, S4, S6: a partial pushed reply belongs to the question before it, and its retry has a new key",
        arguments: [
            (#"{"kind":"lost"}"#, .broken(.lost)), (#"{"kind":"timedOut"}"#, .timedOut),
            (#"{"kind":"failed","reason":"no"}"#, .reported("no")), (#"{"kind":"tooLong"}"#, .tooLong),
            (#"{"kind":"stopped"}"#, .stopped),
        ] as [(String, Streaming.Reason)])
    func partials(_ end: String, _ reason: Streaming.Reason) throws {
        let partial = reply(#","id":"s","interruption":\#(end)"#)
        let read = try #require(messages(mine(""), partial, partial, reply("")))
        #expect(read.map { $0.question } == [nil, "c2", nil, nil])
        #expect(read[1].body == .interrupted(LongText("Hel"), ReplyEnding(reason, needsNewKey: true)))
    }

    @Test("R5, L3: a message without a status was delivered, so it does not look as if it were under way")
    func withoutStatus() throws {
        #expect(try #require(messages(mine(""))).map { $0.status } == [.delivered])
    }

    @Test("R5, C13: a partial pushed reply right after a deleted question does not belong to it")
    func partialOfDeleted() throws {
        let partial = reply(#","id":"s","interruption":{"kind":"lost"}"#)
        let read = try #require(messages(mine(#","hidden":true"#), partial))
        #expect(read.map { $0.isHidden } == [true, false] && read.map { $0.question } == [nil, nil])
    }

    @Test(
        "R5: why a message failed has the words of today",
        arguments: [
            (#"{"kind":"noReply"}"#, SendFailure.unanswered(ReplyEnding(.noReply, needsNewKey: true))),
            (
                #"{"kind":"replyFailed","reason":"no"}"#,
                .unanswered(ReplyEnding(.reported("no"), needsNewKey: true))
            ),
            (#"{"kind":"rejected","reason":"no"}"#, .rejected("no")),
            (#"{"kind":"uploadFailed"}"#, .uploadFailed("")),
            (
                #"{"kind":"ended","reason":{"kind":"gap"},"needsNewID":false}"#,
                .unanswered(ReplyEnding(.gap, needsNewKey: false))
            ),
        ])
    func failures(_ record: String, _ failure: SendFailure) throws {
        let read = try #require(messages(mine(#","status":"failed","failure":\#(record)"#)))
        #expect(read[0].status == .failed(failure))
    }
}
