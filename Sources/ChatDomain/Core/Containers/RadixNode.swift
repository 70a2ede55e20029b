// The tree below `RadixVector` and `OrdinalVector`. Nodes are enums over arrays: the arrays bring checks for unique
// references, sendability and an `==` that stops at identical buffers, so there is no class and no unchecked code.
//
// The shape depends only on which slots hold something, never on the history: a subtree without anything in
// it is `.hollow`, and a branch ends with its last child that is not. So equal vectors have equal trees.

/// How wide the tree is. Index bits, from the right: 2 within a leaf, then 3 for each level of branches.
@usableFromInline enum RadixShape {
    /// A leaf holds 4 elements: elements are wide (a row of a transcript), and a write copies one leaf when
    /// the old value is still held, retaining every text in it. With 8 that took longer, and the tree of 1,000,
    /// of 10,000 and of 100,000 rows was no lower.
    @inlinable static var leafBits: Int { 2 }
    /// A branch has 8 children: a copied branch retains each child, which is a line of memory touched for each.
    /// With 16 a write into 10,000 elements copied 48 children on its way instead of 32.
    @inlinable static var branchBits: Int { 3 }

    @inlinable static var leafWidth: Int { 1 &<< leafBits }
    @inlinable static var branchWidth: Int { 1 &<< branchBits }

    /// The index bits to the right of the root's slot number when there are that many whole leaves; 2 stands
    /// for a root that is a leaf.
    @inlinable static func rootShift(leaves: Int) -> Int {
        guard leaves > 1 else { return leafBits }
        let bits = Int.bitWidth - (leaves - 1).leadingZeroBitCount
        return leafBits + (bits + branchBits - 1) / branchBits * branchBits
    }

    /// Where an index goes in a branch whose subtree spans `1 << shift` elements.
    @inlinable static func slot(of index: Int, below shift: Int) -> Int {
        (index &>> (shift - branchBits)) & (branchWidth - 1)
    }
}

/// A subtree. `shift` in its functions is the number of index bits that it resolves.
@usableFromInline enum RadixNode<Element> {
    case hollow
    case leaf([Element])
    case branch([RadixNode])
}

/// Consecutive slots that are read together: a leaf, or a stretch without anything in it.
@usableFromInline struct RadixBlock<Element> {
    /// The elements of `range`, or none when the stretch is hollow.
    @usableFromInline var elements: [Element]
    /// The indices that the block stands for.
    @usableFromInline var range: Range<Int>

    @inlinable init(elements: [Element], range: Range<Int>) {
        self.elements = elements
        self.range = range
    }
}

extension RadixNode {
    /// The leaf that holds an index, or the widest hollow stretch around it, up to the end of the tree.
    @inlinable func block(at index: Int, shift: Int, end: Int) -> RadixBlock<Element> {
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

    /// The element at an index, if the tree holds one there.
    func element(at index: Int, shift: Int) -> Element? {
        switch self {
        case .leaf(let elements):
            let offset = index & (RadixShape.leafWidth - 1)
            return offset < elements.count ? elements[offset] : nil
        case .branch(let children):
            let slot = RadixShape.slot(of: index, below: shift)
            guard slot < children.count else { return nil }
            return children[slot].element(at: index, shift: shift - RadixShape.branchBits)
        case .hollow: return nil
        }
    }

    /// What `body` takes from the element at an index, if the tree holds one there.
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

    /// Changes the element at an index where it lies, if the tree holds one there.
    ///
    /// The node gives up its array while the array is changed: a second reference would force a copy.
    @inlinable mutating func update<Input, Result>(
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

    /// Puts a whole leaf behind everything in the tree.
    @inlinable mutating func append(leaf: [Element], at index: Int, shift: Int) {
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
    @inlinable mutating func takeChildren() -> [RadixNode] {
        guard case .branch(let children) = self else {
            var children: [RadixNode] = []
            children.reserveCapacity(RadixShape.branchWidth)
            return children
        }
        self = .hollow
        return children
    }

    /// Makes the tree one level higher, or several, without anything new in it.
    @inlinable mutating func grow(from shift: Int, to newShift: Int) {
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
    /// Empties a slot and frees every node that has nothing left in it.
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
    @inlinable static func == (left: RadixNode, right: RadixNode) -> Bool {
        switch (left, right) {
        case (.hollow, .hollow): true
        case (.leaf(let leftElements), .leaf(let rightElements)): leftElements == rightElements
        case (.branch(let leftChildren), .branch(let rightChildren)): leftChildren == rightChildren
        default: false
        }
    }

    /// Whether a dense tree begins with another, whose root belongs that many levels further down.
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
