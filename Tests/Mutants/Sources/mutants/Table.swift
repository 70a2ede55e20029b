// The table of seeded bugs (table.txt, whose top says the format), and how an entry changes a source file. Start at
// `Table.read`. Each fragment stands in its file exactly once, so an entry cannot outlive the code that it is about.

import Foundation

/// A seeded bug.
struct Mutant: Sendable {
    let number: Int
    let part: String
    let file: String
    let sentence: String
    let original: String
    let mutated: String
}

/// What is wrong with the table, or with the work; shown as it is.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

enum Table {
    /// Reads the table. Throws the line and what is wrong with it.
    static func read(_ text: String) throws -> [Mutant] {
        var mutants: [Mutant] = []
        var (part, file) = ("", "")
        var head: (number: Int, sentence: String)?
        var (original, mutated): ([String], [String]) = ([], [])
        func finish() throws {
            guard let entry = head else { return }
            guard !original.isEmpty, mutated.contains(where: { $0.contains("MUTANT") }) else {
                throw Problem("entry \(entry.number) needs code (“-”) and its replacement (“+”) with MUTANT")
            }
            mutants.append(
                Mutant(
                    number: entry.number, part: part, file: file, sentence: entry.sentence,
                    original: original.joined(separator: "\n"), mutated: mutated.joined(separator: "\n")))
            (head, original, mutated) = (nil, [], [])
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let rest = String(line.dropFirst(2))
            if line.hasPrefix("= "), let colon = rest.firstIndex(of: ":") {
                try finish()
                part = String(rest[..<colon])
                file = rest[rest.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            } else if line.hasPrefix("- ") {
                original.append(rest)
            } else if line.hasPrefix("+ ") {
                mutated.append(rest)
            } else if let dot = line.firstIndex(of: "."), let number = Int(line[..<dot]) {
                try finish()
                head = (number, line[line.index(after: dot)...].trimmingCharacters(in: .whitespaces))
            } else if !file.isEmpty, !line.isEmpty {
                throw Problem("line \(index + 1) of the table is no part, no entry and no code: \(line)")
            }
        }
        try finish()
        let numbers = mutants.map { $0.number }
        guard Set(numbers).count == numbers.count else { throw Problem("two entries have the same number") }
        return mutants
    }
}

/// One place of a source file and what is put there.
struct Edit {
    let range: Range<String.Index>
    let text: String
    let number: Int
}

extension Mutant {
    /// Where the fragment stands, and what takes its place. What both fragments begin and end with stays as it is, with
    /// its line breaks.
    func edit(of source: String) throws -> Edit {
        let words = original.split(whereSeparator: { $0.isWhitespace })
        let new = mutated.split(whereSeparator: { $0 == " " })
        let pattern = words.map { "(\(NSRegularExpression.escapedPattern(for: String($0))))" }
        let expression = try NSRegularExpression(pattern: pattern.joined(separator: "\\s+"))
        let places = expression.matches(in: source, range: NSRange(source.startIndex..., in: source))
        guard let place = places.first, places.count == 1 else {
            throw Problem("entry \(number): its code stands \(places.count) times in \(file):\n  \(original)")
        }
        let most = min(words.count, new.count)
        let kept = (0..<most).prefix { words[$0] == new[$0] }.count
        let keptBehind = (0..<most - kept)
            .prefix { words[words.count - 1 - $0] == new[new.count - 1 - $0] }.count
        let middle = new[kept..<new.count - keptBehind].joined(separator: " ")
            .replacingOccurrences(of: "MUTANT", with: "mutant(\(number))")
        func bounds(_ word: Int) throws -> Range<String.Index> {
            guard let range = Range(place.range(at: word + 1), in: source) else {
                throw Problem("entry \(number): its code cuts a character")
            }
            return range
        }
        guard kept + keptBehind == words.count else {
            let first = try bounds(kept).lowerBound
            let last = try bounds(words.count - keptBehind - 1).upperBound
            return Edit(range: first..<last, text: middle, number: number)
        }
        if kept == 0 {
            let start = try bounds(0).lowerBound
            return Edit(range: start..<start, text: middle + " ", number: number)
        }
        // Something is only added: on a line of its own where the code has a line break, or ends.
        let end = try bounds(kept - 1).upperBound
        guard keptBehind > 0 else { return Edit(range: end..<end, text: "\n\(middle)\n", number: number) }
        let space = source[end..<(try bounds(kept)).lowerBound]
        return Edit(range: end..<end, text: space + middle, number: number)
    }

    /// A source file with all bugs of the table that are in it, each behind its switch.
    static func apply(_ mutants: [Mutant], to source: String) throws -> String {
        let edits = try mutants.map { try $0.edit(of: source) }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        var (text, end) = ("", source.startIndex)
        var before: Edit?
        for edit in edits {
            guard edit.range.lowerBound >= end else {
                throw Problem("entries \(before?.number ?? 0) and \(edit.number) overlap")
            }
            text += source[end..<edit.range.lowerBound] + edit.text
            (end, before) = (edit.range.upperBound, edit)
        }
        return text + source[end...]
    }
}
