// `chat serve`: the in-process server behind real sockets, for developers of front ends and for our own tests.

import ChatDomain
import ChatEffects
import Dispatch
import Foundation

/// Serves the protocols of the library on this device.
enum ServeTool {
    static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
        var address = "127.0.0.1"
        var port = 8_080
        var fault: NetworkFault?
        var behaviour = Setup.behaviour
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                StandardOutput.write(help + "\n")
                return 0
            case "--address": address = try UsageError.value(of: argument, in: &rest)
            case "--port":
                let text = try UsageError.value(of: argument, in: &rest)
                guard let number = Int(text), (0...65_535).contains(number) else {
                    throw UsageError("--port needs a number up to 65535, not “\(text)”")
                }
                port = number
            case "--network": fault = try NetworkFault(try UsageError.value(of: argument, in: &rest))
            case "--fault":
                behaviour.rules.append(
                    try LocalServer.Rule(parsing: try UsageError.value(of: argument, in: &rest)))
            case "--fast":
                behaviour.approvalDelay = .zero
                behaviour.authenticationDelay = .zero
                behaviour.replyDelay = .zero
                behaviour.answerDelay = .zero
                behaviour.wordInterval = .zero
                behaviour.uploadDelay = .zero
            default: throw UsageError("unknown option “\(argument)”")
            }
        }
        let interruption = Interruption()
        let served = try ServedLoop(LocalServer(behaviour), address: address, port: port, fault: fault) {
            line in
            StandardOutput.write("\(timestamp()) \(line)\n")
        }
        let host = address.contains(":") ? "[\(address)]" : address
        StandardOutput.write("Serving at http://\(host):\(served.port). ^C ends it.\n")
        interruption.flag.wait()
        served.stop()
        return 0
    }

    /// The time of day in UTC.
    private static func timestamp() -> String {
        let seconds = SystemTime.wall().millisecondsSince1970 / 1_000 % 86_400
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    static let help = """
        Serve the protocols of the library to front ends on this device.

        Usage: chat serve [options]

          --port N          Listen at this port (default: 8080; 0 takes a free one and
                            prints it).
          --address A       Listen at this address (default: 127.0.0.1, which only this
                            device reaches).
          --fast            Answer at once instead of at the pace of a model.
          --fault RULE      Misbehave: STEP[:N]=FAULT[:VALUE][*TIMES], such as
                            token:3=drop*1, acknowledgement=delay:6,
                            upload:40=status:429 or pairing=refuse:pair_denied. Steps:
                            handshake pairing authentication receipt acknowledgement
                            echo reply token:N upload:PERCENT announcement decision
                            answer suggestion:N wholeSuggestion coach:N coachWhole
                            refresh. Faults: silence drop noise duplicate delay:S
                            holdBack:S close:CODE status:CODE refuse:CODE
                            truncateReplay:N refuseCursor loseHistory loseAssets
                            revokeToken replaceSession. Can be given several times.
          --network FAULT   What the network does to each answer: cut=N, reset=N or
                            stall=N after N bytes, or drip, one byte at a time. A
                            request asks for it with the header X-Chat-Network.
          --help            Show this text.

        What is served:

          GET  /ws                                     Clawline over WebSocket:
                                                       pairing, messages, replay
          POST /upload, GET /download/ID, GET /version its files and its version
          POST /functions/v1/chat-stream               the coach, as server-sent events
          POST /generateSmartReplyStreaming            smart replies, as server-sent
                                                       events
          POST /chatWithAI                             the assistant
          POST /v1/chat/completions                    any OpenAI-compatible client

        Each request is a line on standard output, without its content. Messages live
        as long as the program.
        """
}
