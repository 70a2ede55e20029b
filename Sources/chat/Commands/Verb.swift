// The names of the commands, in the groups of `/help`, with an explanation of each. CommandParsing.swift parses the
// arguments. A new command begins here.

enum Verb: String, CaseIterable, Equatable {
    case send, discard, edit, delete, retry, stop, show, older
    case new, list, `switch`, close
    case attach, files, detach
    case suggest, take, dismiss
    case ask, example, forget
    case requests, approve, deny
    case offline, online, reconnect, background, foreground
    case cancel, signout, erase, wait, help, quit

    /// A group of `/help`, which has a page for each. Every command is in one.
    enum Group: String, CaseIterable {
        case messages, conversations, files, suggestions, assistant, devices, network, program

        /// The title of the group.
        var title: String {
            switch self {
            case .messages: "Messages"
            case .conversations: "Conversations"
            case .files: "Files"
            case .suggestions: "Suggestions of what to answer"
            case .assistant: "The AI assistant, beside the chat"
            case .devices: "Letting devices in (as admin)"
            case .network: "The network"
            case .program: "The program"
            }
        }

        /// Its commands, in order.
        var verbs: [Verb] {
            switch self {
            case .messages: [.send, .discard, .edit, .delete, .retry, .stop, .show, .older]
            case .conversations: [.new, .list, .switch, .close]
            case .files: [.attach, .files, .detach]
            case .suggestions: [.suggest, .take, .dismiss]
            case .assistant: [.ask, .example, .forget]
            case .devices: [.requests, .approve, .deny]
            case .network: [.offline, .online, .reconnect, .background, .foreground]
            case .program: [.cancel, .signout, .erase, .wait, .help, .quit]
            }
        }
    }

    /// The command with its arguments; optional ones are in brackets.
    var usage: String {
        let arguments =
            switch self {
            case .send, .delete, .retry, .stop, .detach: " [NUMBER]"
            case .edit: " [NUMBER] TEXT"
            case .new: " [TITLE]"
            case .switch: " WHICH"
            case .close: " [WHICH]"
            case .show: " [COUNT]"
            case .attach: " FILE"
            case .suggest: " [KIND]"
            case .ask: " [TEXT]"
            case .example: " NUMBER"
            case .approve: " WHO [as USER]"
            case .deny: " NUMBER [REASON]"
            case .wait: " TIME"
            case .help: " [TOPIC]"
            case .discard, .older, .list, .files, .take, .dismiss, .forget, .requests, .offline, .online,
                .reconnect,
                .background, .foreground, .cancel, .signout, .erase, .quit:
                ""
            }
        return "/" + rawValue + arguments
    }

    /// The explanation in `/help`.
    var explanation: String {
        switch self {
        case .send: "send the draft and its files, or a held message"
        case .discard: "throw away the draft and its files"
        case .edit: "let a message say something else"
        case .delete: "delete a message, or hide one that has gone"
        case .retry: "send or ask again what failed"
        case .stop: "end a reply that is coming in"
        case .show: "show the newest messages, with number, time and state"
        case .older: "show older messages"
        case .new: "begin a conversation and turn to it"
        case .list: "list the conversations"
        case .switch: "turn to another conversation, by number or title"
        case .close: "take a conversation off the list"
        case .attach: "add a file to the next message"
        case .files: "list the files of the next message"
        case .detach: "take a file out again"
        case .suggest: "suggest an answer: short, friendly, professional, funny"
        case .take: "make the suggestion the draft"
        case .dismiss: "put away the suggestion and what was announced"
        case .ask: "ask the AI assistant; without text, examples"
        case .example: "begin a question with an example"
        case .forget: "close the assistant and forget what was said"
        case .requests: "list the devices that ask to come in"
        case .approve: "let a device in, as somebody new or as a user"
        case .deny: "turn a device away"
        case .offline: "lose the network of the server in the program"
        case .online: "have the network again, and connect"
        case .reconnect: "try to connect again"
        case .background: "be as an app that is not in front"
        case .foreground: "be in front again"
        case .cancel: "stop waiting for approval"
        case .signout: "leave; what you wrote stays stored under your name"
        case .erase: "leave, and erase what is stored of you on this device"
        case .wait: "with --instant: let time pass, such as 90s, 5m or 13h"
        case .help: "list the commands; explain a group, a command, the keys"
        case .quit: "end the program"
        }
    }

    /// The default for an omitted number; nil for a command without one.
    var withoutNumber: String? {
        switch self {
        case .send: "Without a number: the draft, or else the oldest held message."
        case .edit, .delete: "Without a number: the last message of yours."
        case .retry, .stop: "Without a number: the last for which that can be done."
        case .detach: "Without a number: the last file."
        case .close: "Without a number or title: the one that you look at."
        default: nil
        }
    }

    /// The commands whose names begin with `word`.
    static func beginning(_ word: some StringProtocol) -> [Verb] {
        allCases.filter { $0.rawValue.hasPrefix(word.lowercased()) }
    }

    /// The command that the person probably meant: the one with the fewest edits, if they are few, or one that begins
    /// with `word`; otherwise nil.
    static func nearest(to word: String) -> Verb? {
        guard !word.isEmpty else { return nil }
        let ranked = allCases.map { (verb: $0, distance: editDistance(word, $0.rawValue)) }
        // Two edits turn a word of four letters into any other that shares two.
        let limit = word.count <= 4 ? 1 : 2
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit {
            return best.verb
        }
        return allCases.first { $0.rawValue.hasPrefix(word) }
    }
}

/// The number of insertions, deletions, replacements and exchanges of neighbours between two words (Damerau, 1964, in
/// the restricted form). Words of more than 20 characters are no command; their distance is `Int.max`.
func editDistance(_ left: String, _ right: String) -> Int {
    guard left.count <= 20, right.count <= 20 else { return .max }
    let source = Array(left)
    let target = Array(right)
    var beforePrevious: [Int] = []
    var previous = Array(0...target.count)
    for row in source.indices {
        var current = [row + 1]
        for column in target.indices {
            let replaced = previous[column] + (source[row] == target[column] ? 0 : 1)
            var fewest = min(replaced, previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
                fewest = min(fewest, beforePrevious[column - 1] + 1)
            }
            current.append(fewest)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[target.count]
}

extension LineEditor {
    /// Completes the name of a command. Returns the line of choices, if there are several.
    mutating func completeCommand() -> [Line] {
        let verbs = Verb.beginning(text.dropFirst())
        if verbs.count == 1 { replace(with: "/\(verbs[0].rawValue) ") }
        return verbs.count > 1 ? [Line(.program, verbs.map { "/\($0.rawValue)" }.joined(separator: " "))] : []
    }
}
