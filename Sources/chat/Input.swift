// What a line of input means.

import ChatDomain

/// One line, understood.
enum Input: Equatable {
    /// Text for whatever is being asked for.
    case text(String)
    /// A command of the program.
    case command(Command)
    /// Something that begins with / and is no command.
    case unknown(String, suggestion: Command?)
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
            let word = String(trimmed.dropFirst().prefix { $0 != " " })
            if let command = Command(rawValue: word.lowercased()) {
                self = .command(command)
            } else {
                self = .unknown(word, suggestion: Command.nearest(to: word.lowercased()))
            }
        } else {
            self = .text(line)
        }
    }
}

/// A command of the program.
enum Command: String, CaseIterable, Equatable {
    case help
    case offline
    case online
    case cancel
    case older
    case signout
    case quit

    /// What `/help` says about it.
    var explanation: String {
        switch self {
        case .help: "list the commands"
        case .offline: "lose the network"
        case .online: "have the network again, and connect"
        case .cancel: "stop waiting for approval"
        case .older: "show older messages"
        case .signout: "leave; what was written stays stored under your name"
        case .quit: "end the program"
        }
    }

    static var list: [String] {
        allCases.map { "/\($0.rawValue)".padding(to: 10) + $0.explanation }
            + ["//text".padding(to: 10) + "send a message that begins with /"]
    }

    /// The command that was probably meant: the one with the fewest edits, if they are few.
    static func nearest(to word: String) -> Command? {
        let ranked = allCases.map { (command: $0, distance: editDistance(word, $0.rawValue)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= 2 else {
            return allCases.first { !word.isEmpty && $0.rawValue.hasPrefix(word) }
        }
        return best.command
    }
}

extension String {
    /// The string with blanks behind it up to a width.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

/// The number of insertions, deletions and replacements between two words (Levenshtein, 1966). Words of more
/// than 20 characters are no command and are not measured.
func editDistance(_ left: String, _ right: String) -> Int {
    guard left.count <= 20 else { return .max }
    let target = Array(right)
    var previous = Array(0...target.count)
    for (row, character) in left.enumerated() {
        var current = [row + 1]
        for column in target.indices {
            let replaced = previous[column] + (character == target[column] ? 0 : 1)
            current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
        }
        previous = current
    }
    return previous[target.count]
}
