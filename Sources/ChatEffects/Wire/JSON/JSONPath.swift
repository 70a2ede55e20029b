// Paths to fields, and the tree of all paths of a scanner. The tree is one flat array, level by level, so that the
// children of a node are consecutive. A search allocates nothing, and compares short names by one key instead of their
// bytes.

import ChatDomain

/// The path of a field, from the outermost value inwards:
///
///     JSONPath("choices", 0, "delta", "content")
struct JSONPath: DomainValue, ExpressibleByStringLiteral {
    /// One step: a member of an object, or an element of an array.
    enum Step: DomainValue, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case member(ExactText)
        /// Counted from 0.
        case element(Int)

        init(stringLiteral value: String) { self = .member(ExactText(value)) }

        init(integerLiteral value: Int) { self = .element(value) }
    }

    let steps: [Step]

    /// Creates a path of these steps.
    init(_ steps: Step...) { self.steps = steps }

    /// Creates a path of these steps.
    init(_ steps: [Step]) { self.steps = steps }

    /// Creates a path to a member of the outermost object.
    init(_ name: ExactText) { steps = [.member(name)] }

    /// Creates a path to a member of the outermost object; no character is a separator.
    init(stringLiteral value: String) { self.init(ExactText(value)) }
}

/// A place on a path.
struct JSONPathNode: Sendable {
    /// The name of the member, and its key; empty for an element.
    var name: [UInt8] = []
    var key = JSONNameKey()
    /// The index of the element; -1 for a member.
    var element = -1
    /// The children, which are consecutive.
    var children = 0..<0
    /// Bit n: field n is here.
    var fields: UInt64 = 0
    /// Bit n: field n is here or further inwards.
    var below: UInt64 = 0
}

/// The tree of all paths; the first node is the outermost value.
struct JSONPathTree: Sendable {
    private(set) var nodes = [JSONPathNode()]
    /// The greatest number of steps of a path.
    private(set) var depth = 0

    /// Creates the tree, level by level; the bit of a field is its position in the list.
    init(_ paths: ArraySlice<JSONPath>) {
        let paths = paths.map { $0.steps }
        depth = paths.map { $0.count }.max() ?? 0
        // The last step of each node, its level, and the paths that lead through it.
        var places: [(step: JSONPath.Step?, level: Int, paths: [Int])] = [(nil, 0, Array(paths.indices))]
        var node = 0
        while node < nodes.count {
            let firstChild = nodes.count
            let level = places[node].level
            for index in places[node].paths {
                let bit: UInt64 = 1 << UInt64(index)
                nodes[node].below |= bit
                guard level < paths[index].count else {
                    nodes[node].fields |= bit
                    continue
                }
                let step = paths[index][level]
                if let child = places[firstChild...].firstIndex(where: { $0.step == step }) {
                    places[child].paths.append(index)
                } else {
                    append(step)
                    places.append((step, level + 1, [index]))
                }
            }
            nodes[node].children = firstChild..<nodes.count
            node += 1
        }
    }

    private mutating func append(_ step: JSONPath.Step) {
        var node = JSONPathNode()
        switch step {
        case .member(let name):
            node.name = name.utf8
            node.key = name.utf8.withUnsafeBufferPointer { JSONNameKey($0, 0..<$0.count) }
        case .element(let index): node.element = index
        }
        nodes.append(node)
    }
}

/// The key of a name, for one comparison: its length, its first and its last eight bytes, which may overlap. It is the
/// whole of a name of up to 16 bytes.
struct JSONNameKey: Sendable, Equatable {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var count = -1

    /// The key of an empty name, for a node that is an element.
    init() {}

    /// The key of the bytes in this range.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ name: Range<Int>) {
        count = name.count
        first = Self.word(bytes, name.lowerBound, min(count, 8))
        last = count > 8 ? Self.word(bytes, name.upperBound - 8, 8) : 0
    }

    /// Whether equal keys mean equal names.
    @inline(__always)
    var isWhole: Bool { count <= 16 }

    /// Up to eight bytes, the first lowest.
    @inline(__always)
    private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        if bytes.count - start >= 8 {
            let raw = UnsafeRawBufferPointer(bytes)
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            return word & ~(UInt64.max << UInt64(8 * count))
        }
        var word: UInt64 = 0
        for index in (start..<start + count).reversed() { word = word &<< 8 | UInt64(bytes[index]) }
        return word
    }
}
