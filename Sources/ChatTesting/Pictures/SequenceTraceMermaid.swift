// A trace as a sequence diagram of Mermaid, which many viewers of Markdown draw. Every part of a label that could count
// as syntax is written as a character's number.

extension SequenceTrace {
    /// The trace in the language of Mermaid.
    public var mermaid: String {
        var lines = ["sequenceDiagram"]
        for lane in Lane.allCases {
            // A person is drawn as a figure.
            lines.append("    \(lane == .person ? "actor" : "participant") \(lane.title)")
        }
        var time: String?
        for row in rows {
            if row.clock != time {
                time = row.clock
                lines.append("    Note over Person,Storage: \(row.clock)")
            }
            let arrow = row.from == .feature ? "->>" : "-->>"
            lines.append("    \(row.from.title)\(arrow)\(row.to.title): \(Markup.mermaid(row.text))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
