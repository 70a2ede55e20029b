// The visible structure of a value: its fields, its case, its elements. Differences, descriptions and the tests in a
// failure's message use it, so all show a value in the form of a test (`Rendering`).

import ChatDomain
import ChatEffects

/// The outer layer of a value.
enum Shape {
    /// A value without visible parts.
    case leaf(String)
    /// An optional.
    case optional(Any?)
    /// A case of an enum, with its content.
    case enumCase(String, Any?)
    /// A struct, by its type's name, or a tuple without one.
    case fields(String?, [(name: String?, value: Any)])
    /// An array, or another sequence.
    case list([Any])
    /// A set.
    case set([Any])
    /// A range, as its bounds and the operator between them.
    case range(lower: Any?, mark: String, upper: Any?)
    /// A dictionary.
    case keyed([(key: Any, value: Any)])

    /// Reads a value. A value with a description of its own is a leaf; as source, only numbers and truth values are.
    init(_ value: Any, asSource: Bool = false) {
        let mirror = Mirror(reflecting: value)
        if let text = value as? any QuotedText {
            self = .leaf(text.quoted)
        } else if let box = value as? any Wrapping {
            self.init(box.content, asSource: asSource)
        } else if asSource, let value = value as? any SourceText {
            self = .leaf(value.sourceText)
        } else {
            switch mirror.displayStyle {
            case .optional: self = .optional(mirror.children.first?.value)
            case .dictionary:
                self = .keyed(
                    mirror.children.compactMap { child in
                        let pair = Mirror(reflecting: child.value).children.map { $0.value }
                        return pair.count == 2 ? (pair[0], pair[1]) : nil
                    })
            case .set: self = .set(mirror.children.map { $0.value })
            default:
                // A range before a sequence: one without an upper bound has no last element.
                if let range = value as? any RangeOfBounds {
                    let (lower, mark, upper) = range.bounds
                    self = .range(lower: lower, mark: mark, upper: upper)
                } else if let sequence = value as? any Sequence {
                    self = .list(Shape.elements(sequence))
                } else if let text = Shape.text(value, asSource), mirror.displayStyle != .tuple {
                    self = .leaf(text)
                } else if asSource && value is any CustomReflectable {
                    // What such a value shows is not what its initialiser takes.
                    self = Shape.placeholder(value)
                } else {
                    self = Shape.parts(value, mirror, asSource)
                }
            }
        }
    }

    /// Whether this is an optional without a value.
    var isNone: Bool { if case .optional(nil) = self { true } else { false } }

    /// The text of a value that shows none of its parts.
    private static func text(_ value: Any, _ asSource: Bool) -> String? {
        guard asSource else { return value is any CustomStringConvertible ? "\(value)" : nil }
        return switch value {
        case let value as any FloatingPoint where value.isNaN: ".nan"
        case let value as any FloatingPoint where value.isInfinite:
            value.sign == .minus ? "-.infinity" : ".infinity"
        case is any FloatingPoint, is any BinaryInteger, is Bool: "\(value)"
        default: nil
        }
    }

    private static func parts(_ value: Any, _ mirror: Mirror, _ asSource: Bool) -> Shape {
        switch mirror.displayStyle {
        case .enum:
            if let child = mirror.children.first { return .enumCase(child.label ?? "\(value)", child.value) }
            guard asSource && hasText(value) else { return .enumCase("\(value)", nil) }
            return codedCase(value).map { .enumCase($0, nil) } ?? placeholder(value)
        case .tuple:
            return .fields(
                nil, mirror.children.map { ($0.label.flatMap { $0.hasPrefix(".") ? nil : $0 }, $0.value) })
        default:
            guard mirror.displayStyle == .struct || !mirror.children.isEmpty else {
                return asSource ? placeholder(value) : .leaf("\(value)")
            }
            // The storage of a lazy property is no argument of an initialiser.
            let isLazy = mirror.children.contains { $0.label?.hasPrefix("$") ?? false }
            if asSource, isLazy { return placeholder(value) }
            return .fields(
                asSource ? path(of: type(of: value)) : "\(type(of: value))",
                mirror.children.map { (name: field($0.label), value: $0.value) })
        }
    }

