// The open calls of a machine. A call has two names: the feature's, which carries the attempt, and the number that the
// drivers use. An entry is removed when the feature receives the end of the call, or at once when the feature closes
// it. An arrival for an unknown number is a ghost (L4).

import ChatDomain

/// One open call.
@usableFromInline package struct OpenCall<Call: DomainValue, Progress: DomainValue>: DomainValue {
    /// The progress of a call's transport.
    @usableFromInline package enum Phase: DomainValue {
        /// The transport was requested; its head or handshake is outstanding.
        case opening
        /// The transport is open.
        case open
        /// The transport has ended or was closed; the end is not yet delivered to the feature.
        case ending
    }

    /// The number of the call's current exchange in operations and outcomes.
    @usableFromInline package var number: CallNumber
    /// The feature's name for the call.
    @usableFromInline package let call: Call
    /// The kind of transport.
    @usableFromInline var transport: Transport
    /// The backend's memory of the call.
    @usableFromInline package var progress: Progress
    /// The progress of the transport.
    @usableFromInline package var phase: Phase

    @inlinable
    init(number: CallNumber, call: Call, transport: Transport, progress: Progress) {
        self.number = number
        self.call = call
        self.transport = transport
        self.progress = progress
        phase = .opening
    }

    /// Continues with another exchange.
    @inlinable
    mutating func goOn(as number: CallNumber, over transport: Transport) {
        self.number = number
        self.transport = transport
        phase = .opening
    }

    /// Whether an arrival suits the transport and its phase: the head or handshake once, then the other arrivals. The
    /// check is here so that no backend needs it (the machine's guarantee 4).
    @inlinable
    mutating func admit(_ arrival: Arrival) -> Bool {
        switch (arrival, transport, phase) {
        case (.opened, .socket, .opening), (.head, .http, .opening):
            phase = .open
            return true
        case (.body, .http, .open), (.text, .socket, .open), (.tooLong, .socket, .open),
            (.signOfLife, .socket, .open):
            return true
        case (.sent, .http, .opening), (.sent, .http, .open): return true
        case (.ended, _, .opening), (.ended, _, .open): return true
        default: return false
        }
    }
}

/// The open calls, in the order of opening.
///
/// Lookups are O(n); an app has a handful of open calls.
@usableFromInline
struct CallTable<Call: DomainValue, Progress: DomainValue>: DomainValue {
    @usableFromInline var calls: [OpenCall<Call, Progress>] = []

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
