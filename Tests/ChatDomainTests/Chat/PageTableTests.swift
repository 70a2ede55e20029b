// The pages of a transcript by themselves: which of them wait for a save, and in which order.

import Testing

@testable import ChatDomain

@Suite("Chat: the table of pages")
struct PageTableTests {
    /// Pages with the rows 0, 1, … of which all are stored.
    private static func stored(rows: Int64, length: Int64) -> PageTable {
        var table = PageTable(length: length)
        table.restored(nil)
        for row in 0..<rows { table.appended(row) }
        while let page = table.nextToSave {
            table.beganSaving(page)
            _ = table.contents(after: page)
        }
        return table
    }

    @Test("L5: the page to which a row moves is saved before the one that loses it")
    func gainsFirst() {
        var table = Self.stored(rows: 6, length: 2)
        for row in 1...4 as ClosedRange<Int64> { table.changed(row) }
        table.moved(1, over: [2, 3, 4])
        #expect(table.toSaveUnheard(isReplayed: false) == [2, 1, 0])
        #expect(table.toSaveUnheard(isReplayed: true) == [2])
        // Without a move, the oldest is first.
        table = Self.stored(rows: 6, length: 2)
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
}
