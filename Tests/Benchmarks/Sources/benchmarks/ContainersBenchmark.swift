// What the containers cost in which a conversation is kept, with nobody holding earlier values and with
// somebody holding all of them.

import AllocationCount
import BareReducer
import ChatDomain

/// Rows and the index by which they are found.
private struct Rows {
    var rows = OrdinalVector<BareMessage>()
    var index = HashTrie<MessageID, Int64>(seed: 1)

    init(_ count: Int) {
        for number in 0..<count {
            let id = bareID(number)
            index[MessageID(id)] = rows.append(BareMessage(id: id, text: "Hello"))
        }
    }
}

/// Updates by id, all over so many rows.
private func updates(_ count: Int, isHeld: Bool) -> Workload {
    var rows = Rows(count)
    let ids = (0..<Bare.updates).map { MessageID(bareID(Bare.target($0, among: count))) }
    return Workload(
        operations: ids.count,
        prepare: { () -> [Rows] in
            var held: [Rows] = []
            held.reserveCapacity(ids.count)
            return held
        },
        run: { held in
            for id in ids {
                if isHeld { held.append(rows) }
                if let ordinal = rows.index[id] {
                    rows.rows.update(ordinal) { $0.isRead.toggle() }
                }
            }
            black_hole(UInt64(rows.rows.count))
        })
}

/// Tokens at the end of a text that has so many bytes already.
private func tokens(after bytes: Int, isHeld: Bool) -> Workload {
    let tokens = Array(repeating: ExactText(Bare.token), count: Bare.tokens)
    let begun = String(repeating: "x", count: bytes)
    return Workload(
        operations: tokens.count,
        prepare: { () -> (text: LongText, held: [LongText]) in
            var held: [LongText] = []
            held.reserveCapacity(tokens.count)
            return (LongText(begun), held)
        },
        run: { subject in
            for token in tokens {
                if isHeld { subject.held.append(subject.text) }
                subject.text.append(token)
            }
            black_hole(UInt64(subject.text.byteCount))
        })
}

/// Figures of the containers.
func benchmarkContainers(_ report: inout Report) {
    for count in [1_000, 10_000, 100_000] {
        report.add(
            "containers, update, \(count) rows", updates(count, isHeld: false),
            beside: ("bare reducer, update", Bare.update(messages: count)),
            limits: [.ratio(3), .allocations(0)])
        report.add(
            "containers, update, \(count) rows, held", updates(count, isHeld: true),
            beside: Bare.rewriteOfTenThousand,
            limits: [.nanoseconds(count > 10_000 ? 5_000 : 2_000, yardstick: 227)])
    }
    for bytes in [0, 100_000, 1_000_000] {
        report.add(
            "long text, token after \(bytes) bytes", tokens(after: bytes, isHeld: false),
            beside: ("bare reducer, token", Bare.token(messages: 0)), limits: [.ratio(3)])
        report.add(
            "long text, token after \(bytes) bytes, held", tokens(after: bytes, isHeld: true),
            beside: Bare.tokenOfTenThousand, limits: [.nanoseconds(2_000, yardstick: 38)])
    }
}
