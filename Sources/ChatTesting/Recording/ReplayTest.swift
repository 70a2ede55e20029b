// A recording as a source file for an app's tests. The file holds the recording itself, so it needs nothing else.

import ChatDomain

extension Recording {
    /// A Swift file with a test that replays a recording of the terminal program's app and expects no divergence.
    /// Throws for a recording that is cut or of another app, whose test would fail in every build.
    public static func swiftTest(of bytes: [UInt8]) throws(RecordingProblem) -> String {
        let recording = try Recording(bytes)
        if let problem = recording.problem { throw problem }
        _ = try Replay(chat: recording)
        let text = String(decoding: bytes, as: UTF8.self)
        let hashes = String(repeating: "#", count: longestRunOfHashes(text) + 1)
        return """
            // swift-format-ignore-file
            // Made from a recording. The machine of this build must do the same, step by step.

            import ChatTesting
            import Testing

            @Suite("A recorded run")
            struct RecordedRunTests {
                @Test("the recorded run takes the same course again")
                func replays() throws {
                    var replay = try Replay(chat: Recording(Array(Self.lines.utf8)))
                    let divergence = try replay.run()
                    #expect(divergence == nil)
                    #expect(replay.isAtEnd && replay.recording.problem == nil)
                }

                static let lines = \(hashes)\"\"\"
            \(text.last == "\n" ? String(text.dropLast()) : text)

            \"\"\"\(hashes)
            }

            """
    }

    /// The end of a raw literal is a quote and its hashes, so the literal needs one more than any run in it.
    private static func longestRunOfHashes(_ text: String) -> Int {
        var longest = 0
        var current = 0
        for byte in text.utf8 {
            current = byte == UInt8(ascii: "#") ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
