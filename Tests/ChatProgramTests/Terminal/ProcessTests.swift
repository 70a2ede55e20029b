// The program as a process at a pseudo-terminal. It runs on the system's clock, so there are few of these tests: what
// they show of keys and rows is shown elsewhere.

import Foundation
import Testing

@testable import chat

#if os(Linux)
    @Suite("Program: as a process at a terminal", .prompt)
    struct ProcessTests {
        private func program(_ arguments: String...) throws -> (ProgramAtTerminal, folder: URL) {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            return (try ProgramAtTerminal(["--state", folder.path] + arguments), folder)
        }

        @Test(
            "a signal ends the program as ^C does, with the status that shells expect, and the terminal is as before",
            arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT], [false, true])
        func signals(_ signal: Int32, _ isPlain: Bool) async throws {
            let (program, folder) = isPlain ? try program("--plain") : try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            #expect(!program.isRestored)
            program.signal(signal)
            #expect(try await program.end() == 128 + signal)
            #expect(program.isRestored)
            try await program.wait(for: "\u{1B}[?2004l")
        }

        @Test(
            "a signal ends it within 10 s also when the terminal takes no output", arguments: [false, true])
        func blocked(_ isPlain: Bool) async throws {
            let (program, folder) = isPlain ? try program("--plain") : try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            program.holdOutput()
            program.press("Ada")
            program.signal(SIGTERM)
            #expect(try await program.end() == 128 + SIGTERM)
            #expect(program.isRestored)
        }

        @Test(
            "^C, ^D and /quit end it, each with its status",
            arguments: [("\u{3}", 130), ("\u{4}", 0), ("/quit\r", 0)])
        func keys(_ keys: String, _ status: Int32) async throws {
            let (program, folder) = try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            program.press(keys)
            #expect(try await program.end() == status)
            #expect(program.isRestored)
        }

        @Test(
            "a terminal that goes away ends it, and what was typed is there again", arguments: [false, true])
        func hangUp(_ isPlain: Bool) async throws {
            let (program, folder) = isPlain ? try program("--plain") : try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            program.press("Ada\r")
            try await program.wait(for: "* Connected.")
            program.press("half a thought")
            try await program.wait(for: "thought")
            program.hangUp()
            #expect(try await program.end() == 129)
            let again = try ProgramAtTerminal(["--state", folder.path])
            try await again.wait(for: "half a thought")
            again.press("\u{3}")
            #expect(try await again.end() == 130)
        }

        @Test("lines are kept for the next run in a file of the owner alone, and the name is none of them")
        func history() async throws {
            let (program, folder) = try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            program.press("Ada\r")
            try await program.wait(for: "Signed in as")
            program.press("Hello\r/show 1\r hidden\r/quit\r")
            #expect(try await program.end() == 0)
            let path = folder.path + "/terminal/ada.history"
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "Hello\n/show 1\n/quit\n")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try ProgramAtTerminal(["--state", folder.path])
            try await again.wait(for: "Signed in as Ada.")
            again.press("\u{1B}[A\u{1B}[A\u{1B}[A")
            try await again.wait(for: "> \u{1B}[0mHello")
            again.press("\u{3}")
            #expect(try await again.end() == 130)
        }

        @Test("line by line the kernel echoes nothing, and the line that is typed stays whole")
        func plain() async throws {
            let (program, folder) = try program("--plain")
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            #expect(program.currentModes.c_lflag & tcflag_t(ECHO) == 0)
            program.press("Ada\r")
            try await program.wait(for: "* Connected.")
            // The reply comes above what is typed meanwhile.
            program.press("Hello\rhalf")
            try await program.wait(for: "You said: Hello\nhalf")
            program.press("\u{15}/quit\r")
            #expect(try await program.end() == 0)
            #expect(!program.output.contains("\u{1B}[1m"))
        }

        @Test("a terminal that can do nothing but lines gets no sequence")
        func dumb() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            let program = try ProgramAtTerminal(["--state", folder.path], terminal: "dumb")
            try await program.wait(for: "Your name:")
            program.press("/quit\r")
            #expect(try await program.end() == 0)
            try await program.wait(for: "/quit\n")
            #expect(!program.output.contains("\u{1B}"), "\(program.output.debugDescription)")
        }

        @Test(
            "on virtual time, too, a typing error that a person has seen does not change the status",
            arguments: ["/quit\n", "\u{4}"])
        func typingError(_ ending: String) async throws {
            let program = try ProgramAtTerminal(["--instant"])
            program.press("Ada\n/discrad\n")
            try await program.wait(for: "There is no command /discrad")
            program.press(ending)
            #expect(try await program.end() == 0)
        }

        @Test(
            "the chat goes on without a recording whose reader ends, and says so",
            arguments: [[], ["--plain"]])
        func recordingWithoutReader(_ more: [String]) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            let pipe = folder.path + ".pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            defer {
                unlink(pipe)
                try? FileManager.default.removeItem(at: folder)
            }
            let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            let arguments = ["--state", folder.path, "--record", pipe] + more
            let program = try ProgramAtTerminal(arguments, columns: 200)
            try await program.wait(for: "Your name:")
            close(reader)
            program.press("Ada\r")
            try await program.wait(for: "ends here: Broken pipe")
            try await program.wait(for: "* Connected.")
            program.press("/quit\r")
            #expect(try await program.end() == 0)
            #expect(program.isRestored)
        }

        @Test("the progress of a search is one row, in any window, and is gone when its result comes")
        func progress() async throws {
            let program = try ProgramAtTerminal(["explore", "pairing", "--states", "100"], columns: 20)
            try await program.wait(for: "transitions a second")
            let rows = program.output.components(separatedBy: "\u{1B}[K")
            #expect(rows.count > 2 && rows.dropLast().allSatisfy { $0.count < 20 }, "\(rows)")
            #expect(rows.contains("pairing: 100 states"))
            #expect(rows.last?.hasPrefix("pairing: 100 states, ") == true)
            #expect(try await program.end() == 0)
        }

        @Test("^C stops a simulation within a run, which is then none of the seeds that are told")
        func simulation() async throws {
            let program = try ProgramAtTerminal(["simulate", "--runs", "2", "--hours", "2000"])
            try await program.wait(for: "0 of 2 runs, 0 steps")
            program.signal(SIGINT)
            #expect(try await program.end() == 0)
            try await program.wait(for: "no seeds: 0 runs, 0 steps\n")
        }

        @Test("SIGWINCH has all drawn for the new size, and a stopped program draws again when it goes on")
        func redraw() async throws {
            let (program, folder) = try program()
            defer { try? FileManager.default.removeItem(at: folder) }
            try await program.wait(for: "Your name:")
            program.press("Ad")
            try await program.wait(for: "Ad")
            program.forget()
            program.resize(columns: 12)
            program.signal(SIGWINCH)
            // The last column stays free, so what is typed stands below.
            try await program.wait(for: "Your name: \u{1B}[0m\u{1B}[K\nAd")
            program.forget()
            program.signal(SIGCONT)
            try await program.wait(for: "Your name: ")
            #expect(!program.isRestored)
            program.press("\u{3}")
            #expect(try await program.end() == 130)
        }
    }
#endif
