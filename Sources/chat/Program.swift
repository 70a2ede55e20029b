// The terminal program. Start here: it reads its options, opens the store, and hands the chat to one of three
// ways of running it: on virtual time, line by line, or on a terminal.

import ChatDomain
import ChatEffects
import Foundation

@main
struct Program {
    static func main() async {
        let options: Options
        do {
            options = try Options.parse(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain("chat: \(error.message); chat --help lists the options")
            exit(2)
        }
        if options.command == .help {
            print(Options.help)
            return
        }
        let storage = options.resolvedStorage(
            environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory())
        switch storage {
        case .memory:
            await run(options, store: MemoryStore())
        case .folder(let folder):
            do {
                await run(options, store: try FileStore(directory: URL(fileURLWithPath: folder)))
            } catch {
                complain("chat: \(error.description)")
                exit(1)
            }
        }
    }

    private static func run(_ options: Options, store: sending some RecordStore) async {
        let loop = Setup.loop(store: store)
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let status: Int32
        if options.isInstant {
            var chat = InstantChat(loop)
            status = chat.run()
        } else if isTerminal, !options.isPlain, let terminal = Terminal() {
            var chat = TerminalChat(SystemLoop(loop), terminal)
            status = await chat.run()
        } else {
            var chat = PlainChat(SystemLoop(loop))
            status = await chat.run(isPiped: !isTerminal)
        }
        exit(status)
    }

    static func complain(_ sentence: String) {
        FileHandle.standardError.write(Data((sentence + "\n").utf8))
    }
}

/// How the parts are put together.
enum Setup {
    typealias Server = LocalServer
    typealias ChatLoop<Store: RecordStore> = Loop<App, ClawlineBackend, Store, Server>

    static func loop<Store: RecordStore>(store: sending Store) -> ChatLoop<Store> {
        let app = App(pairing: Pairing(configuration: .init(device: device)))
        let moment = Moment(now: .origin, wall: SystemTime.wall())
        let machine = Machine(
            app, state: App.State(app), backend: ClawlineBackend(), moment: moment,
            entropy: .seeded(UInt64.random(in: .min ... .max)))
        // The server's memory ends with the program, its clients' does not.
        let server = LocalServer(idsAfter: UInt64(clamping: moment.wall.millisecondsSince1970))
        return Loop(machine, store: store, server: server)
    }

    private static var device: DeviceInfo {
        #if os(Linux)
            let platform: ExactText = "Linux"
        #else
            let platform: ExactText = "macOS"
        #endif
        return DeviceInfo(
            platform: platform, model: "terminal",
            systemVersion: ExactText(ProcessInfo.processInfo.operatingSystemVersionString))
    }
}
