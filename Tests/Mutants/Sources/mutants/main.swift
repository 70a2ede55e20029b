// Builds the project with all seeded bugs, and says which part of the kit catches each. `--help` lists the options.

import Foundation

let help = """
    Builds the project with the bugs of Tests/Mutants/table.txt, and says which part of the kit catches each.

      --check        Say whether the table fits the sources, and nothing more.
      --sample N     Only so many bugs, drawn by the seed.
      --seed N       The seed of the sample (default: 1).
      --only N,N     Only these bugs.

    The rows of the bugs in Docs/Mutants.md are renewed.
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

func run(_ arguments: [String]) async throws -> Int32 {
    if arguments.contains("--help") {
        say(help)
        return 0
    }
    let wish = try Wish(arguments)
    let workshop = Workshop(root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    let table = workshop.root.appendingPathComponent("Tests/Mutants/table.txt")
    let mutants = try Table.read(try String(contentsOf: table, encoding: .utf8))
    let chosen = try wish.chosen(of: mutants)
    let files = try workshop.sources(mutants)
    if wish.isCheck {
        say("\(mutants.count) bugs fit the sources")
        return 0
    }
    let signals = Shell.endsWithUs()
    defer { for signal in signals { signal.cancel() } }
    let start = Date()
    try await workshop.build(files)
    let built = Date()
    let findings = try await Hunt(workshop).run(chosen)
    let target = workshop.root.appendingPathComponent("Docs/Mutants.md")
    let before = (try? String(contentsOf: target, encoding: .utf8)) ?? ""
    try Report(mutants, findings, before: before).document.write(
        to: target, atomically: true, encoding: .utf8)
    let gaps = findings.filter { $0.caught == nil }.map { $0.mutant }
    say("\(findings.count - gaps.count) of \(findings.count) bugs are caught")
    let times = (built.timeIntervalSince(start), Date().timeIntervalSince(built))
    say(String(format: "the build took %.0f s and the hunt %.0f s", times.0, times.1))
    for gap in gaps { say("nothing catches \(gap.number): \(gap.sentence)") }
    return gaps.isEmpty ? 0 : 1
}

do {
    exit(try await run(Array(CommandLine.arguments.dropFirst())))
} catch {
    FileHandle.standardError.write(Data("mutants: \(error)\n".utf8))
    exit(2)
}
