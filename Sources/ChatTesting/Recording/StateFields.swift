// A machine as a sorted list of fields. Two lists can be compared field by field, a change is the list of different
// fields, and a digest stands for the whole list, equal on every platform and in every process.
//
// A list has these parts of a machine: the state, under the paths of its own properties; `configuration`, which is the
// feature; `entropy`; `counts` of dropped items; and `timers[NAME]`, each with its deadline. The operations show what
// is pending in storage and on the network, and the inputs show the clock.

import ChatDomain
import ChatEffects
import Foundation

/// A field of a machine.
package struct StateField: Hashable, Sendable {
    /// The path of the field, such as `chat.conversation.outbox.queue[0].status`.
    package let path: ExactText
    /// Its value as text.
    package let value: ExactText

    /// Whether it is the deadline of a running timer.
    var isTimer: Bool { path.isTimer }
}

/// The fields of a machine, sorted by path.
package struct StateFields: Hashable, Sendable {
    /// The fields, sorted by path.
    package private(set) var fields: [StateField] = []

    init() {}

    /// The fields of a machine.
    package init<Codec: Backend>(_ machine: Machine<Codec>) {
        let encoder = FieldEncoder()
        encoder.add(machine.state, at: "")
        encoder.add(machine.feature, at: "configuration")
        encoder.add(machine.entropy, at: "entropy")
        encoder.add(machine.diagnostics, at: "counts")
        fields = encoder.fields.sorted { $0.path.isBefore($1.path) }
        self = with(timers: StateFields(timersOf: machine))
    }

    /// Only the timers of a machine, which every step of a recording holds.
    init<Codec: Backend>(timersOf machine: Machine<Codec>) {
        let encoder = FieldEncoder()
        for running in machine.runningTimers {
            let path = ExactText("timers[\(Self.name(running.timer))]")
            encoder.add(running.deadline.nanoseconds, at: path)
        }
        fields = encoder.fields.sorted { $0.path.isBefore($1.path) }
    }

    /// The same fields with other timers. O(n log n).
    func with(timers: StateFields) -> StateFields {
        var result = self
        result.fields.removeAll { $0.isTimer }
        result.fields += timers.fields
        result.fields.sort { $0.path.isBefore($1.path) }
        return result
    }

    /// The timers among the fields.
    var timers: StateFields {
        var result = StateFields()
        result.fields = fields.filter { $0.isTimer }
        return result
    }

    /// A value such as a timer in one line: its cases, and their values.
    static func name(_ value: some Encodable) -> String {
        let encoder = FieldEncoder()
        encoder.add(value, at: "")
        let words = encoder.fields.map { field in
            let (path, value) = (field.path.string, field.value.string)
            return value.hasPrefix(".")
                ? path + (path.isEmpty ? String(value.dropFirst()) : value) : "\(path) \(value)"
        }
        return words.joined(separator: ", ")
    }

    /// The digest of all fields: FNV-1a with 64 bits. It finds a difference, and protects against no attacker.
    package var digest: ExactText {
        var digest = FieldDigest()
        for field in fields {
            digest.add(field.path.utf8)
            digest.add(field.value.utf8)
        }
        return digest.text
    }

    /// The value at a path; nil if there is none. O(log n).
    package subscript(path: ExactText) -> ExactText? {
        let index = fields.partitioningIndex { !$0.path.isBefore(path) }
        return index < fields.count && fields[index].path == path ? fields[index].value : nil
    }

    /// A path whose value differs, with both values.
    struct Difference: Hashable, Sendable {
        let path: ExactText
        let before: ExactText?
        let after: ExactText?
    }

    /// The differences between this list and a later one, in the order of paths. O(n).
    func differences(to later: StateFields) -> [Difference] {
        var found: [Difference] = []
        var left = fields[...]
        var right = later.fields[...]
        while let path = Self.earlier(left.first?.path, right.first?.path) {
            let before = left.first?.path == path ? left.popFirst()?.value : nil
            let after = right.first?.path == path ? right.popFirst()?.value : nil
            if before != after { found.append(Difference(path: path, before: before, after: after)) }
        }
        return found
    }

    private static func earlier(_ left: ExactText?, _ right: ExactText?) -> ExactText? {
        guard let left, let right else { return left ?? right }
        return right.isBefore(left) ? right : left
    }

    /// The list with changes: new values, and paths that are gone. O(n + changes · log changes).
    func applying(_ changed: [StateField], gone: [ExactText]) -> StateFields {
        let removed = Set(changed.map { $0.path } + gone)
        var result = StateFields()
        result.fields = fields.filter { !removed.contains($0.path) } + changed
        result.fields.sort { $0.path.isBefore($1.path) }
        return result
    }
}

extension ExactText {
    /// Whether it is the path of a running timer.
    var isTimer: Bool { utf8.starts(with: "timers[".utf8) }

    /// The order of bytes. A state has thousands of paths with long common beginnings, so the system compares them.
    fileprivate func isBefore(_ other: ExactText) -> Bool {
        utf8.withUnsafeBytes { left in
            other.utf8.withUnsafeBytes { right in
                let shorter = min(left.count, right.count)
                guard shorter > 0, let a = left.baseAddress, let b = right.baseAddress else {
                    return left.count < right.count
                }
                let order = memcmp(a, b, shorter)
                return order == 0 ? left.count < right.count : order < 0
            }
        }
    }
}

/// FNV-1a with 64 bits. The standard library's hash differs from process to process.
struct FieldDigest {
    private var state = FNV.basis

    /// Adds bytes and an end mark, a byte that no UTF-8 text holds.
    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* FNV.prime }
        state = (state ^ 0xFF) &* FNV.prime
    }

    /// The digest in 16 hexadecimal digits.
    var text: ExactText {
        let digits = String(state, radix: 16)
        return ExactText(String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
