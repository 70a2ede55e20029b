// The pages of a transcript by themselves: after a reset, and at the limit of rows in memory.

import Testing

@testable import ChatDomain

@Suite("Chat: the table of pages after a reset and at the limit")
struct PageTableLimitTests {
    /// Pages of two with the rows 0, 1, … of which all are stored.
    private static func stored(rows: Int64) -> PageTable {
        var table = PageTable(length: 2)
        table.restored(nil)
        for row in 0..<rows { table.appended(row) }
        while let page = table.nextToSave { save(page, of: &table) }
        return table
    }

    private static func save(_ page: Int64, of table: inout PageTable) {
        table.beganSaving(page)
        _ = table.contents(after: page)
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
}
