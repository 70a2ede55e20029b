// A transcript that is encoded in a state is the same when it is decoded, with all that follows from its rows.

@testable import ChatDomain
import Foundation
import Testing

@Suite("Transcripts that are decoded")
struct DecodedTranscriptTests {
    private static func message(_ id: MessageID?, _ author: Message.Author, at second: Int64) -> Message {
        Message(
            id: id, author: author, body: .text(LongText("Hello")),
            time: WallTime(millisecondsSince1970: 1_000 * second), isPlaced: id != nil)
    }

    @Test("L2, C22: a decoded transcript has the rows, their names, and the counts of unread and unsent ones")
    func again() throws {
        let failed = Message.Written(client: "c_2", key: "c_3", status: .failed(.noReply))
        let sent = Message.Written(
            client: "c_1", key: "c_4", status: .delivered, former: [Message.Former(key: "c_1", echo: "s_0")])
        var transcript = ChatTranscript(seed: 7, pageLength: 2)
        transcript.insert(Self.message("s_1", .here(sent), at: 1))
        for (id, second) in [("s_2", 2), ("s_3", 3)] as [(MessageID, Int64)] {
            transcript.markNew(transcript.insert(Self.message(id, .assistant(to: "c_1"), at: second)))
        }
        transcript.insert(Self.message(nil, .here(failed), at: 4))
        let data = try JSONEncoder().encode(transcript)
        let decoded = try JSONDecoder().decode(ChatTranscript.self, from: data)
        #expect(decoded == transcript && decoded.unread == 2)
        #expect(decoded.unsent == transcript.unsent && decoded.byID.seed == 7)
        for id in ["s_0", "s_1", "s_2", "s_3"] as [MessageID] {
            let row = decoded.ordinal(of: id)
            #expect(row != nil && row == transcript.ordinal(of: id))
        }
        for key in ["c_1", "c_2", "c_3", "c_4"] as [ClientID] {
            let row = decoded.ordinal(of: key)
            #expect(row != nil && row == transcript.ordinal(of: key))
            #expect(decoded.answer(to: key) == transcript.answer(to: key))
        }
    }
}
