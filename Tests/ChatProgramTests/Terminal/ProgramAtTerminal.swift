// The program itself, as a process at a pseudo-terminal: what no value can show, such as the modes of the
// terminal, the signals, and the exit status.

import Foundation

@testable import chat

#if os(Linux)
    /// A run of the program at a pseudo-terminal.
    final class ProgramAtTerminal {
        /// Why a run could not be tested.
        struct Failure: Error { let reason: String }

        private let process = Process()
        private let ended = DispatchSemaphore(value: 0)
        private let near: Int32
        private let far: Int32
        /// What the program has written, without carriage returns.
        private(set) var output = ""
        /// The modes of the terminal before the program.
        let modes: termios

        init(
            _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, terminal name: String = "xterm"
        ) throws {
            near = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (number, lock): (UInt32, Int32) = (0, 0)
            // Glibc's module has no functions for these; the numbers are TIOCGPTN and TIOCSPTLCK (ioctl_tty).
            guard near >= 0, ioctl(near, 0x8004_5430, &number) == 0, ioctl(near, 0x4004_5431, &lock) == 0
            else {
                throw Failure(reason: "there is no pseudo-terminal")
            }
            far = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(far, UInt(TIOCSWINSZ), &size)
            var modes = termios()
            tcgetattr(far, &modes)
            self.modes = modes
            // The program lies beside the tests.
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "chat")
            process.arguments = arguments
            process.environment = ["TERM": name, "HOME": "/nonexistent"]
            let terminal = FileHandle(fileDescriptor: far, closeOnDealloc: false)
            process.standardInput = terminal
            process.standardOutput = terminal
            process.standardError = terminal
            process.terminationHandler = { [ended] _ in ended.signal() }
            try process.run()
        }

        deinit {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            close(near)
            close(far)
        }

        /// Writes keys.
        func press(_ keys: String) {
            let bytes = Array(keys.utf8)
            _ = write(near, bytes, bytes.count)
        }

        /// Reads until a text has been written. Throws when that takes too long.
        func wait(for text: String) async throws {
            while !output.contains(text) {
                guard try await happens({ isReadable }) else {
                    throw Failure(reason: "no \(text.debugDescription) in \(output.debugDescription)")
                }
                let bytes = StandardInput.read(atMost: 65_536, from: near).filter { $0 != 0x0D }
                output += String(decoding: bytes, as: UTF8.self)
            }
        }

        /// Reads what follows from here on.
        func forget() { output = "" }

        /// Gives the window another width. The system tells the programs of the terminal's own session alone.
        func resize(columns: UInt16) {
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(near, UInt(TIOCSWINSZ), &size)
        }

        /// Lets the terminal take no output, as ^S does.
        func holdOutput() { tcflow(far, TCOOFF) }

        func signal(_ number: Int32) { kill(process.processIdentifier, number) }

        /// Takes the terminal away.
        func hangUp() {
            // Both ends: the tests' own end of the terminal keeps it alive.
            dup2(open("/dev/null", O_RDWR), far)
            dup2(open("/dev/null", O_RDWR), near)
        }

        /// Waits for the end, and returns the exit status that a shell would tell. Throws when that takes too long.
        func end() async throws -> Int32 {
            guard try await happens({ ended.wait(timeout: .now()) == .success }) else {
                throw Failure(reason: "no end after \(output.debugDescription)")
            }
            return process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus
        }

        private var isReadable: Bool {
            var poll = pollfd(fd: near, events: Int16(POLLIN), revents: 0)
            return Foundation.poll(&poll, 1, 0) == 1
        }

        /// Looks every 2 ms, for 20 s at most; other tests run between.
        private func happens(_ event: () -> Bool) async throws -> Bool {
            for _ in 0..<10_000 {
                if event() { return true }
                try await Task.sleep(for: .milliseconds(2))
            }
            return false
        }

        /// The modes of the terminal now.
        var currentModes: termios {
            var modes = termios()
            tcgetattr(far, &modes)
            return modes
        }

        /// Whether the terminal is as it was before the program.
        var isRestored: Bool {
            let now = currentModes
            return now.c_lflag == modes.c_lflag && now.c_iflag == modes.c_iflag
                && now.c_oflag == modes.c_oflag
        }
    }
#endif
