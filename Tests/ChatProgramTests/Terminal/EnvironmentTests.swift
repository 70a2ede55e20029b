// The program as a process with pipes: the environment that its parent gives it.

import Foundation
import Testing

@Suite("Program: as a process without a terminal", .prompt)
struct EnvironmentTests {
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
}
