// `chat decode`: the text of a streamed answer, as a person would finally see it.

import ChatDomain
import ChatEffects
import ChatTesting

enum DecodeTool {
    private static let formats = ReplyFormat.allCases.map { $0.rawValue }.joined(separator: ", ")

    static let help = """
        Print the text of a streamed answer.

        Usage: chat decode --format FORMAT [FILE] [--chunk N] [--json]

          --format FORMAT   What the bytes are, see below.
          --chunk N         Read N bytes at a time. The result is the same for every N.
          --json            Print one JSON object with text, outcome, reason, usage and
                            skipped.
          --help            Show this text.

        Formats:
          \(formats)

        Without a file it reads standard input. The exit status is 0 when the reply is
        finished, and 1 when it is interrupted or failed; without --json the reason is
        on standard error then.
        """

    static func run(_ arguments: [String], _ output: ToolOutput = .standard) throws(UsageError) -> Int32 {
        var input = InputBytes()
        var (format, isJSON): (ReplyFormat?, Bool) = (nil, false)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                output.write(help + "\n")
                return 0
            case "--json": isJSON = true
            case "--format":
                let name = try UsageError.value(of: argument, in: &rest)
                guard let known = ReplyFormat(rawValue: name) else {
                    throw UsageError("there is no format “\(name)”; the formats are \(formats)")
                }
                format = known
            default: try input.take(argument, &rest)
            }
        }
        guard let format else { throw UsageError("--format is missing; the formats are \(formats)") }
        let reply = format.decode(try input.pieces())
        if isJSON {
            output.write(json(reply))
        } else {
            output.write(reply.text.string)
            if let reason = reply.reason { output.complain("chat decode: \(Line.printable(reason.string))") }
        }
        return reply.outcome == .finished ? 0 : 1
    }

    /// The reply as one line of JSON.
    static func json(_ reply: DecodedReply) -> String {
        var bytes: [UInt8] = []
        JSONWriter.object(into: &bytes) { object in
            object.member("text", reply.text)
            object.member("outcome", reply.outcome.rawValue)
            if let reason = reply.reason { object.member("reason", reason) } else { object.null("reason") }
            if let usage = reply.usage {
                object.object("usage") { object in
                    object.member("prompt", usage.prompt)
                    object.member("completion", usage.completion)
                    object.member("total", usage.total)
                }
            } else {
                object.null("usage")
            }
            object.member("skipped", Int64(clamping: reply.skipped))
        }
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }
}
