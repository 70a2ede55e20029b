// A line of what the program says. Whatever a person or a server wrote becomes part of one only here, and here it
// loses everything that could move a terminal's cursor or turn its writing.

import ChatDomain

/// A line to be printed, before it is wrapped and painted.
struct Line: Equatable {
    /// What kind of thing is said, from which follows how it is painted.
    enum Tone: Equatable {
        /// A message of the person.
        case mine
        /// A message of somebody else.
        case theirs
        /// A word of the assistant or a suggestion.
        case assistant
        /// Something about the connection, or that something was done.
        case news
        /// Something that went wrong.
        case warning
        /// Something that moves: who types, what is being waited for.
        case passing
        /// The program's own words.
        case program
        /// A title above them.
        case title
    }

    let tone: Tone
    /// What stands first and may be painted in its own way: number and speaker.
    let head: String
    /// The rest.
    let body: String
    /// How far the second row is moved to the right when the line is wrapped.
    let hanging: Int

    /// Creates a line from text that may come from anywhere.
    init(_ tone: Tone, head: String = "", _ body: String, hanging: Int = 2) {
        self.tone = tone
        self.head = Self.printable(head)
        self.body = Self.printable(body)
        self.hanging = hanging
    }

    /// The line without paint.
    var text: String { head + body }

    /// A text without anything that could move a terminal's cursor or turn its writing (L10 is not the only
    /// thing that a server must not do to a person's terminal). Lines after the first are moved to the right,
    /// so that none of them can pass for a line of the program.
    static func printable(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }
            .map { part in
                let blanks = part.map { $0 == "\t" ? " " : $0 }
                return ExactText(String(blanks)).withoutControlCharacters.string
            }
            .joined(separator: "\n  ")
    }
}
