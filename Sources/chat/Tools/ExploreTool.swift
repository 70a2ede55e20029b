// chat explore: visits every state of a feature, and reports the extent of the search.

import ChatTesting
import Foundation

enum ExploreTool {
    /// A line for each feature: its name, and its content.
    static let features = Exploration.all.map { exploration in
        "  \(exploration.name.padding(toLength: 20, withPad: " ", startingAt: 0))\(exploration.summary)"
    }.joined(separator: "\n")

    static let help = """
        Visits every state that a feature can reach, in every order of everything that
        can happen.

        Usage: chat explore FEATURE [options]
               chat explore --all [options]

          --depth N      No more than N steps from the start.
          --states N     No more than N states (default: 5000000, which take some
                         gigabytes).
          --json         One JSON object a feature.

        Features:
        \(features)

        The exit status is 0 when every law holds, 1 when one is broken (the shortest
        way there is printed, and a test that repeats it), and 2 when an option is
        wrong or a law traps. ^C stops with what was found so far.
        """

    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        var limits = Exploration.Limits()
        var (names, isJSON, isAll): ([String], Bool, Bool) = ([], false, false)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                StandardOutput.write(help + "\n")
                return 0
            case "--json": isJSON = true
            case "--all": isAll = true
            case "--depth": limits.depth = try number(rest.popFirst(), of: argument)
            case "--states": limits.states = try number(rest.popFirst(), of: argument)
            case _ where argument.hasPrefix("-"): throw UsageError("unknown option “\(argument)”")
            default: names.append(argument)
            }
        }
        guard names.isEmpty == isAll else {
            throw UsageError(isAll ? "--all takes no name of a feature" : "it needs the name of a feature")
        }
        var explorations: [Exploration] = isAll ? Exploration.all : []
        for name in names {
            guard let found = Exploration.all.first(where: { $0.name == name }) else {
                throw UsageError("there is no feature “\(name)”")
            }
            explorations.append(found)
        }
        return explore(explorations, limits, isJSON: isJSON)
    }

    private static func explore(
        _ explorations: [Exploration], _ limits: Exploration.Limits, isJSON: Bool
    ) -> Int32 {
        let interruption = Interruption()
        var limits = limits
        limits.isCancelled = { [flag = interruption.flag] in flag.isRaised }
        let line = ProgressLine()
        var status: Int32 = 0
        for exploration in explorations {
            limits.progress = { line.show("\(exploration.name): \($0)") }
            let result = exploration.run(limits)
            line.clear()
            if isJSON {
                StandardOutput.write(json(exploration, result) + "\n")
            } else {
                StandardOutput.write("\(exploration.name): \(result.summary)\n")
                if let violation = result.violation { StandardOutput.write("\n\(violation)\n") }
            }
            if result.violation != nil { status = 1 }
            if interruption.flag.isRaised { break }
        }
        return status
    }

    private static func json(_ exploration: Exploration, _ result: Exploration.Result) -> String {
        var fields: [String: Any] = [
            "feature": exploration.name, "states": result.states, "transitions": result.transitions,
            "depth": result.depth, "closed": result.isClosed, "summary": result.summary,
        ]
        if let violation = result.violation { fields["violation"] = violation }
        let bytes = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    private static func number(_ text: String?, of option: String) throws(UsageError) -> Int {
        guard let text, let number = Int(text), number > 0 else {
            throw UsageError("\(option) needs a number above 0")
        }
        return number
    }
}
