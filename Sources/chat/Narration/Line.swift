// A line of output. Only this type adds text of a person or a server to the output, and it removes everything that
// could move a terminal's cursor or change the writing direction.

import ChatDomain

/// A line of output before wrapping and colour.
struct Line: Equatable {
    /// The kind of line, which decides its colour.
    enum Tone: Equatable {
        /// A message of the person.
        case mine
        /// A message of another person.
        case theirs
        /// An answer of the assistant, or a suggestion.
        case assistant
        /// An event of the connection, or a confirmation.
        case news
        /// An error.
        case warning
        /// A passing state: typing, or a wait.
        case passing
        /// The program's own words.
        case program
        /// A title above the program's words.
        case title
    }

    let tone: Tone
    /// The beginning of the line with its own colour: number and speaker.
    let head: String
    /// The rest, perhaps of several lines.
    let body: String
    /// The indentation of continuation rows, in columns.
    let hanging: Int
    /// Whether a terminal shows the body as Markdown.
    private(set) var isMarkdown: Bool
    /// The shown message, if earlier lines may show a part of it.
    let message: Chat.Row.ID?

    /// Creates a line from untrusted text.
    init(
        _ tone: Tone, head: String = "", _ body: String, hanging: Int = 2, isMarkdown: Bool = false,
        message: Chat.Row.ID? = nil
    ) {
        self.tone = tone
        self.head = Self.printable(head)
        self.body = Self.clean(body)
        self.hanging = hanging
        self.isMarkdown = isMarkdown
        self.message = message
    }

    /// The line with the marks of its Markdown.
    var asWritten: Line {
        var line = self
        line.isMarkdown = false
        return line
    }

    /// The text without colour. Lines after the first are indented, so that none of them can imitate a line of the
    /// program.
    var text: String { head + Self.indented(body) }

    /// The text without anything that could move a terminal's cursor or change the writing direction (L10 is not the
    /// only protection that a terminal needs against a server), with its lines after the first indented.
    static func printable(_ text: String) -> String { indented(clean(text)) }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
    }

    /// The text with plain line ends and without any other control character.
    static func clean(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }
            .map { part in
                let blanks = part.map { $0 == "\t" ? " " : $0 }
                return ExactText(String(blanks)).withoutControlCharacters.string
            }
            .joined(separator: "\n")
    }
}
