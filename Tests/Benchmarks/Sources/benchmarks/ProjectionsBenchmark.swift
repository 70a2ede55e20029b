// What an app pays besides its actions: the rows and the lines that it draws after each of them, a page of older
// messages, a copy of the whole machine, and a hash of it.

import AllocationCount
import BareReducer
import ChatDomain
import ChatEffects

/// A projection of a state, over and over.
private func projecting(
    _ state: Chat.State, operations: Int = 1_000, _ project: @escaping (Chat.State) -> Int
) -> Workload {
    Workload(operations: operations, prepare: {}) { _ in
        for _ in 0..<operations { black_hole(UInt64(project(state))) }
    }
}

/// The newest rows, kept from state to state; two states take turns.
private func rows(
    _ state: Chat.State, _ next: Chat.State, newest limit: Int64, operations: Int = 1_000
) -> Workload {
    let wording = Wording()
    return Workload(
        operations: operations,
        prepare: { () -> Chat.Rows in
            var rows = Chat.Rows()
            rows.update(state, newest: limit, wording)
            return rows
        },
        run: { rows in
            for _ in 0..<operations / 2 {
                rows.update(next, newest: limit, wording)
                rows.update(state, newest: limit, wording)
            }
            black_hole(UInt64(rows.count))
        })
}

/// Pages of older messages that are loaded from the disk above so many messages; one operation is a page.
private func olderPages(above count: Int64, isNamed: Bool, _ carriage: Chat.Carriage) -> Workload {
    // Few, so that the pages that are ready fit the caches beside the history, as a page does that was just read.
    let pages = 4
    let disk = StoredHistory(pages: count / 50 + Int64(pages) + 1, isNamed: isNamed)
    return Workload(
        operations: pages,
        prepare: { () -> StoredHistory.Reader in
            var reader = disk.reader(carriage)
            while reader.count < count { reader.loadOlder() }
            reader.makeReady(Int64(pages))
            return reader
        },
        run: { reader in
            for _ in 0..<pages { reader.loadOlder() }
            black_hole(UInt64(reader.count))
        })
}

/// Copies of a machine that are all kept; one operation is a copy.
private func copies(_ machine: Machine<SilentBackend<ChatApp>>) -> Workload {
    let operations = 1_000
    return Workload(
        operations: operations,
        prepare: { () -> [Machine<SilentBackend<ChatApp>>] in
            var copies: [Machine<SilentBackend<ChatApp>>] = []
            copies.reserveCapacity(operations)
            // The memory of the array is touched before the clock starts.
            for _ in 0..<operations { copies.append(machine) }
            copies.removeAll(keepingCapacity: true)
            return copies
        },
        run: { copies in
            for _ in 0..<operations { copies.append(machine) }
            black_hole(UInt64(copies.count))
        })
}

private func hashes(_ machine: Machine<SilentBackend<ChatApp>>) -> Workload {
    let operations = 100
    return Workload(operations: operations, prepare: {}) { _ in
        for _ in 0..<operations { black_hole(UInt64(bitPattern: Int64(machine.hashValue))) }
    }
}

/// Figures of what an app pays besides its actions.
func benchmarkProjections(_ report: inout Report) {
    var stage = AppOnStage(messages: 1_000)
    let state = stage.machine.state.chat
    stage.receive(AppOnStage.reply(995, "Hello again"))
    let next = stage.machine.state.chat
    let unit = ("bare reducer, action", Bare.action())
    for (count, operations, limits) in [
        (20, 1_000, [Limit.nanoseconds(2_000, yardstick: 10.5)]), (200, 100, []),
    ] {
        report.add(
            "rows, newest \(count), none changed",
            rows(state, state, newest: Int64(count), operations: operations), beside: unit,
            limits: limits + [.allocations(0)])
        report.add(
            "rows, newest \(count), one changed",
            rows(state, next, newest: Int64(count), operations: operations), beside: unit, limits: limits)
    }
    let wording = Wording()
    report.add(
        "rows, newest 20, all made anew",
        projecting(state, operations: 100) { Chat.rows($0, newest: 20, wording).count }, beside: unit)
    let small: [(String, (Chat.State) -> Int)] = [
        ("typing", { Chat.isTyping($0) ? 1 : 0 }), ("sending", { Chat.isSending($0) ? 1 : 0 }),
        ("scroll", { Chat.scroll($0) == .toEnd ? 1 : 0 }),
        ("composer", { Chat.composer($0).canSend ? 1 : 0 }),
        ("banner", { Chat.banner($0, wording) == nil ? 1 : 0 }),
        ("connection line", { Chat.connectionLine($0, wording) == nil ? 1 : 0 }),
        ("conversations", { Chat.conversations($0, wording).count }),
        ("announcement", { Chat.announcement($0, wording) == nil ? 1 : 0 }),
    ]
    for (name, project) in small {
        report.add(
            "projection, \(name)", projecting(state, project), beside: unit,
            limits: [.nanoseconds(200, yardstick: 10.5)])
    }
    // The trees of the rows and of their ids are filled unequally, so the allocations rise and fall with the count. A message
    // of the person is looked up under each of its keys.
    let histories: [(name: String, isNamed: Bool, carriage: Chat.Carriage)] = [
        ("older page", true, .socket), ("older page of unnamed echoes", false, .socket),
        ("older page on streams", true, .streams(Streaming.Configuration())),
    ]
    for (name, isNamed, carriage) in histories {
        for count: Int64 in [10_000, 80_000] {
            report.add(
                "app, \(name) above \(count) messages", olderPages(above: count, isNamed: isNamed, carriage),
                beside: ("above 500", olderPages(above: 500, isNamed: isNamed, carriage)),
                limits: [.allocations(140)], rounds: 7)
        }
    }
    let machine = AppOnStage(messages: 0).machine
    report.add("app, size of its machine", Double(MemoryLayout.size(ofValue: machine)), "bytes")
    report.add(
        "app, copy of its machine", copies(machine), beside: unit,
        limits: [.nanoseconds(250, yardstick: 10.5), .allocations(0)])
    report.add("app, hash of its machine", hashes(machine), beside: unit)
}
