// The choice of the front end for a run in real time, by the kinds of input and output and by the options.

import ChatDomain
import ChatEffects
import Foundation

/// The front end of a run.
struct FrontEnd {
    let options: Options
    private let environment: [String: String]
    private let greeting: String
    private let wording: Wording

    init(_ options: Options, _ environment: [String: String], _ server: RealServer?) {
        self.options = options
        self.environment = environment
        greeting = Self.greeting(server)
        wording = server?.wording ?? .neutral
    }

    /// The place of the records.
    var storage: Options.Storage {
        options.resolvedStorage(environment: environment, home: Setup.home(environment))
    }

    /// One line of at most 80 columns: who answers, and the commands for help and for the end.
    static func greeting(_ server: RealServer?) -> String {
        let partner =
            switch server {
            case nil: "a demo assistant in this program"
            case let server? where server.model.isEmpty:
                "the server at \(server.address.host.prefix(30))"
            case let server?: "\(server.model.string.prefix(22)) at \(server.address.host.prefix(18))"
            }
        return "Chat with \(partner). Try /help; /quit ends."
    }

    /// Chats and returns the exit status.
    func run(_ driver: SystemDriver) async -> Int32 {
        let files: PersonalFiles? =
            if case .folder(let folder) = storage { PersonalFiles(state: folder) } else { nil }
        let isTyped = isatty(STDIN_FILENO) == 1
        // The signals are watched first: a signal that is not watched ends the program and leaves the terminal changed.
        let signals = Signal.stream()
        let isCapable = Paint.isCapable(environment: environment)
        guard isTyped, isatty(STDOUT_FILENO) == 1, let terminal = Terminal(marksPastes: isCapable) else {
            var chat = PlainChat(driver, isTyped: isTyped, wording: wording, files: files)
            return await chat.run(signals)
        }
        defer { terminal.restore() }
        let events = TerminalEvent.merge(keys: terminal.keys(), states: driver.states, signals: signals)
        let place = TerminalChat<SystemDriver>.Place(
            write: { terminal.write($0) }, size: { Terminal.size() }, rewraps: Terminal.rewraps(environment),
            suspend: { terminal.suspend() }, resume: { terminal.makeRaw() })
        if options.isPlain || !isCapable {
            var chat = PlainTerminalChat(driver, place, greeting: greeting, wording: wording, files: files)
            return await chat.run(events)
        }
        var chat = TerminalChat(
            driver, place, Paint(environment: environment), greeting: greeting, wording: wording,
            files: files)
        return await chat.run(events)
    }
}
