// The settings of a reader beyond the grammar: depth, size, and malformed Unicode. The limits exist because the bytes
// come from an untrusted server.

import ChatDomain

/// The limits of a reader and its handling of malformed text.
public struct JSONPolicy: DomainValue {
    /// The handling of bytes in a string that are not UTF-8, and of escaped surrogates without a partner.
    public enum MalformedText: DomainValue {
        /// The whole text is refused.
        case reject
        /// Each maximal ill-formed part becomes one U+FFFD, as the Unicode standard recommends.
        case replace
    }

    /// 128 levels: the depth of everything that crosses a border of this package.
    public static let defaultDepth: Int64 = 128

    /// 256 levels: destroying, comparing and encoding a tree needs stack for each level, and this many fit into the
    /// smallest supported stack (64 KiB in a browser, optimised; unoptimised it holds 128).
    public static let greatestDepth: Int64 = 256

    /// 16 MiB: fifty times the greatest message of any backend, and still little for a phone.
    public static let defaultSize: Int64 = 16 * 1024 * 1024

    /// The most open arrays and objects, from 0 (only scalars) to `greatestDepth`.
    let depth: Int64

    /// The greatest length of a text, in bytes.
    let size: Int64

    /// The handling of malformed text in strings.
    let malformedText: MalformedText

    /// Creates a policy; limits out of range are clamped.
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
