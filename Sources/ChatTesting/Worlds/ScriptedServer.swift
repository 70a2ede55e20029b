// A server that answers by a script, for the tests of a feature: each opened call gets the next answer. The requests
// are kept, without credentials (L10). A closed call gets nothing more, and a call beyond the script fails as if the
// server were not there.

import ChatDomain
import ChatEffects

/// A server that answers each call from a script, in order.
public struct ScriptedServer: SimulatedServer {
    /// The answer to one call.
    public struct Answer: PlainValue {
        /// The arrivals, each after a delay since the call was opened.
        var arrivals: [Arrival]
        /// The delay before the first arrival.
        var delay: Interval

        /// Creates an answer of any arrivals.
        public init(_ arrivals: [Arrival], after delay: Interval = .milliseconds(20)) {
            self.arrivals = arrivals
            self.delay = delay
        }

        /// A whole HTTP answer.
        public static func http(
            _ status: Int64 = 200, _ body: ExactText = "{}", headers: [Header] = [],
            after delay: Interval = .milliseconds(20)
        ) -> Answer {
            let head = Arrival.head(status: status, headers: headers)
            return Answer([head, .body(Array(body.utf8)), .ended(.completed)], after: delay)
        }

        /// A call that fails.
        public static func failure(
            _ failure: CallFailure, after delay: Interval = .milliseconds(20)
        ) -> Answer {
            Answer([.ended(.failed(failure))], after: delay)
        }

        /// A call that is never answered.
        public static var silence: Answer { Answer([]) }
    }

    /// The answers that no call has got yet.
    var script: [Answer]
    /// The opened calls, without their credentials.
    public private(set) var calls: [Exchange] = []
    private var due = DelayQueue<Outcome>()

    /// Creates a server with a script.
    public init(_ script: [Answer] = []) {
        self.script = script
    }

    /// Takes an operation on a call.
    public mutating func carryOut(_ operation: DriverOperation, at moment: Moment) {
        switch operation {
        case .open(let call, let exchange):
            calls.append(exchange.withoutCredentials)
            let answer = script.isEmpty ? .failure(.unreachable) : script.removeFirst()
            for arrival in answer.arrivals {
                due.insert(.arrived(call, arrival), at: moment.now + answer.delay)
            }
        case .close(let call):
            due.removeAll { if case .arrived(call, _) = $0 { true } else { false } }
        case .send, .load, .save, .erase, .setAside, .haptic: break
        }
    }

    /// The time of the next arrival.
    public var nextDeadline: Instant? { due.nextDeadline }

    /// Returns the arrivals that are due.
    public mutating func advance(to moment: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        while let next = due.popFirst(dueBy: moment.now) { outcomes.append(next.element) }
        return outcomes
    }
}

extension Exchange {
    fileprivate var withoutCredentials: Exchange {
        guard case .http(let method, let path, let headers, let body, _) = self else { return self }
        let secrets: [ExactText] = ["authorization", "x-api-key", "x-goog-api-key"]
        return .http(
            method: method, path: path, headers: headers.filter { !secrets.contains($0.name) }, body: body,
            credential: nil)
    }
}
