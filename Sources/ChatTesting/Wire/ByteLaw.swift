// Laws that hold for any bytes, for fuzzing the readers and decoders: no input traps, and pieces of any size give the
// result of one piece. The first byte of an input chooses the pieces, the rest is the input of the reader. FrameLaws.swift,
// AnswerLaws.swift, StoreLaws.swift and ServerLaws.swift have the laws of single decoders.

import ChatDomain
import ChatEffects

/// A law about arriving bytes.
public struct ByteLaw: Sendable {
    /// The reader: `sse`, `json`, `websocket`, `websocket-opening`, `http-answer`, the name of a format, or that of a
    /// decoder.
    public let name: String
    /// The breach of the law; nil when it holds.
    let complaint: @Sendable (_ choice: UInt8, _ bytes: [UInt8]) -> String?

    /// Every law.
    public static let all: [ByteLaw] =
        [
            ByteLaw(name: "sse", complaint: events), ByteLaw(name: "json", complaint: texts),
            ByteLaw(name: "websocket", complaint: WebSocketLaws.frames),
            ByteLaw(name: "websocket-opening", complaint: WebSocketLaws.opening),
            ByteLaw(name: "http-answer", complaint: HTTPLaws.answer),
        ]
        + ReplyFormat.allCases.map { format in
            ByteLaw(name: format.rawValue) { choice, bytes in reply(format, choice, bytes) }
        } + FrameLaws.all + AnswerLaws.all + StoreLaws.all + ServerLaws.all

    /// The breach of the law by this input; nil when it holds.
    public func complaint(about input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        return complaint(choice, Array(input.dropFirst()))
    }

    /// The bytes in pieces: of one byte for the choice 0, and otherwise of lengths that follow from the choice.
    static func pieces(_ bytes: [UInt8], _ choice: UInt8) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        var number = choice
        while !rest.isEmpty {
            let length = choice == 0 ? 1 : Int(number % 23) + 1
            number = number &* 5 &+ 3
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }

    // MARK: Events

    private struct Events: Equatable {
        var events: [[ExactText]] = []
        var before: SSEReader
        var after: SSEReader
        var error: SSEError?
    }

    private static func events(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        // Limits that a short input can exceed, in one half of the runs.
        let limit = choice & 1 == 0 ? SSEPolicy.defaultLimit : 16
        let policy = SSEPolicy(
            lineLimit: limit, eventLimit: limit,
            unterminatedEvent: choice & 2 == 0 ? .discard : .dispatchAtEnd)
        let whole = read([bytes], policy)
        return read(pieces(bytes, choice), policy) == whole
            ? nil : "the pieces give other events than the whole"
    }

    private static func read(_ pieces: [[UInt8]], _ policy: SSEPolicy) -> Events {
        var reader = SSEReader(policy, lastEventID: "0")
        var read = Events(before: reader, after: reader)
        func keep(_ event: borrowing SSEEvent) {
            read.events.append([event.type, event.text, event.lastEventID])
        }
        do throws(SSEError) {
            for piece in pieces { try reader.read(piece) { keep($0) } }
            read.before = reader
            try reader.finish { keep($0) }
        } catch {
            read.error = error
        }
        read.after = reader
        return read
    }

    // MARK: Texts

    private static func texts(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let replacing = try? JSONReader(JSONPolicy(malformedText: .replace)).value(of: bytes)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader().value(of: bytes)
        } catch {
            let isInside = error.offset >= 0 && error.offset <= Int64(bytes.count)
            return isInside ? nil : "the error is not within the text"
        }
        guard replacing == value else { return "a well-formed text has two values" }
        guard (try? JSONReader().value(of: value.encoded)) == value else {
            return "its encoding has another value"
        }
        return nil
    }

    // MARK: Replies

    private static func reply(_ format: ReplyFormat, _ choice: UInt8, _ bytes: [UInt8]) -> String? {
        // Most answers are streams; some are refusals.
        let status: Int64 = choice > 240 ? 429 : 200
        let ending: CallEnd = choice & 4 == 0 ? .completed : .failed(.lost)
        let whole = format.decode([bytes], status: status, ending: ending)
        let split = format.decode(pieces(bytes, choice), status: status, ending: ending)
        guard split == whole else { return "the pieces give another reply than the whole" }
        let isIncomplete = whole.outcome != .finished
        guard isIncomplete == (whole.reason != nil) else { return "an incomplete reply has no reason" }
        return whole.outcome == .failed && !whole.text.isEmpty ? "a reply with text counts as none" : nil
    }
}
