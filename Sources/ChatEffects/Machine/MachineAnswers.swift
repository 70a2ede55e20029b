// The input of the machine: the backend decodes arrivals into the inbox, and the record's format decodes storage
// answers for the feature. Every possible error of a driver is caught here (guarantees 3 and 4).

import ChatDomain

extension Machine {
    /// Handles an outcome, and leaves its deliveries in the inbox.
    @inlinable
    mutating func take(_ outcome: Outcome) {
        switch outcome {
        case .arrived(let number, let arrival): take(arrival, on: number)
        case .loaded(let ticket, let bytes): answer(ticket, .loaded(bytes))
        case .missing(let ticket): answer(ticket, .missing)
        case .saved(let ticket): answer(ticket, .saved)
        case .erased(let ticket): answer(ticket, .erased)
        case .failed(let ticket, let failure): answer(ticket, .failed(failure))
        }
    }

    /// Decodes an arrival with the codec of its call.
    @inlinable
    mutating func take(_ arrival: Arrival, on number: CallNumber) {
        guard let index = calls.index(of: number), calls[index].phase != .ending else {
            return dropped.ghostArrivals.increment()
        }
        guard calls[index].admit(arrival) else {
            return dropped.mismatchedArrivals.increment()
        }
        var reaction = Reaction<Subject.Event>()
        backend.receive(arrival, progress: &calls[index].progress, reaction: &reaction)
        var transportEnd: CallEnd?
        if case .ended(let end) = arrival { transportEnd = end }
        apply(reaction, at: index, transportEnd: transportEnd)
    }

    /// Replaces the exchange of a call. Returns the number of the new one.
    @inlinable
    mutating func goOn(with next: Exchange, at index: Int, _ transportEnd: CallEnd?) -> CallNumber {
        if transportEnd == nil { outbox.append(.close(calls[index].number)) }
        lastCall &+= 1  // one a nanosecond would last 584 years
        calls[index].goOn(as: CallNumber(lastCall), over: next.transport)
        outbox.append(.open(calls[index].number, next))
        return calls[index].number
    }

    /// Applies a codec's reaction. Frames for a transport that has ended are dropped, since the codec cannot know of
    /// the end.
    @inlinable
    mutating func apply(_ reaction: Reaction<Subject.Event>, at index: Int, transportEnd: CallEnd?) {
        let number = reaction.next.map { goOn(with: $0, at: index, transportEnd) } ?? calls[index].number
        dropped.skippedEvents.increment(by: reaction.skipped)
        if transportEnd == nil, reaction.next == nil {
            for frame in reaction.frames { outbox.append(.send(number, frame)) }
        }
        for event in reaction.events { inbox.append(.event(number, event)) }
        guard let end = reaction.end ?? (reaction.next == nil ? transportEnd : nil) else { return }
        calls[index].phase = .ending
        if transportEnd == nil || reaction.next != nil { outbox.append(.close(number)) }
        inbox.append(.end(number, end))
    }

    /// Queues a storage operation and starts it if no earlier one blocks it.
    @inlinable
    mutating func enqueue(_ work: PendingStorage<Subject.Key>.Work, _ key: Subject.Key, _ attempt: Attempt) {
        let path = key.path
        if case .load = work, storage.handOver(loadOf: key, at: path, to: attempt) { return }
        lastTicket &+= 1  // one a nanosecond would last 584 years
        storage.insert(
            PendingStorage(
                ticket: StorageTicket(lastTicket), key: key, path: path, attempt: attempt, work: work))
        startStorage(from: storage.pending.count - 1)
    }

    /// Handles the answer to a storage operation.
    @inlinable
    mutating func answer(_ ticket: StorageTicket, _ answer: StorageAnswer<[UInt8]>) {
        guard let work = storage.work(of: ticket) else {
            return dropped.ghostAnswers.increment()
        }
        guard work.admits(answer) else { return dropped.mismatchedAnswers.increment() }
        guard let (operation, index) = storage.remove(ticket) else { return }
        let typed = typed(answer, operation)
        startStorage(from: index)
        handle(.stored(typed, under: operation.key, operation.attempt))
    }

    /// Passes every unblocked storage operation from an index on to the drivers.
    @inlinable
    mutating func startStorage(from start: Int) {
        var index = start
        while let next = storage.takeUnblocked(from: &index) {
            switch next {
            case .start(let operation): outbox.append(operation)
            case .refuse(let operation, let seal):
                inbox.append(.refused(operation.key, operation.attempt, .newer(version: seal.version)))
            }
        }
    }

    /// Decodes a driver's answer into the type of its record.
    @inlinable
    mutating func typed(
        _ answer: StorageAnswer<[UInt8]>, _ operation: PendingStorage<Subject.Key>
    ) -> StorageAnswer<Subject.Record> {
        switch answer {
        case .missing:
            storage.breakSeal(on: operation.path)
            return .missing
        case .saved: return .saved
        case .erased:
            storage.breakSeals(from: operation.path)
            return .erased
        case .failed(let failure):
            if case (.load, .newer(let version)) = (operation.work, failure) {
                storage.seal(operation.path, version: version)
            }
            return .failed(failure)
        case .loaded(let bytes):
            switch Subject.Record.read(bytes, under: operation.key) {
            case .record(let record):
                storage.breakSeal(on: operation.path)
                return .loaded(record)
            case .newer(let version):
                storage.seal(operation.path, version: version)
                return .failed(.newer(version: version))
            case .damaged:
                dropped.damagedRecords.increment()
                outbox.append(.setAside(operation.path))
                return .failed(.damaged)
            }
        }
    }
}
