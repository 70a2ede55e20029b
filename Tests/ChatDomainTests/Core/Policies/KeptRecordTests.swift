import Testing

@testable import ChatDomain

@Suite("A kept record")
struct KeptRecordTests {
    private let attempts = (0..<10).map { Attempt(number: $0) }

    private func open() -> KeptRecord {
        var record = KeptRecord()
        _ = record.loads(under: attempts[0])
        _ = record.loaded(attempts[0], nil)
        return record
    }

    @Test("C6: a change before the record is loaded is saved as soon as it is")
    func early() {
        var record = KeptRecord()
        let change = record.changed()
        #expect(record.saves(under: attempts[1]) == nil && record.deadline() == .start)
        #expect(record.loads(under: attempts[2]) && record.saves(under: attempts[1]) == nil)
        #expect(record.loaded(attempts[2], nil) && record.saves(under: attempts[3]) == attempts[3])
        #expect(record.ended(attempts[3], succeeded: true) == .durable && record.isDurable(change))
        #expect(record.deadline() == .stop && record.isClean)
    }

    @Test("R5: an unreadable record is not overwritten, and a damaged one may be")
    func unreadable() {
        for (failure, isSaved) in [
            (StorageFailure.unreadable, false), (.newer(version: 9), false), (.unavailable, false),
            (.damaged, true),
        ] {
            var record = KeptRecord()
            _ = record.loads(under: attempts[0])
            _ = record.loaded(attempts[0], failure)
            let change = record.changed()
            #expect((record.saves(under: attempts[1]) != nil) == isSaved)
            if !isSaved { #expect(record.givesUp() && record.durability(of: change) == .failed) }
        }
    }

    @Test("L8: behind a save that is never answered one more waits, with the newest content")
    func silent() {
        var record = open()
        _ = record.changed()
        #expect(record.saves(under: attempts[1]) != nil && record.deadline() == .start)
        for _ in 0..<1_000 {
            let change = record.changed()
            #expect(record.saves(under: attempts[2]) == nil)
            _ = record.deadline()
            let reports = [record.timedOut(), record.timedOut()]
            #expect(reports == [true, false] && record.durability(of: change) == .failed)
        }
        #expect(record.ended(attempts[1], succeeded: true) == .durable)
        #expect(record.saves(under: attempts[2]) != nil)
        #expect(record.ended(attempts[2], succeeded: true) == .durable && record.isClean)
    }

    @Test("C7: a failed save is not repeated by itself; the next change carries it too")
    func failed() {
        var record = open()
        let first = record.changed()
        _ = record.saves(under: attempts[1])
        #expect(record.ended(attempts[1], succeeded: false) == .failed(isNews: true))
        #expect(record.durability(of: first) == .failed && record.saves(under: attempts[2]) == nil)
        let second = record.changed()
        #expect(record.saves(under: attempts[2]) != nil)
        #expect(record.durability(of: first) == .failed && record.durability(of: second) == .pending)
        #expect(record.ended(attempts[1], succeeded: true) == nil)
        #expect(record.ended(attempts[2], succeeded: true) == .durable)
        #expect(record.isDurable(first) && record.isDurable(second))
    }

    @Test("C19: a gated record is saved once the change of the other record is durable")
    func gated() {
        var list = open()
        var record = KeptRecord(.gated(list.changed()))
        _ = record.changed()
        #expect(!record.opened(by: list) && record.saves(under: attempts[1]) == nil && record.isRead)
        _ = list.saves(under: attempts[2])
        _ = list.ended(attempts[2], succeeded: true)
        #expect(record.opened(by: list) && record.saves(under: attempts[1]) != nil)
    }

    @Test("L3: the normal form keeps a change that is being saved apart from a failed one before it")
    func normalForm() {
        var record = open()
        _ = record.changed()
        _ = record.saves(under: attempts[1])
        _ = record.ended(attempts[1], succeeded: false)
        #expect(!record.isPending)
        _ = record.changed()
        _ = record.saves(under: attempts[2])
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        var form = NormalForm(moment: moment, horizon: .seconds(60))
        record.normalize(&form)
        #expect(record.isPending && record.isInDoubt)
    }

    @Test("every order of changes, answers, time-outs and retries keeps the laws")
    func everyOrder() {
        var seen: Set<World> = []
        var next = [World(), World(isGated: true)]
        while let world = next.popLast() {
            guard seen.insert(world).inserted else { continue }
            for event in World.Event.allCases {
                guard let after = world.after(event) else { continue }
                if let broken = after.brokenLaw {
                    Issue.record("\(broken) after \(event) in \(world)")
                    return
                }
                next.append(after)
            }
        }
        print("a kept record: \(seen.count) states searched")
        #expect(seen.count > 5_000)
    }

    @Test("L3: the normal form keeps a change that no save has carried apart from one that a save has")
    func normalFormOfUncarried() {
        let attempts = (0..<2).map { Attempt(number: $0) }
        var record = KeptRecord()
        _ = record.loads(under: attempts[0])
        _ = record.loaded(attempts[0], nil)
        _ = record.changed()
        _ = record.saves(under: attempts[1])
        _ = record.changed()
        _ = record.timedOut()
        _ = record.ended(attempts[1], succeeded: false)
        #expect(record.isToBeSaved)
        let moment = Moment(now: .origin, wall: WallTime(millisecondsSince1970: 0))
        var form = NormalForm(moment: moment, horizon: .seconds(60))
        record.normalize(&form)
        #expect(record.isToBeSaved)
    }
}

/// A record, who owns it, and the disk behind it.
private struct World: Hashable {
    enum Event: CaseIterable {
        case change, load, loaded, damaged, unreadable, gateOpens, saved, failed, stale, time, retry, again
    }

