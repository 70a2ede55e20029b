// The table that is printed. A row is a benchmark with its limits. Allocations are the same however busy a machine
// is, so with `--check` they decide the exit code; times, and ratios of times, are only marked.

/// What a benchmark is held to.
enum Limit {
    /// At most so many times the yardstick.
    case ratio(Double)
    /// At most so many nanoseconds on a machine that takes `yardstick` nanoseconds for the yardstick of the row,
    /// as the machine did that the limit was set on; on another, the same multiple of what the yardstick takes.
    case nanoseconds(Double, yardstick: Double)
    /// At most so many allocations.
    case allocations(Double)
}

/// Prints rows as they come and remembers whether one was over a limit.
struct Report {
    /// Whether a row has allocated more than it may.
    private(set) var isOver = false
    /// Only rows whose names begin so are wanted.
    let wanted: String

    /// Starts a table. The benchmarks to run may be chosen by the beginning of their names.
    init(wanted: String) {
        self.wanted = wanted
        print(
            Self.line(
                "operation", "ns", "median", "allocations", "× yardstick", "limit", "    "))
    }

    /// Measures a workload, beside its yardstick if there is one, and prints a row for each. Nothing is even
    /// prepared when the row is not wanted.
    mutating func add(
        _ name: String, _ subject: @autoclosure () -> Workload,
        beside yardstick: @autoclosure () -> (name: String, workload: Workload)? = nil,
        limits: [Limit] = [], rounds: Int = 15
    ) {
        guard name.hasPrefix(wanted) else { return }
        guard let yardstick = yardstick() else {
            let figure = measure(subject(), rounds: rounds)
            return row(name, figure, ratio: nil, limits: limits)
        }
        let (figure, unit, ratio) = measure(subject(), beside: yardstick.workload, rounds: rounds)
        row("  (\(yardstick.name))", unit, ratio: nil, limits: [])
        row(name, figure, ratio: ratio, limits: limits)
    }

    /// Prints a row for something that was measured once, in a unit of its own. Its limit is only marked.
    mutating func add(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil) {
        let verdict = limit.map { value <= $0 ? "ok  " : "OVER" } ?? ""
        let text = "\(Self.decimal(value)) \(unit)"
        print(
            Self.line(name, text, "", "", "", limit.map { "\(Self.decimal($0)) \(unit)" } ?? "", verdict))
    }

    private mutating func row(_ name: String, _ figure: Figure, ratio: Double?, limits: [Limit]) {
        var verdict = "ok  "
        var texts: [String] = []
        for limit in limits {
            let isKept: Bool
            switch limit {
            case .ratio(let greatest):
                texts.append("\(Self.decimal(greatest)) ×")
                isKept = (ratio ?? 0) <= greatest
            case .nanoseconds(let greatest, let unit):
                texts.append("\(Self.decimal(greatest)) ns or \(Self.decimal(greatest / unit)) ×")
                isKept = figure.nanoseconds <= greatest || (ratio ?? .infinity) <= greatest / unit
            case .allocations(let greatest):
                texts.append("\(Self.decimal(greatest)) allocations")
                isKept = (figure.allocations ?? 0) <= greatest
                if !isKept { isOver = true }
            }
            if !isKept { verdict = "OVER" }
        }
        print(
            Self.line(
                name, Self.decimal(figure.nanoseconds), Self.decimal(figure.median),
                figure.allocations.map(Self.decimal) ?? "?", ratio.map(Self.decimal) ?? "",
                texts.joined(separator: ", "), verdict))
    }

    /// One line of the table, in columns.
    private static func line(
        _ name: String, _ nanoseconds: String, _ median: String, _ allocations: String, _ ratio: String,
        _ limit: String, _ verdict: String
    ) -> String {
        let columns = [(nanoseconds, 10), (median, 10), (allocations, 11), (ratio, 11)]
        let numbers = columns.map { text, width in
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let padded = name + String(repeating: " ", count: max(0, 44 - name.count))
        let judgement = limit.isEmpty ? [] : [verdict, limit]
        return ([padded] + numbers + judgement).joined(separator: " | ")
    }

    /// Up to two decimals, without trailing zeros.
    private static func decimal(_ number: Double) -> String {
        let hundredths = Int64((number * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
