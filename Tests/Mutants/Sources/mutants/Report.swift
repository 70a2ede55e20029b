// Docs/Mutants.md: a row for each bug. A hunt of some bugs renews their rows and keeps the others, so that a new entry costs
// its own hunt alone. Start at `Report.init`.

import Foundation

struct Report {
    struct Row {
        let mutant: Mutant
        /// Nothing for a gap, and for what was never hunted.
        let caught: String?
        let seconds: Double
    }

    let rows: [Row]

    /// The rows of all bugs: of the findings, and otherwise of the document as it is.
    init(_ mutants: [Mutant], _ findings: [Finding], before document: String) {
        var known: [Int: (caught: String?, seconds: Double)] = [:]
        for line in document.split(separator: "\n") {
            let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard columns.count == 5, let number = Int(columns[0]), let seconds = Double(columns[4]) else {
                continue
            }
            known[number] = (columns[3] == Self.nothing ? nil : columns[3], seconds)
        }
        for finding in findings { known[finding.mutant.number] = (finding.caught, finding.seconds) }
        rows = mutants.map { mutant in
            Row(
                mutant: mutant, caught: known[mutant.number]?.caught,
                seconds: known[mutant.number]?.seconds ?? 0)
        }
    }

    private static let nothing = "**nothing**"

    /// How many each detector caught, as rows, in the order of the detectors.
    private var shares: [String] {
        Detector.all.compactMap { detector in
            let names = ["", End.crash, End.silence].map { detector.name + $0 }
            let count = rows.count { row in row.caught.map { names.contains($0) } ?? false }
            return count > 0 ? "| \(detector.name) | \(count) |" : nil
        }
    }

    private func count(_ remark: String) -> Int { rows.count { $0.caught?.hasSuffix(remark) == true } }

    var document: String {
        let (crashes, silences) = (count(End.crash), count(End.silence))
        let caught = rows.count { $0.caught != nil }
        let minutes = Int((rows.reduce(0) { $0 + $1.seconds } / 60).rounded(.up))
        return """
            # Seeded bugs

            Each row is a bug that was made on purpose, with its number in `Tests/Mutants/table.txt`, and the first part of
            the kit that catches it. All bugs are compiled at once into a copy of the package; the environment variable
            `MUTANT` chooses the one of a process. The cheapest part is asked first, so a bug that an exploration catches may
            be caught by others too. The seconds are a processor's, of all parts that were asked until then.

            `.ci/mutants` hunts all bugs and writes this page, `.ci/mutants --only 7,12` hunts some and renews their rows, and
            `.ci/mutants --check` says whether the table fits the sources.

            \(caught) of \(rows.count) bugs are caught: \(caught - crashes - silences) by a failure, \(crashes) by a crash, \
            \(silences) by a run that takes too long.
            The whole hunt costs \(minutes) minutes of one processor, beside the build.

            | Caught by | Bugs |
            |---|---|
            \(shares.joined(separator: "\n"))

            | | Part | What is broken | Caught by | Seconds |
            |---|---|---|---|---|
            \(rows.map { line($0) }.joined(separator: "\n"))

            """
    }

    private func line(_ row: Row) -> String {
        let columns = [
            "\(row.mutant.number)", row.mutant.part, row.mutant.sentence, row.caught ?? Self.nothing,
            String(format: "%.1f", row.seconds),
        ]
        return "| " + columns.joined(separator: " | ") + " |"
    }
}
