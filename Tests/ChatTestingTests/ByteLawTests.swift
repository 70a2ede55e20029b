// The laws about any bytes, for what the fuzzer starts from and for changes of it.

import Foundation
import TestVolume
import Testing

@testable import ChatTesting

@Suite("Laws about bytes")
struct ByteLawTests {
    @Test("L10: a mask that leaves a secret in a recording breaks the law of recordings")
    func mask() {
        let texts = [
            #"{"token":"top"}"#, #"{"a":[{"Access_Token" : "top"}]}"#, #"{"password":"a\"b","b":1}"#,
        ]
        for bytes in texts.map({ Array($0.utf8) }) {
            #expect(StoreLaws.recording(1, bytes, masked: StoreLaws.masked) == nil)
            guard !bytes.contains(UInt8(ascii: "\\")) else { continue }
            #expect(StoreLaws.recording(1, bytes) { $0.flatMap { $0 } } == "a recording has secrets")
        }
    }

    private static let corpus = URL(fileURLWithPath: #filePath)  // Tests/ChatTestingTests/<this file>
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing/Corpus/Bytes")

    @Test(
        "L9: pieces of any size give the result of one piece",
        arguments: ByteLaw.all.map { $0.name })
    func holds(_ name: String) throws {
        let law = try #require(ByteLaw.all.first { $0.name == name })
        let folder = Self.corpus.appendingPathComponent(name)
        let cases = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!cases.isEmpty)
        var random: UInt64 = 7
        func draw(_ limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % max(limit, 1)
        }
        for file in cases {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            for round in 0..<thoroughly(200, otherwise: 40) {
                var input = bytes
                // The case itself under some choices, and then with bytes that are changed, gone or doubled.
                input[0] = UInt8(truncatingIfNeeded: draw(256))
                for _ in 0..<(round % 10) {
                    let place = draw(input.count - 1) + 1
                    guard place < input.count else { break }
                    switch draw(3) {
                    case 0: input[place] = UInt8(truncatingIfNeeded: draw(256))
                    case 1: input.remove(at: place)
                    default: input.insert(input[place], at: place)
                    }
                }
                guard let complaint = law.complaint(about: input) else { continue }
                Issue.record("\(name): \(complaint): \(input)")
                return
            }
        }
    }
}
