// A fault of the network in the bytes of an answer, as an option for all answers or a header of one request
// (`X-Chat-Network: cut=100`): a front end must handle each of them.

/// A fault of the network on the way of an answer.
enum NetworkFault: Equatable {
    /// The connection ends as if it were complete, after that many bytes.
    case cut(after: Int)
    /// The connection breaks after that many bytes.
    case reset(after: Int)
    /// Nothing more comes after that many bytes, and the connection stays.
    case stall(after: Int)
    /// The bytes come one at a time.
    case drip

    /// The request header that asks for a fault.
    static let header = "x-chat-network"

    /// Reads a fault in its written form: `cut=N`, `reset=N`, `stall=N` or `drip`. Throws a sentence.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let count = parts.count == 2 ? Int(parts[1]).flatMap { $0 < 0 ? nil : $0 } : nil
        switch (parts.first, count, parts.count) {
        case ("drip"?, nil, 1): self = .drip
        case ("cut"?, let count?, 2): self = .cut(after: count)
        case ("reset"?, let count?, 2): self = .reset(after: count)
        case ("stall"?, let count?, 2): self = .stall(after: count)
        default:
            throw UsageError(
                "a fault of the network is cut=N, reset=N, stall=N (bytes) or drip, not “\(text)”")
        }
    }
}
