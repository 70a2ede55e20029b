// What a value looks like from outside: its fields, its case, its elements. Differences and descriptions are made of it,
// so both show a value as a test would write it.

import ChatDomain

/// The outer layer of a value.
enum Shape {
    /// A value without parts to be seen.
    case leaf(String)
    /// An optional.
    case optional(Any?)
    /// A case of an enum, with what it holds.
    case enumCase(String, Any?)
    /// A struct, by its type's name, or a tuple without one.
    case fields(String?, [(name: String?, value: Any)])
    /// An array, or another sequence.
    case list([Any])
    /// A dictionary, or a set, whose elements are their own keys.
    case keyed([(key: Any, value: Any)])

    init(_ value: Any) {
        let mirror = Mirror(reflecting: value)
        if let text = value as? any QuotedText {
            self = .leaf(text.quoted)
        } else if let box = value as? any Wrapping {
            self.init(box.content)
        } else {
            switch mirror.displayStyle {
            case .optional: self = .optional(mirror.children.first?.value)
            case .dictionary:
                self = .keyed(
                    mirror.children.compactMap { child in
                        let pair = Mirror(reflecting: child.value).children.map { $0.value }
                        return pair.count == 2 ? (pair[0], pair[1]) : nil
                    })
            case .set: self = .keyed(mirror.children.map { ($0.value, $0.value) })
            default:
                if let sequence = value as? any Sequence {
                    self = .list(Shape.elements(sequence))
                } else if value is any CustomStringConvertible && mirror.displayStyle != .tuple {
                    self = .leaf("\(value)")
                } else {
                    self = Shape.parts(value, mirror)
                }
            }
        }
    }

    private static func parts(_ value: Any, _ mirror: Mirror) -> Shape {
        switch mirror.displayStyle {
        case .enum:
            let child = mirror.children.first
            return .enumCase(child?.label ?? "\(value)", child?.value)
        case .tuple:
            return .fields(
                nil, mirror.children.map { ($0.label.flatMap { $0.hasPrefix(".") ? nil : $0 }, $0.value) })
        default:
            guard !mirror.children.isEmpty else { return .leaf("\(value)") }
            return .fields(
                "\(type(of: value))", mirror.children.map { (name: field($0.label), value: $0.value) })
        }
    }

    /// The name of a field; that of a wrapped property begins with an underscore.
    private static func field(_ label: String?) -> String? {
        label.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 }
    }

    private static func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
}

/// A value as a test would write it.
struct Rendering {
    /// How an attempt is written.
    var attempt: (Attempt) -> String = { "\($0.number)" }

    /// The value in one line.
    func text(_ value: Any) -> String {
        if let known = value as? Attempt { return attempt(known) }
        switch Shape(value) {
        case .leaf(let text): return text
        case .optional(let content): return content.map { text($0) } ?? "nil"
        case .enumCase(let name, nil): return ".\(name)"
        case .enumCase(let name, let content?):
            let inner = text(content)
            if case .fields(nil, _) = Shape(content) { return ".\(name)\(inner)" }
            return ".\(name)(\(inner))"
        case .fields(let type, let fields):
            let parts = fields.map { field in (field.name.map { $0 + ": " } ?? "") + text(field.value) }
            return "\(type ?? "")(\(parts.joined(separator: ", ")))"
        case .list(let elements): return "[\(elements.map { text($0) }.joined(separator: ", "))]"
        case .keyed(let pairs):
            return pairs.isEmpty ? "[:]" : "[\(pairs.map { pair(of: $0) }.sorted().joined(separator: ", "))]"
        }
    }

    private func pair(of pair: (key: Any, value: Any)) -> String { "\(text(pair.key)): \(text(pair.value))" }
}

/// Text that is shown in quotation marks.
protocol QuotedText {
    /// The text as Swift writes it.
    var quoted: String { get }
}

extension String: QuotedText { var quoted: String { debugDescription } }
extension ExactText: QuotedText { var quoted: String { string.debugDescription } }
extension Identifier: QuotedText { var quoted: String { text.string.debugDescription } }

/// A value that stands for another.
protocol Wrapping {
    /// That other.
    var content: Any { get }
}

extension Boxed: Wrapping { var content: Any { wrappedValue } }
