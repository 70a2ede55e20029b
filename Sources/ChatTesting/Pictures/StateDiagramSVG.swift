// The diagram as SVG, laid out by a simple rule: a row for each phase in the order of distance from the first, and
// arrows on both sides, downwards on the right and upwards on the left, each in a lane of its own. Nothing crosses a
// label.

extension StateDiagram {
    /// The diagram as a picture for light and dark pages.
    public var svg: String {
        let layout = Layout(self)
        var body: [String] = []
        for (row, phase) in phases.enumerated() {
            let y = layout.top(of: row)
            body.append(
                "<rect class=\"phase\" x=\"\(layout.left)\" y=\"\(y)\" width=\"\(layout.width)\""
                    + " height=\"\(layout.height(of: row))\" rx=\"8\"/>")
            body.append(
                "<text class=\"name\" x=\"\(layout.left + layout.width / 2)\""
                    + " y=\"\(y + layout.height(of: row) / 2 + 5)\">\(Markup.escaped(phase))</text>")
        }
        for arrow in layout.arrows { body.append(arrow.svg(layout)) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(layout.totalWidth) \(layout.totalHeight)" \
            font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="\(Markup.escaped(title))">
            <style>
            .phase { fill: #eef3fb; stroke: #4a6fa5; stroke-width: 1.5 }
            .name { text-anchor: middle; font-weight: 600; fill: #1c2b40 }
            .way { fill: none; stroke: #6b7785; stroke-width: 1.2; marker-end: url(#head) }
            .what { fill: #3c4650; font-size: 11px }
            .left { text-anchor: end }
            #head path { fill: #6b7785 }
            @media (prefers-color-scheme: dark) {
            .phase { fill: #22304a; stroke: #8fb0e0 } .name { fill: #e8eef8 }
            .way { stroke: #a3adb8 } .what { fill: #cfd6de } #head path { fill: #a3adb8 }
            }
            </style>
            <defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" \
            orient="auto"><path d="M0 0 L10 5 L0 10 z"/></marker></defs>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// The places of the phases and arrows.
    fileprivate struct Layout {
        static let gap = 34
        /// The distance between two arrows at a phase, which is the height of a line of text.
        static let port = 17

        struct Arrow {
            let merged: Merged
            let isDown: Bool
            let from: Int
            let to: Int
            /// The position among the arrows on this side of each phase, and the lane beside the phases.
            var leaves = 0
            var arrives = 0
            var lane = 0
        }

        private(set) var arrows: [Arrow] = []
        private var ports: [(right: Int, left: Int)]
        private var tops: [Int] = []
        /// The width of every phase: room for the longest name at eight units a character.
        let width: Int
        private(set) var left = 0
        /// The room for labels on both sides; lanes are beyond it, so that nothing crosses a label.
        private(set) var room = (up: 0, down: 0)
        private(set) var totalWidth = 0
        private(set) var totalHeight = 0

        init(_ diagram: StateDiagram) {
            ports = Array(repeating: (0, 0), count: diagram.phases.count)
            width = max(diagram.phases.map { $0.count * 8 + 24 }.max() ?? 0, 190)
            let row = { (phase: String) in diagram.phases.firstIndex(of: phase) ?? 0 }
            // Short arrows are nearest to the phases.
            let ordered = diagram.arrows.sorted { left, right in
                let (one, other) = (abs(row(left.to) - row(left.from)), abs(row(right.to) - row(right.from)))
                return (one, row(left.from), row(left.to)) < (other, row(right.from), row(right.to))
            }
            var (rightLanes, leftLanes) = (0, 0)
            for merged in ordered {
                let (from, to) = (row(merged.from), row(merged.to))
                var arrow = Arrow(merged: merged, isDown: to > from, from: from, to: to)
                if arrow.isDown {
                    (arrow.leaves, arrow.lane) = (ports[from].right, rightLanes)
                    ports[from].right += 1
                    arrow.arrives = ports[to].right
                    ports[to].right += 1
                    rightLanes += 1
                } else {
                    (arrow.leaves, arrow.lane) = (ports[from].left, leftLanes)
                    ports[from].left += 1
                    arrow.arrives = ports[to].left
                    ports[to].left += 1
                    leftLanes += 1
                }
                arrows.append(arrow)
            }
            var y = 16
            for index in ports.indices {
                tops.append(y)
                y += height(of: index) + Layout.gap
            }
            room = (widest(arrows.filter { !$0.isDown }), widest(arrows.filter { $0.isDown }))
            left = room.up + leftLanes * 12 + 30
            totalWidth = left + width + room.down + rightLanes * 12 + 30
            totalHeight = y
        }

        /// The room for the longest label of some arrows: six units a character at this size.
        private func widest(_ arrows: [Arrow]) -> Int { arrows.map { $0.text.count * 6 + 30 }.max() ?? 0 }

        func height(of row: Int) -> Int { max(ports[row].right, ports[row].left, 2) * Layout.port + 10 }

        func top(of row: Int) -> Int { tops[row] }
    }
}

extension StateDiagram.Layout.Arrow {
    /// The labels in one line; if there are many, they are cut and counted.
    fileprivate var text: String {
        let shown = merged.labels.prefix(3).joined(separator: ", ")
        return merged.labels.count > 3 ? "\(shown), +\(merged.labels.count - 3)" : shown
    }

    fileprivate func svg(_ layout: StateDiagram.Layout) -> String {
        let port = StateDiagram.Layout.port
        let start = layout.top(of: from) + leaves * port + 14
        let end = layout.top(of: to) + arrives * port + 14
        let side = isDown ? layout.left + layout.width : layout.left
        let lane = isDown ? side + layout.room.down + lane * 12 : side - layout.room.up - lane * 12
        let (name, x) = isDown ? ("what", side + 8) : ("what left", side - 8)
        return "<path class=\"way\" d=\"M\(side) \(start) H\(lane) V\(end) H\(side)\"/>"
            + "<text class=\"\(name)\" x=\"\(x)\" y=\"\(start - 4)\">\(Markup.escaped(text))</text>"
    }
}
