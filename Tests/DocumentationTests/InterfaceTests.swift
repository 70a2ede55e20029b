// The public interface of each module stands in a file, so that a change of it is seen in review. After a change, run
//
//     UPDATE_DOCS=1 swift test --filter InterfaceTests
//
// and read the difference. The sources are formatted, so a declaration is a line and a scope is an indentation.

import Foundation
import Testing

@Suite("The public interface")
struct InterfaceTests {
    @Test(
        "the interface of a module is the one that was reviewed",
        arguments: ["ChatDomain", "ChatEffects", "ChatTesting"])
    func isReviewed(_ module: String) throws {
        let interface = Interface()
        var declarations: [String] = []
        for source in try TestNames.sources(in: "Sources/\(module)") {
            declarations += interface.declarations(in: try String(contentsOf: source, encoding: .utf8))
        }
        let declared = Set(declarations).sorted().joined(separator: "\n") + "\n"
        let file = Repository.root / "Docs/Interface/\(module).txt"
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            try declared.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let reviewed = try String(contentsOf: file, encoding: .utf8)
            let before = Set(reviewed.split(separator: "\n")), after = Set(declared.split(separator: "\n"))
            #expect(before.subtracting(after).isEmpty, "gone from Docs/Interface/\(module).txt")
            #expect(after.subtracting(before).isEmpty, "not in Docs/Interface/\(module).txt")
        }
    }

    @Test("no public name is one of the frameworks that an app imports beside the library")
    func collides() throws {
        let names = try String(
            contentsOf: Repository.root / "Tests/Embedding/Sources/SystemNames/SystemNames.swift",
            encoding: .utf8)
        let taken = Set(names.matches(of: /(?:protocol|struct) ([A-Za-z]+)/).map { String($0.output.1) })
            .union(Self.foundation).union(Self.testing).union(Self.others)
        #expect(taken.count > 80)
        for module in ["ChatDomain", "ChatEffects", "ChatTesting"] {
            let interface = try String(
                contentsOf: Repository.root / "Docs/Interface/\(module).txt", encoding: .utf8)
            let pattern = /^public (?:final )?(?:struct|enum|protocol|actor|class|typealias) ([A-Za-z]+)/
            for line in interface.split(separator: "\n") {
                guard let name = line.firstMatch(of: pattern)?.output.1 else { continue }
                #expect(!taken.contains(String(name)), "\(name)")
            }
        }
    }

    /// Names of Foundation that a library for messages, files and time could be tempted to use.
    static let foundation: Set<String> = [
        "Bundle", "Calendar", "Data", "Date", "DateInterval", "Decimal", "Dimension", "Formatter", "Host",
        "Locale",
        "Measurement", "Notification", "Operation", "Pipe", "Port", "Process", "Progress", "Scanner",
        "Stream",
        "Thread", "TimeInterval", "TimeZone", "Timer", "Unit", "UUID", "URL",
    ]

    /// Names of Combine, FoundationModels, Observation and StoreKit that a library for chats could be tempted to use.
    static let others: Set<String> = [
        "Cancellable", "Future", "GenerationOptions", "Instructions", "Just", "LanguageModelSession",
        "Message",
        "Observable", "ObservationRegistrar", "Product", "Prompt", "Publisher", "Record", "Subject", "Tool",
        "Transaction", "Transcript",
    ]

    /// The public names of Swift Testing: the tests of an app import it beside this library.
    static let testing: Set<String> = [
        "Attachable", "Attachment", "Backtrace", "Bug", "Comment", "ConditionTrait", "Confirmation",
        "ExitTest", "Issue", "KnownIssueMatcher", "ParallelizationTrait", "SourceLocation", "Suite", "Tag",
        "Test", "TestScoping", "TestTrait", "TimeLimitTrait", "Trait",
    ]
}

/// The reader of sources. It has its patterns once, because each occurrence of a literal parses it anew.
struct Interface {
    private let aCase = #/(?:indirect )?case /#
    private let requirement = #/(?:static |mutating )*(?:func|var|init|associatedtype|subscript)\b/#
    private let type = #/(?:[a-z]+ )*(struct|enum|class|actor|protocol|extension) ([A-Za-z][A-Za-z.]*)/#
    private let attributes = #/(?:@[A-Za-z_]+(?:\([^)]*\))?\s*)+/#
    private let variable = #/(?:[a-z()]+ )*(?:var|subscript)\b/#
    private let setter = #/(?:@[A-Za-z_()]+ )*(?:mutating |nonmutating )?(?:set|_modify)\b/#

