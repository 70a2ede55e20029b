// How a stream is split changes nothing: not the events, not the error, not what the reader holds.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@Suite("Server-Sent Events: splits")
struct SSESplitTests {
    @Test("L9: every split in two, byte by byte and random pieces give what one piece gives")
    func splits() {
        var random = JSONRandom(state: 1)
        for round in 0..<150 {
            let bytes = random.eventStream()
            let policy = SSEPolicy(
                unterminatedEvent: round % 2 == 0 ? .discard : .dispatchAtEnd,
                foreignLines: [.ignored, .errorField, .bareObject][round % 3])
            let whole = readSSE(bytes, policy)
            for pieces in sseSplits(bytes) + [random.pieces(of: bytes)] {
                #expect(readSSE(pieces, policy) == whole, "\(bytes)")
            }
        }
    }

    @Test("L9: under tight limits every split gives the same events and the same error")
    func limitedSplits() {
        var random = JSONRandom(state: 2)
        var failures = 0
        for _ in 0..<150 {
            let bytes = random.eventStream()
            let policy = SSEPolicy(
                lineLimit: Int64(random.below(24)), eventLimit: Int64(random.below(12)),
                unterminatedEvent: random.below(2) == 0 ? .discard : .dispatchAtEnd,
                foreignLines: [.ignored, .errorField, .bareObject][random.below(3)])
            let whole = readSSE(bytes, policy)
            if whole.error != nil { failures += 1 }
            for pieces in sseSplits(bytes) + [random.pieces(of: bytes)] {
                #expect(readSSE(pieces, policy) == whole, "\(bytes) \(policy)")
            }
        }
        #expect(failures > 30 && failures < 150)
    }

    @Test("Random streams give what the standard's procedure gives")
    func standard() {
        var random = JSONRandom(state: 3)
        var events = 0
        for _ in 0..<1500 {
            let bytes = random.eventStream()
            let expected = standardSSE(bytes)
            let transcript = readSSE(bytes)
            #expect(transcript.messages == expected.messages, "\(bytes)")
            #expect(transcript.after.lastEventID == expected.lastEventID, "\(bytes)")
            events += expected.messages.count
        }
        #expect(events > 200)
    }

    @Test("A line end is found wherever it stands among eight bytes, behind any byte")
    func lineEnds() {
        for length in 0..<20 {
            for byte in [0x01, 0x09, 0x0B, 0x0C, 0x0E, 0x7F, 0x80, 0x8A, 0x8D, 0xFF] as [UInt8] {
                for end in [0x0A, 0x0D] as [UInt8] {
                    let value = [UInt8](repeating: byte, count: length)
                    let bytes = sseBytes("data:") + value + [end, end] + sseBytes("data:\n\n")
                    let text = ExactText(String(decoding: value, as: UTF8.self))
                    #expect(readSSE(bytes).messages.map { $0.data } == [text, ""], "\(bytes)")
                }
            }
        }
    }

    @Test("A reader that is stored in the middle of a line goes on from there")
    func stored() throws {
        let bytes = sseBytes("\u{FEFF}event: e\r\nid: 1\r\nretry: 5\r\ndata: é\r\ndata:b\r\n\r\n")
        let whole = readSSE(bytes)
        for split in 0...bytes.count {
            var reader = SSEReader()
            var messages: [SSEMessage] = []
            func keep(_ event: borrowing SSEEvent) {
                messages.append(SSEMessage(type: event.type, data: event.text, id: event.lastEventID))
            }
            try reader.read([UInt8](bytes[..<split]), keep)
            reader = try JSONDecoder().decode(SSEReader.self, from: JSONEncoder().encode(reader))
            try reader.read([UInt8](bytes[split...]), keep)
            #expect(messages == whole.messages)
            #expect(reader == whole.before)
        }
    }
}
