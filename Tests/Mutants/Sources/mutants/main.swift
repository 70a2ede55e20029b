// Builds the project with all seeded bugs, and says which part of the kit catches each. `--help` lists the options.

import Foundation

let help = """
    Builds the project with the bugs of Tests/Mutants/table.txt, and says which part of the kit catches each.

      --check        Say whether the table fits the sources, and nothing more.
      --sample N     Only so many bugs, drawn by the seed; the document stays as it is.
      --seed N       The seed of the sample (default: 1).
      --only N,N     Only these bugs; the document stays as it is.

    The exit status is 0 when each bug is caught, 1 when one is not, and 2 when the table or an option is wrong.
    """

struct Wish {
    var sample: Int?
    var seed: UInt64 = 1
    var only: Set<Int> = []
    var isCheck = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--check": isCheck = true
            case "--sample": sample = try Wish.number(rest.popFirst(), of: option)
            case "--seed": seed = UInt64(try Wish.number(rest.popFirst(), of: option))
            case "--only":
                only = Set((rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) })
                guard !only.isEmpty else { throw Problem("--only needs numbers") }
            default: throw Problem("unknown option “\(option)”")
            }
        }
    }

    private static func number(_ text: String?, of option: String) throws -> Int {
        guard let number = text.flatMap({ Int($0) }), number > 0 else {
            throw Problem("\(option) needs a number above 0")
        }
        return number
    }

    /// The bugs that are wished for. The seed is that of a linear congruence (Knuth, MMIX).
    func chosen(of mutants: [Mutant]) throws -> [Mutant] {
        if let unknown = only.subtracting(mutants.map { $0.number }).min() {
            throw Problem("there is no entry \(unknown)")
        }
        if !only.isEmpty { return mutants.filter { only.contains($0.number) } }
        guard let sample else { return mutants }
        var (rest, drawn, state) = (mutants, [Mutant](), seed)
        while !rest.isEmpty, drawn.count < sample {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            drawn.append(rest.remove(at: Int((state >> 33) % UInt64(rest.count))))
        }
        return drawn
    }
}

/// What caught a bug, in how many seconds; nothing for a gap.
struct Finding: Sendable {
    let mutant: Mutant
    let detector: String?
    let seconds: Double
}

/// Looks for one bug with one detector after the other.
func find(_ mutant: Mutant, _ workshop: Workshop) -> Finding {
    for detector in Detector.all where detector.isFor(mutant) {
        let start = Date()
        guard detector.finds(mutant.number, in: workshop) else { continue }
        return Finding(mutant: mutant, detector: detector.name, seconds: Date().timeIntervalSince(start))
    }
    return Finding(mutant: mutant, detector: nil, seconds: 0)
}

/// The document, without its times the same for the same findings.
func document(_ findings: [Finding]) -> String {
    var lines = [
        "# Seeded bugs", "",
        "Each row is a bug that was made on purpose (`Tests/Mutants/table.txt`), and the first part of the kit that",
        "catches it, the cheapest asked first. `.ci/mutants` writes this file.", "",
        "| | Part | What is broken | Caught by | Seconds |", "|---|---|---|---|---|",
    ]
    for finding in findings {
        let (mutant, seconds) = (finding.mutant, String(format: "%.1f", finding.seconds))
        lines.append(
            "| \(mutant.number) | \(mutant.part) | \(mutant.sentence) | \(finding.detector ?? "**nothing**") | \(seconds) |"
        )
    }
    return lines.joined(separator: "\n") + "\n"
}

func run(_ arguments: [String]) async throws -> Int32 {
    if arguments.contains("--help") {
        print(help)
        return 0
    }
    let wish = try Wish(arguments)
    let workshop = Workshop(root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    let table = workshop.root.appendingPathComponent("Tests/Mutants/table.txt")
    let mutants = try Table.read(try String(contentsOf: table, encoding: .utf8))
    let chosen = try wish.chosen(of: mutants)
    try workshop.prepare(mutants)
    if wish.isCheck {
        print("\(mutants.count) bugs fit the sources")
        return 0
    }
    try workshop.build()
    // Without a bug, everything must be quiet.
    for detector in Detector.all {
        let start = Date()
        guard !detector.finds(0, in: workshop) else {
            throw Problem("“\(detector.name)” finds a bug where none is")
        }
        print(String(format: "%6.1f s without a bug: ", Date().timeIntervalSince(start)) + detector.name)
    }
    // Two at a time. Each task takes the next when its own is done.
    var findings: [Finding] = []
    await withTaskGroup(of: Finding.self) { group in
        var rest = chosen[...]
        for mutant in rest.prefix(2) { group.addTask { find(mutant, workshop) } }
        rest = rest.dropFirst(2)
        for await finding in group {
            findings.append(finding)
            print("\(finding.mutant.number) \(finding.detector ?? "NOTHING")")
            if let next = rest.popFirst() { group.addTask { find(next, workshop) } }
        }
    }
    findings.sort { $0.mutant.number < $1.mutant.number }
    if chosen.count == mutants.count {
        let target = workshop.root.appendingPathComponent("Docs/Mutants.md")
        try document(findings).write(to: target, atomically: true, encoding: .utf8)
    }
    let gaps = findings.filter { $0.detector == nil }
    print("\(findings.count - gaps.count) of \(findings.count) bugs are caught")
    for gap in gaps { print("nothing catches \(gap.mutant.number): \(gap.mutant.sentence)") }
    return gaps.isEmpty ? 0 : 1
}

do {
    exit(try await run(Array(CommandLine.arguments.dropFirst())))
} catch {
    FileHandle.standardError.write(Data("mutants: \(error)\n".utf8))
    exit(2)
}
