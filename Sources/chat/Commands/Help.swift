// The text of `/help`: an overview that fits the smallest window, and a page for each topic.

enum Help {
    /// A topic of `/help`.
    enum Topic: Equatable {
        case group(Verb.Group)
        case verb(Verb)
        case keys
    }

    /// The column of the explanations: after the longest usage, so that all are aligned.
    private static let column = 24
    /// The column of the commands in the overview: after the longest name of a group.
    private static let listColumn = 16

    /// The lines of a topic; without one, the overview.
    static func lines(_ topic: Topic?) -> [Line] {
        switch topic {
        case nil: overview
        case .group(let group):
            [Line(.title, group.title)] + group.verbs.map { row($0.usage, $0.explanation) }
                + (group.verbs.contains { $0.usage.contains("NUMBER") } ? [numbers] : [])
        case .verb(let verb):
            [
                Line(
                    .program,
                    ([verb.usage + ": " + verb.explanation + "."] + [verb.withoutNumber].compactMap { $0 })
                        .joined(separator: " "))
            ]
        case .keys:
            [Line(.title, "Keys")] + keys.map { row($0, $1) } + [
                Line(.program, "A line that begins with a blank is not kept among those that Up brings back.")
            ]
        }
    }

    private static var overview: [Line] {
        [Line(.title, "What you type is sent. Lines that begin with / are commands:")]
            + Verb.Group.allCases.map { group in
                row(
                    group.rawValue, group.verbs.map { "/" + $0.rawValue }.joined(separator: " "),
                    column: listColumn)
            } + [
                row("//TEXT", "sends a text that begins with /", column: listColumn),
                Line(.program, "/help messages explains a group, /help send a command, /help keys the keys."),
            ]
    }

    private static var numbers: Line {
        Line(.program, "NUMBER is what stands before a message, a question or a request.")
    }

    private static let keys: [(key: String, effect: String)] = [
        ("Enter", "send the line; a pasted line end does not"),
        ("Alt-Enter, Ctrl-J", "begin a new line in the text"),
        ("Tab", "complete the name of a command"),
        ("Up, Down", "go through lines typed before, or through a long text"),
        ("Ctrl-R", "find a line typed before; Enter takes it, Esc leaves it"),
        ("Home, End", "go to the beginning or end of the line (Ctrl-A, Ctrl-E)"),
        ("Ctrl-Left, Ctrl-Right", "go by words (Alt-B, Alt-F)"),
        ("Ctrl-W, Alt-D", "delete the word before, or behind (Alt-Backspace)"),
        ("Ctrl-U, Ctrl-K", "delete to the beginning or end of the line"),
        ("Ctrl-Y", "bring back what was deleted last"),
        ("Ctrl-L", "draw the screen anew"),
        ("Ctrl-Z", "go back to the shell for a while; fg returns"),
        ("Ctrl-D, Ctrl-C", "leave, on an empty line or at once; a draft is kept"),
    ]

    private static func row(_ usage: String, _ explanation: String, column: Int = column) -> Line {
        let blanks = String(repeating: " ", count: max(1, column - 2 - usage.count))
        return Line(.program, head: "  " + usage + blanks, explanation, hanging: column)
    }
}
