// Docs/Storage.md says what is stored; these tests hold it to the code.

import ChatDomain
@testable import ChatEffects
import Foundation
import Testing

@Suite("The table of what is stored")
struct StorageTableTests {
    private let document: String

    init() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        document = try String(contentsOf: root.appendingPathComponent("Docs/Storage.md"), encoding: .utf8)
    }

    /// The cells of every row, without the heading.
    private var rows: [[String]] {
        document.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("R5: every record has a row with its format, version and path, and every row a record")
    func rowsMatchCode() throws {
        let expected = RecordExample.all.map { example in
            let path = example.key.path
            var names = path.components.map { $0.string }
            if case .chat(.page) = example.key { names[names.count - 1] = "{page}" }
            let feature =
                switch example.key {
                case .pairing, .person: "Pairing"
                case .chat: "Chat"
                case .assistant: "Assistant"
                }
            return [
                example.kind.name, example.kind.format.map { "\($0.version)" } ?? "–",
                "`\(names.joined(separator: "/"))`", path.protection == .secret ? "secret" : "plain", feature,
            ]
        }
        #expect(rows.map { [String]($0.prefix(5)) } == expected)
        for row in rows {
            #expect(row.count == 7)
            #expect(row.allSatisfy { !$0.isEmpty }, "when it is written and in which order must be said")
        }
    }

    @Test("R5: the examples are what the code writes")
    func examplesMatchCode() {
        let examples = document.split(separator: "\n").filter { $0.hasPrefix("{") }.map { String($0) }
        #expect(examples == RecordExample.enveloped.map { jsonText($0.bytes()) })
    }

    @Test("P10: everything of one person lies below one path, and nothing of anybody else")
    func oneTreeAPerson() {
        let mine = RecordPath.person("ada").components
        let keys: [Chat.Key] = [
            .conversations("ada"), .draft("ada", "c"), .outbox("ada", "c"), .contents("ada", "c"),
            .page("ada", "c", 0),
        ]
        for key in keys { #expect(ChatApp.Key.chat(key).path.components.starts(with: mine)) }
        #expect(ChatApp.Key.assistant(.pacing("ada")).path.components.starts(with: mine))
        let others: [ChatApp.Key] = [
            .chat(.draft("ad", "a")), .chat(.draft("ada/x", "c")), .chat(.draft("", "ada")),
            .pairing(.device),
            .pairing(.secret(SecretHandle("ada"))),
        ]
        for key in others { #expect(!key.path.components.starts(with: mine)) }
    }

    @Test("different keys have different paths")
    func pathsDiffer() {
        var keys = RecordExample.all.map { $0.key }
        let names = ["", "a", "draft", "pages", "a/b", "é", "e\u{301}"].map { ExactText($0) }
        for first in names {
            keys.append(.pairing(.secret(SecretHandle(first))))
            keys.append(.chat(.conversations(UserID(first))))
            for second in names {
                let (user, conversation) = (UserID(first), ConversationID(second))
                keys += [
                    .chat(.draft(user, conversation)), .chat(.outbox(user, conversation)),
                    .chat(.contents(user, conversation)),
                ]
                for page in [0, 1, 10, Int64.max] { keys.append(.chat(.page(user, conversation, page))) }
            }
        }
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys.map { $0.path }).count == keys.count)
    }
}
