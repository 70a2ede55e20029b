// Paths to fields, and the tree of all paths of a scanner. The tree is one flat array: a node names its first child and
// its next sibling. So a search allocates nothing and compares a name only with the names that the paths have there.

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

/// A place that is on a path.
struct JSONPathNode: Sendable {
    /// The name of the member, as a range of the letters; the count is -1 for an element.
    var nameStart = 0
    var nameCount = -1
    /// The index of the element; -1 for a member.
    var element = -1
    /// The position of the first child in the tree; -1 when a path ends here.
    var firstChild = -1
    /// The position of the next child of the same parent; -1 for the last.
    var nextSibling = -1
    /// Bit n: field n is here.
    var fields: UInt64 = 0
    /// Bit n: field n is here or further inwards.
    var below: UInt64 = 0
}

/// The tree of all paths; the first node is the outermost value.
struct JSONPathTree: Sendable {
    private(set) var nodes = [JSONPathNode()]
    /// The letters of all names.
    private(set) var letters: [UInt8] = []
    /// The greatest number of steps of a path.
    private(set) var depth = 0

    /// Creates the tree; the bit of a field is its position in the list.
    init(_ paths: ArraySlice<JSONPath>) {
        for (index, path) in paths.enumerated() {
            let bit: UInt64 = 1 << UInt64(index)
            depth = max(depth, path.steps.count)
            var node = 0
            nodes[0].below |= bit
            for step in path.steps {
                node = child(of: node, step)
                nodes[node].below |= bit
            }
            nodes[node].fields |= bit
        }
    }

    /// The child of a node for this step, which is appended when there is none.
    private mutating func child(of parent: Int, _ step: JSONPath.Step) -> Int {
        var last = -1
        var child = nodes[parent].firstChild
        while child >= 0 {
            if isSame(nodes[child], step) { return child }
            last = child
            child = nodes[child].nextSibling
        }
        var node = JSONPathNode()
        switch step {
        case .member(let name):
            node.nameStart = letters.count
            node.nameCount = name.utf8.count
            letters.append(contentsOf: name.utf8)
        case .element(let index): node.element = index
        }
        nodes.append(node)
        if last < 0 {
            nodes[parent].firstChild = nodes.count - 1
        } else {
            nodes[last].nextSibling = nodes.count - 1
        }
        return nodes.count - 1
    }

    private func isSame(_ node: JSONPathNode, _ step: JSONPath.Step) -> Bool {
        switch step {
        case .member(let name):
            node.nameCount == name.utf8.count
                && letters[node.nameStart..<(node.nameStart + node.nameCount)].elementsEqual(name.utf8)
        case .element(let index): node.element == index
        }
    }
}