    /// A value that no source text is known for: a test with it does not compile until its author replaces it.
    private static func placeholder(_ value: Any) -> Shape {
        .leaf("<#\(path(of: type(of: value))) \("\(value)".quoted)#>")
    }

    /// Whether a value has a text of its own, which hides the name of its case.
    private static func hasText(_ value: Any) -> Bool {
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            || value is any TextOutputStreamable
    }

    /// The name of a case without content in its coded form, if that has one.
    private static func codedCase(_ value: Any) -> String? {
        guard let value = value as? any Encodable else { return nil }
        let name = StateFields.name(value)
        return name.wholeMatch(of: /\w+/) == nil ? nil : name
    }

    /// The name of a type with the types around it, and without modules.
    private static func path(of type: Any.Type) -> String {
        String(reflecting: type).replacing(/\(unknown context at [^)]*\)\./, with: "")
            .replacing(/(^|[<(, ])\w+\./) { $0.output.1 }
    }

    /// The name of a field; that of a wrapped property begins with an underscore.
    private static func field(_ label: String?) -> String? {
        label.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 }
    }

    private static func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
}

/// A value in the form of a test.
struct Rendering {
    /// The form of an attempt.
    var attempt: (Attempt) -> String = { "\($0.number)" }
    /// Whether the text is to compile: a value without a literal is written as a call of its initialiser.
    var isSource = false

    /// The Swift source of a value.
    static func source(of value: Any) -> String {
        Rendering(attempt: { "Attempt(number: \($0.number))" }, isSource: true).text(value)
    }

    /// The name of a case, without its content; for any other value its source.
    static func name(of value: Any) -> String {
        if case .enumCase(let name, _) = Shape(value, asSource: true) { name } else { source(of: value) }
    }

    /// The value in one line.
    func text(_ value: Any) -> String {
        if let known = value as? Attempt { return attempt(known) }
        switch Shape(value, asSource: isSource) {
        case .leaf(let text): return text
        case .optional(nil): return "nil"
        case .optional(let content?):
            let inner = text(content)
            // Without it, this would be said of the outer optional.
            let isAmbiguous = inner == "nil" || inner == ".none" || inner.hasPrefix(".some(")
            return isAmbiguous ? ".some(\(inner))" : inner
        case .enumCase(let name, nil): return ".\(escaped(name))"
        case .enumCase(let name, let content?):
            let inner = text(content)
            if case .fields(nil, _) = Shape(content) { return ".\(escaped(name))\(inner)" }
            return ".\(escaped(name))(\(inner))"
        case .fields(let type, let fields):
            let parts = fields.map { field in
                (field.name.map { escaped($0) + ": " } ?? "") + text(field.value)
            }
            return "\(type ?? "")(\(parts.joined(separator: ", ")))"
        case .list(let elements): return "[\(elements.map { text($0) }.joined(separator: ", "))]"
        case .set(let elements): return "[\(elements.map { text($0) }.sorted().joined(separator: ", "))]"
        case .range(let lower, let mark, let upper):
            return (lower.map { text($0) } ?? "") + mark + (upper.map { bound($0) } ?? "")
        case .keyed(let pairs):
            return pairs.isEmpty ? "[:]" : "[\(pairs.map { pair(of: $0) }.sorted().joined(separator: ", "))]"
        }
    }

    /// An upper bound. A sign or a dot would be read as a part of the operator before it.
    private func bound(_ value: Any) -> String {
        let text = text(value)
        return text.hasPrefix("-") || text.hasPrefix(".") ? "(\(text))" : text
    }

    /// A name, in backticks where it would be read as a keyword behind a dot or as a label.
    private func escaped(_ name: String) -> String {
        ["init", "self", "Type", "Protocol", "inout"].contains(name) ? "`\(name)`" : name
    }

