// The rules of storage, in one place: one stored record follows a value that changes (C6, C7, L5, R5). It guarantees
//
// - no save before the record is loaded, nor before the change of another record that leads to this one is durable;
// - no save over a record that exists and cannot be read; a damaged one was set aside and may be saved over;
// - one operation under way, and behind it at most one more with the newest content, also on a silent disk;
// - a change counts as durable only after a save with it has succeeded;
// - each change is reported as not saved at most once.
//
//      unread ──▶ loading ──loaded, missing, damaged──▶ open        gated ──its change is durable──▶ open
//                    └──cannot be read──▶ closed
//
// A change has a revision. A save carries all changes so far. A failed save is not repeated by itself (a full disk
// stays full): the next change carries it too, and `retry()` makes it due again. Not in the diagram: a failed save may
// still have reached the disk, so “failed” never means “absent after a relaunch”.
//
// A value of this type starts no timer and performs nothing. Its owner calls `changed()`, begins a save whenever
// `saves(under:)` returns an attempt, and then changes one timer as `deadline()` says.

/// The state of one stored record, compared with the value that it keeps.
public struct KeptRecord: DomainValue {
    /// The place of a change among all changes to the record.
    public struct Revision: DomainValue, Comparable {
        let number: UInt64

        /// The content of the record when it was loaded.
        package static var loaded: Revision { Revision(number: 0) }

        public static func < (left: Revision, right: Revision) -> Bool { left.number < right.number }
    }

    /// Whether the record may be saved.
    public enum Access: DomainValue {
        /// It is not loaded yet.
        case unread
        /// It is being loaded.
        case loading(Attempt)
        /// Nothing is stored, and nothing may be stored before this change of another record is durable.
        case gated(Revision)
        /// It may be saved.
        case open
        /// It exists, cannot be read, and must not be overwritten.
        case closed(StorageFailure)
    }

    /// The durability of one change.
    enum Durability: PlainValue {
        /// It survives the end of the process.
        case durable
        /// A save that carries it is under way or due, and its deadline runs.
        case pending
        /// It was not saved, or not in time. It may become durable later.
        case failed
    }

    /// The result of a save.
    public enum Ended: PlainValue {
        /// The changes of the save are durable.
        case durable
        /// It failed; `isNews` if one of its changes is reported as not saved for the first time.
        case failed(isNews: Bool)
    }

    /// The change of the record's timer.
    enum Deadline: PlainValue {
        /// It starts or restarts.
        case start
        /// It stays as it is.
        case keep
        /// It stops.
        case stop
    }

    struct Save: DomainValue {
        let attempt: Attempt
        let through: Revision
    }

    /// Whether the record may be saved.
    public private(set) var access: Access
    private(set) var save: Save?
    // `durable` ≤ `carried` ≤ `latest`, and `failed` ≤ `latest`.

    private(set) var latest = Revision.loaded
    /// The last change that a save was begun with and that need not be tried again.
    private var carried = Revision.loaded
    private var durable = Revision.loaded
    /// The last change that was reported as not saved. The report covers all earlier changes that are not durable.
    private var failed = Revision.loaded
    /// Whether the timer runs, and the save that it was started for.
    private var isTimed = false
    private var timedSave: Attempt?

    /// Creates a record that is not loaded.
    public init() { access = .unread }

    /// Creates a record whose stored content is known.
    init(_ access: Access) { self.access = access }

    // MARK: Facts

    /// Whether the stored content is known, or known to be unreadable.
    var isRead: Bool {
        switch access {
        case .unread, .loading: false
        case .gated, .open, .closed: true
        }
    }

    package var mayBeSaved: Bool {
        switch access {
        case .gated, .open: true
        case .unread, .loading, .closed: false
        }
    }

    /// Whether it cannot be saved, because its stored content cannot be read.
    var isClosed: Bool { if case .closed = access { true } else { false } }

    /// Whether every change is durable.
    public var isClean: Bool { durable == latest }

    /// Whether a save is under way, perhaps beyond its deadline.
    package var isSaving: Bool { save != nil }

    /// Whether the disk has refused a change, or was silent, since the last durable one.
    var isInDoubt: Bool { failed > durable }

    /// Whether a change is pending, so that a timer has to run (L3).
    package var isPending: Bool { latest > max(durable, failed) }

    /// Whether a save is due.
    var isToBeSaved: Bool { access == .open && save == nil && latest > carried }

    /// Whether the disk was given every change, or refused it, or was silent.
    var isHandedOver: Bool { latest <= max(carried, failed) }

    /// The durability of a change. O(1).
    func durability(of revision: Revision) -> Durability {
        revision <= durable ? .durable : revision <= failed ? .failed : .pending
    }

    /// Whether a change survives the end of the process.
    public func isDurable(_ revision: Revision) -> Bool { revision <= durable }

    // MARK: Loading

