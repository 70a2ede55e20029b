// What a reader accepts beyond the grammar: how deep, how long, and what becomes of text that is no Unicode.
// The limits exist because the bytes come from a server that nobody here chose.

import ChatDomain

/// The limits of a reader and its answer to malformed text.
public struct JSONPolicy: DomainValue {
    /// What becomes of bytes in a string that are not UTF-8, and of escaped surrogates without a partner.
    public enum MalformedText: String, DomainValue {
        /// The whole text is refused.
        case reject
        /// Each maximal ill-formed part becomes one U+FFFD, as the Unicode standard recommends.
        case replace
    }

    /// 128 levels: the depth of everything that crosses a border of this package.
    public static let defaultDepth: Int64 = 128

    /// 256 levels: freeing, comparing and writing a tree takes stack for each level, and this many fit into the
    /// smallest stack that this runs on (64 KiB in a browser, optimised; unoptimised it holds 128).
    public static let greatestDepth: Int64 = 256

    /// 16 MiB: fifty times the greatest message of any backend, and still nothing to a telephone.
    public static let defaultSize: Int64 = 16 * 1024 * 1024

    /// How many arrays and objects may be open at once, from 0 (only scalars) to `greatestDepth`.
    public let depth: Int64

    /// How many bytes a text may have.
    public let size: Int64

    /// What becomes of malformed text in strings.
    public let malformedText: MalformedText

    /// Creates a policy; limits out of range are brought into it.
    public init(
        depth: Int64 = Self.defaultDepth,
        size: Int64 = Self.defaultSize,
        malformedText: MalformedText = .reject
    ) {
        self.depth = min(max(depth, 0), Self.greatestDepth)
        self.size = max(size, 0)
        self.malformedText = malformedText
    }
}
