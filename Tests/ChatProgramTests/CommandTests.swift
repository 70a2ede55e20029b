// What a line means, whatever the state: text, a command with all that it needs, or one sentence about what is
// wrong with it.

import ChatDomain
import Testing

@testable import chat

@Suite("Program: what a line means")
struct CommandTests {
    private func problem(_ line: String) -> String? {
        if case .wrong(let reason) = Input(line) { reason } else { nil }
    }

    @Test("a line is text, a command, or nothing")
    func kinds() {
        #expect(Input("Hello") == .text("Hello"))
        #expect(Input("  /QUIT ") == .command(.quit))
        #expect(Input("//slash") == .text("/slash"))
        #expect(Input(" \t ") == .nothing)
    }

    @Test(
        "a command takes its arguments with it",
        arguments: [
            ("/send", .send(.last)), ("/send 3", .send(.number(3))), ("/retry\t12", .retry(.number(12))),
            ("/edit 3 new  text", .edit(.number(3), text: "new  text")),
            ("/edit new text", .edit(.last, text: "new text")), ("/edit 3", .edit(.number(3), text: nil)),
            ("/edit", .edit(.last, text: nil)), ("/delete 0", .delete(.number(0))),
            ("/show", .show(count: 10)), ("/show 3", .show(count: 3)),
            ("/attach my file.png", .attach(path: "my file.png")),
            ("/suggest", .suggest(.short)), ("/suggest Funny", .suggest(.funny)),
            ("/ask", .ask(nil)), ("/ask what is it?", .ask("what is it?")), ("/example 2", .example(2)),
            ("/approve 4 as grace", .approve(.number(4), as: "grace")),
            ("/approve 4", .approve(.number(4), as: nil)),
            ("/approve Grace Hopper", .approve(.name("Grace Hopper"), as: nil)),
            ("/approve Grace as Such as grace", .approve(.name("Grace as Such"), as: "grace")),
            ("/deny 4", .deny(4, reason: nil)), ("/deny 4 who are you?", .deny(4, reason: "who are you?")),
            ("/wait 90s", .wait(.seconds(90))), ("/wait 250ms", .wait(.milliseconds(250))),
            ("/wait 13h", .wait(.hours(13))), ("/help", .help(nil)), ("/help /send", .help(.verb(.send))),
            ("/help messages", .help(.group(.messages))),
            ("/help files", .help(.group(.files))), ("/help /files", .help(.verb(.files))),
            ("/help keys", .help(.keys)),
            ("/signout", .signOut), ("/dismiss", .dismiss),
        ] as [(String, Command)])
    func arguments(_ line: String, _ command: Command) {
        #expect(Input(line) == .command(command))
    }

    @Test(
        "a missing or wrong option is one line that ends with the right form",
        arguments: [
            "/delete x", "/delete 1 2", "/send -1", "/retry 99999999999999999999", "/quit now", "/attach",
            "/suggest rude", "/approve", "/approve as", "/approve 4 as",
            "/approve 4 as two words",
            "/deny", "/deny Grace", "/example", "/wait", "/wait 5", "/wait 5d", "/wait -5s", "/show ten",
            "/show 0",
        ])
    func wrongArguments(_ line: String) throws {
        let problem = try #require(self.problem(line))
        let verb = try #require(Verb(rawValue: String(line.dropFirst().prefix { $0 != " " })))
        #expect(problem.hasSuffix(" Usage: " + verb.usage))
        #expect(!problem.contains("\n"))
    }

    @Test("a mistyped line does no harm when it is repeated")
    func hostileArguments() {
        #expect(problem("/delete \u{1B}[2J") == "“[2J” is not a number. Usage: /delete [NUMBER]")
        #expect(problem("/\u{1B}[2Jxyzzy")?.contains("\u{1B}") == false)
    }

    @Test(
        "a mistyped command suggests the nearest, a wild one none",
        arguments: [
            ("/hlep", "help"), ("/discrad", "discard"), ("/offl", "offline"), ("/sugest", "suggest"),
            ("/aproove", "approve"),
            ("/signuot", "signout"), ("/sned", "send"), ("/xyzzyxyzzy", nil), ("/usr/bin", nil),
        ] as [(String, String?)])
    func suggestions(_ line: String, _ verb: String?) {
        let suggested = problem(line)?.split(separator: "did you mean /").dropFirst().first
        #expect(suggested.map(String.init) == verb.map { $0 + "?" })
        #expect(editDistance(String(repeating: "a", count: 100_000), "help") == .max)
    }

