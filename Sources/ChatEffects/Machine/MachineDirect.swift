// The entrances of the machine for a search, which answers a feature in the feature's own types: events and records as
// values, without bytes. Behind the entrance, the machine works as always.

import ChatDomain

extension Machine {
    /// Delivers an event on an open call. Without such a call, nothing happens: the event is a ghost.
    @inlinable
    package mutating func deliver(_ event: Subject.Event, on call: Subject.Call, at moment: Moment) {
        advance(to: moment)
        guard let index = calls.index(of: call), calls[index].phase != .ending else {
            return dropped.ghostArrivals.increment()
        }
        inbox.append(.event(calls[index].number, event))
        settle(until: context.moment)
    }

    /// Ends an open call.
    @inlinable
    package mutating func end(_ call: Subject.Call, _ end: CallEnd, at moment: Moment) {
        advance(to: moment)
        guard let index = calls.index(of: call), calls[index].phase != .ending else {
            return dropped.ghostArrivals.increment()
        }
        calls[index].phase = .ending
        inbox.append(.end(calls[index].number, end))
        settle(until: context.moment)
    }

    /// Answers a storage operation that was started.
    @inlinable
    package mutating func answer(
        _ ticket: StorageTicket, with answer: StorageAnswer<Subject.Record>, at moment: Moment
    ) {
        advance(to: moment)
        guard let work = storage.work(of: ticket) else { return dropped.ghostAnswers.increment() }
        guard work.admits(answer) else { return dropped.mismatchedAnswers.increment() }
        guard let (operation, index) = storage.remove(ticket) else { return }
        startStorage(from: index)
        handle(.stored(answer, under: operation.key, operation.attempt))
        settle(until: context.moment)
    }

    /// Reads the state in place, and may change it: a test takes out the effects that were written down.
    @inlinable
    package mutating func withState<Result>(_ body: (inout Subject.State) -> Result) -> Result {
        body(&current)
    }

    /// Whether another machine stands where this one does: at the same moment, with an equal state and equal timers, calls,
    /// operations and sealed paths. They are compared in place, first what differs most often.
    @inlinable
    package func stands(where other: Machine) -> Bool {
        context.moment == other.context.moment && drawsGreatest == other.drawsGreatest
            && timers == other.timers && calls == other.calls && storage.pending == other.storage.pending
            && (storage.sealed == other.storage.sealed || sealedPaths == other.sealedPaths)
            && current == other.current
    }

    /// The generator.
    package var entropy: Entropy { context.entropy }

    /// Whether every draw gives its greatest value, as a search demands.
    @inlinable
    package var drawsGreatest: Bool { if case .greatest = context.entropy { true } else { false } }

    /// Makes every draw give its greatest or its least value. Identifiers continue their count.
    @inlinable
    package mutating func draws(greatest: Bool) {
        switch context.entropy {
        case .seeded(let count), .least(let count), .greatest(let count):
            context.entropy = greatest ? .greatest(count) : .least(count)
        }
    }

    /// The machine of the next process: the same feature, backend, clock and generator, and nothing else.
    @inlinable
    package func relaunched(with state: Subject.State) -> Machine {
        Machine(feature, state: state, backend: backend, moment: context.moment, entropy: context.entropy)
    }
}
