// The rows of a message that was sent more than once: its names lead to one row, and a page that is read later neither
// doubles it nor takes back what is newer.

import Testing

@testable import ChatDomain

@Suite("Rows of a message with several keys")
struct TranscriptRowsTests {
    private static func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: second * 1_000) }

    /// “Hello”, written here first under the key c_1.
    private static func mine(
        _ id: MessageID?, _ status: Chat.SendStatus, client: ClientID = "c_1", key: ClientID = "c_1",
        former: [Message.Former] = [], at second: Int64 = 0
    ) -> Message {
        Message(
            id: id, author: .here(Message.Written(client: client, key: key, status: status, former: former)),
            body: .text(LongText("Hello")), time: time(second), isPlaced: id != nil)
    }

    private static func told(_ id: MessageID, at second: Int64, by author: Message.Author) -> Message {
        Message(id: id, author: author, body: .text(LongText("Hello")), time: time(second), isPlaced: true)
    }

    private static func transcript(_ messages: [Message]) -> ChatTranscript {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        for message in messages { transcript.insert(message) }
        return transcript
    }

    @Test("C12, L6: a key that the server has refused leads to no message, and the one before it does")
    func droppedKey() {
        var transcript = Self.transcript([Self.mine("s_1", .delivered)])
        transcript.rekey(0, "c_2")
        #expect(transcript.message("c_2")?.client == "c_1")
        transcript.dropKey(0)
        #expect(transcript.message("c_2") == nil && transcript.message("c_1")?.written?.key == "c_1")
    }

    @Test("C16, L6: of several copies that were told, a stored message has the place of the first")
    func placeOfFirst() {
        var transcript = Self.transcript([
            Self.told("s_1", at: 1, by: .elsewhere(nil)), Self.told("s_2", at: 2, by: .system),
            Self.told("s_3", at: 3, by: .elsewhere(nil)), Self.told("s_4", at: 4, by: .elsewhere(nil)),
        ])
        let former = [Message.Former(key: "c_1", echo: "s_1"), Message.Former(key: "c_2", echo: "s_3")]
        transcript.load([Self.mine("s_4", .delivered, key: "c_3", former: former)], page: 0)
        #expect(transcript.rows.map { $0.value.wrappedValue.role } == [.user, .system])
        for id in ["s_1", "s_3", "s_4"] as [MessageID] { #expect(transcript.ordinal(of: id) == 0) }
    }

    @Test("C6, C12: a stored message takes over the id and status of the copy that was told with its key")
    func latestCopy() {
        var transcript = Self.transcript([
            Self.told("s_1", at: 1, by: .elsewhere(nil)),
            Self.mine("s_2", .delivered, client: "c_2", key: "c_2", at: 2),
        ])
        let former = [Message.Former(key: "c_1", echo: "s_1")]
        transcript.load([Self.mine(nil, .accepted, key: "c_2", former: former)], page: 0)
        let row = transcript.message("c_1")
        #expect(transcript.rows.count == 1 && row?.id == "s_2" && row?.status == .delivered)
    }

    @Test("C6: a page from before a retry takes back neither its key nor its status")
    func retryInMemory() {
        let former = [Message.Former(key: "c_1")]
        var transcript = Self.transcript([Self.mine(nil, .sending, key: "c_2", former: former)])
        transcript.load([Self.mine("s_1", .failed(.noReply))], page: 0)
        let written = transcript.message("c_1")?.written
        #expect(transcript.rows.count == 1 && written?.key == "c_2" && written?.status == .sending)
    }
}
