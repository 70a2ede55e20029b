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
    private let written = Locked((out: "", error: ""))

    /// Starts the program. Nothing of the tests' own environment reaches it.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        // The program lies beside the tests.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "chat")
        process.arguments = arguments
        process.environment = ["HOME": "/nonexistent"].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = outputs.out
        process.standardError = outputs.error
        process.terminationHandler = { [ended] _ in ended.signal() }
        outputs.out.fileHandleForReading.readabilityHandler = { [written] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            written.withLock { $0.out += text }
        }
        outputs.error.fileHandleForReading.readabilityHandler = { [written] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            written.withLock { $0.error += text }
        }
        try process.run()
    }

    deinit {
        outputs.out.fileHandleForReading.readabilityHandler = nil
        outputs.error.fileHandleForReading.readabilityHandler = nil
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What it has written to standard output.
    var out: String { written.withLock { $0.out } }

    /// What it has written to standard error.
    var error: String { written.withLock { $0.error } }

    /// Writes lines, and ends the input.
    func type(_ lines: String...) {
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
        guard try await happens({ ended.wait(timeout: .now()) == .success }) else {
            throw Failure(reason: "no end after \(out.debugDescription)\(error)")
        }
        // The last bytes may still be in the pipes.
        for pipe in [outputs.out, outputs.error] { pipe.fileHandleForReading.readabilityHandler = nil }
        let rest = (
            out: outputs.out.fileHandleForReading.readDataToEndOfFile(),
            error: outputs.error.fileHandleForReading.readDataToEndOfFile()
        )
        written.withLock {
            $0.out += String(decoding: rest.out, as: UTF8.self)
            $0.error += String(decoding: rest.error, as: UTF8.self)
        }
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
