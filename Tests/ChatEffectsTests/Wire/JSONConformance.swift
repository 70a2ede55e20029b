// The public conformance suite for JSON parsers, which lies beside a checkout where it is available.

import ChatEffects
import Foundation
import Testing

private let folder = URL(fileURLWithPath: #filePath)  // Tests/ChatEffectsTests/Wire/<this file>
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("../shared/conformance/json").standardizedFileURL

private let files: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    if names.isEmpty { print("JSON conformance: no cases beside this checkout, nothing was run") }
    return names.filter { $0.hasSuffix(".json") }.sorted()
}()

@Suite("JSON conformance", .enabled(if: !files.isEmpty, "the cases are not beside this checkout"))
struct JSONConformance {
    @Test("Each case is accepted, refused, or at least survived, as its name says")
    func cases() throws {
        var counts: [Character: Int] = [:]
        for file in files {
            let input = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            let strict = readJSON(input)
            let replacing = readJSON(input, replacingPolicy)
            counts[file.first ?? "?", default: 0] += 1
            switch file.first {
            case "y":
                #expect(throws: Never.self, "\(file)") { try strict.get() }
                #expect(strict == replacing, "\(file)")
            case "n":
                #expect(throws: JSONError.self, "\(file)") { try strict.get() }
                #expect(throws: JSONError.self, "\(file)") { try replacing.get() }
            default:
                break
            }
            if case .success(let value) = replacing {
                let encoded = value.encoded
                #expect((try? readJSON(encoded).get())?.encoded == encoded, "\(file)")
            }
        }
        #expect(counts["y", default: 0] > 0 && counts["n", default: 0] > 0)
    }
}
