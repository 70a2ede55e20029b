// A trace as a picture, written as SVG without any library. It has a background of its own and a second set of colours,
// so it can be read on a light and on a dark page. Each label is cut to the length of its arrow, and is whole in the
// arrow's title, which a viewer shows under the pointer and a screen reader speaks.

extension SequenceTrace {
    /// The trace as an SVG document.
    public var svg: String {
        let height = Drawing.top + rows.count * Drawing.rowHeight + Drawing.margin
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Drawing.width) \(height)" \
            width="\(Drawing.width)" height="\(height)" role="img" aria-label="Sequence of a recorded run">
            """,
            Drawing.style,
            #"<rect class="page" width="\#(Drawing.width)" height="\#(height)"/>"#,
        ]
        for lane in Lane.allCases {
            let x = Drawing.x(lane)
            lines.append(
                #"<line class="life" x1="\#(x)" y1="\#(Drawing.top - 18)" x2="\#(x)" y2="\#(height - 8)"/>"#)
            lines.append(#"<text class="lane" x="\#(x)" y="\#(Drawing.top - 28)">\#(lane.title)</text>"#)
        }
        var clock: String?
        for (index, row) in rows.enumerated() {
            let y = Drawing.top + index * Drawing.rowHeight + Drawing.rowHeight / 2
            if row.clock != clock {
                clock = row.clock
                lines.append(
                    #"<text class="time" x="\#(Drawing.timeEnd)" y="\#(y + 4)">\#(row.clock)</text>"#)
            }
            lines += Drawing.arrow(row, y: y)
        }
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The measures of the picture, in pixels.
private enum Drawing {
    /// Room for a label of 12 pixels and its arrow below.
    static let rowHeight = 26
    /// Room for the names of the lanes.
    static let top = 56
    static let margin = 16
    /// Room for the time of a long run, such as `86400.000 s`.
    static let timeEnd = 92
    /// Enough for about 35 characters between two lanes.
    static let laneWidth = 236
    /// The width of a character at 11 pixels, about.
    static let characterWidth = 6.7
    static let width = 900 + laneWidth + 40

    static func x(_ lane: SequenceTrace.Lane) -> Int { 140 + lane.rawValue * laneWidth }

    static let style = """
        <style>
        text { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; }
        .page { fill: #ffffff; } .life { stroke: #b6bec7; stroke-dasharray: 3 4; }
        .lane { font-weight: bold; font-size: 13px; text-anchor: middle; }
        .time { text-anchor: end; fill: #59636e; }
        .label { text-anchor: middle; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
        .out { stroke: #0550ae; fill: #0550ae; } .in { stroke: #116329; fill: #116329; }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3; } .page { fill: #0d1117; } .life { stroke: #484f58; } .time { fill: #9198a1; }
        .label { stroke: #0d1117; }
        .out { stroke: #79c0ff; fill: #79c0ff; } .in { stroke: #7ee787; fill: #7ee787; }
        }
        </style>
        """

    static func arrow(_ row: SequenceTrace.Row, y: Int) -> [String] {
        let (from, to) = (x(row.from), x(row.to))
        let kind = row.from == .feature ? "out" : "in"
        // The head is drawn by hand: not every viewer draws the markers of a line.
        let back = to > from ? to - 8 : to + 8
        let room = Int(Double(abs(to - from) - 12) / characterWidth)
        return [
            "<g><title>\(Markup.escaped("\(row.clock) \(row.from.title) to \(row.to.title): \(row.text)"))</title>",
            #"<line class="\#(kind)" x1="\#(from)" y1="\#(y + 6)" x2="\#(back)" y2="\#(y + 6)"/>"#,
            #"<path class="\#(kind)" d="M\#(to) \#(y + 6)L\#(back) \#(y + 2)L\#(back) \#(y + 10)Z"/>"#,
            #"<text class="label" x="\#((from + to) / 2)" y="\#(y + 1)">\#(Markup.escaped(cut(row.text, to: room)))</text></g>"#,
        ]
    }

    /// The text, cut to a number of columns; a wide character counts as two.
    private static func cut(_ text: String, to room: Int) -> String {
        var columns = 0
        var result = ""
        for character in text {
            // From the Hangul letters on, most characters are wide.
            columns +=
                character.unicodeScalars.contains {
                    $0.value >= 0x1100 && $0.value != 0x2026 && !(0x2000...0x206F).contains($0.value)
                } ? 2 : 1
            if columns > room - 1 { return result + "…" }
            result.append(character)
        }
        return result
    }
}
