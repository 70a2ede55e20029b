// The members of an object in their order. Their order is visible (it is what is written), so this is a list
// and no dictionary. No two members have one name: of duplicates, the last value wins and stands where the
// name first stood, as in ECMAScript.

import ChatDomain

/// An ordered list of members with different names.
///
/// Equal to another when it has equal members in the same order.
public struct JSONObject: PlainValue {
    /// A name and its value.
    public struct Member: PlainValue {
        /// The name, compared by its bytes.
        public var name: ExactText
        /// The value.
        public var value: JSONValue

        /// Pairs a name with a value.
        public init(_ name: ExactText, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// Creates an object.
    ///
    /// Of members with one name, the last value takes the place of the first. O(n log n), so that an object
    /// with a million names costs no minutes.
    public init(_ members: [Member] = []) {
        self.members = members
        // Comparing each with each is faster for few; where sorting overtakes it matters little.
        if members.count > 16 || Self.hasDuplicateByPairs(members) { removeDuplicates() }
    }

    /// The value of a member: nil when there is none. Setting nil removes it, setting another value replaces
    /// it in its place or adds it at the end. O(n).
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

    /// Equality of names that looks at their lengths first, which nearly always decides.
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
    /// An object written down in a program, in that order.
    public init(dictionaryLiteral elements: (ExactText, JSONValue)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
