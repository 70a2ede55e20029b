// The source of the choices of a run. A generator draws them, or bytes spell them: the bytes of a fuzzer, or of a case
// in a file. Nothing else about a run depends on the source.

import ChatDomain

/// A source of choices.
public struct Choices: Sendable {
    private enum Source: Sendable {
        case drawn(Entropy)
        case spelled(ArraySlice<UInt8>)
    }

    private var source: Source

    /// Draws from a seed; there is no end.
    package init(seed: UInt64) { source = .drawn(.seeded(seed)) }

    /// Reads from bytes, until they end.
    package init(bytes: [UInt8]) { source = .spelled(bytes[...]) }

    /// A number from 0 up to, but not including, `count`; `nil` at the end of the bytes, and when there is no number.
    ///
    /// One byte is read for up to 256 alternatives, and two for more, so that a fuzzer's change of one byte changes one
    /// choice.
    public mutating func below(_ count: Int) -> Int? {
        guard count > 0 else { return nil }
        switch source {
        case .drawn(var entropy):
            let bits = entropy.next()
            source = .drawn(entropy)
            return Int(bits % UInt64(count))
        case .spelled(var bytes):
            guard let first = bytes.popFirst() else { return nil }
            var number = Int(first)
            if count > 256 { number = number << 8 | Int(bytes.popFirst() ?? 0) }
            source = .spelled(bytes)
            return number % count
        }
    }

    /// One of some elements.
    public mutating func pick<Element>(_ elements: [Element]) -> Element? {
        below(elements.count).map { elements[$0] }
    }

    /// Texts that are often handled wrongly: empty, blank, equal by normal form but not by bytes, several scalars to a
    /// character, right to left, a byte-order mark, control characters, and one that is long.
    package static let texts: [ExactText] = [
        "", " ", "ok", "ok", "\u{E9}", "e\u{301}", "👩‍👩‍👧‍👦", "مرحبا", "\u{202E}abc", "\u{FEFF}", "\u{0}", "a\nb",
        ExactText(String(repeating: "long ", count: 500)),
    ]
}