    @Test("every command is in one group of the help, with a line that fits 80 columns")
    func help() {
        let groups = Verb.Group.allCases
        #expect(groups.flatMap { $0.verbs }.map { $0.rawValue } == Verb.allCases.map { $0.rawValue })
        for topic in [nil, .keys] + groups.map({ Help.Topic.group($0) }) {
            #expect(Help.lines(topic).allSatisfy { Layout.width($0.text) < 80 })
        }
        for verb in Verb.allCases {
            #expect(Help.lines(.verb(verb)).count == 1)
            let pages = groups.filter { group in
                Help.lines(.group(group)).contains { $0.head.hasPrefix("  \(verb.usage) ") }
            }
            #expect(pages.count == 1)
            #expect(Help.lines(nil).contains { "\($0.body) ".contains("/\(verb.rawValue) ") })
        }
        #expect(problem("/help sned") == "There is no command /sned; did you mean /send?")
    }

    @Test("a path is understood as a shell writes it")
    func paths() {
        #expect(FileToAttach.path("~/a b.png", home: "/h") == "/h/a b.png")
        #expect(FileToAttach.path(#"/a\ b\\.png"#, home: "/h") == #"/a b\.png"#)
        #expect(FileToAttach.path("'/a b.png'", home: "/h") == "/a b.png")
        #expect(FileToAttach.path("\"", home: "/h") == "\"")
    }

    @Test("the type of a file follows from its name")
    func types() {
        #expect(FileToAttach.mimeType("photo.JPEG") == "image/jpeg")
        #expect(FileToAttach.mimeType("notes.tar.gz") == "application/gzip")
        #expect(FileToAttach.mimeType("README") == "application/octet-stream")
        #expect(FileToAttach.mimeType(".png") == "application/octet-stream")
    }

    @Test(
        "a size is written in the largest unit of which there is a whole one",
        arguments: [
            (0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 KB"), (9_999, "9.9 KB"), (25_000, "25 KB"),
            (104_857_600, "104 MB"), (.max, "9223372036 GB"),
        ] as [(Int64, String)])
    func sizes(_ count: Int64, _ text: String) {
        #expect(FileSize.text(count) == text)
    }
}

@Suite("Program: the lines of a stream")
struct LineSplitterTests {
    @Test("lines are the same however the bytes are split, and the last needs no end")
    func splitting() {
        let bytes = Array("one\r\ntwo\n\nthré".utf8)
        var whole = LineSplitter()
        #expect(whole.take(bytes) == ["one", "two", ""])
        #expect(whole.end() == "thré")
        #expect(whole.end() == nil)
        var single = LineSplitter()
        #expect(bytes.flatMap { single.take([$0]) } == ["one", "two", ""])
        #expect(single.end() == "thré")
    }

    @Test("a byte order mark before the first line is no part of it, however the bytes are split")
    func byteOrderMark() {
        for (text, lines, last) in [
            ("\u{FEFF}Ada\r\n\u{FEFF}x\n", ["Ada", "\u{FEFF}x"], nil), ("\u{FEFF}\nx", [""], "x"),
            ("\u{FEFF}\u{FEFF}\n", ["\u{FEFF}"], nil), ("\n\u{FEFF}", [""], "\u{FEFF}"),
            ("\u{FEFF}", [], nil),
        ] as [(String, [String], String?)] {
            var whole = LineSplitter()
            #expect(whole.take(Array(text.utf8)) == lines && whole.end() == last)
            var single = LineSplitter()
            #expect(text.utf8.flatMap { single.take([$0]) } == lines && single.end() == last)
        }
    }

    @Test("L8: a line without an end is cut, and what follows it is read")
    func endless() {
        var splitter = LineSplitter()
        for _ in 0..<20 { #expect(splitter.take([UInt8](repeating: 0x61, count: 65_536)) == []) }
        let lines = splitter.take(Array("\nnext\n".utf8))
        #expect(lines.map { $0.utf8.count } == [LineSplitter.limit, 4])
    }
}
