// What a line of input means, whatever the state of the chat.

import ChatDomain

/// One line, understood.
enum Input: Equatable {
    /// Text for whatever is being asked for.
    case text(String)
    /// A command of the program.
    case command(Command)
    /// A command of which something is missing or wrong, and what.
    case wrong(String)
    /// An empty line.
    case nothing

    /// Understands a line. A line that begins with // is text that begins with /.
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
