// `chat sse`: the events of a stream, one JSON object a line, and at the end the reader's state for the next
// connection.

import ChatDomain
import ChatEffects

enum SSETool {
    static let help = """
        Print the events of a stream of server-sent events, one JSON object a line, and
        then the last event id and the wait before a new connection in milliseconds.

        Usage: chat sse [FILE] [--chunk N]

          --chunk N   Read N bytes at a time. The events are the same for every N.
          --help      Show this text.

        Without a file it reads standard input. The exit status is 0, or 1 when a line
        or an event is too long.
        """

    static func run(_ arguments: [String], _ output: ToolOutput = .standard) throws(UsageError) -> Int32 {
        var input = InputBytes()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                output.write(help + "\n")
                return 0
            }
            try input.take(argument, &rest)
        }
        var reader = SSEReader()
        let pieces = try input.pieces()
        do throws(SSEError) {
            for piece in pieces {
                var lines: [UInt8] = []
                // An error later in the piece does not take back the events before it.
                defer { if !lines.isEmpty { output.write(String(decoding: lines, as: UTF8.self)) } }
                try reader.read(piece) { Self.write($0, to: &lines) }
            }
            try reader.finish { _ in }  // the standard drops an unterminated event
        } catch {
            output.complain("chat sse: \(error.description)")
            return 1
        }
        var last: [UInt8] = []
        JSONWriter.object(into: &last) { object in
            object.member("lastEventId", reader.lastEventID)
            if let retry = reader.retry {
                object.member("retry", retry.milliseconds)
            } else {
                object.null("retry")
            }
        }
        output.write(String(decoding: last, as: UTF8.self) + "\n")
        return 0
    }

    private static func write(_ event: borrowing SSEEvent, to lines: inout [UInt8]) {
        let (type, text, id) = (event.type, event.text, event.lastEventID)
        JSONWriter.object(into: &lines) { object in
            object.member("event", type)
            object.member("data", text)
            object.member("id", id)
        }
        lines.append(UInt8(ascii: "\n"))
    }
}
