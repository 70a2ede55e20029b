// The program as a process with pipes: the environment and the streams that its parent gives it.

import ChatTesting
import Foundation
import Testing

@testable import chat

@Suite("Program: as a process without a terminal", .prompt)
struct StandardStreamsTests {
    @Test("the records, and a file after ~, are in the folder that HOME names", .timeLimit(.minutes(10)))
    func home() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let run = try ProgramRun([], environment: ["HOME": home.path])
        run.type("Ada", "/attach ~/x.txt")
        #expect(try await run.end() == 1)
        #expect(run.out.contains("There is no file “\(home.path)/x.txt”."))
        #expect(FileManager.default.fileExists(atPath: home.path + "/.local/state/chat"))
    }

    @Test(
        "a file that the program opens does not take the place of a standard stream that is closed",
        .timeLimit(.minutes(10)), arguments: [">&-", "2>&-", "<&- >&- 2>&-"])
    func closed(_ redirection: String) async throws {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".jsonl"
        defer { unlink(path) }
        let run = try ProgramRun(
            ["--instant", "--record", path], shell: #"printf 'Ada\n' | "$0" "$@" \#(redirection)"#)
        run.closeInput()
        #expect(try await run.end() == 0)
        let recording = try RecordingFile.read(path).recording
        #expect(recording.problem == nil && !recording.steps.isEmpty)
    }
}
