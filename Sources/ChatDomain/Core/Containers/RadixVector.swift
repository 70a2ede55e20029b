// A list whose copies share their common parts. Start at `append` and `update`.
//
// A write copies one leaf and the branches above it while an earlier value is held, never the list; otherwise
// it happens in place. New elements go to a tail first and enter the tree four at a time, when the next one
// needs the room; so the newest element is read without a descent of the tree. Tree and tail depend only on
// the elements, so `==` may compare them node by node.

/// A persistent list: appending, reading and changing one element cost the same whether earlier values of the
/// list are held or not, except for the copy of a few small nodes.
///
/// The count is an `Int`, as everywhere in collections; it is limited by memory before it can overflow.
struct RadixVector<Element> {
    var root: RadixNode<Element>
    /// The newest elements: at most as many as a leaf holds; empty only if the vector is empty.
    var tail: [Element]
    /// The number of elements in the tree: whole leaves.
    var treeCount: Int

    /// Creates an empty vector. Allocates nothing.
    init() {
        root = .hollow
        tail = []
        treeCount = 0
    }

    static func rootShift(_ count: Int) -> Int {
        RadixShape.rootShift(leaves: count &>> RadixShape.leafBits)
    }

    var rootShift: Int { RadixVector.rootShift(treeCount) }

    /// The element at an index; `nil` if there is none. O(log n).
    func element(at index: Int) -> Element? { read(at: index) { $0 } }

    /// The result of `body` for the element at an index; `nil`, without a call of `body`, if there is none.
    /// O(log n).
    func read<Result>(at index: Int, _ body: (Element) -> Result) -> Result? {
        guard index >= 0 else { return nil }
        guard index < treeCount else {
            return index - treeCount < tail.count ? body(tail[index - treeCount]) : nil
        }
        return root.read(at: index, shift: rootShift, body)
    }

    /// Appends an element. O(1) amortised, and a copy of a few nodes while an earlier value is held.
    mutating func append(_ element: Element) {
        if tail.count == RadixShape.leafWidth { moveTailIntoTree() }
        if tail.isEmpty { tail.reserveCapacity(RadixShape.leafWidth) }
        tail.append(element)
    }

    mutating func moveTailIntoTree() {
        let leaf = tail
        tail = []
        growTree(to: treeCount + RadixShape.leafWidth)
        root.append(leaf: leaf, at: treeCount - RadixShape.leafWidth, shift: rootShift)
    }

    /// Makes room for more leaves, which are hollow until they are set.
    mutating func growTree(to newCount: Int) {
        root.grow(from: rootShift, to: RadixVector.rootShift(newCount))
        treeCount = newCount
    }

    /// Changes the element at an index in place, and returns the result of `body`; `nil`, without a call of `body`,
    /// if there is none. O(log n), and a copy of a few nodes while an earlier value is held. A `body` without captures
    /// gets its input as an argument, so that nothing is retained on the way down.
    @discardableResult mutating func update<Input, Result>(
        at index: Int, with input: Input, _ body: (inout Element, Input) -> Result
    ) -> Result? {
        guard index >= 0 else { return nil }
        guard index < treeCount else {
            guard index - treeCount < tail.count else { return nil }
            return body(&tail[index - treeCount], input)
        }
        return root.update(at: index, shift: rootShift, with: input, body)
    }

    /// The leaf or hollow stretch around an index, which must be within the vector.
    func block(at index: Int) -> RadixBlock<Element> {
        guard index < treeCount else {
            return RadixBlock(elements: tail, range: treeCount..<treeCount + tail.count)
        }
        return root.block(at: index, shift: rootShift, end: treeCount)
    }
}

extension RadixVector: RandomAccessCollection {
    /// Reads a vector leaf by leaf. O(1) amortised for each element.
    struct Iterator: IteratorProtocol {
        let vector: RadixVector
        var block: RadixBlock<Element>
        var index: Int

        init(_ vector: RadixVector) {
            self.vector = vector
            block = RadixBlock(elements: [], range: 0..<0)
            index = 0
        }

        /// The next element, or `nil` at the end.
        mutating func next() -> Element? {
            if index == block.range.upperBound {
                guard index < vector.endIndex else { return nil }
                block = vector.block(at: index)
            }
            defer { index += 1 }
            return block.elements[index - block.range.lowerBound]
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }

    var startIndex: Int { 0 }

    /// The number of elements. O(1).
    var endIndex: Int { treeCount + tail.count }

    /// Reads one element. O(log n). The index must be within the vector, as for an array.
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < endIndex, "Index out of range")
        let block = block(at: index)
        return block.elements[index - block.range.lowerBound]
    }
}

extension RadixVector: Sendable where Element: Sendable {}
extension RadixVector.Iterator: Sendable where Element: Sendable {}

extension RadixVector: Equatable where Element: Equatable {
    /// Compares element by element, except shared parts: O(log n) after one write to a copy.
    ///
    /// A shared element counts as equal to itself, without a comparison.
    static func == (left: RadixVector, right: RadixVector) -> Bool {
        left.treeCount == right.treeCount && left.tail == right.tail && left.root == right.root
    }
}

extension RadixVector where Element: Equatable {
    /// Whether this vector begins with the elements of another. O(log n) when they are shared.
    func starts(with prefix: RadixVector) -> Bool {
        guard prefix.treeCount <= treeCount, prefix.endIndex <= endIndex else { return false }
        let above = (rootShift - prefix.rootShift) / RadixShape.branchBits
        return root.starts(with: prefix.root, levelsBelow: above)
            && prefix.tail.indices.allSatisfy { offset in
                element(at: prefix.treeCount + offset) == prefix.tail[offset]
            }
    }
}

extension RadixVector: Hashable where Element: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(endIndex)
        for element in self { hasher.combine(element) }
    }
}
