// A state diagram from a search, not from a drawing: phases, and the steps between them.
// Two searches of the same space give the same diagram to the byte.

import ChatDomain

/// The phases of a feature and the steps between them.
public struct StateDiagram: Equatable, Sendable {
    /// A step from one phase to another.
    struct Arrow: Hashable, Comparable, Sendable {
        let from: String
        let to: String
        let label: String

        static func < (left: Arrow, right: Arrow) -> Bool {
            (left.from, left.to, left.label) < (right.from, right.to, right.label)
        }
    }

    /// The settings by which a search collects a diagram.
    struct Drawing<Subject: World>: Sendable {
        let phase: @Sendable (Subject) -> String
        let label: @Sendable (Subject, Subject.Step) -> String

        /// The arrow of a step from a world in a phase; `nil` if it stays in the phase.
        func arrow(_ from: String, _ world: Subject, _ step: Subject.Step, _ next: Subject) -> Arrow? {
            let to = phase(next)
            return from == to ? nil : Arrow(from: from, to: to, label: label(world, step))
        }
    }

    /// The title of the diagram.
    public let title: String
    /// The first phase, and every other in the order of distance from it.
    let phases: [String]
    /// The arrows in order, those between the same two phases as one.
    let arrows: [Merged]

    /// All steps from one phase to another.
    struct Merged: Equatable, Sendable {
        let from: String
        let to: String
        let labels: [String]
    }

    init(_ title: String, start: String, arrows: Set<Arrow>) {
        self.title = title
        var merged: [Merged] = []
        for arrow in arrows.sorted() {
            if let last = merged.last, last.from == arrow.from, last.to == arrow.to {
                merged[merged.count - 1] = Merged(
                    from: last.from, to: last.to, labels: last.labels + [arrow.label])
            } else {
                merged.append(Merged(from: arrow.from, to: arrow.to, labels: [arrow.label]))
            }
        }
        self.arrows = merged
        var (phases, next) = ([start], 0)
        while next < phases.count {
            for arrow in merged where arrow.from == phases[next] && !phases.contains(arrow.to) {
                phases.append(arrow.to)
            }
            next += 1
        }
        self.phases = phases
    }

    /// The number of steps from the first phase to each.
    var ranks: [Int] {
        var ranks = Array(repeating: 0, count: phases.count)
        for (index, phase) in phases.enumerated().dropFirst() {
            let origins = arrows.filter { $0.to == phase }.compactMap { phases.firstIndex(of: $0.from) }
            // Phases are in the order of distance, so the origin of the least distance has its rank already.
            ranks[index] = (origins.filter { $0 < index }.map { ranks[$0] }.min() ?? 0) + 1
        }
        return ranks
    }

    /// The diagram in Mermaid's language. A phase whose name is no identifier there has a number in its place.
    public var mermaid: String {
        var (names, lines) = ([String: String](), ["stateDiagram-v2"])
        for (number, phase) in phases.enumerated() {
            names[phase] = phase
            if StateDiagram.isIdentifier(phase) { continue }
            names[phase] = "p\(number)"
            lines.append("    state \"\(Markup.mermaid(phase))\" as p\(number)")
        }
        lines.append("    [*] --> \(names[phases[0], default: ""])")
        for arrow in arrows {
            let way = [arrow.from, arrow.to].map { names[$0, default: ""] }.joined(separator: " --> ")
            lines.append("    \(way): \(arrow.labels.map(Markup.mermaid).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether a name stands for itself: it is no word of Mermaid, and no number of another phase.
    private static func isIdentifier(_ name: String) -> Bool {
        let words = ["as", "class", "classDef", "default", "direction", "end", "note", "state", "style"]
        return name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil && name.wholeMatch(of: /p[0-9]+/) == nil
            && !words.contains(name)
    }
}
