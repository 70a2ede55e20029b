// Laws of the reader of an HTTP answer under any bytes. The choice of an input also chooses the method, the limit of a
// line and the end of the connection. What must hold:
//
// - Pieces of any size give the head, the body and the end of one piece.
// - The head comes first and once, then the body, then one end; nothing follows it. The end of the connection brings
//   it if the bytes do not.
// - The body has no more bytes than the input: nothing grows.

import ChatDomain
import ChatEffects

enum HTTPLaws {
    /// What an answer has brought, its body in one piece.
    private struct Outcome: Hashable {
        var head: Arrival?
        var body: [UInt8] = []
        var ends: [CallEnd] = []
        var isInOrder = true
    }

    /// The laws of an answer.
    static func answer(_ choice: UInt8, _ bytes: [UInt8]) -> String? {
        let whole = outcome(choice, [bytes])
        for pieces in [0, choice] where outcome(choice, ByteLaw.pieces(bytes, pieces)) != whole {
            return "the pieces give another outcome than the whole"
        }
        guard whole.isInOrder, whole.ends.count == 1 else { return "an answer has no order or no single end" }
        guard whole.ends != [.completed] || whole.head != nil else {
            return "an answer without a head is complete"
        }
        return whole.body.count <= bytes.count ? nil : "a body has grown"
    }

    private static func outcome(_ choice: UInt8, _ pieces: [[UInt8]]) -> Outcome {
        var reader = HTTPAnswerReader(
            to: choice & 3 == 3 ? "HEAD" : "GET", limit: choice & 4 == 0 ? 16_384 : 40)
        var outcome = Outcome()
        for piece in pieces {
            for arrival in reader.read(piece) {
                switch arrival {
                case .head where outcome.head == nil && outcome.ends.isEmpty: outcome.head = arrival
                case .body(let part) where outcome.head != nil && outcome.ends.isEmpty && !part.isEmpty:
                    outcome.body += part
                case .ended(let end): outcome.ends.append(end)
                default: outcome.isInOrder = false
                }
            }
        }
        if let end = reader.finish(isClean: choice & 8 == 0) { outcome.ends.append(end) }
        if reader.finish(isClean: true) != nil { outcome.isInOrder = false }
        return outcome
    }
}
