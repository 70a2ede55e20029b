// What is kept of a stream does not depend on its length: the reader has room for its longest line and event, and the
// progress of an answer is the same after a million tokens as after one.

import ChatDomain
@testable import ChatEffects
import Testing

@Suite("Streams: what is kept of them")
struct StreamMemoryTests {
    /// The room that a reader takes up for bytes.
    private static func room(_ reader: SSEReader) -> Int {
        reader.held.capacity + reader.data.capacity + reader.type.capacity + (reader.newID?.capacity ?? 0)
            + reader.id.capacity
    }

    /// Events of every kind, with lines of 30 KB.
    private static let round: [UInt8] = {
        let long = String(repeating: "long ", count: 6_000)
        let text =
            "data: \(long)\ndata: \(long)\n\nid: 7\nevent: token\ndata: a\n\n: \(long)\nunknown: \(long)\nretry: 5\n\n"
            + "id: \(long)\ndata:\n\nevent: \(long)\n\n"
        return Array(text.utf8)
    }()

    @Test("the second 16 MiB of events take up no more room than the first")
    func reader() throws {
        let rounds = (0..<12).flatMap { _ in Self.round }
        // The pieces begin anywhere in an event.
        let pieces = stride(from: 0, to: rounds.count, by: 16_001).map {
            Array(rounds[$0..<min($0 + 16_001, rounds.count)])
        }
        let half = 16 << 20
        var reader = SSEReader()
        var most = (first: 0, second: 0)
        var (read, events) = (0, 0)
        while read < 2 * half {
            for piece in pieces {
                try reader.read(piece) { _ in events += 1 }
                read += piece.count
                if read < half {
                    most.first = max(most.first, Self.room(reader))
                } else {
                    most.second = max(most.second, Self.room(reader))
                }
            }
        }
        #expect(most.second <= most.first && most.first < 2 * Self.round.count)
        #expect(events == read / Self.round.count * 3)
    }

    @Test("an answer has the same progress after many tokens as after one")
    func answer() {
        let codec = CoachStreamCodec()
        let question = Streaming.Question(conversation: .main, client: "c", text: "?")
        var progress = codec.open(.stream(question, SecretHandle("k"))).progress
        func receive(_ arrival: Arrival) -> Int {
            var reaction = Reaction<Streaming.Event>()
            codec.receive(arrival, progress: &progress, reaction: &reaction)
            #expect(reaction.end == nil)
            return reaction.events.count
        }
        _ = receive(.head(status: 200, headers: [Header("content-type", "text/event-stream")]))
        let token = Array("data: {\"type\":\"token\",\"content\":\"Hello\"}\n\n".utf8)
        #expect(receive(.body(token)) == 1)
        let after = progress
        let many = Arrival.body((0..<500).flatMap { _ in token })
        for _ in 0..<10 { #expect(receive(many) == 500) }
        #expect(progress == after)
    }

    @Test("what a server adds to an error's page is not kept")
    func refusal() {
        var answer = StreamedAnswer.stream()
        var reaction = Reaction<Streaming.Event>()
        answer.receive(.head(status: 500, headers: []), in: OpenAIChat(), &reaction)
        let page = Arrival.body([UInt8](repeating: 0x61, count: 65_536))
        answer.receive(page, in: OpenAIChat(), &reaction)
        let after = answer
        for _ in 0..<500 { answer.receive(page, in: OpenAIChat(), &reaction) }
        #expect(answer == after && reaction.end == nil)
    }
}
