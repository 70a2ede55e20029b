// Docs/Rules.md says every rule, and Docs/Behaviour.md maps it to the tests whose names carry its number. The map is made
// from the test sources, so it cannot drift: after adding tests, run
//
//     UPDATE_DOCS=1 swift test --filter BehaviourTests
//
// and commit the file.

import Foundation
import Testing

@Suite("Behaviour")
struct BehaviourTests {
    @Test("the map of rules to tests says what the test sources say")
    func isUpToDate() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Behaviour.md", encoding: .utf8)
        let names = try TestNames.all()
        let updated = BehaviourTable.filled(document, with: names)
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            try updated.write(to: Repository.root / "Docs/Behaviour.md", atomically: true, encoding: .utf8)
        } else {
            #expect(document == updated, "Docs/Behaviour.md is out of date; see the top of this file")
        }
    }

    @Test("every rule has a test whose name carries its number")
    func everyRuleIsTested() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Behaviour.md", encoding: .utf8)
        let text = try String(contentsOf: Repository.root / "Docs/Rules.md", encoding: .utf8)
        let rows = Set(BehaviourTable.rules(document))
        let tested = Set(try TestNames.all().flatMap { $0.rules })
        let counts = [("L", 10), ("P", 10), ("C", 22), ("S", 17), ("A", 10), ("R", 5)]
        for (letter, count) in counts {
            for number in 1...count {
                let rule = "\(letter)\(number)"
                #expect(rows.contains(rule), "\(rule) has no row")
                #expect(tested.contains(rule), "no test carries \(rule)")
                #expect(text.contains("\n**\(rule) "), "Docs/Rules.md does not say \(rule)")
            }
        }
    }

    @Test("comments cite the rules of this repository, and no document beside it")
    func citesWhatIsHere() throws {
        let text = try String(contentsOf: Repository.root / "Docs/Rules.md", encoding: .utf8)
        let citation = /\b([LPCSAR][0-9]{1,2})\b(?=[,)–;])/
        for source in try TestNames.sources(in: "Sources") + TestNames.sources(in: "Tests")
        where source.lastPathComponent != "BehaviourTests.swift" {
            let comments = try String(contentsOf: source, encoding: .utf8)
                .split(separator: "\n").filter { $0.contains("//") }
            for comment in comments {
                let elsewhere = ["SPEC", "PROTOCOLS", "DESIGN", "ROADMAP", "the specification", "the paper"]
                    .first { comment.contains($0) }
                #expect(elsewhere == nil, "\(comment)")
                for rule in comment.matches(of: citation) {
                    #expect(text.contains("\n**\(rule.output.1) "), "\(source.lastPathComponent): \(comment)")
                }
            }
        }
    }

    @Test("every rule that a test names is in the map")
    func knowsEveryRule() throws {
        let document = try String(contentsOf: Repository.root / "Docs/Behaviour.md", encoding: .utf8)
        let rules = Set(BehaviourTable.rules(document))
        let unknown = try TestNames.all().flatMap { $0.rules }.filter { !rules.contains($0) }
        #expect(unknown.isEmpty)
    }
}

/// Where the checkout lies.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

func / (directory: URL, path: String) -> URL { directory.appendingPathComponent(path) }

/// The names of tests and the rules that they carry.
struct TestName {
    let rules: [String]
    let sentence: String

    /// Reads “L5, C7: what it shows”; nil when the name carries no rule.
    init?(_ name: String) {
        guard let colon = name.firstIndex(of: ":") else { return nil }
        let words = name[..<colon].split(whereSeparator: { ", ".contains($0) }).filter { $0 != "and" }
        guard !words.isEmpty, words.allSatisfy(TestName.isRule) else { return nil }
        rules = words.map(String.init)
        sentence = name[name.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }

    /// Whether a word is a letter and a number.
    private static func isRule(_ word: Substring) -> Bool {
        guard let letter = word.first, "LPCSAR".contains(letter) else { return false }
        return word.count > 1 && word.dropFirst().allSatisfy { "0"..."9" ~= $0 }
    }
}

enum TestNames {
    /// Every test of the package whose name carries a rule, in the order of files and lines.
    static func all() throws -> [TestName] {
        let test = /@Test\(\s*"((?:[^"\\]|\\.)*)"/
        return try sources(in: "Tests").flatMap { source in
            try String(contentsOf: source, encoding: .utf8).matches(of: test)
                .compactMap { TestName(String($0.output.1)) }
        }
    }

    /// The Swift files below a folder, in order.
    static func sources(in folder: String) throws -> [URL] {
        let files = FileManager.default.enumerator(
            at: Repository.root / folder, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? [])
            .filter { $0.pathExtension == "swift" && !$0.pathComponents.contains(".build") }
            .sorted { $0.path < $1.path }
    }
}

enum BehaviourTable {
    /// The rules that have a row.
    static func rules(_ document: String) -> [String] {
        let row = /\| ([LPCSAR][0-9]+) \|/
        return document.split(separator: "\n").compactMap { line in
            line.prefixMatch(of: row).map { String($0.output.1) }
        }
    }

    /// The document with its last column made anew.
    static func filled(_ document: String, with names: [TestName]) -> String {
        let row = /\| ([LPCSAR][0-9]+) \|/
        return document.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let rule = line.prefixMatch(of: row)?.output.1 else {
                return String(line)
            }
            let sentences = names.filter { $0.rules.contains(String(rule)) }.map {
                $0.sentence.replacingOccurrences(of: "|", with: "/")
            }
            let column = sentences.isEmpty ? "**none**" : sentences.joined(separator: "<br>")
            return "| \(rule) | \(column) |"
        }.joined(separator: "\n")
    }
}
