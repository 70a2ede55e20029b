// The bare reducer and the bare heap as workloads. What is measured beside one of them does the same work
// through the package: the same texts, the same ids in the same order.

import AllocationCount
import BareReducer

/// Workloads of the bare reducer, to measure a machine beside.
enum Bare {
    /// Tokens appended in one round; each is as long as those that models send.
    static let tokens = 1_000
    /// A token of six bytes.
    static let token = "token "
    /// Updates in one round: as many as leave the messages that they touch in half a cache of 1 MB on both sides, so that
    /// work is measured, and not the size of a cache or its other user.
    static let updates = 100

    /// Which message the update of that number touches: all over the transcript, the same for everyone.
    static func target(_ number: Int, among count: Int) -> Int {
        Int(truncatingIfNeeded: UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 >> 33) % count
    }

    /// Actions that only count: what a call of a reducer costs. The actions come out of an array, as those of
    /// a front end or a driver come out of memory; a constant would never be built.
    static func action(operations: Int = 10_000) -> Workload {
        let actions = Array(repeating: BareAction.count, count: operations)
        return Workload(operations: operations, prepare: { BareState(messages: 0) }) { state in
            for action in actions { bareReduce(&state, action) }
            black_hole(state.count)
        }
    }

    /// Hands a state over as the app's stage is handed over.
    private static func withState(_ state: inout BareState, _ body: (inout BareState) -> Void) {
        body(&state)
        black_hole(UInt64(state.messages.count))
    }

    /// Tokens at the end of a transcript of so many messages.
    static func token(messages count: Int) -> Workload {
        var state = BareState(messages: count)
        return Workload(
            operations: tokens,
            // One transcript for all rounds, with a new reply for each.
            prepare: { bareReduce(&state, .begin(id: bareID(state.messages.count))) },
            run: { _ in
                withState(&state) { state in
                    for _ in 0..<tokens { bareReduce(&state, .token(token)) }
                }
            })
    }

    /// Messages by id that get another text, all over a transcript of so many (at least one). The actions are
    /// made before the clock starts and come out of an array, as those of the app do; and each message has got a
    /// text before, as there.
    static func rewrite(messages count: Int) -> Workload {
        var state = BareState(messages: count)
        var round = 0
        return Workload(
            operations: updates,
            prepare: { () -> [BareAction] in
                round += 1
                let actions = rewrites(among: count, "\(round)")
                for action in rewrites(among: count, "earlier \(round)") { bareReduce(&state, action) }
                return actions
            },
            run: { actions in
                withState(&state) { state in
                    for action in actions { bareReduce(&state, action) }
                }
            })
    }

    /// The text of an answer that is told once more. It is longer than the 15 bytes that a `String` holds in itself, as
    /// answers are, so that both sides free the text before.
    static func answer(_ number: Int, _ text: String) -> String {
        "The answer to \(number), told once more: \(text)"
    }

    private static func rewrites(among count: Int, _ text: String) -> [BareAction] {
        (0..<updates).map { number in
            .rewrite(id: bareID(target(number, among: count)), text: answer(number, text))
        }
    }

    /// What a token, and an update, among 10,000 messages are held to when a front end holds every state: the
    /// limits were set beside these two.
    static var tokenOfTenThousand: (name: String, workload: Workload) {
        ("bare reducer, token, 10000", token(messages: 10_000))
    }

    static var rewriteOfTenThousand: (name: String, workload: Workload) {
        ("bare reducer, rewrite, 10000", rewrite(messages: 10_000))
    }

    /// Pushes and then pops so many deadlines.
    static func heap(timers count: Int) -> Workload {
        let deadlines = randomDeadlines(count)
        var heap = BareHeap()
        return Workload(operations: count, prepare: { heap.removeAll() }) { _ in run(&heap, deadlines) }
    }

    private static func run(_ heap: inout BareHeap, _ deadlines: [Int64]) {
        for (number, deadline) in deadlines.enumerated() {
            heap.push(
                BareStart(deadline: deadline, sequence: UInt64(number), payload: UInt32(number)))
        }
        while let start = heap.popFirst() { black_hole(UInt64(start.payload)) }
    }
}

/// The yardsticks themselves, so that what others are compared with can be judged.
func benchmarkBare(_ report: inout Report) {
    report.add("bare reducer, action", Bare.action())
    for count in [0, 1_000, 10_000, 100_000] {
        report.add("bare reducer, token, \(count) messages", Bare.token(messages: count))
    }
}
