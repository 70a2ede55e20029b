// What it costs to read a token from a stream: the reader alone, and through the codecs that an app uses, beside a search
// for newlines in the same bytes. An operation is one event.

import AllocationCount
import ChatDomain
import ChatEffects

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let events = 4_096
/// The piece in which a network hands bytes over, and one that splits everything.
private let (usualPiece, smallPiece) = (16_384, 7)

private func pieces(_ event: String, of size: Int) -> [[UInt8]] {
    let bytes = Array(String(repeating: event, count: events).utf8)
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

/// The coach's event of 62 bytes, and one of a server that speaks Chat Completions.
private let coachEvent = "data: {\"type\":\"token\",\"content\":\"Hello\",\"pattern_insight\":0}\n\n"
private let openAIEvent =
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1764657993,\"model\":\"m\","
    + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\" Hello\"},\"logprobs\":null,\"finish_reason\":null}],"
    + "\"usage\":null}\n\n"

/// Finds every newline, as fast as the system's library does.
private func newlines(_ event: String) -> Workload {
    let pieces = pieces(event, of: usualPiece)
    return Workload(operations: events, prepare: {}) { _ in
        var found: UInt64 = 0
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                guard var place = bytes.baseAddress else { return }
                let end = place + bytes.count
                while let next = memchr(place, 10, end - place) {
                    found += 1
                    place = UnsafeRawPointer(next) + 1
                }
            }
        }
        black_hole(found)
    }
}

private func reader(_ event: String, of size: Int) -> Workload {
    let pieces = pieces(event, of: size)
    return Workload(operations: events, prepare: { SSEReader() }) { reader in
        var length = 0
        for piece in pieces { try? reader.read(piece) { length += $0.data.count } }
        black_hole(UInt64(length))
    }
}

/// Arrivals through a codec, up to the events of the feature.
private func decoded<Codec: Backend>(_ codec: Codec, _ event: String, of size: Int) -> Workload
where Codec.Subject == Streaming {
    let question = Streaming.Question(conversation: .main, client: "c", text: "?")
    let arrivals = pieces(event, of: size).map { Arrival.body($0) }
    return Workload(
        operations: events,
        prepare: { () -> Codec.Progress in
            var progress = codec.open(.stream(question, SecretHandle("k"))).progress
            var reaction = Reaction<Streaming.Event>()
            codec.receive(.head(status: 200, headers: []), progress: &progress, reaction: &reaction)
            return progress
        },
        run: { progress in
            var count = 0
            for arrival in arrivals {
                var reaction = Reaction<Streaming.Event>()
                codec.receive(arrival, progress: &progress, reaction: &reaction)
                count += reaction.events.count
            }
            black_hole(UInt64(count))
        })
}

/// Reads an array of one number again and again. An operation is one number.
private func numbers(_ literal: String) -> Workload {
    let text = Array("[\(Array(repeating: literal, count: events).joined(separator: ","))]".utf8)
    return Workload(operations: events, prepare: { JSONReader() }) { reader in
        let value = try? reader.value(of: text)
        black_hole(UInt64(value?.array?.count ?? 0))
    }
}

func benchmarkWire(_ report: inout Report) {
    let coach = ("newlines, coach", newlines(coachEvent))
    let model = ("newlines, model", newlines(openAIEvent))
    let openAI = ModelBackend(OpenAIChat(), ModelServer(path: "", model: "m"))
    report.add(
        "wire, reader, \(coachEvent.utf8.count) bytes", reader(coachEvent, of: usualPiece), beside: coach)
    // 6 % of the speed of the search for newlines, and a tenth of that in the smallest pieces.
    report.add(
        "wire, coach, token", decoded(CoachStreamCodec(), coachEvent, of: usualPiece), beside: coach,
        limits: [.ratio(16.7)])
    report.add(
        "wire, coach, token, 7 bytes a piece", decoded(CoachStreamCodec(), coachEvent, of: smallPiece),
        beside: coach, limits: [.ratio(167)])
    report.add(
        "wire, reader, \(openAIEvent.utf8.count) bytes", reader(openAIEvent, of: usualPiece), beside: model)
    report.add(
        "wire, model, token", decoded(openAI, openAIEvent, of: usualPiece), beside: model,
        limits: [.ratio(16.7)])
    report.add(
        "wire, model, token, 7 bytes a piece", decoded(openAI, openAIEvent, of: smallPiece), beside: model,
        limits: [.ratio(167)])
    // No slower than five times a short number.
    report.add(
        "wire, number of 17 digits", numbers("1.2345678901234567"),
        beside: ("number of 2 digits", numbers("1.5")), limits: [.ratio(5)])
}
