// The duties of a network (NetworkDriver.swift) as a check. It takes every operation and every outcome, in their order,
// and reports each duty that an outcome breaks. It knows no server and no clock, so it fits any driver, simulated or
// live.

import ChatDomain
import ChatEffects

/// Checks a network against its duties.
public struct NetworkDuties: Sendable {
    /// A duty that an outcome breaks.
    public enum Breach: Hashable, Sendable {
        /// An outcome of a call that was never opened.
        case unknownCall(CallNumber)
        /// An outcome after the end of its call.
        case afterEnd(CallNumber)
        /// An outcome that was made after its call was closed.
        case afterClose(CallNumber)
        /// A text or a sign of life before the socket is open, or a body before the head.
        case tooEarly(CallNumber)
        /// A second handshake or a second head.
        case twice(CallNumber)
        /// An outcome that only the other transport has.
        case wrongTransport(CallNumber)
        /// A header name that is not in lower case.
        case headerName(CallNumber, ExactText)
        /// A payload or a request with a missing secret or record. It breaks the loop's duty.
        case unfilled(CallNumber)
        /// A second call of one number. It breaks the loop's duty.
        case openedTwice(CallNumber)
    }

    private enum Phase {
        case opening(Transport)
        case begun(Transport)
        case closed
        case ended
    }

    private var calls: [(number: CallNumber, phase: Phase)] = []
    /// The broken duties so far, in order.
    public private(set) var breaches: [Breach] = []

    /// Creates a check of a network without calls.
    public init() {}

    /// Notes an operation for the network.
    public mutating func note(_ operation: DriverOperation) {
        switch operation {
        case .open(let call, let exchange):
            if calls.contains(where: { $0.number == call }) { breaches.append(.openedTwice(call)) }
            if !exchange.isFilled { breaches.append(.unfilled(call)) }
            calls.append((call, .opening(exchange.transport)))
        case .send(let call, let payload):
            if !payload.isFilled { breaches.append(.unfilled(call)) }
        case .close(let call):
            guard let index = calls.firstIndex(where: { $0.number == call }) else { return }
            if case .ended = calls[index].phase { return }
            calls[index].phase = .closed
        default: break
        }
    }

    /// Notes an outcome. Outcomes of storage are not the network's.
    public mutating func note(_ outcome: Outcome) {
        guard case .arrived(let call, let arrival) = outcome else { return }
        guard let index = calls.firstIndex(where: { $0.number == call }) else {
            return breaches.append(.unknownCall(call))
        }
        switch (calls[index].phase, arrival) {
        case (.ended, _): breaches.append(.afterEnd(call))
        case (.closed, _): breaches.append(.afterClose(call))
        case (_, .ended): calls[index].phase = .ended
        case (.opening(.socket), .opened): calls[index].phase = .begun(.socket)
        case (.opening(.http), .head(_, let headers)):
            for header in headers where header.name.string != header.name.string.lowercased() {
                breaches.append(.headerName(call, header.name))
            }
            calls[index].phase = .begun(.http)
        case (.begun(.socket), .opened), (.begun(.http), .head): breaches.append(.twice(call))
        case (.begun(.socket), .text), (.begun(.socket), .tooLong), (.begun(.socket), .signOfLife),
            (.begun(.http), .body), (_, .sent):
            break
        case (.opening(.socket), .text), (.opening(.socket), .tooLong), (.opening(.socket), .signOfLife),
            (.opening(.http), .body):
            breaches.append(.tooEarly(call))
        default: breaches.append(.wrongTransport(call))
        }
    }
}

extension Exchange {
    fileprivate var isFilled: Bool {
        switch self {
        case .http(_, _, _, let body, let credential): credential == nil && body.isFilled
        case .socket: true
        case .renewal: false
        }
    }
}

extension Payload {
    fileprivate var isFilled: Bool {
        parts.allSatisfy { if case .bytes = $0 { true } else { false } }
    }
}
