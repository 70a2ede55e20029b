// The table of seeded bugs (Tests/Mutants/table.txt), the sources that it changes, and the page that says what catches each
// bug. `.ci/mutants` writes the page; here it is shown to be about the bugs of the table, and those about the code as it is.

import Foundation
import Testing

@Suite("Seeded bugs")
struct MutantsTests {
    @Test("Docs/Mutants.md has the bugs of the table, and each is caught")
    func page() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Mutants.md", encoding: .utf8)
        let rows = document.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| ([0-9]+) \| [^|]+ \| ([^|]+) \| [^|*]+ \| [0-9.]+ \|/)?.output
        }
        let seeded = try lines().compactMap { line in
            line.wholeMatch(of: /([0-9]+)\. (.+)/).map { "\($0.output.1) \($0.output.2)" }
        }
        #expect(seeded.count >= 100 && seeded == rows.map { "\($0.1) \($0.2)" })
    }

    @Test("the code that a bug changes stands in its file exactly once")
    func code() throws {
        var (source, number, fragment): (String, Substring, [Substring]) = ("", "", [])
        for line in try lines() {
            if let file = line.wholeMatch(of: /= [^:]+: (.+)/)?.output.1 {
                let text = try String(contentsOf: Repository.root / "Sources/\(file)", encoding: .utf8)
                source = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            } else if line.hasPrefix("- ") {
                fragment += line.dropFirst(2).split(separator: " ")
            } else if line.hasPrefix("+ "), !fragment.isEmpty {
                let places = source.ranges(of: fragment.joined(separator: " ")).count
                #expect(places == 1, "entry \(number): its code stands \(places) times in its file")
                fragment = []
            } else if let next = line.prefixMatch(of: /([0-9]+)\./)?.output.1 {
                number = next
            }
        }
    }

    private func lines() throws -> [Substring] {
        try String(contentsOf: Repository.root / "Tests/Mutants/table.txt", encoding: .utf8)
            .split(separator: "\n")
    }
}
