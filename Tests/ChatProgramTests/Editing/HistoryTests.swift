// The lines typed before: the way through them, the search, and the file that keeps them.

import ChatDomain
import Foundation
import Testing

@testable import chat

@Suite("Program: the history")
struct HistoryTests {
    private func editor(_ keys: String, _ lines: [String]) -> LineEditor {
        var editor = LineEditor()
        editor.history = History(lines)
        _ = editor.take(Array(keys.utf8))
        _ = editor.afterPause()
        return editor
    }

    @Test("Up and Down go through the lines, and what was typed is where it was")
    func walking() {
        let lines = ["one", "/delete 2", "three"]
        #expect(editor("\u{1B}[A", lines).text == "three")
        #expect(editor("\u{1B}[A\u{1B}OA\u{10}", lines).text == "one")
        #expect(editor("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A", lines).text == "one")
        #expect(editor("dra\u{1B}[A\u{1B}[A\u{1B}[B\u{1B}[Bft", lines).text == "draft")
        #expect(editor("draft\u{1B}[B", lines).text == "draft")
        // A line that was changed on the way is so when one comes back to it.
        #expect(editor("\u{1B}[A!\u{1B}[A\u{1B}[B", lines).text == "three!")
    }

    @Test("a line of the history is no draft, what was typed before it is; a changed one is")
    func draft() {
        #expect(editor("half\u{1B}[A", ["old"]).draft == "half")
        #expect(editor("half\u{1B}[A!", ["old"]).draft == "old!")
        #expect(editor("half\u{12}o", ["old"]).draft == "half")
        #expect(editor("half\u{1B}[A\u{12}o", ["old"]).draft == "half")
        #expect(editor("half", ["old"]).draft == "half")
    }

    @Test("text typed before a changed line of the history would be lost with it too")
    func unsubmitted() {
        #expect(editor("half\u{1B}[A", ["old"]).unsubmitted == "half")
        #expect(editor("half\u{1B}[A!", ["old"]).unsubmitted == "half\nold!")
        #expect(editor("half\u{1B}[A!\u{12}o", ["old"]).unsubmitted == "half\nold!")
        #expect(editor("\u{1B}[A!", ["old"]).unsubmitted == "old!")
        #expect(editor("/half", ["old"]).unsubmitted == "/half")
    }

    @Test("Enter on the way gives the line, and what was typed before it stands in the line again")
    func submitting() {
        for keys in ["half\u{1B}[A", "half\u{12}o\r"] {
            var walking = editor(keys, ["old"])
            #expect(walking.take(Array("\r!".utf8)) == [.submitted("old", beside: "half"), .edited])
            #expect(walking.text == "half!" && walking.draft == "half!")
        }
        var back = editor("half\u{1B}[A\u{1B}[B", ["old"])
        #expect(back.take([0x0D]) == [.submitted("half")])
        #expect(back.text.isEmpty)
    }

    @Test("^R finds a line by a part of it, older ones with each ^R; Enter takes it and sends nothing")
    func searching() {
        let lines = ["make tea", "/show 3", "make coffee", "other"]
        #expect(editor("\u{12}ma", lines).text == "make coffee")
        #expect(editor("\u{12}ma", lines).search?.prompt == "search “ma”: ")
        #expect(editor("\u{12}ma\u{12}", lines).text == "make tea")
        let failed = editor("\u{12}ma\u{12}\u{12}", lines)
        #expect(failed.text == "make tea" && failed.search?.prompt == "no “ma”: ")
        #expect(editor("\u{12}make t\u{7F}\u{7F}", lines).text == "make coffee")
        var taken = editor("\u{12}show", lines)
        #expect(taken.take([0x0D]) == [.edited])
        #expect(taken.text == "/show 3" && taken.search == nil)
        #expect(taken.take([0x0D]) == [.submitted("/show 3")])
    }

    @Test(
        "Esc, ^G and ^C leave the search and what was typed as it was; another key takes what was found",
        arguments: ["\u{1B}", "\u{7}", "\u{3}"])
    func leavingSearch(_ key: String) {
        let left = editor("ha\u{1B}[Dlf\u{12}ma\(key)", ["make"])
        #expect(left.text == "hlfa" && left.cursor == 3 && left.search == nil)
        #expect(editor("half\u{12}ma\u{1B}[Hx", ["make"]).text == "xmake")
        #expect(editor("half\u{12}ma\u{1B}[B", ["make"]).text == "half")
        #expect(editor("half\u{12}", []).search == nil)
    }

