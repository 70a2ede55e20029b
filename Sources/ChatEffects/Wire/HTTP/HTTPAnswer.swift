// The answer to one HTTP request, collected: status, the wait that the server demands, and the body up to a limit. A
// codec for one request and its answer keeps an `HTTPAnswer` as its progress, and reads it when `receive` returns true.

import ChatDomain

/// The answer to an HTTP request as it arrives.
public struct HTTPAnswer: DomainValue {
    /// The most bytes that are kept of a refusal, whose status counts all the same: some repeat the whole question.
    static let refusalLimit: Int64 = 65_536

    /// The longest body of a success, in bytes.
    let limit: Int64
    /// The status; 0 until the head has arrived.
    public private(set) var status: Int64 = 0
    /// The wait that the headers demand.
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

    private var isRefusal: Bool { status != 0 && !isGood }

    /// Takes an arrival. Returns `true` once the answer is complete, as a refusal is wherever it breaks off; the body of
    /// a success over the limit ends the call.
    public mutating func receive<Event>(_ arrival: Arrival, _ reaction: inout Reaction<Event>) -> Bool {
        switch arrival {
        case .head(let status, let headers):
            self.status = status
            retryAfter = Self.retryAfter(headers)
        case .body(let bytes):
            let room = (isRefusal ? Self.refusalLimit : limit) - Int64(body.count)
            guard isRefusal || Int64(bytes.count) <= room else {
                reaction.end = .failed(.tooLarge)
                return false
            }
            body += bytes.prefix(Int(clamping: max(room, 0)))
        case .ended(.completed): return true
        case .ended(.failed): return isRefusal
        case .ended, .sent: break
        case .opened, .text, .tooLong, .signOfLife: reaction.skipped += 1  // not of an HTTP exchange
        }
        return false
    }

    /// The end of a call that the server refuses, with its own sentence.
    public func refusal(_ message: ExactText) -> CallEnd {
        .refused(status: status, retryAfter: retryAfter, message: message)
    }

    /// The wait that headers demand: `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), which the answer's
    /// own date makes a wait, whatever the time is here; or the exact number that some servers send beside it.
    static func retryAfter(_ headers: [Header]) -> Interval? {
        func value(_ name: ExactText) -> ExactText? { headers.first { $0.name == name }?.value.trimmed }
        if let exact = value("retry-after-ms").flatMap({ Interval(decimal: $0.utf8[...], unit: "e6") }) {
            return exact
        }
        guard let told = value("retry-after") else { return nil }
        if let wait = Interval(decimal: told.utf8[...], unit: "e9") { return wait }
        guard let now = value("date").flatMap({ WallTime(httpDate: $0) }),
            let end = WallTime(httpDate: told, at: now)
        else { return nil }
        return max(end - now, .zero)
    }
}
