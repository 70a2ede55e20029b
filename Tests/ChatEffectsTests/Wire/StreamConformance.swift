// Recorded answers of model servers, which lie beside a checkout where they are available, with the text that a person
// should see in the end.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation
import TestVolume
import Testing

private let folder = URL(fileURLWithPath: #filePath)  // Tests/ChatEffectsTests/Wire/<this file>
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("../shared/conformance/streams").standardizedFileURL

private let formats: [(folder: String, format: ReplyFormat)] = [
    ("ai-sdk-ui-message-stream", .aiSDK), ("anthropic-messages", .anthropic),
    ("google-generateContent", .google), ("openai-chat", .openAI), ("openai-responses", .openAIResponses),
]

private func files(_ name: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent(name).path)
    return (names ?? []).filter { $0.hasSuffix(".sse") }.sorted()
}

private let isThere: Bool = {
    let isThere = !files("openai-chat").isEmpty
    if !isThere { print("Stream conformance: no cases beside this checkout, nothing was run") }
    return isThere
}()

@Suite("Stream conformance", .enabled(if: isThere, "the cases are not beside this checkout"))
struct StreamConformance {
    /// Bytes that the splits in two of one stream may cost together; a small stream is split everywhere, a greater
    /// one at as many places as fit, evenly spread.
    private static let budget = thoroughly(1_000_000, otherwise: 20_000)

    @Test(
        "Each recorded answer gives its text in one piece, byte by byte, in pieces of 7 bytes and split in two",
        arguments: formats.map { $0.folder })
    func streams(_ name: String) throws {
        let format = try #require(formats.first { $0.folder == name }?.format)
        for file in files(name).prefix(thoroughly(.max, otherwise: 4)) {
            let stream = folder.appendingPathComponent(name).appendingPathComponent(file)
            let bytes = [UInt8](try Data(contentsOf: stream))
            let expected = try String(
                contentsOf: stream.deletingPathExtension().appendingPathExtension("expected.txt"),
                encoding: .utf8)
            let whole = format.decode([bytes])
            #expect(whole.text == ExactText(expected), "\(file)")
            #expect(whole.skipped == 0, "\(file)")
            #expect((whole.outcome == .failed) == expected.isEmpty, "\(file)")
            #expect(format.decode(bytes.map { [$0] }) == whole, "\(file)")
            #expect(format.decode(bytes.pieces(of: 7)) == whole, "\(file)")
            let step = max(1, bytes.count * bytes.count / Self.budget)
            for cut in Swift.stride(from: 0, through: bytes.count, by: step) {
                let split = format.decode([Array(bytes[..<cut]), Array(bytes[cut...])])
                guard split != whole else { continue }
                Issue.record("\(file) split at \(cut): \(split)")
                break
            }
        }
    }
}

extension [UInt8] {
    /// The bytes in pieces of a length, the last perhaps shorter.
    func pieces(of length: Int) -> [[UInt8]] {
        Swift.stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}
