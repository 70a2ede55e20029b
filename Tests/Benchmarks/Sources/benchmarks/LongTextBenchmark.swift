// What a token costs in a long text, with nobody holding earlier values and with somebody holding all of them.

import AllocationCount
import ChatDomain

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

/// Figures of long texts.
func benchmarkLongText(_ report: inout Report) {
    for bytes in [0, 100_000, 1_000_000] {
        report.add(
            "long text, token after \(bytes) bytes", tokens(after: bytes, isHeld: false),
            beside: ("bare reducer, token", Bare.token(messages: 0)), limits: [.ratio(3)])
        report.add(
            "long text, token after \(bytes) bytes, held", tokens(after: bytes, isHeld: true),
            beside: Bare.tokenOfTenThousand, limits: [.nanoseconds(2_000, yardstick: 38)])
    }
}
