// The commands beside the chat itself: the first argument is a word. Each has a file of its own.

/// A command of the program.
enum Tool: String, CaseIterable {
    case decode, diagram, explore, json, replay, serve, simulate, sse, trace

    /// Runs the command that the arguments name, and returns the exit status; `nil` if they name none.
    static func run(_ arguments: [String]) async -> Int32? {
        guard let name = arguments.first, let tool = Tool(rawValue: name) else { return nil }
        let rest = Array(arguments.dropFirst())
        do {
            switch tool {
            case .decode: return try DecodeTool.run(rest)
            case .diagram: return try DiagramTool.run(rest)
            case .explore: return try ExploreTool.run(rest)
            case .json: return try JSONTool.run(rest)
            case .replay: return try ReplayTool.run(rest)
            case .serve: return try ServeTool.run(rest)
            case .simulate: return try SimulateTool.run(rest)
            case .sse: return try SSETool.run(rest)
            case .trace: return try TraceTool.run(rest)
            }
        } catch {
            Program.complain("chat \(name): \(error.message); chat \(name) --help lists the options")
            return 2
        }
    }
}

/// The outputs of a command, so that a test can read them.
struct ToolOutput {
    var write: (String) -> Void
    var complain: (String) -> Void

    /// Standard output and standard error.
    static var standard: ToolOutput {
        ToolOutput(write: { StandardOutput.write($0) }, complain: { Program.complain($0) })
    }
}
