// Laws of the WebSocket under any bytes: pieces of any size give the result of one piece, and a connection sends only
// legal bytes. The choice of an input also chooses the side and the limits.

import ChatEffects

enum WebSocketLaws {
    private struct Outcome: Hashable {
        var steps: [WebSocketStep] = []
        var after: WebSocketConnection
    }

    /// The laws of an open connection.
    static func frames(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let role: WebSocketRole = choice & 1 == 0 ? .client : .server
        let policy = WebSocketPolicy(
            messageLimit: choice & 2 == 0 ? 100 : .max, frameLimit: choice & 4 == 0 ? 200 : .max,
            oversizedMessage: choice & 8 == 0 ? .skip : .fail)
        func read(_ pieces: [[UInt8]]) -> Outcome {
            var outcome = Outcome(after: WebSocketConnection(role, policy))
            for piece in pieces {
                outcome.after.receive(
                    piece, maskingKey: { 0x0102_0304 }, { outcome.steps.append($0) })
            }
            return outcome
        }
        let whole = read([bytes])
        for pieces in [0, choice] where read(ByteLaw.pieces(bytes, pieces)) != whole {
            return "the pieces give another outcome than the whole"
        }
        return violation(whole.steps, by: role, isClosed: whole.after.phase == .closed)
    }

    /// The sent bytes must be readable for a peer, and nothing may follow a Close or the end.
    private static func violation(_ steps: [WebSocketStep], by role: WebSocketRole, isClosed: Bool) -> String?
    {
        var peer = WebSocketConnection(role == .client ? .server : .client)
        var hasEnded = false
        for step in steps {
            if hasEnded { return "a step follows the end" }
            switch step {
            case .send(let frame):
                if peer.phase == .closed { return "a frame follows the Close" }
                var heard: [WebSocketStep] = []
                peer.receive(frame, maskingKey: { 0 }, { heard.append($0) })
                if heard.contains(where: { if case .failed = $0 { true } else { false } }) {
                    return "a frame that is sent is not legal"
                }
            case .received(.text(let text)):
                let repaired = String(decoding: text, as: UTF8.self)
                if !repaired.utf8.elementsEqual(text) { return "a text is not UTF-8" }
            case .received(.closed), .failed: hasEnded = true
            case .received(.binary), .received(.skipped), .received(.ping), .received(.pong): break
            }
        }
        if hasEnded != isClosed { return "the last step is not the end" }
        return hasEnded && peer.phase != .closed ? "the peer is told nothing of the end" : nil
    }

    /// The laws of both readers of the opening handshake.
    static func opening(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let nonce = [UInt8]("the sample nonce".utf8)
        guard let request = WebSocketRequest(host: "h", path: "/", nonce: nonce) else { return "no request" }
        let limit: Int64 = choice & 2 == 0 ? 16_384 : 200
        func outcome(_ pieces: [[UInt8]]) -> String {
            choice & 1 == 0 ? answer(pieces, to: request, limit) : self.request(pieces, limit)
        }
        let whole = outcome([bytes])
        for pieces in [0, choice] where outcome(ByteLaw.pieces(bytes, pieces)) != whole {
            return "the pieces give another outcome than the whole"
        }
        return nil
    }

    private static func answer(
        _ pieces: [[UInt8]], to request: WebSocketRequest, _ limit: Int64
    ) -> String {
        var reader = WebSocketAnswerReader(to: request, headLimit: limit)
        var rest: [UInt8]?
        do {
            for piece in pieces {
                if let bytes = try reader.read(piece) { rest = (rest ?? []) + bytes }
            }
        } catch {
            return "\(error) \(reader.interruption)"
        }
        return "\(rest.map { "\($0)" } ?? "incomplete") \(reader.interruption)"
    }

    private static func request(_ pieces: [[UInt8]], _ limit: Int64) -> String {
        var reader = HTTPRequestReader(limit: limit)
        do {
            for (index, piece) in pieces.enumerated() {
                guard let (head, rest) = try reader.read(piece) else { continue }
                let all = rest + pieces[(index + 1)...].joined()
                do {
                    return "\(head) \(try head.acceptWebSocket()) \(all)"
                } catch {
                    return "\(head) \(error) \(error.answer) \(all)"
                }
            }
        } catch {
            return "\(error)"
        }
        return "incomplete"
    }
}
