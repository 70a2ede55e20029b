// The members of an object in order. The order is observable in the encoding, so this is a list and not a dictionary.
// Names are unique: of duplicates, the last value counts, at the position of the first, as in ECMAScript.

import ChatDomain

/// An ordered list of members with unique names.
///
/// Equality includes the order of the members.
public struct JSONObject: PlainValue {
    /// A member of an object.
    public struct Member: PlainValue {
        /// The name, compared by its bytes.
        public var name: ExactText
        /// The value.
        public var value: JSONValue

        /// Creates a member.
        public init(_ name: ExactText, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in order.
    public private(set) var members: [Member]

    /// Creates an object.
    ///
    /// Of duplicate names, the last value takes the position of the first. O(n log n), so that an object with a million
    /// names does not take minutes.
    public init(_ members: [Member] = []) {
        self.members = members
        // Pairwise comparison is faster for few members; the exact crossover matters little.
        if members.count > 16 || Self.hasDuplicateByPairs(members) { removeDuplicates() }
    }

    /// The value of a member; nil when there is none. Setting nil removes the member; another value replaces it in
    /// place or is appended. O(n).
    public subscript(name: ExactText) -> JSONValue? {
        get {
            for member in members where Self.isSame(member.name, name) { return member.value }
            return nil
        }
        set {
            let index = members.firstIndex { Self.isSame($0.name, name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Whether two names are equal; their lengths nearly always decide.
    private static func isSame(_ left: ExactText, _ right: ExactText) -> Bool {
        left.byteCount == right.byteCount && left == right
    }

    private static func hasDuplicateByPairs(_ members: [Member]) -> Bool {
        for index in members.indices {
            for earlier in 0..<index where isSame(members[earlier].name, members[index].name) { return true }
        }
        return false
    }

    private mutating func removeDuplicates() {
        let order = members.indices.sorted { left, right in
            if isSame(left, right) { return left < right }
            return members[left].name < members[right].name
        }
        var isRemoved = [Bool](repeating: false, count: members.count)
        var first = 0  // position in `order` of the first member of this name
        for position in order.indices.dropFirst() {
            if isSame(order[first], order[position]) {
                members[order[first]].value = members[order[position]].value
                isRemoved[order[position]] = true
            } else {
                first = position
            }
        }
        var kept = 0
        for index in members.indices where !isRemoved[index] {
            if kept != index { members[kept] = members[index] }
            kept += 1
        }
        members.removeLast(members.count - kept)
    }

    private func isSame(_ left: Int, _ right: Int) -> Bool {
        Self.isSame(members[left].name, members[right].name)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of a literal, in that order.
    public init(dictionaryLiteral elements: (ExactText, JSONValue)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
