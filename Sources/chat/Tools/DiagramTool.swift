// chat diagram: draws the phases of a feature from a search.

import ChatTesting

enum DiagramTool {
    static let help = """
        Draws the phases of a feature and what leads from one to the next, as a search
        has seen them.

        Usage: chat diagram FEATURE [--format mermaid|svg]

        Features:
        \(ExploreTool.features)
        """

    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        var (name, format): (String?, String) = (nil, "mermaid")
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                StandardOutput.write(help + "\n")
                return 0
            case "--format":
                guard let next = rest.popFirst(), ["mermaid", "svg"].contains(next) else {
                    throw UsageError("--format needs mermaid or svg")
                }
                format = next
            case _ where argument.hasPrefix("-"): throw UsageError("unknown option “\(argument)”")
            default:
                guard name == nil else { throw UsageError("it draws one feature at a time") }
                name = argument
            }
        }
        guard let name else { throw UsageError("it needs the name of a feature") }
        guard let exploration = Exploration.all.first(where: { $0.name == name }) else {
            throw UsageError("there is no feature “\(name)”")
        }
        let diagram = exploration.diagram
        StandardOutput.write(format == "svg" ? diagram.svg : diagram.mermaid)
        return 0
    }
}
