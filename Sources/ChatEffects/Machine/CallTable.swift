// The open calls of a machine. A call is known by two names: the feature's, which carries the attempt, and
// the number under which the drivers know it. An entry leaves the table when its end has been told to the
// feature, or at once when the feature closes it; what arrives for a number that is not here is a ghost.

import ChatDomain

/// One open call.
public struct OpenCall<Call: DomainValue, Progress: DomainValue>: DomainValue {
    /// How far a call has come.
    public enum Phase: String, DomainValue {
        /// The transport was asked for; its head or handshake has not come yet.
        case opening
        /// The transport is open.
        case open
        /// The transport has ended or was closed; the feature has yet to be told.
        case ending
    }

    /// The number under which the drivers know the call.
    public let number: CallNumber
    /// The name under which the feature knows it.
    public let call: Call
    /// What carries it.
    public let transport: Transport
    /// What the backend remembers of it.
    public var progress: Progress
    /// How far it has come.
    public var phase: Phase

    @inlinable
    init(number: CallNumber, call: Call, transport: Transport, progress: Progress) {
        self.number = number
        self.call = call
        self.transport = transport
        self.progress = progress
        phase = .opening
    }

    /// Whether an arrival suits the call's transport and comes in its turn: the head or handshake once, then
    /// what follows it. So no backend has to check it (the machine's guarantee 4).
    @inlinable
    mutating func admit(_ arrival: Arrival) -> Bool {
        switch (arrival, transport, phase) {
        case (.opened, .socket, .opening), (.head, .http, .opening):
            phase = .open
            return true
        case (.body, .http, .open), (.text, .socket, .open), (.signOfLife, .socket, .open): return true
        case (.sent, .http, .opening), (.sent, .http, .open): return true
        case (.ended, _, .opening), (.ended, _, .open): return true
        default: return false
        }
    }
}

/// The open calls, in the order in which they were opened.
///
/// Lookups cost O(n); an app has a handful of calls open.
@usableFromInline
struct CallTable<Call: DomainValue, Progress: DomainValue>: DomainValue {
    /// The calls, oldest first.
    @usableFromInline var calls: [OpenCall<Call, Progress>] = []

    @inlinable
    init() {}

    @inlinable
    func index(of call: Call) -> Int? {
        calls.firstIndex { $0.call == call }
    }

    @inlinable
    func index(of number: CallNumber) -> Int? {
        calls.firstIndex { $0.number == number }
    }

    @inlinable
    subscript(index: Int) -> OpenCall<Call, Progress> {
        get { calls[index] }
        _modify { yield &calls[index] }
    }
}
