// The answer to one HTTP request, collected: status, the wait that the server demands, and the body up to a limit. A
// codec for one request and its answer keeps an `HTTPAnswer` as its progress, and reads it when `receive` returns true.

import ChatDomain

/// The answer to an HTTP request as it arrives.
public struct HTTPAnswer: DomainValue {
    /// The longest body that is kept, in bytes.
    let limit: Int64
    /// The status; 0 until the head has arrived.
    public private(set) var status: Int64 = 0
    /// The wait of a `Retry-After` header.
    public private(set) var retryAfter: Interval?
    /// The body so far.
    public private(set) var body: [UInt8] = []

    /// Creates an empty answer. The limit is that of any reply (Rules, limits).
    public init(limit: Int64 = 1_048_576) {
        self.limit = limit
    }

    /// Whether the status is a success.
    public var isGood: Bool { (200...299).contains(status) }

    /// The body as JSON; `nil` when it is not JSON. Malformed text in it is replaced, not refused, because the whole
    /// answer would be missing.
    public var json: JSONValue? {
        try? JSONReader(JSONPolicy(size: limit, malformedText: .replace)).value(of: body)
    }

    /// Takes an arrival. Returns `true` once the answer is complete; a body over the limit ends the call.
    public mutating func receive<Event>(_ arrival: Arrival, _ reaction: inout Reaction<Event>) -> Bool {
        switch arrival {
        case .head(let status, let headers):
            self.status = status
            retryAfter = Self.retryAfter(headers)
        case .body(let bytes):
            guard Int64(body.count) + Int64(bytes.count) <= limit else {
                reaction.end = .failed(.tooLarge)
                return false
            }
            body += bytes
        case .ended(.completed): return true
        case .ended, .sent: break
        case .opened, .text, .tooLong, .signOfLife: reaction.skipped += 1  // not of an HTTP exchange
        }
        return false
    }

    /// The end of a call that the server refuses, with its own sentence.
    public func refusal(_ message: ExactText) -> CallEnd {
        .refused(status: status, retryAfter: retryAfter, message: message)
    }

    /// The wait of a `Retry-After` header in seconds (RFC 9110, section 10.2.3); its other form, a date, would
    /// need the server's clock.
    static func retryAfter(_ headers: [Header]) -> Interval? {
        guard let value = headers.first(where: { $0.name == "retry-after" })?.value.trimmed.string,
            let seconds = Int64(value), seconds >= 0
        else { return nil }
        return .seconds(seconds)
    }
}
