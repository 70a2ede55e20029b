// The tree below `RadixVector` and `OrdinalVector`. Nodes are enums over arrays: the arrays bring checks for unique
// references, sendability and an `==` that stops at identical buffers, so there is no class and no unchecked code.
//
// The shape depends only on which slots are occupied, never on the history: a subtree without elements is
// `.hollow`, and a branch ends with its last child that is not hollow. So equal vectors have equal trees.

/// The width of the tree. Index bits, from the right: 2 within a leaf, then 3 for each level of branches.
enum RadixShape {
    /// A leaf holds 4 elements: elements are wide (a row of a transcript), and a write copies one leaf while
    /// the old value is held, and retains every text in it. With 8 a write took longer, and the trees of 1,000,
    /// 10,000 and 100,000 rows were no lower.
    static var leafBits: Int { 2 }
    /// A branch has 8 children: a copied branch retains each child, which touches a line of memory for each.
    /// With 16, a write into 10,000 elements copied 48 children on its way instead of 32.
    static var branchBits: Int { 3 }

    static var leafWidth: Int { 1 &<< leafBits }
    static var branchWidth: Int { 1 &<< branchBits }

    /// The index bits to the right of the root's slot number for that many whole leaves; 2 stands for a root that
    /// is a leaf.
    static func rootShift(leaves: Int) -> Int {
        guard leaves > 1 else { return leafBits }
        let bits = Int.bitWidth - (leaves - 1).leadingZeroBitCount
        return leafBits + (bits + branchBits - 1) / branchBits * branchBits
    }

    /// The slot of an index in a branch whose subtree spans `1 << shift` elements.
    static func slot(of index: Int, below shift: Int) -> Int {
        (index &>> (shift - branchBits)) & (branchWidth - 1)
    }
}

/// A subtree. `shift` in its functions is the number of index bits that it resolves.
enum RadixNode<Element> {
    case hollow
    case leaf([Element])
    case branch([RadixNode])
}

/// Consecutive slots that are read together: a leaf, or a hollow stretch.
struct RadixBlock<Element> {
    /// The elements of `range`; empty for a hollow stretch.
    var elements: [Element]
    /// The indices of the block.
    var range: Range<Int>
}

extension RadixNode {
    /// The leaf that holds an index, or the widest hollow stretch around it, up to the end of the tree.
    func block(at index: Int, shift: Int, end: Int) -> RadixBlock<Element> {
        let within = (1 &<< shift) &- 1
        let start = index & ~within
        switch self {
        case .leaf(let elements): return RadixBlock(elements: elements, range: start..<start + elements.count)
        case .branch(let children):
            let slot = RadixShape.slot(of: index, below: shift)
            let childShift = shift - RadixShape.branchBits
            guard slot < children.count else {
                let hollow = start + children.count &<< childShift
                return RadixBlock(elements: [], range: hollow..<Swift.min(start | within, end - 1) + 1)
            }
            return children[slot].block(at: index, shift: childShift, end: end)
        case .hollow: return RadixBlock(elements: [], range: start..<Swift.min(start | within, end - 1) + 1)
        }
    }

    /// The result of `body` for the element at an index; `nil` if the tree holds none there.
    func read<Result>(at index: Int, shift: Int, _ body: (Element) -> Result) -> Result? {
        switch self {
        case .leaf(let elements):
            let offset = index & (RadixShape.leafWidth - 1)
            return offset < elements.count ? body(elements[offset]) : nil
        case .branch(let children):
            let slot = RadixShape.slot(of: index, below: shift)
            guard slot < children.count else { return nil }
            return children[slot].read(at: index, shift: shift - RadixShape.branchBits, body)
        case .hollow: return nil
        }
    }

