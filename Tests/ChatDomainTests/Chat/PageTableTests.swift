// The pages of a transcript by themselves: which rows they have after a move, which of them wait for a save, and in which
// order, also after a reset and at the limit of rows in memory.

import Testing

@testable import ChatDomain

@Suite("Chat: the table of pages")
struct PageTableTests {
    /// Pages with the rows 0, 1, … of which all are stored.
    private static func stored(rows: Int64, length: Int64 = 2) -> PageTable {
        var table = PageTable(length: length)
        table.restored(nil)
        for row in 0..<rows { table.appended(row) }
        saveAll(of: &table)
        return table
    }

    private static func saveAll(of table: inout PageTable) {
        while let page = table.nextToSave { save(page, of: &table) }
    }

    private static func save(_ page: Int64, of table: inout PageTable) {
        table.beganSaving(page)
        _ = table.contents(after: page)
    }

    @Test("L5: the page to which a row moves is saved before the one that loses it")
    func gainsFirst() {
        var table = Self.stored(rows: 6)
        for row in 1...4 as ClosedRange<Int64> { table.changed(row) }
        table.moved(1, over: [2, 3, 4])
        #expect(table.toSaveUnheard(isReplayed: false) == [2, 1, 0])
        #expect(table.toSaveUnheard(isReplayed: true) == [2])
        // Without a move, the oldest is first.
        table = Self.stored(rows: 6)
        for row in 1...4 as ClosedRange<Int64> { table.changed(row) }
        #expect(table.toSaveUnheard(isReplayed: false) == [0, 1, 2])
    }

    @Test("C16: a row that moves within its page changes neither the pages nor their order of saving")
    func within() {
        var table = Self.stored(rows: 6, length: 3)
        for row in [0, 1, 4] as [Int64] { table.changed(row) }
        let before = table
        table.moved(0, over: [1])
        #expect(table == before && table.toSaveUnheard(isReplayed: false) == [0, 1])
    }

    @Test("R5: a page whose only row moves on stays as it is stored, and is not saved without rows")
    func emptied() {
        var table = Self.stored(rows: 3, length: 1)
        for row in 0...1 as ClosedRange<Int64> { table.changed(row) }
        table.moved(0, over: [1])
        #expect(table.ordinals(of: 0, end: 3)?.isEmpty == true)
        #expect(table.dirty.numbers == [1])
    }

    @Test("L5: pages far apart that wait for a save are each in the set once, in rising order")
    func farApart() {
        var set = PageSet()
        for page in [5_000, 3, 5_001, 900, 901, 5_000, 4] as [Int64] { set.insert(page) }
        #expect(set.numbers == [3, 4, 900, 901, 5_000, 5_001])
        #expect(set.first(after: 4) == 900 && set.last == 5_001)
        for page in [900, 5_001, 3, 4, 901] as [Int64] { set.remove(page) }
        var one = PageSet()
        one.insert(5_000)
        #expect(set == one && set.first == 5_000)
    }

    @Test("C5: after a reset, pages are saved oldest first, although a row moved before it")
    func movedBeforeReset() {
        var table = Self.stored(rows: 6)
        for row in 1...4 as ClosedRange<Int64> { table.changed(row) }
        table.moved(1, over: [2, 3, 4])
        table.withdraw()
        for row in 6...9 as ClosedRange<Int64> { table.appended(row) }
        Self.save(3, of: &table)
        table.changed(6)
        #expect(table.dirty.numbers == [3, 4])
        #expect(table.toSaveUnheard(isReplayed: false) == [3, 4])
    }

    @Test("L8, L5: a page that takes over a row of the dropped page before it waits for a save")
    func takesOver() {
        var table = Self.stored(rows: 4)
        table.changed(0)
        #expect(table.endOfOldestUnstored == 2 && table.dirty.numbers == [0])
        table.forgetOldest(keepingFrom: 1)
        #expect(table.dirty.numbers == [1] && table.ordinals(of: 1, end: 4) == 1..<4)
    }

    @Test("C16: a row that moves over several pages leaves each of them the rows that it has passed")
    func overPages() {
        var table = Self.stored(rows: 6)
        table.moved(1, over: [2, 3, 4])
        #expect((0...2).map { table.ordinals(of: $0, end: 6) } == [0..<1, 1..<3, 3..<6])
    }

    @Test("L5: once all pages of a move are stored, the oldest changed page is saved first again")
    func stored() {
        var table = Self.stored(rows: 6)
        for row in 1...4 as ClosedRange<Int64> { table.changed(row) }
        table.moved(1, over: [2, 3, 4])
        Self.saveAll(of: &table)
        for row in [0, 5] as [Int64] { table.changed(row) }
        #expect(table.toSaveUnheard(isReplayed: false) == [0, 2])
    }

    @Test("C5, L5: after a reset during a save, the first page of the new history is saved at a sign-out")
    func firstOfNewHistory() {
        var table = Self.stored(rows: 4)
        table.appended(4)
        table.beganSaving(2)
        table.work = .savingPage(2, cursor: nil)
        table.withdraw()
        for row in 5...8 as ClosedRange<Int64> { table.appended(row) }
        #expect(table.dirty.numbers == [3, 4])
        #expect(table.toSaveUnheard(isReplayed: true) == [3])
    }
}
