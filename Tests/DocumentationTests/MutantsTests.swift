// The table of seeded bugs (Tests/Mutants/table.txt) and the page that says what catches each. `.ci/mutants` writes the
// page; here it is shown to be about the same bugs.

import Foundation
import Testing

@Suite("Seeded bugs")
struct MutantsTests {
    @Test("Docs/Mutants.md has the bugs of the table, and each is caught")
    func fits() throws {
        let table = try String(contentsOf: Repository.root / "Tests/Mutants/table.txt", encoding: .utf8)
        let document = try String(contentsOf: Repository.root / "Docs/Mutants.md", encoding: .utf8)
        let seeded = table.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /([0-9]+)\. (.+)/).map { "\($0.output.1) \($0.output.2)" }
        }
        let rows = document.split(separator: "\n").compactMap { line in
            line.wholeMatch(of: /\| ([0-9]+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| [0-9.]+ \|/)?.output
        }
        #expect(!seeded.isEmpty && seeded == rows.map { "\($0.1) \($0.2)" })
        #expect(!document.contains("**nothing**"))
    }
}
