// The public conformance cases for readers of event streams, which lie beside a checkout where they are
// available.

import ChatDomain
import ChatEffects
import Foundation
import Testing

private let folder = URL(fileURLWithPath: #filePath)  // Tests/ChatEffectsTests/Wire/<this file>
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("../shared/conformance/sse").standardizedFileURL

private let files: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    if names.isEmpty { print("SSE conformance: no cases beside this checkout, nothing was run") }
    return names.filter { $0.hasSuffix(".jsonl") }.sorted()
}()

/// A line of a file of cases.
private struct Case: Decodable {
    struct Event: Decodable {
        var event: String
        var data: String
        var id: String
    }

    var name: String
    var input_base64: Data
    var expected: [Event]
    var retry: Int64?
    var last_event_id: String
    var initial_last_event_id: String?
    var max_buffer: Int64?
    var chunks: [Int]?

    /// The pieces that the case itself speaks of.
    var ownPieces: [ArraySlice<UInt8>] {
        let bytes = [UInt8](input_base64)
        var rest = bytes[...]
        return (chunks ?? []).map { size in
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size)
        } + [rest]
    }
}

@Suite("SSE conformance", .enabled(if: !files.isEmpty, "the cases are not beside this checkout"))
struct SSEConformance {
    @Test("Each case gives its events in one piece, byte by byte, for every split in two, and as it came")
    func cases() throws {
        var count = 0
        for file in files {
            let lines = try Data(contentsOf: folder.appendingPathComponent(file)).split(separator: 0x0A)
            for line in lines {
                let one = try JSONDecoder().decode(Case.self, from: line)
                let bytes = [UInt8](one.input_base64)
                let expected = one.expected.map {
                    SSEMessage(type: ExactText($0.event), data: ExactText($0.data), id: ExactText($0.id))
                }
                let policy = one.max_buffer.map { SSEPolicy(lineLimit: $0, eventLimit: $0) } ?? SSEPolicy()
                for pieces in [[bytes[...]], one.ownPieces] + sseSplits(bytes) {
                    let result = readSSE(
                        pieces, policy, lastEventID: ExactText(one.initial_last_event_id ?? ""))
                    #expect(result.messages == expected, "\(one.name)")
                    #expect(result.after.retry == one.retry.map { .milliseconds($0) }, "\(one.name)")
                    #expect(result.after.lastEventID == ExactText(one.last_event_id), "\(one.name)")
                }
                count += 1
            }
        }
        #expect(count > 0)
    }
}
