// The terminal program. Start here: it parses its options, opens the store, and starts one of the ways of running the
// chat. Each folder has one purpose, and only Running and Screen know a terminal:
//
// CommandLine  the options, and what they set up
// Commands     a line of input as a command, and its steps in a state (Situation.swift)
// Narration    a change of state as lines (Narrator.swift)
// Editing      the keys of a terminal, the typed line, the earlier lines
// Text         cells and columns
// Markdown     replies as rows that stay where they are while more comes (MessageFlow.swift)
// Screen       rows as output, and the terminal itself
// Running      on virtual time, line by line, or drawn (TerminalChat.swift)
// Serving      the in-process server behind sockets
// Tools        the commands beside the chat

import ChatDomain
import ChatEffects
import ChatTesting
import Foundation

@main
struct Program {
    static func main() async {
        // A recording or standard error whose reader ends must not end the chat, nor leave the terminal changed.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let status = await Tool.run(arguments) { exit(status) }
        let environment = ProcessInfo.processInfo.environment
        let options: Options
        let server: RealServer?
        let recording: RecordingFile?
        do throws(UsageError) {
            options = try Options.parse(arguments)
            if options.command == .chat, let name = options.backend {
                server = try RealServer(options, name, environment: environment)
            } else {
                server = nil
            }
            recording = try options.command == .help ? nil : options.recording.map(RecordingFile.init)
        } catch {
            complain("chat: \(error.message); chat --help lists the options")
            exit(2)
        }
        if options.command == .help {
            StandardOutput.write(Options.help + "\n")
            return
        }
        let front = FrontEnd(options, environment, server)
        switch front.storage {
        case .memory:
            await run(front, server, store: MemoryStore(), recording)
        case .folder(let folder):
            do {
                let store = try FileStore(directory: URL(fileURLWithPath: folder))
                await run(front, server, store: store, recording)
            } catch {
                complain("chat: \(error.description)")
                exit(1)
            }
        }
    }

    private static func run<Store: RecordStore>(
        _ front: FrontEnd, _ server: RealServer?, store: sending Store,
        _ recording: sending RecordingFile?
    ) async {
        if let server {
            await run(front, server, store, recording)
        } else if front.options.isInstant {
            var chat = InstantChat(Setup.loop(store: store), isTyped: isatty(STDIN_FILENO) == 1)
            if let recording { chat.record { recording.write($0) } }
            exit(await chat.run())
        } else {
            await run(front, Setup.loop(store: store), nil, recording)
        }
    }

    /// Chats with a real server.
    private static func run<Store: RecordStore>(
        _ front: FrontEnd, _ server: RealServer, _ store: sending Store,
        _ recording: sending RecordingFile?
    ) async {
        let arrivals = Arrivals()
        let network = LiveNetwork(server.address, arrivals)
        let wall = SystemTime.wall()
        let real = RealSetup(wall: wall)
        guard server.backend.kind != .paired else {
            let kept = BackgroundStore(store, arrivals)
            guard server.backend == .openClaw else {
                let machine = Setup.recorded.machine(
                    moment: Moment(now: .origin, wall: wall), entropy: .seeded(.random(in: .min ... .max)))
                return await run(
                    front, Loop(machine, store: kept, server: network), arrivals, recording)
            }
            let machine = real.machine(OpenClawPairing(), ChatCarriages(link: OpenClawLink()), .openClaw)
            return await run(front, Loop(machine, store: kept, server: network), arrivals, nil)
        }
        let known = BackgroundStore(SignedInStore(store, key: server.key, wall: wall), arrivals)
        if let streams = server.streams {
            await run(front, Loop(real.machine(streams), store: known, server: network), arrivals, nil)
        } else {
            let machine = real.machine(ClawlinePairing(), ChatCarriages(link: ClawdbotLink()), .clawdbot)
            await run(front, Loop(machine, store: known, server: network), arrivals, nil)
        }
    }

    /// Chats in real time.
    private static func run<Codec: Backend, Store: RecordStore, Server: ChatNetwork>(
        _ front: FrontEnd, _ loop: sending Loop<Codec, Store, Server>, _ arrivals: Arrivals?,
        _ recording: sending RecordingFile?
    ) async where Codec.Subject == ChatApp {
        let live: SystemLoop<Codec, Store, Server>
        if let recording {
            live = SystemLoop(recording: loop, arrivals: arrivals, setup: Setup.recorded.encoded) {
                recording.write($0)
            }
        } else {
            live = SystemLoop(loop, arrivals: arrivals)
        }
        let status = await front.run(SystemDriver(live))
        // As long as a reducer waits for a disk (R5).
        await live.waitForStorage(atMost: .seconds(5))
        await live.endRecording()
        exit(status)
    }

    static func complain(_ sentence: String) {
        // If standard error is closed, only the exit status remains.
        _ = StandardOutput.tryToWrite(sentence + "\n", to: STDERR_FILENO)
    }
}
