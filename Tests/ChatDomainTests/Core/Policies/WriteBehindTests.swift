import ChatDomain
import Testing

@Suite("Write-behind")
struct WriteBehindTests {
    private let attempts = (0..<10).map { Attempt(number: $0) }

    @Test("C7: a change is pending while its save is under way and durable once that ended well")
    func one() {
        var record = WriteBehind()
        let change = record.changed(attempt: attempts[1])
        #expect(change == .save(change.revision))
        #expect(record.isSaving)
        #expect(record.durability(of: change.revision) == .pending)
        let end = record.ended(attempts[1], succeeded: true, next: attempts[2])
        #expect(end == .durable(through: change.revision, savesAgain: false))
        #expect(record.isDurable(change.revision))
        #expect(!record.isSaving)
    }

    @Test("changes during a save go together in one more save")
    func coalesces() {
        var record = WriteBehind()
        let first = record.changed(attempt: attempts[1]).revision
        let second = record.changed(attempt: attempts[2])
        let third = record.changed(attempt: attempts[3])
        #expect(second == .later(second.revision))
        #expect(third == .later(third.revision))
        #expect(first < second.revision && second.revision < third.revision)
        #expect(
            record.ended(attempts[1], succeeded: true, next: attempts[4])
                == .durable(through: first, savesAgain: true))
        #expect(record.isDurable(first))
        #expect(record.durability(of: second.revision) == .pending)
        #expect(
            record.ended(attempts[4], succeeded: true, next: attempts[5])
                == .durable(through: third.revision, savesAgain: false))
        #expect(record.isDurable(second.revision))
    }

    @Test("C7: a failed save is told, is not repeated by itself, and the next change carries it too")
    func failure() {
        var record = WriteBehind()
        let first = record.changed(attempt: attempts[1]).revision
        #expect(
            record.ended(attempts[1], succeeded: false, next: attempts[2])
                == .failed(through: first, savesAgain: false))
        #expect(!record.isSaving)
        #expect(record.durability(of: first) == .failed)
        let second = record.changed(attempt: attempts[3])
        #expect(second == .save(second.revision))
        #expect(record.durability(of: first) == .failed)
        #expect(record.durability(of: second.revision) == .pending)
        _ = record.ended(attempts[3], succeeded: true, next: attempts[4])
        #expect(record.isDurable(first))
        #expect(record.isDurable(second.revision))
    }

    @Test("L5: a last save carries all that is not durable, and does not wait for the one under way")
    func last() {
        var record = WriteBehind()
        record.saveAll(under: attempts[1])
        #expect(record.isClean)
        let first = record.changed(attempt: attempts[2]).revision
        let second = record.changed(attempt: attempts[3]).revision
        record.saveAll(under: attempts[4])
        #expect(record.ended(attempts[2], succeeded: true, next: attempts[5]) == .unknown)
        #expect(record.durability(of: first) == .pending)
        #expect(
            record.ended(attempts[4], succeeded: false, next: attempts[5])
                == .failed(through: second, savesAgain: false))
        record.saveAll(under: attempts[6])
        #expect(record.durability(of: first) == .pending && record.durability(of: second) == .pending)
        #expect(
            record.ended(attempts[6], succeeded: true, next: attempts[7])
                == .durable(through: second, savesAgain: false))
    }

    @Test("a failed save is followed by another when a change has come that none has carried, and only then")
    func failureWhileDirty() {
        var record = WriteBehind()
        let first = record.changed(attempt: attempts[1]).revision
        let second = record.changed(attempt: attempts[2]).revision
        #expect(
            record.ended(attempts[1], succeeded: false, next: attempts[3])
                == .failed(through: first, savesAgain: true))
        #expect(record.durability(of: first) == .failed)
        #expect(record.durability(of: second) == .pending)
        #expect(
            record.ended(attempts[3], succeeded: false, next: attempts[4])
                == .failed(through: second, savesAgain: false))
        #expect(record.durability(of: second) == .failed)
    }

    @Test("L4: the end of any other save changes nothing")
    func ghosts() {
        var record = WriteBehind()
        #expect(record.ended(attempts[1], succeeded: true, next: attempts[2]) == .unknown)
        _ = record.changed(attempt: attempts[1])
        let before = record
        #expect(record.ended(attempts[2], succeeded: true, next: attempts[3]) == .unknown)
        #expect(record == before)
        _ = record.ended(attempts[1], succeeded: false, next: attempts[2])
        let failed = record
        #expect(record.ended(attempts[1], succeeded: true, next: attempts[2]) == .unknown)
        #expect(record == failed)
    }

    @Test("L5: whenever the process dies, the disk has every change that was called durable")
    func disk() throws {
        for seed in 0..<100 as Range<UInt64> {
            var entropy = Entropy.seeded(seed)
            var record = WriteBehind()
            var revisions: [WriteBehind.Revision] = []  // change n made the record's value n + 1
            var onDisk = 0
            var underWay: (attempt: Attempt, value: Int)?
            var lastSaveFailed = false
            var number: UInt64 = 0
            func mint() -> Attempt {
                number += 1
                return Attempt(number: number)
            }
            func end(_ succeeded: Bool) throws {
                let save = try #require(underWay)
                // A save that is told to have failed may have reached the disk all the same.
                if succeeded || entropy.below(2) == 0 { onDisk = save.value }
                underWay = nil
                lastSaveFailed = !succeeded
                let next = mint()
                switch record.ended(save.attempt, succeeded: succeeded, next: next) {
                case .durable(let through, let again):
                    #expect(succeeded && through == revisions[save.value - 1])
                    #expect(again == (revisions.count > save.value))
                    if again { underWay = (next, revisions.count) }
                case .failed(let through, let again):
                    #expect(!succeeded && through == revisions[save.value - 1])
                    #expect(again == (revisions.count > save.value))
                    if again { underWay = (next, revisions.count) }
                case .unknown:
                    Issue.record("the save under way was not known")
                }
            }
            for _ in 0..<60 {
                if underWay == nil || entropy.below(3) > 0 {
                    let attempt = mint()
                    let change = record.changed(attempt: attempt)
                    revisions.append(change.revision)
                    #expect((change == .save(change.revision)) == (underWay == nil))
                    if underWay == nil { underWay = (attempt, revisions.count) }
                } else {
                    try end(entropy.below(3) > 0)
                }
                let durable = revisions.prefix { record.isDurable($0) }
                #expect(revisions.allSatisfy { record.isDurable($0) == durable.contains($0) })
                #expect(durable.count <= onDisk)
                #expect(record.isSaving == (underWay != nil))
                if underWay == nil, !lastSaveFailed { #expect(durable.count == revisions.count) }
                if underWay == nil { #expect(!revisions.contains { record.durability(of: $0) == .pending }) }
            }
            while underWay != nil { try end(true) }
            if !lastSaveFailed { #expect(onDisk == revisions.count) }
            #expect(try throughJSON(record) == record)
        }
    }

    @Test("a thousand changes during one save cost one more save")
    func bounded() {
        var record = WriteBehind()
        var saves = 1
        _ = record.changed(attempt: attempts[1])
        for _ in 0..<1_000 {
            if case .save = record.changed(attempt: attempts[2]) { saves += 1 }
        }
        if case .durable(_, true) = record.ended(attempts[1], succeeded: true, next: attempts[3]) {
            saves += 1
        }
        if case .durable(_, true) = record.ended(attempts[3], succeeded: true, next: attempts[4]) {
            saves += 1
        }
        #expect(saves == 2)
    }
}
