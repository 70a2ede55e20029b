// Runs a program until it ends or its time is over. Each runs in a session of its own, so that what it has started, and
// what that has started, is found by the session and ends with it. Start at `Shell.run`.

import Dispatch
import Foundation
import Synchronization

/// How a program ended.
enum End: Equatable, Sendable {
    case quiet
    case failed
    case crashed
    case tookTooLong

    /// What the document adds to the name of what caught a bug.
    var remark: String {
        switch self {
        case .quiet, .failed: ""
        case .crashed: Self.crash
        case .tookTooLong: Self.silence
        }
    }

    static let (crash, silence) = (" (crash)", " (takes too long)")
}

/// A run of a program.
struct Run: Sendable {
    let end: End
    /// The processor's seconds, of all threads. On a machine that others use too, they say more than those that passed.
    let seconds: Double
    let passed: Double
}

enum Shell {
    /// POSIX_SPAWN_SETSID of glibc, whose headers show it to GNU programs alone.
    private static let newSession: Int16 = 0x80

    private static let running = Mutex<Set<pid_t>>([])

    /// Ends what runs when this process is told to end: what has a session of its own does not hear ^C.
    static func endsWithUs() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                running.withLock { sessions in
                    for session in sessions { endSession(session) }
                    exit(128 + number)
                }
            }
            source.resume()
            return source
        }
    }

    /// Runs a program beside others. What it says is thrown away unless it is to be shown.
    static func run(
        _ program: String, _ arguments: [String], mutant: Int = 0, isShown: Bool = false,
        limit: Double
    ) async throws -> Run {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own, because it waits.
            Thread {
                continuation.resume(
                    with: Result {
                        try wait(
                            for: start(program, arguments, mutant, isShown: isShown), limit: limit
                        )
                    })
            }.start()
        }
    }

    private static func start(
        _ program: String, _ arguments: [String], _ mutant: Int, isShown: Bool
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, newSession)
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&files)
        }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if !isShown {
            for output in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0)
            }
        }
        let variables = ProcessInfo.processInfo.environment
            .merging(["MUTANT": "\(mutant)", "CHAT_THOROUGH": "1"]) { $1 }
        var (words, environment) = (
            ([program] + arguments).map { strdup($0) } + [nil],
            variables.map { strdup("\($0)=\($1)") } + [nil]
        )
        defer { for word in words + environment { free(word) } }
        var process = pid_t()
        let status = posix_spawnp(&process, program, &files, &attributes, &words, &environment)
        guard status == 0 else { throw Problem("\(program): \(String(cString: strerror(status)))") }
        return process
    }

    private static func wait(for process: pid_t, limit: Double) -> Run {
        let start = DispatchTime.now().uptimeNanoseconds
        running.withLock { _ = $0.insert(process) }
        var (status, usage, passed, isOver): (Int32, rusage, Double, Bool) = (0, rusage(), 0, false)
        while wait4(process, &status, isOver ? 0 : WNOHANG, &usage) == 0 {
            passed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            isOver = passed > limit
            if isOver { kill(process, SIGKILL) } else { usleep(5_000) }
        }
        endSession(process)
        running.withLock { _ = $0.remove(process) }
        // The low seven bits are the signal, and the byte above them is what the program said.
        let end: End =
            isOver ? .tookTooLong : status & 0x7F != 0 ? .crashed : status == 0 ? .quiet : .failed
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
        return Run(end: end, seconds: seconds, passed: passed)
    }

    /// Ends what a program has left behind. The sixth field of a process's line is its session.
    private static func endSession(_ session: pid_t) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in names.compactMap({ pid_t($0) }) {
            // The name, which may have spaces in it, stands in parentheses.
            guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let name = line.lastIndex(of: ")")
            else { continue }
            let fields = line[line.index(after: name)...].split(separator: " ")
            if fields.count > 3, fields[3] == "\(session)" { kill(process, SIGKILL) }
        }
    }
}

/// Says a line at once, also to a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