    /// A type or extension that lines stand in.
    private struct Scope {
        let indentation: Int
        let name: String
        /// What stands directly in it and is as public as it is itself.
        let members: Members
    }

    private enum Members {
        case none, cases, requirements

        /// Those of a public type of this kind.
        init(ofPublic kind: Substring) {
            switch kind {
            case "enum": self = .cases
            case "protocol": self = .requirements
            default: self = .none
            }
        }
    }

    private func contains(_ members: Members, _ text: Substring) -> Bool {
        switch members {
        case .none: false
        case .cases: text.prefixMatch(of: aCase) != nil
        case .requirements: text.prefixMatch(of: requirement) != nil
        }
    }

    /// The public declarations of a source, each behind the names of the types that it stands in.
    func declarations(in source: String) -> [String] {
        var found: [String] = []
        var scopes: [Scope] = []
        var open = ""
        let lines = source.split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            let text = declaration(line.dropFirst(indentation))
            let rest = lines[(number + 1)...]
            if !open.isEmpty {
                open += (open.hasSuffix("(") || text.hasPrefix(")") ? "" : " ") + signature(text)
                if isWhole(open, before: rest) { (found, open) = (found + [open], "") }
                continue
            }
            if text.isEmpty || ["//", "}", ">", "{", "where"].contains(where: { text.hasPrefix($0) }) {
                continue
            }
            scopes.removeAll { $0.indentation >= indentation }
            let isMember = scopes.last.map {
                $0.indentation + 4 == indentation && contains($0.members, text)
            }
            let isPublic = text.hasPrefix("public ") || isMember == true
            if isPublic {
                let scope = scopes.map(\.name).joined(separator: ".")
                let declaration = (scope.isEmpty ? "" : scope + " · ") + signature(text)
                if isWhole(declaration, before: rest) {
                    found.append(declaration + accessors(of: text, at: indentation, before: rest))
                } else {
                    open = declaration
                }
            }
            if let match = text.prefixMatch(of: type)?.output {
                scopes.append(
                    Scope(
                        indentation: indentation, name: String(match.2),
                        members: isPublic ? Members(ofPublic: match.1) : .none))
            }
        }
        return found
    }

    /// The line without the attributes that it begins with: `@inlinable public var` is as public as `public var`.
    private func declaration(_ line: Substring) -> Substring {
        guard line.hasPrefix("@") else { return line }
        return line.trimmingPrefix(attributes)
    }

    /// A declaration is whole when each parenthesis and angle bracket of it is closed, and no result follows.
    private func isWhole(_ declaration: String, before rest: ArraySlice<Substring>) -> Bool {
        let next = rest.first?.drop { $0 == " " } ?? ""
        return declaration.count { $0 == "(" } == declaration.count { $0 == ")" }
            && !declaration.hasSuffix("<") && !declaration.hasSuffix(",") && !next.hasPrefix("-> ")
    }

    /// Whether what is computed can only be read, or also be set; nothing for what is stored.
    private func accessors(of text: Substring, at indentation: Int, before rest: ArraySlice<Substring>)
        -> String
    {
        guard text.prefixMatch(of: variable) != nil, let body = bodyStart(of: text) else { return "" }
        if text[body...].hasPrefix(" { get") { return String(text[body...]) }
        let inner = rest.prefix { $0.prefix { $0 == " " }.count > indentation }
        let isSet = inner.contains { line in line.drop { $0 == " " }.prefixMatch(of: setter) != nil }
        return isSet ? " { get set }" : " { get }"
    }

    /// The line as far as it declares: without its body and its comment.
    private func signature(_ text: Substring) -> String {
        var signature = text
        if let comment = signature.range(of: "  //") { signature = signature[..<comment.lowerBound] }
        if let body = bodyStart(of: signature) { signature = signature[..<body] }
        return signature.trimmingCharacters(in: .whitespaces)
    }

    /// Where the body of a declaration begins: at the first brace outside a text.
    private func bodyStart(of text: Substring) -> Substring.Index? {
        var isText = false
        for index in text.indices {
            if text[index] == "\"" { isText.toggle() }
            if !isText, text[index...].hasPrefix(" {") { return index }
        }
        return nil
    }
}
