// The text of `/help`.

enum Help {
    /// The column of the explanations: after the longest usage, so that all are aligned.
    private static let column = 24

    /// The lines for all commands in their groups, or for one command.
    static func lines(_ verb: Verb?) -> [Line] {
        guard let verb else {
            return Verb.groups.flatMap { group in
                [Line(.title, group.title)] + group.verbs.map { row($0.usage, $0.explanation) }
            } + [
                Line(.title, "Everything else is sent"),
                row("//TEXT", "send a text that begins with /"),
                Line(.program, "NUMBER is what stands before a message, a question or a request."),
            ]
        }
        let more = [verb.withoutNumber].compactMap { $0 }
        return [Line(.program, ([verb.usage + ": " + verb.explanation + "."] + more).joined(separator: " "))]
    }

    private static func row(_ usage: String, _ explanation: String) -> Line {
        let blanks = String(repeating: " ", count: max(1, column - 2 - usage.count))
        return Line(.program, head: "  " + usage + blanks, explanation, hanging: column)
    }
}
