// Shorthand for the tests of the event reader, random streams, and a second reader that is written the way the
// standard tells it: all bytes at once, decoded, cut into lines, one step a sentence.

import ChatDomain
import ChatEffects

/// An event that was kept.
struct SSEMessage: Hashable {
    var type: ExactText = "message"
    var data: ExactText
    var id: ExactText = ""
}

/// What a stream turned out to be.
struct SSETranscript: Hashable {
    var messages: [SSEMessage] = []
    var error: SSEError?
    /// The reader before the end was told, and after.
    var before: SSEReader
    var after: SSEReader
}

func sseBytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

/// Reads a stream piece by piece, and its end.
func readSSE(
    _ pieces: [ArraySlice<UInt8>], _ policy: SSEPolicy = SSEPolicy(), lastEventID: ExactText = ""
) -> SSETranscript {
    var reader = SSEReader(policy, lastEventID: lastEventID)
    var messages: [SSEMessage] = []
    var error: SSEError?
    var before = reader
    func keep(_ event: borrowing SSEEvent) {
        messages.append(SSEMessage(type: event.type, data: event.text, id: event.lastEventID))
    }
    do throws(SSEError) {
        for piece in pieces {
            try piece.withUnsafeBufferPointer { (bytes) throws(SSEError) in try reader.read(bytes, keep) }
        }
        before = reader
        try reader.finish(keep)
    } catch let failure {
        error = failure
        before = reader
    }
    return SSETranscript(messages: messages, error: error, before: before, after: reader)
}

/// Reads a stream in one piece.
func readSSE(
    _ bytes: [UInt8], _ policy: SSEPolicy = SSEPolicy(), lastEventID: ExactText = ""
) -> SSETranscript {
    readSSE([bytes[...]], policy, lastEventID: lastEventID)
}

func readSSE(_ text: String, _ policy: SSEPolicy = SSEPolicy()) -> SSETranscript {
    readSSE(sseBytes(text), policy)
}

/// The data of the events of a stream.
func sseData(_ text: String, _ policy: SSEPolicy = SSEPolicy()) -> [ExactText] {
    readSSE(text, policy).messages.map { $0.data }
}

/// Ways of splitting: byte by byte, and every split in two.
func sseSplits(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [bytes.indices.map { bytes[$0...$0] }] + (0...bytes.count).map { [bytes[..<$0], bytes[$0...]] }
}

let dispatchingAtEnd = SSEPolicy(unterminatedEvent: .dispatchAtEnd)

/// The standard's own procedure, without limits, over scalars.
func standardSSE(_ bytes: [UInt8]) -> (messages: [SSEMessage], lastEventID: ExactText) {
    var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    var lines: [[Unicode.Scalar]] = []
    var line: [Unicode.Scalar] = []
    for (index, scalar) in scalars.enumerated() {
        if scalar == "\n", index > 0, scalars[index - 1] == "\r" { continue }
        if scalar == "\n" || scalar == "\r" {
            lines.append(line)
            line = []
        } else {
            line.append(scalar)
        }
    }
    func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
    var messages: [SSEMessage] = []
    var data = "", type = "", id = "", lastEventID = ""
    for line in lines {
        guard !line.isEmpty else {
            lastEventID = id
            if !data.isEmpty {
                data.unicodeScalars.removeLast()
                messages.append(
                    SSEMessage(
                        type: ExactText(type.isEmpty ? "message" : type), data: ExactText(data),
                        id: ExactText(lastEventID)))
            }
            data = ""
            type = ""
            continue
        }
        let name = line.prefix { $0 != ":" }
        var value = line.dropFirst(name.count + 1)
        if value.first == " " { value.removeFirst() }
        switch text(name) {
        case "data": data.unicodeScalars.append(contentsOf: value + ["\n"])
        case "event": type = text(value)
        case "id" where !value.contains("\0"): id = text(value)
        default: break
        }
    }
    return (messages, ExactText(lastEventID))
}

extension JSONRandom {
    /// Bytes that are nearly an event stream.
    mutating func eventStream() -> [UInt8] {
        let pieces: [[UInt8]] = [
            sseBytes("data"), sseBytes("data:"), sseBytes("data: "), sseBytes("data: x\n\n"),
            sseBytes("data:y\r\n"),
            sseBytes("event: ping\n"), sseBytes("event:"), sseBytes("id"), sseBytes("id: 7"),
            sseBytes("id:\0"),
            sseBytes("retry:12"), sseBytes("retry"), sseBytes(":"), sseBytes(" "), sseBytes("dat"),
            sseBytes("a"),
            sseBytes("error: e"), sseBytes("error"), sseBytes("{\"e\": 1"), sseBytes("}\n"),
            sseBytes("unknown: field"), sseBytes("é"), sseBytes("😀"), sseBytes("\0"),
            [0x0A], [0x0A], [0x0A, 0x0A], [0x0D], [0x0D], [0x0D, 0x0A], [0x0D, 0x0A, 0x0D, 0x0A],
            [0xEF], [0xBB], [0xBF], [0xEF, 0xBB, 0xBF], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xED, 0xA0],
        ]
        var result: [UInt8] = below(4) == 0 ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<below(16) { result += pieces[below(pieces.count)] }
        return result
    }

    /// The same bytes in pieces, empty ones among them.
    mutating func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + below(9), bytes.count)
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}