    @Test(
        "when the person changes in the middle of the way, what was typed is left, and the way is that of the new lines"
    )
    func changing() {
        for keys in ["half\u{1B}[A\u{1B}[A", "half\u{12}on"] {
            var walking = editor(keys, ["one", "two"])
            walking.history = History()
            #expect(walking.text == "half" && walking.search == nil)
            _ = walking.take(Array("\u{1B}[A\u{1B}[B\u{1B}[B\u{10}\u{10}!".utf8))
            #expect(walking.text == "half!")
        }
    }

    @Test("kept are lines that say something new and are no documents; a blank before a line keeps it out")
    func kept() {
        var history = History(["a", "a", "", "  ", " secret", "b", "a"])
        #expect(history.lines == ["a", "b", "a"])
        let isAdded = history.add(String(repeating: "x", count: History.longest + 1))
        #expect(!isAdded)
        for number in 0..<(History.limit + 5) { history.add("\(number)") }
        #expect(history.lines.count == History.limit && history.lines.last == "1004")
    }

    @Test("a line stands in the file as one line, whatever is in it, and comes back as it was")
    func coding() {
        for line in ["one", "a\nb", "a\\nb", "\\", "日本\n\n語", "/edit 3 x"] {
            let encoded = History.encode(line)
            #expect(encoded.filter { $0 == "\n" }.count == 1)
            #expect(History.decode(Array(encoded.utf8)) == [line])
        }
    }

    @Test("a damaged file gives the lines that are whole, and nothing that could move a cursor")
    func damaged() {
        let bytes =
            Array("one\n".utf8) + [0xFF, 0xFE, 0x0A] + Array("t\u{1B}[2Jwo\n\n\u{202E}three".utf8)
        #expect(History.decode(bytes) == ["one", "t[2Jwo", "three"])
        var entropy = Entropy.seeded(3)
        for _ in 0..<200 {
            let noise = (0..<200).map { _ in UInt8(truncatingIfNeeded: entropy.next()) }
            for line in History.decode(noise) { #expect(Line.clean(line) == line) }
        }
    }
}

@Suite("Program: what is kept of a person")
struct PersonalFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private var files: PersonalFiles { PersonalFiles(state: folder.path) }
    private let ada = UserID("ada")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private var historyPath: String { folder.path + "/terminal/ada.history" }

    @Test("the history is a file of its owner alone, one for each person, and is found by the next run")
    func owner() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        files.add("one\ntwo", of: ada)
        files.add("/show", of: ada)
        #expect(files.history(of: ada).lines == ["one\ntwo", "/show"])
        #expect(files.history(of: "bob").lines.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: historyPath)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: historyPath)
        files.add("more", of: ada)
        let mended = try FileManager.default.attributesOfItem(atPath: historyPath)[.posixPermissions] as? Int
        #expect(mended == 0o600)
        files.keep(name: "Ada", of: ada)
        #expect(files.name(of: ada) == "Ada")
        files.erase(ada)
        #expect(files.history(of: ada).lines.isEmpty && files.name(of: ada) == nil)
    }

    @Test("a line behind one that was cut is a line of its own")
    func cut() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        files.add("one", of: ada)
        let file = try #require(FileHandle(forWritingAtPath: historyPath))
        try file.seekToEnd()
        try file.write(contentsOf: Data("half".utf8))
        try file.close()
        files.add("two", of: ada)
        #expect(files.history(of: ada).lines == ["one", "half", "two"])
    }

    @Test("a file that is too large is read from its end, and made small")
    func large() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        files.add("first", of: ada)
        let many = (0..<200_000).map { "line \($0)\n" }.joined()
        try Data(many.utf8).write(to: URL(fileURLWithPath: historyPath))
        #expect(files.history(of: ada).lines.last == "line 199999")
        let size = try FileManager.default.attributesOfItem(atPath: historyPath)[.size] as? Int
        #expect(size ?? .max < 20_000)
        #expect(files.history(of: ada).lines.count == History.limit)
    }

    @Test("an object that is no file, or cannot be written, is left alone")
    func strange() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/terminal", withIntermediateDirectories: true)
        // A pipe would block whoever opens it.
        #expect(mkfifo(historyPath, 0o600) == 0)
        files.add("lost", of: ada)
        #expect(files.history(of: ada).lines.isEmpty)
        let target = folder.path + "/elsewhere"
        try Data("mine\n".utf8).write(to: URL(fileURLWithPath: target))
        unlink(historyPath)
        symlink(target, historyPath)
        files.add("lost", of: ada)
        #expect(files.history(of: ada).lines.isEmpty)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine\n")
        let nowhere = PersonalFiles(state: "/dev/null")
        nowhere.add("lost", of: ada)
        nowhere.keep(name: "Ada", of: ada)
        #expect(nowhere.history(of: ada).lines.isEmpty && nowhere.name(of: ada) == nil)
    }
}
