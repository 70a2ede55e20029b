// chat simulate: runs the whole app on several devices against one server, with every possible fault, and reports
// whether the laws held.

import ChatDomain
import ChatTesting
import Foundation

enum SimulateTool {
    static let help = """
        Simulates people with several devices, their server, disks and network, with
        faults and then without.

        Usage: chat simulate [options]

          --seed N       The first seed (default: 1). A seed reproduces its run to the
                         byte.
          --runs N       So many seeds from there on (default: 100).
          --hours H      The simulated time with faults, in hours; a part of one may be
                         given (default: 1).
          --json         One JSON object.

        The exit status is 0 when every law holds, 1 when one is broken (with the seed,
        the step, the law and the steps before it), and 2 when an option is wrong or a
        law traps. ^C stops with what was done so far.
        """

    private struct Wish {
        var first: UInt64 = 1
        var runs = 100
        var hours = 1.0
        var isJSON = false
        var isHelp = false
    }

    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        let wish = try parse(arguments)
        if wish.isHelp {
            StandardOutput.write(help + "\n")
            return 0
        }
        let interruption = Interruption()
        let line = ProgressLine()
        let start = DispatchTime.now()
        let summary = SimulationSummary.of(
            wish.runs, from: wish.first, for: .milliseconds(Int64(wish.hours * 3_600_000)),
            while: { [flag = interruption.flag] in !flag.isRaised },
            telling: { line.show("\($0.runs) of \(wish.runs) runs, \($0.steps) steps") })
        line.clear()
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let told = wish.isJSON ? json(summary, wish, seconds) : text(summary, wish, seconds)
        StandardOutput.write(told + "\n")
        return summary.violation == nil ? 0 : 1
    }

    private static func parse(_ arguments: [String]) throws(UsageError) -> Wish {
        var wish = Wish()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wish.isHelp = true
            case "--json": wish.isJSON = true
            case "--seed":
                guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw UsageError("--seed needs a number from 0 on")
                }
                wish.first = seed
            case "--runs":
                guard let runs = rest.popFirst().flatMap({ Int($0) }), runs > 0 else {
                    throw UsageError("--runs needs a number above 0")
                }
                wish.runs = runs
            case "--hours":
                // A year is longer than a person waits, and far from the end of the clock.
                guard let hours = rest.popFirst().flatMap(number), hours > 0, hours <= 8_760 else {
                    throw UsageError("--hours needs a number above 0 and at most 8760")
                }
                wish.hours = hours
            default: throw UsageError("unknown option “\(argument)”")
            }
        }
        guard UInt64(wish.runs - 1) <= .max - wish.first else {
            throw UsageError("there are no \(wish.runs) seeds from \(wish.first) on")
        }
        return wish
    }

    /// A decimal number. The standard library also reads hexadecimal ones, and words.
    private static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy { ".0123456789".utf8.contains($0) } ? Double(text) : nil
    }

    private static func hex(_ digest: UInt64) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func text(_ summary: SimulationSummary, _ wish: Wish, _ seconds: Double) -> String {
        let simulated = Double(summary.passed.milliseconds) / 1_000
        let seeds =
            summary.runs == 0
            ? "no seeds" : "seeds \(wish.first) to \(wish.first + UInt64(summary.runs - 1))"
        var lines = [
            "\(seeds): \(summary.runs) runs, \(summary.steps) steps",
            String(
                format: "%.1f h simulated in %.1f s: %.0f steps a second, a day in %.3f s", simulated / 3_600,
                seconds, Double(summary.steps) / max(seconds, 1e-9),
                simulated > 0 ? seconds / simulated * 86_400 : 0),
            "digest \(hex(summary.digest.value))",
        ]
        if let story = summary.violation?.story { lines += ["", story] }
        return lines.joined(separator: "\n")
    }

    private static func json(_ summary: SimulationSummary, _ wish: Wish, _ seconds: Double) -> String {
        var fields: [String: Any] = [
            "seed": wish.first, "runs": summary.runs, "steps": summary.steps, "seconds": seconds,
            "simulatedSeconds": Double(summary.passed.milliseconds) / 1_000,
            "digest": hex(summary.digest.value), "held": summary.violation == nil,
        ]
        if let bad = summary.violation, let law = bad.violation {
            fields["violation"] = ["seed": bad.seed, "law": law, "trail": bad.trail] as [String: Any]
        }
        let bytes = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }
}
