// A stored page beside rows that are newer: its places, its deletions and its replies.

import Testing

@testable import ChatDomain

@Suite("Pages that are read after newer rows")
struct LatePageTests {
    private static func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: second * 1_000) }

    /// “Hello”, written here; without an id it has no place, and the time of this device.
    private static func mine(
        _ id: MessageID?, client: ClientID, key: ClientID? = nil, former: [Message.Former] = [],
        at second: Int64
    ) -> Message {
        let written = Message.Written(client: client, key: key, status: .delivered, former: former)
        return Message(
            id: id, author: .here(written), body: .text(LongText("Hello")), time: time(second),
            isPlaced: id != nil)
    }

    private static func reply(_ id: MessageID?, to question: ClientID?, at second: Int64) -> Message {
        Message(
            id: id, author: .assistant(to: question), body: .text(LongText("Hi")), time: time(second),
            isPlaced: id != nil)
    }

    private static func transcript(_ messages: [Message]) -> ChatTranscript {
        var transcript = ChatTranscript(seed: 1, pageLength: 50)
        for message in messages { transcript.insert(message) }
        return transcript
    }

    private static func ids(_ transcript: ChatTranscript) -> [MessageID?] {
        transcript.rows.map { $0.value.wrappedValue.id }
    }

    @Test("C16: by a wrong device clock no stored message without a server time moves over a newer row")
    func wrongClock() {
        var transcript = Self.transcript([Self.reply("s_5", to: nil, at: 5)])
        let page = [Self.reply("s_1", to: nil, at: 1), Self.mine(nil, client: "c_1", at: 100)]
        transcript.settle(transcript.load(page, page: 0))
        #expect(Self.ids(transcript) == ["s_1", nil, "s_5"])
    }

    @Test("S6: a stored reply without an id leaves no row beside the newer reply to its question")
    func namelessReply() {
        var transcript = Self.transcript([Self.reply("s_9", to: "c_1", at: 9)])
        transcript.load([Self.mine("s_1", client: "c_1", at: 1), Self.reply(nil, to: "c_1", at: 2)], page: 0)
        #expect(Self.ids(transcript) == ["s_1", "s_9"] && transcript.reply(to: "c_1")?.id == "s_9")
    }

    @Test("C13: a deletion that only the page of the message tells outlasts a reset")
    func hiddenOnPage() {
        var (transcript, hidden) = (Self.transcript([]), Self.reply("s_1", to: nil, at: 1))
        hidden.isHidden = true
        transcript.load([hidden], page: 0)
        _ = transcript.withdraw()
        let row = transcript.receive(Self.reply("s_1", to: nil, at: 1))
        #expect(transcript[row]?.isHidden == true)
    }

    @Test("L6, C12: the reply to a copy that was told as a message of its own is that to the stored message")
    func replyToCopy() {
        var transcript = Self.transcript([
            Self.mine("s_2", client: "c_2", at: 2), Self.reply("s_3", to: "c_2", at: 3),
        ])
        let former = [Message.Former(key: "c_1", echo: "s_1"), Message.Former(key: "c_2")]
        transcript.load([Self.mine(nil, client: "c_1", key: "c_3", former: former, at: 1)], page: 0)
        #expect(transcript.rows.count == 2 && transcript.reply(to: "c_1")?.id == "s_3")
    }
}
