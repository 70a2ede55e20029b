// A value as Swift source, so that a failure prints a test that can be pasted.

import ChatDomain

/// Writes values as Swift source.
enum SwiftLiteral {
    /// The source of a value. Enum cases are written with a leading dot, texts and names as string literals; what has no
    /// literal is written as its initialiser would be.
    static func of(_ value: Any) -> String {
        switch value {
        case let text as ExactText: return quoted(text.string)
        case let text as String: return quoted(text)
        case let interval as Interval: return source(of: interval)
        case let attempt as Attempt: return "Attempt(number: \(attempt.number))"
        case is Bool, is Int, is Int64, is UInt8, is UInt64, is UInt16, is Double: return "\(value)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .enum: return source(ofCase: value, mirror)
        case .optional: return mirror.children.first.map { of($0.value) } ?? "nil"
        case .collection, .set:
            return "[" + mirror.children.map { of($0.value) }.joined(separator: ", ") + "]"
        case .tuple: return "(" + arguments(mirror) + ")"
        default: break
        }
        // An identifier or a handle is one text.
        let type = String(describing: Swift.type(of: value)).prefix { $0 != "<" }
        if type == "Identifier", let text = mirror.children.first?.value as? ExactText {
            return quoted(text.string)
        }
        return "\(type)(\(arguments(mirror)))"
    }

    /// The name of a case, without its payload; of another value its source.
    static func name(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum else { return of(value) }
        return mirror.children.first?.label ?? "\(value)"
    }

    private static func source(ofCase value: Any, _ mirror: Mirror) -> String {
        guard let child = mirror.children.first, let name = child.label else { return ".\(value)" }
        let payload = Mirror(reflecting: child.value)
        let arguments = payload.displayStyle == .tuple ? arguments(payload) : of(child.value)
        return ".\(name)(\(arguments))"
    }

    private static func arguments(_ mirror: Mirror) -> String {
        mirror.children.map { child in
            guard let label = child.label, !label.hasPrefix(".") else { return of(child.value) }
            return "\(label): \(of(child.value))"
        }.joined(separator: ", ")
    }

    private static func source(of interval: Interval) -> String {
        let count = interval.nanoseconds
        if count % 1_000_000_000 == 0 { return ".seconds(\(count / 1_000_000_000))" }
        if count % 1_000_000 == 0 { return ".milliseconds(\(count / 1_000_000))" }
        return "Interval(nanoseconds: \(count))"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || isInvisible(scalar):
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Marks of direction and joiners, which would change how the source is shown.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        (0x200B...0x200F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value) || scalar.value == 0xFEFF
            || (0x300...0x36F).contains(scalar.value)
    }
}
