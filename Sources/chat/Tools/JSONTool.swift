// `chat json`: whether bytes are a JSON text, and the place of the first error.

import ChatDomain
import ChatEffects

enum JSONTool {
    static let help = """
        Check that the bytes are one JSON text (RFC 8259).

        Usage: chat json [FILE]

          --help   Show this text.

        Without a file it reads standard input. The exit status is 0, or 1 with the
        offset of the first byte that is not acceptable, and the reason.
        """

    static func run(_ arguments: [String], _ output: ToolOutput = .standard) throws(UsageError) -> Int32 {
        var input = InputBytes()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                output.write(help + "\n")
                return 0
            }
            guard argument != "--chunk" else { throw UsageError("unknown option “\(argument)”") }
            try input.take(argument, &rest)
        }
        let bytes = try input.all()
        do throws(JSONError) {
            _ = try JSONReader().value(of: bytes)
            return 0
        } catch {
            output.complain("chat json: \(error.description)")
            return 1
        }
    }
}