    /// Changes the element at an index in place, if the tree holds one there.
    ///
    /// The node gives up its array while the array is changed: a second reference would force a copy.
    mutating func update<Input, Result>(
        at index: Int, shift: Int, with input: Input, _ body: (inout Element, Input) -> Result
    ) -> Result? {
        switch self {
        case .leaf(var elements):
            self = .hollow
            defer { self = .leaf(elements) }
            let offset = index & (RadixShape.leafWidth - 1)
            guard offset < elements.count else { return nil }
            return body(&elements[offset], input)
        case .branch(var children):
            self = .hollow
            defer { self = .branch(children) }
            let slot = RadixShape.slot(of: index, below: shift)
            guard slot < children.count else { return nil }
            return children[slot].update(at: index, shift: shift - RadixShape.branchBits, with: input, body)
        case .hollow: return nil
        }
    }

    /// Appends a whole leaf.
    mutating func append(leaf: [Element], at index: Int, shift: Int) {
        guard shift > RadixShape.leafBits else {
            self = .leaf(leaf)
            return
        }
        var children = takeChildren()
        let slot = RadixShape.slot(of: index, below: shift)
        while children.count <= slot { children.append(.hollow) }
        children[slot].append(leaf: leaf, at: index, shift: shift - RadixShape.branchBits)
        self = .branch(children)
    }

    /// The children of a branch, which is left hollow; none for a hollow node, which becomes a branch.
    mutating func takeChildren() -> [RadixNode] {
        guard case .branch(let children) = self else {
            var children: [RadixNode] = []
            children.reserveCapacity(RadixShape.branchWidth)
            return children
        }
        self = .hollow
        return children
    }

    /// Makes the tree one or more levels higher, without new elements.
    mutating func grow(from shift: Int, to newShift: Int) {
        guard case .hollow = self else {
            for _ in 0..<(newShift - shift) / RadixShape.branchBits {
                var children: [RadixNode] = []
                children.reserveCapacity(RadixShape.branchWidth)
                children.append(self)
                self = .branch(children)
            }
            return
        }
    }
}

extension RadixNode {
    /// Empties a slot and frees every node that becomes empty.
    mutating func clear<Wrapped>(at index: Int, shift: Int) -> Wrapped? where Element == Wrapped? {
        switch self {
        case .leaf(var elements):
            self = .hollow
            let offset = index & (RadixShape.leafWidth - 1)
            guard offset < elements.count else {
                self = .leaf(elements)
                return nil
            }
            let removed = elements[offset].take()
            if elements.contains(where: { slot in slot != nil }) { self = .leaf(elements) }
            return removed
        case .branch(var children):
            self = .hollow
            let slot = RadixShape.slot(of: index, below: shift)
            var removed: Wrapped?
            if slot < children.count {
                removed = children[slot].clear(at: index, shift: shift - RadixShape.branchBits)
            }
            while case .hollow? = children.last { children.removeLast() }
            if !children.isEmpty { self = .branch(children) }
            return removed
        case .hollow: return nil
        }
    }
}

extension RadixNode: Sendable where Element: Sendable {}
extension RadixBlock: Sendable where Element: Sendable {}

extension RadixNode: Equatable where Element: Equatable {
    /// Compares contents; `==` of arrays answers at once when both are the same buffer.
    static func == (left: RadixNode, right: RadixNode) -> Bool {
        switch (left, right) {
        case (.hollow, .hollow): true
        case (.leaf(let leftElements), .leaf(let rightElements)): leftElements == rightElements
        case (.branch(let leftChildren), .branch(let rightChildren)): leftChildren == rightChildren
        default: false
        }
    }

    /// Whether a dense tree begins with another one, whose root is that many levels lower.
    func starts(with prefix: RadixNode, levelsBelow: Int) -> Bool {
        switch (self, prefix) {
        case (_, .hollow): return true
        case (.branch(let children), _) where levelsBelow > 0:
            return children.first?.starts(with: prefix, levelsBelow: levelsBelow - 1) ?? false
        case (.branch(let children), .branch(let others)):
            // All children of the prefix are complete but the last.
            let last = others.count - 1
            guard last < children.count else { return false }
            return (0..<last).allSatisfy { slot in children[slot] == others[slot] }
                && children[last].starts(with: others[last], levelsBelow: 0)
        default: return self == prefix
        }
    }
}
