// The law of storage, once: how one stored record keeps up with a value that changes (C6, C7, L5, R5). It guarantees
//
// - no save before the stored record has been loaded, nor before the change of another record that leads to this one;
// - no save over a record that is there and cannot be read; a damaged one was set aside and may be saved over;
// - one operation under way, and behind it one more with the newest content, also on a disk that answers nothing;
// - what counts as durable was carried by a save that succeeded;
// - each change is reported as not saved once at most.
//
//      unread ──▶ loading ──loaded, missing, damaged──▶ open        gated ──its change is durable──▶ open
//                    └──cannot be read──▶ closed
//
// A change has a revision. A save carries all changes so far. A save that failed is not repeated by itself (a full disk
// stays full): the next change carries it too. What the picture does not show: a save that failed here may have
// reached the disk all the same, so “failed” never means “absent after a relaunch”.
//
// A value of this type starts no timer and performs nothing. Its owner starts with `changed()`, saves whenever
// `saves(under:)` says so, and then runs one timer as `deadline()` says.

/// How one stored record stands to the value that it keeps.
public struct KeptRecord: DomainValue {
    /// The place of a change among all changes to the record.
    public struct Revision: DomainValue, Comparable {
        let number: UInt64

        /// What the record held when it was loaded.
        package static var loaded: Revision { Revision(number: 0) }

        public static func < (left: Revision, right: Revision) -> Bool { left.number < right.number }
    }

    /// Whether the record may be saved.
    public enum Access: DomainValue {
        /// Nothing was loaded yet.
        case unread
        /// It is being loaded.
        case loading(Attempt)
        /// Nothing is stored, and nothing is to be before this change of another record is durable.
        case gated(Revision)
        /// It may be saved.
        case open
        /// It is there, cannot be read, and must not be overwritten.
        case closed(StorageFailure)
    }

    /// What is known of one change.
    enum Durability: PlainValue {
        /// It survives the end of the process.
        case durable
        /// A save that carries it is under way or will be, and its time is running.
        case pending
        /// It could not be saved, or not in its time. It may become durable later.
        case failed
    }

    /// What the end of a save means.
    public enum Ended: PlainValue {
        /// What it carried is durable.
        case durable
        /// It failed; whether a change that it carried is reported as not saved for the first time.
        case failed(isNews: Bool)
    }

    /// What becomes of the one timer of a record.
    enum Deadline: PlainValue {
        /// It starts, or starts anew.
        case start
        /// It goes on as it was.
        case keep
        /// It ends.
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
    /// The last change that a save was begun with and need not be tried again.
    private var carried = Revision.loaded
    private var durable = Revision.loaded
    /// The last change that was reported as not saved, and with it all before it that are not durable.
    private var failed = Revision.loaded
    /// Whether the timer runs, and the save that it was started for.
    private var isTimed = false
    private var timedSave: Attempt?

    /// A record of which nothing is known.
    public init() { access = .unread }

    /// A record that waits for a change of another record.
    init(gatedBy revision: Revision) { access = .gated(revision) }

    // MARK: What is known

    /// Whether what was stored is known, or that it cannot be.
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

    /// Whether every change is durable.
    public var isClean: Bool { durable == latest }

    /// Whether a save is under way, perhaps for longer than it is waited for.
    package var isSaving: Bool { save != nil }

    /// Whether the disk has refused a change, or was silent, since it took the last.
    var isInDoubt: Bool { failed > durable }

    /// Whether a change waits for its end, so that a timer has to run (L3).
    package var isPending: Bool { latest > max(durable, failed) }

    /// Whether a save is to begin now.
    var isToBeSaved: Bool { access == .open && save == nil && latest > carried }

    /// What is known of a change. O(1).
    func durability(of revision: Revision) -> Durability {
        revision <= durable ? .durable : revision <= failed ? .failed : .pending
    }

    /// Whether a change survives the end of the process.
    public func isDurable(_ revision: Revision) -> Bool { revision <= durable }

    // MARK: Loading

    /// Returns whether the load is to begin: not when the record may be saved already.
    public mutating func loads(under attempt: Attempt) -> Bool {
        guard !mayBeSaved else { return false }
        access = .loading(attempt)
        return true
    }

    /// Returns whether the load was the one under way.
    public mutating func loaded(_ attempt: Attempt, _ failure: StorageFailure?) -> Bool {
        guard access == .loading(attempt) else { return false }
        access = .open
        if let failure, failure != .damaged { access = .closed(failure) }
        return true
    }

    /// Returns whether the change was waited for, and is durable.
    mutating func opened(by other: KeptRecord) -> Bool {
        guard case .gated(let revision) = access, other.isDurable(revision) else { return false }
        access = .open
        return true
    }

    /// The record is to be read again; an open one only when its value can be joined with what is stored.
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

    /// What could not be saved is to be tried again, as soon as no save is under way.
    public mutating func retry() { carried = durable }

    /// Begins a save with all changes so far; `nil` when none is to begin now.
    public mutating func saves(under attempt: @autoclosure () -> Attempt) -> Attempt? {
        guard isToBeSaved else { return nil }
        let save = Save(attempt: attempt(), through: latest)
        (self.save, carried) = (save, latest)
        return save.attempt
    }

    /// Returns `nil` for a save that is not under way.
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

    /// What waits is given up, because the record cannot be saved. Returns whether that is news.
    mutating func givesUp() -> Bool {
        guard isPending else { return false }
        failed = latest
        return true
    }

    // MARK: Time

    /// What becomes of the timer: each save has the whole time, and a change that waits behind a silent one its own.
    mutating func deadline() -> Deadline {
        guard isPending else {
            defer { isTimed = false }
            return isTimed ? .stop : .keep
        }
        guard !isTimed || timedSave != save?.attempt else { return .keep }
        (isTimed, timedSave) = (true, save?.attempt)
        return .start
    }

    /// The disk is silent, and what waits goes on without it. Returns whether that is news.
    mutating func timedOut() -> Bool {
        isTimed = false
        return givesUp()
    }

    /// Another way stops the timer.
    mutating func stopsWaiting() { isTimed = false }
}

extension KeptRecord: Normalizable {
    /// Replaces each revision by how many of this record's marks are below it. Revisions are compared and never
    /// counted, and a new one is above all, so their order is all that matters.
    public mutating func normalize(_ form: inout NormalForm) {
        if case .loading(let attempt) = access { access = .loading(form.normal(attempt)) }
        // What has become durable since is no longer in doubt: each reader takes the greater of the two.
        failed = max(failed, durable)
        let marks = self
        (latest, carried) = (marks.rank(latest), marks.rank(carried))
        (durable, failed) = (marks.rank(durable), marks.rank(failed))
        // The save that a timer was started for is compared while the timer runs, and with the one under way.
        if !isTimed { timedSave = nil }
        save = save.map { Save(attempt: form.normal($0.attempt), through: marks.rank($0.through)) }
        timedSave.normalize(&form)
    }

    /// The normal form of a revision that somebody else remembers: whether it is what was loaded, and how it stands to
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

    /// How many marks are below a revision.
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
