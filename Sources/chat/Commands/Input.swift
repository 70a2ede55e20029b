// The meaning of a line of input, independent of the chat's state.

import ChatDomain

/// A parsed line.
enum Input: Equatable {
    /// Text for the current prompt.
    case text(String)
    /// A command.
    case command(Command)
    /// An invalid command, with the sentence for its error.
    case wrong(String)
    /// An empty line.
    case nothing

    /// Parses a line. A line that begins with // is text that begins with /.
    init(_ line: String) {
        let trimmed = ExactText(line).trimmed.string
        if trimmed.isEmpty {
            self = .nothing
        } else if trimmed.hasPrefix("//") {
            self = .text(String(trimmed.dropFirst()))
        } else if trimmed.hasPrefix("/") {
            self.init(commandLine: trimmed.dropFirst())
        } else {
            self = .text(line)
        }
    }

    /// Whether it is a command without a mistake.
    var isCommand: Bool {
        if case .command = self { true } else { false }
    }

    private init(commandLine: Substring) {
        let word = commandLine.prefix { !$0.isWhitespace }
        guard let verb = Verb(rawValue: word.lowercased()) else {
            self = .wrong(Self.unknown(String(word)))
            return
        }
        do throws(UsageError) {
            self = .command(try Command(verb, String(commandLine[word.endIndex...])))
        } catch {
            self = .wrong(error.message)
        }
    }

    private static func unknown(_ word: String) -> String {
        guard !word.isEmpty else { return "Which command? /help lists them." }
        let name = "There is no command /\(Line.printable(word))"
        if let meant = Verb.nearest(to: word.lowercased()) {
            return "\(name); did you mean /\(meant.rawValue)?"
        }
        return "\(name). /help lists the commands; // begins a text with /."
    }
}
