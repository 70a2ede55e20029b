// `chat trace`: draws a recording as a sequence of messages on the run's own clock.

import ChatTesting
import Foundation

/// The command with its arguments.
struct TraceTool: Equatable {
    private enum Format: String {
        case mermaid, svg
    }

    private var file = ""
    private var format = Format.mermaid

    static let help = """
        Draw a recording as a sequence: person, feature, timers, network and storage on
        the clock of the run.

        Usage: chat trace FILE [--format mermaid|svg]

          --format NAME  mermaid (the default) prints a diagram for Markdown, svg a
                         picture.
          --help         Show this text.

        The FILE - is standard input.

        The exit status is 0, or 2 when the file is cut, of a newer version, or no
        recording. Of a file that is cut, the part before the cut is drawn.
        """

    /// Runs the command with these arguments, and returns the exit status. Throws a sentence for an error.
    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            StandardOutput.write(help + "\n")
            return 0
        }
        return try TraceTool(arguments).run()
    }

    /// Parses the arguments. Throws a sentence for a wrong one.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--format":
                let value = try UsageError.value(of: argument, in: &rest)
                guard let format = Format(rawValue: value) else {
                    throw UsageError("the formats are mermaid and svg, not “\(value)”")
                }
                self.format = format
            case let option where option.hasPrefix("-") && option != "-":
                throw UsageError("unknown option “\(option)”")
            case let path where file.isEmpty: file = path
            default: throw UsageError("one recording is enough")
            }
        }
        guard !file.isEmpty else { throw UsageError("which recording? Usage: chat trace FILE") }
    }

    /// Runs the command, and returns the exit status.
    func run() throws(UsageError) -> Int32 {
        let recording = try RecordingFile.read(file).recording
        let trace = SequenceTrace(recording)
        switch format {
        case .mermaid: StandardOutput.write(trace.mermaid)
        case .svg: StandardOutput.write(trace.svg)
        }
        guard let problem = recording.problem else { return 0 }
        Program.complain(
            "chat trace: “\(file)”, \(problem.description); drawn so far: \(recording.steps.count) steps")
        return 2
    }
}
