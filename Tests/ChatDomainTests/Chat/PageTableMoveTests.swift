// The pages of a transcript by themselves: which rows they have after a move, and what is saved once a move is stored
// or a reset has come.

import Testing

@testable import ChatDomain

@Suite("Chat: the table of pages after a move")
struct PageTableMoveTests {
    /// Pages of two with the rows 0, 1, … of which all are stored.
    private static func stored(rows: Int64) -> PageTable {
        var table = PageTable(length: 2)
        table.restored(nil)
        for row in 0..<rows { table.appended(row) }
        save(&table)
        return table
    }

    private static func save(_ table: inout PageTable) {
        while let page = table.nextToSave {
            table.beganSaving(page)
            _ = table.contents(after: page)
        }
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
        Self.save(&table)
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