    private func pair(of pair: (key: Any, value: Any)) -> String { "\(text(pair.key)): \(text(pair.value))" }
}

/// Text that is shown in quotation marks.
protocol QuotedText {
    /// The text in the form of Swift.
    var quoted: String { get }
}

extension String: QuotedText {
    /// In quotation marks, with an escape for each character that would change the look of the source: control
    /// characters, marks of direction, joiners.
    var quoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where String.isHidden(scalar):
                quoted += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x300...0x36F, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF:
            true
        default: false
        }
    }
}
extension Substring: QuotedText { var quoted: String { String(self).quoted } }
extension Character: QuotedText { var quoted: String { String(self).quoted } }
extension ExactText: QuotedText { var quoted: String { string.quoted } }
extension Identifier: QuotedText { var quoted: String { text.string.quoted } }

/// A value that says how a test writes it. By default a failure prints a struct as a call of its memberwise initialiser,
/// which does not compile where the initialiser has other labels; and a value that shows neither its parts nor the name
/// of its case as a placeholder.
///
///     extension Distance: SourceText {
///         public var sourceText: String { "Distance(inMetres: \(metres))" }
///     }
public protocol SourceText {
    /// A Swift expression that gives the value.
    var sourceText: String { get }
}

extension Interval: SourceText {
    /// The longest unit in which it is a whole number.
    public var sourceText: String {
        if nanoseconds % 1_000_000_000 == 0 { return ".seconds(\(nanoseconds / 1_000_000_000))" }
        if nanoseconds % 1_000_000 == 0 { return ".milliseconds(\(nanoseconds / 1_000_000))" }
        return "Interval(nanoseconds: \(nanoseconds))"
    }
}

extension Duration: SourceText {
    /// Whole seconds, or the exact parts. One of more seconds than an integer holds has no parts, and is a placeholder.
    public var sourceText: String {
        let longest = Duration.seconds(Int64.max)
        guard self >= Duration.zero - longest, self <= longest else {
            return "<#Duration#>"
        }
        let (seconds, rest) = components
        return rest == 0
            ? ".seconds(\(seconds))"
            : "Duration(secondsComponent: \(seconds), attosecondsComponent: \(rest))"
    }
}

extension LongText: SourceText {
    /// The text in quotation marks.
    public var sourceText: String { "LongText(\(string.quoted))" }
}

extension SecretHandle: SourceText {
    /// The name in quotation marks.
    public var sourceText: String { "SecretHandle(\(name.quoted))" }
}

extension Secret: SourceText {
    /// A placeholder: a secret is in no report (L10).
    public var sourceText: String { "Secret(\"secret\")" }
}

extension Header: SourceText {
    /// The name and the value in quotation marks.
    public var sourceText: String { "Header(\(name.quoted), \(value.quoted))" }
}

/// A value that stands for another.
protocol Wrapping {
    /// The other value.
    var content: Any { get }
}

extension Boxed: Wrapping { var content: Any { wrappedValue } }

/// A range of any kind.
protocol RangeOfBounds {
    /// The bounds that it has, and the operator between them.
    var bounds: (lower: Any?, mark: String, upper: Any?) { get }
}

extension Range: RangeOfBounds {
    var bounds: (lower: Any?, mark: String, upper: Any?) { (lowerBound, "..<", upperBound) }
}
extension ClosedRange: RangeOfBounds {
    var bounds: (lower: Any?, mark: String, upper: Any?) { (lowerBound, "...", upperBound) }
}
extension PartialRangeFrom: RangeOfBounds {
    var bounds: (lower: Any?, mark: String, upper: Any?) { (lowerBound, "...", nil) }
}
extension PartialRangeUpTo: RangeOfBounds {
    var bounds: (lower: Any?, mark: String, upper: Any?) { (nil, "..<", upperBound) }
}
extension PartialRangeThrough: RangeOfBounds {
    var bounds: (lower: Any?, mark: String, upper: Any?) { (nil, "...", upperBound) }
}
