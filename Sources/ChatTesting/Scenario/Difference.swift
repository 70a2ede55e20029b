// The places where two values of one type differ: each as a path of fields and cases, with the expected and the actual
// value. Equal parts are left out. A comparison takes microseconds a part, so a step that passes makes one only for a
// value that is not `Normalizable`.

import ChatDomain

/// The places at which two values differ.
struct Difference {
    /// One place.
    struct Place {
        /// The path from the whole value; empty for the whole.
        let path: String
        let expected: String
        let actual: String
    }

    private(set) var places: [Place] = []
    private let rendering: Rendering
    /// Decides about two parts, or leaves it to theirs. Without it `==` compares, and equal parts are skipped.
    private let isSame: ((Any, Any) -> Bool?)?

    private init(rendering: Rendering, isSame: ((Any, Any) -> Bool?)?) {
        self.rendering = rendering
        self.isSame = isSame
    }

    /// The differences of two values. Attempts are compared by the closure, if there is one.
    static func places(
        _ expected: Any, _ actual: Any, _ rendering: Rendering, isSame: ((Attempt, Attempt) -> Bool)? = nil
    ) -> [Place] {
        let decides = isSame.map { isSame in
            { (one: Any, other: Any) in
                (one as? Attempt).flatMap { one in (other as? Attempt).map { isSame(one, $0) } }
            }
        }
        var difference = Difference(rendering: rendering, isSame: decides)
        difference.compare(expected, actual, at: "")
        return difference.places
    }

    /// Whether two values are the same except for attempts and times.
    static func isAlike(_ one: Any, _ other: Any) -> Bool {
        var difference = Difference(rendering: Rendering()) { one, other in
            let isOfTheWorld =
                one is Attempt && other is Attempt || one is WallTime && other is WallTime
                || one is Instant && other is Instant
            return isOfTheWorld ? true : nil
        }
        difference.compare(one, other, at: "")
        return difference.places.isEmpty
    }

    /// Whether two values are the same except for attempts, which a closure compares.
    static func isSame(_ expected: Any, _ actual: Any, _ isSame: (Attempt, Attempt) -> Bool) -> Bool {
        withoutActuallyEscaping(isSame) { places(expected, actual, Rendering(), isSame: $0).isEmpty }
    }

    /// Whether two values of an enum are of one case.
    static func isSameCase(_ one: Any, _ other: Any) -> Bool {
        guard case .enumCase(let name, _) = Shape(one), case .enumCase(let otherName, _) = Shape(other)
        else { return false }
        return name == otherName
    }

    private mutating func compare(_ expected: Any, _ actual: Any, at path: String) {
        if let isSame = isSame?(expected, actual) {
            if !isSame { add(expected, actual, at: path) }
            return
        }
        if isSame == nil, Difference.isEqual(expected, actual) { return }
        let before = places.count
        switch (Shape(expected), Shape(actual)) {
        case (.optional(let one?), .optional(let other?)) where Shape(one).isNone == Shape(other).isNone:
            compare(one, other, at: path)
        case (.enumCase(let name, let one?), .enumCase(let otherName, let other?)) where name == otherName:
            compare(one, other, at: Difference.path(path, name))
        case (.fields(_, let one), .fields(_, let other)) where one.count == other.count:
            for (index, pair) in zip(one, other).enumerated() {
                let name = pair.0.name ?? "\(index)"
                compare(pair.0.value, pair.1.value, at: Difference.path(path, name))
            }
        case (.list(let one), .list(let other)) where one.count == other.count:
            for index in one.indices { compare(one[index], other[index], at: "\(path)[\(index)]") }
        case (.list(let one), .list(let other)):
            compareEnds(one, other, at: path)
        case (.set(let one), .set(let other)):
            // Each element is its own key.
            compareKeyed(one.map { ($0, $0) }, other.map { ($0, $0) }, at: path)
        case (.keyed(let one), .keyed(let other)):
            compareKeyed(one, other, at: path)
        default:
            if !Difference.isEqual(expected, actual) { add(expected, actual, at: path) }
            return
        }
        // Equal parts do not prove that values are equal, unless attempts have names.
        if isSame == nil && places.count == before { add(expected, actual, at: path) }
    }

    /// Lists of unequal length: the rest between a common beginning and a common end.
    private mutating func compareEnds(_ expected: [Any], _ actual: [Any], at path: String) {
        let shorter = min(expected.count, actual.count)
        let beginning = zip(expected, actual).prefix { Difference.isEqual($0, $1) }.count
        let end = zip(expected.reversed(), actual.reversed()).prefix(shorter - beginning)
            .prefix { Difference.isEqual($0, $1) }.count
        for (index, element) in expected.enumerated().dropLast(end).dropFirst(beginning) {
            places.append(
                Place(path: "\(path)[\(index)]", expected: rendering.text(element), actual: "nothing"))
        }
        for (index, element) in actual.enumerated().dropLast(end).dropFirst(beginning) {
            places.append(
                Place(path: "\(path)[\(index)]", expected: "nothing", actual: rendering.text(element)))
        }
    }

    private mutating func compareKeyed(
        _ expected: [(key: Any, value: Any)], _ actual: [(key: Any, value: Any)], at path: String
    ) {
        let named = { (pairs: [(key: Any, value: Any)], rendering: Rendering) in
            Dictionary(
                pairs.map { (rendering.text($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        let (one, other) = (named(expected, rendering), named(actual, rendering))
        for key in Set(one.keys).union(other.keys).sorted() {
            let place = "\(path)[\(key)]"
            switch (one[key], other[key]) {
            case (let one?, let other?): compare(one, other, at: place)
            case (let one, let other):
                places.append(
                    Place(
                        path: place, expected: one.map { rendering.text($0) } ?? "nothing",
                        actual: other.map { rendering.text($0) } ?? "nothing"))
            }
        }
    }

    private mutating func add(_ expected: Any, _ actual: Any, at path: String) {
        places.append(Place(path: path, expected: rendering.text(expected), actual: rendering.text(actual)))
    }

    private static func path(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    static func isEqual(_ one: Any, _ other: Any) -> Bool {
        func isEqual<Value: Equatable>(_ one: Value) -> Bool { (other as? Value) == one }
        guard let one = one as? any Equatable else { return false }
        return isEqual(one)
    }
}
