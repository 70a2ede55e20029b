// The terminal program. Start here: it parses its options, opens the store, and starts one of three ways of running the
// chat: on virtual time, line by line, or on a terminal. Situation.swift maps a line of input to steps, and
// Narrator.swift produces the output; neither depends on a terminal.

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation

@main
struct Program {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let status = await Tool.run(arguments) { exit(status) }
        let options: Options
        let recording: RecordingFile?
        do throws(UsageError) {
            options = try Options.parse(arguments)
            recording = try options.command == .help ? nil : options.recording.map(RecordingFile.init)
        } catch {
            complain("chat: \(error.message); chat --help lists the options")
            exit(2)
        }
        if options.command == .help {
            StandardOutput.write(Options.help + "\n")
            return
        }
        let environment = ProcessInfo.processInfo.environment
        switch options.resolvedStorage(environment: environment, home: NSHomeDirectory()) {
        case .memory:
            await run(options, environment, store: MemoryStore(), recording)
        case .folder(let folder):
            do {
                let store = try FileStore(directory: URL(fileURLWithPath: folder))
                await run(options, environment, store: store, recording)
            } catch {
                complain("chat: \(error.description)")
                exit(1)
            }
        }
    }

    private static func run<Store: RecordStore>(
        _ options: Options, _ environment: [String: String], store: sending Store,
        _ recording: sending RecordingFile?
    ) async {
        let loop = Setup.loop(store: store)
        let isTyped = isatty(STDIN_FILENO) == 1
        let isDrawn = isTyped && isatty(STDOUT_FILENO) == 1 && Paint.isCapable(environment: environment)
        if options.isInstant {
            var chat = InstantChat(loop, isTyped: isTyped)
            if let recording { chat.record { recording.write($0) } }
            exit(await chat.run())
        }
        let live: SystemLoop<ClawlineBackend, Store, LocalServer>
        if let recording {
            live = SystemLoop(recording: loop, setup: Setup.recorded.encoded) { recording.write($0) }
        } else {
            live = SystemLoop(loop)
        }
        let status: Int32
        if isDrawn, !options.isPlain, let terminal = Terminal() {
            var chat = TerminalChat(live, terminal, Paint(environment: environment))
            status = await chat.run()
        } else {
            var chat = PlainChat(live, isTyped: isTyped)
            status = await chat.run()
        }
        await live.endRecording()
        exit(status)
    }

    static func complain(_ sentence: String) {
        // If standard error is closed, only the exit status remains.
        _ = StandardOutput.tryToWrite(sentence + "\n", to: STDERR_FILENO)
    }
}
