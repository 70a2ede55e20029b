// The only parser for the arguments of commands. An error is one line that ends with the correct usage.

import ChatDomain

extension Command {
    /// The number of messages of `/show` without an argument.
    private static let shownCount = 10

    /// Parses the arguments of a command. Throws the sentence for an invalid argument.
    init(_ verb: Verb, _ rest: String) throws(UsageError) {
        let arguments = Arguments(verb, rest)
        switch verb {
        case .send: self = .send(try arguments.which())
        case .delete: self = .delete(try arguments.which())
        case .retry: self = .retry(try arguments.which())
        case .stop: self = .stop(try arguments.which())
        case .detach: self = .detach(try arguments.which())
        case .edit:
            if let number = arguments.leadingNumber {
                self = .edit(.number(number), text: arguments.behindFirst)
            } else {
                self = .edit(.last, text: arguments.text)
            }
        case .discard: self = try arguments.none(.discard)
        case .new: self = .new(title: arguments.text)
        case .list: self = try arguments.none(.list)
        case .switch:
            guard let place = arguments.place else { throw arguments.wrong("To which conversation?") }
            self = .switchTo(place)
        case .close: self = .close(arguments.place)
        case .show:
            let count = try arguments.optionalNumber() ?? Self.shownCount
            guard count > 0 else { throw arguments.wrong("“0” is no count of messages.") }
            self = .show(count: count)
        case .attach:
            guard let path = arguments.text else { throw arguments.wrong("Which file?") }
            self = .attach(path: path)
        case .suggest: self = .suggest(try arguments.kind())
        case .ask: self = .ask(arguments.text)
        case .example:
            guard let number = try arguments.optionalNumber() else { throw arguments.wrong("Which one?") }
            self = .example(number)
        case .approve:
            let (who, user) = try arguments.whoAsUser()
            self = .approve(who, as: user)
        case .deny:
            guard let number = arguments.leadingNumber else { throw arguments.wrong("Which one?") }
            self = .deny(number, reason: arguments.behindFirst)
        case .wait: self = .wait(try arguments.interval())
        case .help: self = .help(try arguments.topic())
        case .older: self = try arguments.none(.older)
        case .files: self = try arguments.none(.files)
        case .take: self = try arguments.none(.take)
        case .dismiss: self = try arguments.none(.dismiss)
        case .forget: self = try arguments.none(.forget)
        case .requests: self = try arguments.none(.requests)
        case .offline: self = try arguments.none(.offline)
        case .online: self = try arguments.none(.online)
        case .reconnect: self = try arguments.none(.reconnect)
        case .background: self = try arguments.none(.background)
        case .foreground: self = try arguments.none(.foreground)
        case .cancel: self = try arguments.none(.cancel)
        case .signout: self = try arguments.none(.signOut)
        case .erase: self = try arguments.none(.erase)
        case .quit: self = try arguments.none(.quit)
        }
    }
}

/// The arguments of a command.
private struct Arguments {
    private let verb: Verb
    /// All arguments as typed, trimmed; nil if there are none.
    let text: String?

    init(_ verb: Verb, _ rest: String) {
        self.verb = verb
        let trimmed = ExactText(rest).trimmed.string
        text = trimmed.isEmpty ? nil : trimmed
    }

    func wrong(_ reason: String) -> UsageError {
        UsageError("\(reason) Usage: \(verb.usage)")
    }

    private var first: Substring? {
        text?.prefix { !$0.isWhitespace }
    }

    /// The text after the first word; nil if there is none.
    var behindFirst: String? {
        guard let text, let first else { return nil }
        let rest = ExactText(String(text[first.endIndex...])).trimmed.string
        return rest.isEmpty ? nil : rest
    }

    /// The first word as a number; nil if it is no number.
    var leadingNumber: Int? { first.flatMap(Self.number) }

    private static func number(_ word: Substring) -> Int? {
        guard word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(word)
    }

    func none(_ command: Command) throws(UsageError) -> Command {
        guard text == nil else { throw wrong("/\(verb.rawValue) takes nothing behind it.") }
        return command
    }

    func optionalNumber() throws(UsageError) -> Int? {
        guard let first else { return nil }
        guard let number = Self.number(first) else {
            throw wrong("“\(Line.printable(String(first)))” is not a number.")
        }
        guard behindFirst == nil else { throw wrong("One number is enough.") }
        return number
    }

    func which() throws(UsageError) -> Command.Which {
        try optionalNumber().map { .number($0) } ?? .last
    }

    /// A conversation, by number or title; nil without arguments.
    var place: Command.Where? {
        guard let text else { return nil }
        if let number = leadingNumber, behindFirst == nil { return .number(number) }
        return .title(text)
    }

    func kind() throws(UsageError) -> SmartReplies.Kind {
        switch text?.lowercased() {
        case nil, "short": return .short
        case "friendly": return .friendly
        case "professional": return .professional
        case "funny": return .funny
        case .some: throw wrong("The kinds are short, friendly, professional and funny.")
        }
    }

    /// A device and a user, with “as” between them. A name may contain that word, a user not.
    func whoAsUser() throws(UsageError) -> (Command.Who, String?) {
        guard let text else { throw wrong("Who?") }
        let words = text.split(whereSeparator: \.isWhitespace)
        let middle = words.lastIndex { $0.lowercased() == "as" } ?? words.endIndex
        guard middle > 0, middle + 1 != words.count else { throw wrong("As which user?") }
        guard middle + 2 >= words.count else { throw wrong("A user is one word.") }
        let user = middle < words.endIndex ? String(words[middle + 1]) : nil
        if middle == 1, let number = Self.number(words[0]) { return (.number(number), user) }
        return (.name(words[..<middle].joined(separator: " ")), user)
    }

    func interval() throws(UsageError) -> Interval {
        guard let text else { throw wrong("How long?") }
        let units: [(String, Interval)] = [
            ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .minutes(1)), ("h", .hours(1)),
        ]
        for (unit, length) in units where text.hasSuffix(unit) {
            // A year at most, so that a typing error does not keep the program busy for ever.
            guard let count = Self.number(text.dropLast(unit.count)) else { continue }
            return min(length * Int64(clamping: count), .hours(8_760))
        }
        throw wrong("“\(Line.printable(text))” is not a time such as 90s, 5m or 13h.")
    }

    func topic() throws(UsageError) -> Help.Topic? {
        guard let text = text?.lowercased() else { return nil }
        if text == "keys" { return .keys }
        // A command may have the name of its group; the slash distinguishes them.
        if let group = Verb.Group(rawValue: text) { return .group(group) }
        let word = text.hasPrefix("/") ? String(text.dropFirst()) : text
        if let verb = Verb(rawValue: word) { return .verb(verb) }
        let meant =
            Verb.nearest(to: word).map { "; did you mean /\($0.rawValue)?" } ?? ". /help lists the commands."
        throw UsageError("There is no command /\(Line.printable(word))\(meant)")
    }
}
