// The program as a process without a terminal: what it writes to which stream, and its exit status.

import ChatEffects
import Foundation

@testable import chat

/// A run of the program with pipes.
final class ProgramRun {
    /// Why a run could not be tested.
    struct Failure: Error { let reason: String }

    private let process = Process()
    private let input = Pipe()
    private let outputs = (out: Pipe(), error: Pipe())
    private let ended = DispatchSemaphore(value: 0)
    private let written = (out: Locked(Data()), error: Locked(Data()))
    /// Left by each output at its end.
    private let outputsEnded = DispatchGroup()

    /// Starts the program, perhaps by a line of the shell, in which it is "$0" with the arguments "$@". Nothing of the
    /// tests' own environment reaches it.
    init(_ arguments: [String], environment: [String: String] = [:], shell: String? = nil) throws {
        // The program lies beside the tests.
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "chat")
        process.executableURL = shell == nil ? program : URL(fileURLWithPath: "/bin/sh")
        process.arguments = shell.map { ["-c", $0, program.path] + arguments } ?? arguments
        process.environment = ["HOME": "/nonexistent"].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = outputs.out
        process.standardError = outputs.error
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        read(outputs.out, into: written.out)
        read(outputs.error, into: written.error)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Reads an output to its end on a thread of its own. A handler of the system ends the tests now and then
    /// (libdispatch, issue 949).
    private func read(_ pipe: Pipe, into written: Locked<Data>) {
        let handle = pipe.fileHandleForReading
        outputsEnded.enter()
        Thread.detachNewThread { [outputsEnded] in
            while case let piece = handle.availableData, !piece.isEmpty { written.withLock { $0 += piece } }
            outputsEnded.leave()
        }
    }

    /// What it has written to standard output.
    var out: String { String(decoding: written.out.withLock { $0 }, as: UTF8.self) }

    /// What it has written to standard error.
    var error: String { String(decoding: written.error.withLock { $0 }, as: UTF8.self) }

    /// Writes lines, and ends the input.
    func type(_ lines: String...) { type(lines) }

    /// Writes lines, and ends the input.
    func type(_ lines: [String]) {
        input.fileHandleForWriting.write(Data(lines.map { $0 + "\n" }.joined().utf8))
        closeInput()
    }

    func closeInput() { try? input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for a text on standard output.
    func wait(for text: String) async throws {
        guard try await happens({ out.contains(text) }) else {
            throw Failure(reason: "no \(text.debugDescription) in \(out.debugDescription)\(error)")
        }
    }

    /// Waits for the end and for everything that was written, and returns the exit status that a shell would tell.
    func end() async throws -> Int32 {
        guard try await happens({ ended.wait(timeout: .now()) == .success }),
            try await happens({ outputsEnded.wait(timeout: .now()) == .success })
        else { throw Failure(reason: "no end after \(out.debugDescription)\(error)") }
        return process.terminationReason == .exit
            ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Looks every 2 ms, for 20 s at most; other tests run between.
    private func happens(_ event: () -> Bool) async throws -> Bool {
        for _ in 0..<10_000 {
            if event() { return true }
            try await Task.sleep(for: .milliseconds(2))
        }
        return false
    }
}
