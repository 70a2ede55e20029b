// Keeps one stored record up with a value that changes (SPEC C7, L5, L6): at most one save is under way, and
// changes that come meanwhile go together in the next.
//
//                changed                  ended well, no change since
//      clean ──────────────▶ saving ──────────────────────────────────▶ clean
//                            │ ▲  ▲ │ ended, changed since: saves again
//      ended badly, no change│ │  └─┘
//      since                 ▼ │ changed
//                            failed
//
// Each change gets a revision. A save carries everything up to the latest one, so its success makes all of
// them durable. A failed save is not repeated by itself (a full disk stays full): the next change carries
// it too. What the picture cannot show: a save that failed here may have reached the disk all the same, so
// “failed” never means “absent after a relaunch”; and the last save that is under way wins on the disk,
// because storage carries out the operations of one key in order.

/// The saves of one record.
public struct WriteBehind: DomainValue {
    /// The place of a change among all changes to the record.
    public struct Revision: DomainValue, Comparable {
        @usableFromInline let number: UInt64

        @inlinable
        init(number: UInt64) {
            self.number = number
        }

        /// What the record held when it was loaded.
        @inlinable
        public static var loaded: Revision { Revision(number: 0) }

        @inlinable
        public static func < (left: Revision, right: Revision) -> Bool {
            left.number < right.number
        }

        @inlinable
        var successor: Revision { Revision(number: saturatingSum(number, 1)) }
    }

    /// What a change asks for.
    public enum Changed: PlainValue {
        /// The record is to be saved as it is now, under the attempt that was given.
        case save(Revision)
        /// Nothing yet: a save is under way, and another will follow it and carry this change.
        case later(Revision)

        /// The revision of the change.
        @inlinable
        public var revision: Revision {
            switch self {
            case .save(let revision), .later(let revision): revision
            }
        }
    }

    /// What the end of a save means.
    public enum Ended: PlainValue {
        /// All changes up to this one are durable. If it says so, the record is to be saved anew.
        case durable(through: Revision, savesAgain: Bool)
        /// The changes up to this one that were not durable before are not. If it says so, the record is to be
        /// saved anew, with changes that no save has carried yet.
        case failed(through: Revision, savesAgain: Bool)
        /// It was not the save under way; nothing changed.
        case unknown
    }

    /// What is known of one change.
    public enum Durability: PlainValue {
        /// It survives the end of the process.
        case durable
        /// A save that carries it is under way or will follow the one that is.
        case pending
        /// The last save that ended and carried it failed. A later one may still make it durable.
        case failed
    }

    // `durable` ≤ `carried` ≤ `latest`, and `failed` ≤ `carried`, where a state has them.
    @usableFromInline
    enum State: DomainValue {
        // Every change is durable.
        case clean(Revision)
        // A save is under way with all changes through `carried`; the ones after it wait for the next save.
        case saving(Attempt, durable: Revision, failed: Revision, carried: Revision, latest: Revision)
        // A save with all changes has failed, and none is under way.
        case failed(durable: Revision, latest: Revision)
    }

    @usableFromInline var state: State

    /// Starts with a record that is as the disk has it, or that is nowhere and empty.
    @inlinable
    public init() {
        state = .clean(Revision(number: 0))
    }

    /// Whether every change is durable.
    @inlinable
    public var isClean: Bool {
        if case .clean = state { true } else { false }
    }

    /// Whether a save is under way.
    @inlinable
    public var isSaving: Bool {
        if case .saving = state { true } else { false }
    }

    /// The save that is under way, if one is.
    @inlinable
    public var current: Attempt? {
        if case .saving(let attempt, _, _, _, _) = state { attempt } else { nil }
    }

    /// What is known of a change. O(1).
    @inlinable
    public func durability(of revision: Revision) -> Durability {
        switch state {
        case .clean:
            .durable
        case .saving(_, let durable, let failed, _, _):
            revision <= durable ? .durable : revision <= failed ? .failed : .pending
        case .failed(let durable, _):
            revision <= durable ? .durable : .failed
        }
    }

    /// Whether a change survives the end of the process.
    @inlinable
    public func isDurable(_ revision: Revision) -> Bool {
        durability(of: revision) == .durable
    }

    /// The record has changed. The attempt names the save, if one is to start.
    @inlinable
    public mutating func changed(attempt: Attempt) -> Changed {
        switch state {
        case .clean(let durable):
            return save(attempt, durable: durable, failed: durable, through: durable.successor)
        case .failed(let durable, let latest):
            return save(attempt, durable: durable, failed: latest, through: latest.successor)
        case .saving(let current, let durable, let failed, let carried, let latest):
            state = .saving(
                current, durable: durable, failed: failed, carried: carried, latest: latest.successor)
            return .later(latest.successor)
        }
    }

    /// Whatever is not durable is saved once more under this attempt. The save under way is not waited for: this one is
    /// carried out after it, and wins.
    @inlinable
    public mutating func saveAll(under attempt: Attempt) {
        switch state {
        case .clean: break
        case .saving(_, let durable, _, _, let latest), .failed(let durable, let latest):
            state = .saving(attempt, durable: durable, failed: durable, carried: latest, latest: latest)
        }
    }

    /// A save has ended, or its time is over, which counts as a failure. `next` names the save that follows,
    /// if one is to start.
    @inlinable
    public mutating func ended(_ attempt: Attempt, succeeded: Bool, next: Attempt) -> Ended {
        guard case .saving(attempt, let durable, _, let carried, let latest) = state else { return .unknown }
        let savesAgain = latest > carried
        let reached = succeeded ? carried : durable
        if savesAgain {
            state = .saving(next, durable: reached, failed: carried, carried: latest, latest: latest)
        } else {
            state = succeeded ? .clean(carried) : .failed(durable: durable, latest: latest)
        }
        return succeeded
            ? .durable(through: carried, savesAgain: savesAgain)
            : .failed(through: carried, savesAgain: savesAgain)
    }

    @inlinable
    mutating func save(
        _ attempt: Attempt, durable: Revision, failed: Revision, through latest: Revision
    ) -> Changed {
        state = .saving(attempt, durable: durable, failed: failed, carried: latest, latest: latest)
        return .save(latest)
    }
}