    private var record: KeptRecord
    private var gate = KeptRecord()
    /// The saves that the disk has been asked for and has not answered, by the change that each carries.
    private var saves: [Save] = []
    private var isLoading = false
    private var isTimed = false
    /// Whether nothing that is not known would be overwritten.
    private var mayBeSaved = false
    /// The changes so far, by number; how many the disk has, how many were carried, and how many reported as not saved.
    private var (latest, onDisk, carried, told) = (0, 0, 0, 0)
    private var attempts: UInt64 = 0
    /// How often a retry and a second sign-in may still happen.
    private var again = 2
    var brokenLaw: String?

    private struct Save: Hashable {
        let attempt: Attempt
        let through: Int
    }

    init(isGated: Bool = false) {
        record = isGated ? KeptRecord(.gated(gate.changed())) : KeptRecord()
    }

    private var revisions: [KeptRecord.Revision] {
        var (counter, revisions) = (KeptRecord(), [KeptRecord.Revision.loaded])
        for _ in 0..<latest { revisions.append(counter.changed()) }
        return revisions
    }

    /// What the owner of a record does at each event; nothing when the event cannot happen.
    func after(_ event: Event) -> World? {
        var next = self
        switch event {
        case .change:
            guard latest < 5 else { return nil }
            _ = next.record.changed()
            next.latest += 1
        case .load:
            guard !isLoading, record.access == .unread else { return nil }
            _ = next.record.loads(under: Attempt(number: 0))
            next.isLoading = true
        case .loaded, .damaged, .unreadable:
            guard isLoading else { return nil }
            let failure: StorageFailure? =
                switch event {
                case .damaged: .damaged
                case .unreadable: .unreadable
                default: nil
                }
            // After a second sign-in nobody waits for it any more.
            let isAwaited = record.access == .loading(Attempt(number: 0))
            next.check(next.record.loaded(Attempt(number: 0), failure) == isAwaited, "a load that is awaited")
            next.isLoading = false
            if isAwaited { next.mayBeSaved = failure != .unreadable }
        case .gateOpens:
            guard case .gated = record.access else { return nil }
            _ = next.gate.loads(under: Attempt(number: 0))
            _ = next.gate.loaded(Attempt(number: 0), nil)
            _ = next.gate.saves(under: Attempt(number: 1))
            _ = next.gate.ended(Attempt(number: 1), succeeded: true)
            next.check(next.record.opened(by: next.gate), "a gate that opens")
            next.mayBeSaved = true
        case .saved, .failed:
            guard let save = saves.first else { return nil }
            next.saves.removeFirst()
            let ended = next.record.ended(save.attempt, succeeded: event == .saved)
            if event == .saved {
                next.onDisk = save.through
                next.check(ended == .durable, "a save that ended well")
            } else {
                next.check(ended == .failed(isNews: told < save.through), "a change is told once")
                next.told = max(told, save.through)
            }
        case .stale:
            guard attempts < 6 else { return nil }
            next.check(
                next.record.ended(Attempt(number: 99), succeeded: true) == nil && next.record == record,
                "an answer to nothing")
        case .time:
            guard isTimed else { return nil }
            next.isTimed = false
            next.check(next.record.timedOut(), "a timer runs for what is not told")
            next.check(told < latest && onDisk < latest, "a change is told once")
            next.told = latest
        case .retry:
            guard again > 0 else { return nil }
            next.again -= 1
            next.record.retry()
            next.carried = next.saves.last?.through ?? onDisk
        case .again:
            guard again > 0 else { return nil }
            next.again -= 1
            next.record.readsAgain()
            next.record.stopsWaiting()
            next.isTimed = false
            next.isLoading = false
        }
        next.act()
        next.judge()
        return next
    }

    private mutating func act() {
        var hasBegun = false
        if case .closed = record.access, record.givesUp() {
            check(told < latest, "a change is told once")
            told = latest
        }
        if record.saves(under: Attempt(number: attempts + 1)) != nil {
            attempts += 1
            check(mayBeSaved, "no save before it is known what is stored, nor over what cannot be read")
            check(saves.isEmpty, "one operation under way")
            check(onDisk < latest, "no save of what is stored")
            saves.append(Save(attempt: Attempt(number: attempts), through: latest))
            carried = latest
            hasBegun = true
        }
        let deadline = record.deadline()
        check(!hasBegun || !record.isPending || deadline == .start, "each save has the whole time")
        switch deadline {
        case .start: isTimed = true
        case .stop: isTimed = false
        case .keep: break
        }
    }

    private mutating func judge() {
        if case .open = record.access, saves.isEmpty {
            check(carried == latest, "the newest content is saved")
        }
        check(record.isSaving == !saves.isEmpty, "what is under way is known")
        check(record.isPending == isTimed, "a timer runs exactly while something waits (L3)")
        check(record.isClean == (onDisk == latest), "what is clean")
        for (number, revision) in revisions.enumerated() {
            let durability = record.durability(of: revision)
            check((durability == .durable) == (number <= onDisk), "durable is what a save has carried")
            check(durability != .failed || number <= told, "what failed was told")
            check(durability != .pending || number > told, "what was told is waited for no longer")
        }
    }

    private mutating func check(_ holds: Bool, _ law: String) {
        if !holds, brokenLaw == nil { brokenLaw = law }
    }
}