    /// Begins a load, and returns `true`; `false` when the record may already be saved.
    public mutating func loads(under attempt: Attempt) -> Bool {
        guard !mayBeSaved else { return false }
        access = .loading(attempt)
        return true
    }

    /// Applies the end of a load. Returns whether it was the load under way.
    public mutating func loaded(_ attempt: Attempt, _ failure: StorageFailure?) -> Bool {
        guard access == .loading(attempt) else { return false }
        access = .open
        if let failure, failure != .damaged { access = .closed(failure) }
        return true
    }

    /// Opens a gated record. Returns whether its gate is a change of `other` that is durable.
    mutating func opened(by other: KeptRecord) -> Bool {
        guard case .gated(let revision) = access, other.isDurable(revision) else { return false }
        access = .open
        return true
    }

    /// Makes the record unread again; an open one only if its value can be merged with the stored one.
    mutating func readsAgain(evenIfOpen: Bool = false) {
        switch access {
        case .loading, .closed: access = .unread
        case .open: if evenIfOpen { access = .unread }
        case .unread, .gated: break
        }
    }

    // MARK: Saving

    /// Counts a change of the value, which a save has to carry.
    @discardableResult
    public mutating func changed() -> Revision {
        latest = Revision(number: saturatingSum(latest.number, 1))
        return latest
    }

    /// Makes the unsaved changes due again, as soon as no save is under way.
    public mutating func retry() { carried = durable }

    /// Begins a save with all changes so far; `nil` if none is due.
    public mutating func saves(under attempt: @autoclosure () -> Attempt) -> Attempt? {
        guard isToBeSaved else { return nil }
        let save = Save(attempt: attempt(), through: latest)
        (self.save, carried) = (save, latest)
        return save.attempt
    }

    /// Applies the end of a save; `nil` for one that is not under way.
    public mutating func ended(_ attempt: Attempt, succeeded: Bool) -> Ended? {
        guard let save, save.attempt == attempt else { return nil }
        self.save = nil
        guard !succeeded else {
            durable = save.through
            carried = max(carried, durable)
            return .durable
        }
        defer { failed = max(failed, save.through) }
        return .failed(isNews: failed < save.through)
    }

    /// Gives up the pending changes, because the record cannot be saved. Returns whether that is news.
    mutating func givesUp() -> Bool {
        guard isPending else { return false }
        failed = latest
        return true
    }

    // MARK: Time

    /// The change of the timer: each save has the whole time, and so has a change that waits behind a silent one.
    mutating func deadline() -> Deadline {
        guard isPending else {
            defer { isTimed = false }
            return isTimed ? .stop : .keep
        }
        guard !isTimed || timedSave != save?.attempt else { return .keep }
        (isTimed, timedSave) = (true, save?.attempt)
        return .start
    }

    /// Gives up the pending changes, because the disk is silent. Returns whether that is news.
    mutating func timedOut() -> Bool {
        isTimed = false
        return givesUp()
    }

    /// Notes that the owner has stopped the timer.
    mutating func stopsWaiting() { isTimed = false }
}

extension KeptRecord: Normalizable {
    /// Replaces each revision by the number of this record's marks below it. Revisions are compared and never
    /// counted, and a new one is above all, so only their order matters.
    public mutating func normalize(_ form: inout NormalForm) {
        if case .loading(let attempt) = access { access = .loading(form.normal(attempt)) }
        // A change that has become durable is no longer in doubt: each reader takes the greater of the two.
        failed = max(failed, durable)
        let marks = self
        (latest, carried) = (marks.rank(latest), marks.rank(carried))
        (durable, failed) = (marks.rank(durable), marks.rank(failed))
        // The save that a timer was started for is compared while the timer runs, and with the one under way.
        if !isTimed { timedSave = nil }
        save = save.map { Save(attempt: form.normal($0.attempt), through: marks.rank($0.through)) }
        timedSave.normalize(&form)
    }

    /// The normal form of a revision that another value remembers: whether it is the loaded one, and its order among
    /// the marks. Called before the record itself is put into its normal form.
    func related(_ revision: Revision) -> Revision {
        guard revision != .loaded else { return .loaded }
        var marks = self
        marks.failed = max(failed, durable)
        let isMark =
            [latest, carried, durable, marks.failed].contains(revision) || save?.through == revision
        return Revision(number: 2 + 2 * marks.rank(revision).number + (isMark ? 0 : 1))
    }

    /// Relates the change of another record that this one waits for.
    mutating func relateGate(to other: KeptRecord) {
        if case .gated(let revision) = access { access = .gated(other.related(revision)) }
    }

    /// The number of marks below a revision.
    private func rank(_ revision: Revision) -> Revision {
        var count: UInt64 = 0
        if latest < revision { count += 1 }
        if carried < revision { count += 1 }
        if durable < revision { count += 1 }
        if failed < revision { count += 1 }
        if let save, save.through < revision { count += 1 }
        return Revision(number: count)
    }
}
