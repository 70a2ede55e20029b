// The options of the command line.

import ChatDomain
import ChatEffects
import Foundation

/// The parsed options.
struct Options: Equatable {
    /// The purpose of the run.
    enum Command: Equatable {
        case chat
        case help
    }

    /// The place of the records.
    enum Storage: Equatable {
        /// Memory, for this run only.
        case memory
        /// Files below this folder.
        case folder(String)
    }

    var command = Command.chat
    var isInstant = false
    var isPlain = false
    var storage: Storage?
    /// The file that the run is recorded in.
    var recording: String?
    /// The backend that speaks to a real server; nil for the server in the process.
    var backend: String?
    /// The address of the real server.
    var url: String?
    /// The model of the real server.
    var model: String?
    /// The file with the key of the real server.
    var keyFile: String?
    /// Whether the real server may be on another device although the connection is not encrypted.
    var allowsUnencrypted = false

    /// Parses the arguments after the program's name. Throws a sentence for an unknown or incomplete option.
    static func parse(_ arguments: [String]) throws(UsageError) -> Options {
        var options = Options()
        var rest = arguments[...]
        if rest.first == "record" {
            rest = rest.dropFirst()
            if rest.first == "--help" || rest.first == "-h" { return Options(command: .help) }
            guard let file = rest.popFirst(), !file.isEmpty, !file.hasPrefix("-") else {
                throw UsageError("record needs a file")
            }
            options.recording = file
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": options.command = .help
            case "--instant": options.isInstant = true
            case "--plain": options.isPlain = true
            case "--state":
                guard let folder = rest.popFirst(), !folder.isEmpty, !folder.hasPrefix("--") else {
                    throw UsageError("--state needs a folder")
                }
                options.storage = .folder(folder)
            case "--record":
                options.recording = try UsageError.value(of: argument, in: &rest)
            case "--backend": options.backend = try UsageError.value(of: argument, in: &rest)
            case "--url": options.url = try UsageError.value(of: argument, in: &rest)
            case "--model": options.model = try UsageError.value(of: argument, in: &rest)
            case "--key-file": options.keyFile = try UsageError.value(of: argument, in: &rest)
            case "--allow-unencrypted": options.allowsUnencrypted = true
            case let argument where argument.hasPrefix("--state="):
                let folder = String(argument.dropFirst("--state=".count))
                guard !folder.isEmpty else { throw UsageError("--state needs a folder") }
                options.storage = .folder(folder)
            default:
                throw UsageError("unknown option “\(argument)”")
            }
        }
        try options.check()
        return options
    }

    /// Throws for options that contradict each other.
    private func check() throws(UsageError) {
        if backend != nil {
            guard !isInstant else {
                throw UsageError("a real server has no virtual time: --backend excludes --instant")
            }
        } else if url != nil || model != nil || keyFile != nil || allowsUnencrypted {
            throw UsageError("--url, --model, --key-file and --allow-unencrypted need --backend")
        }
    }

    /// The place of the records; without an option, memory on virtual time and otherwise the person's own folder.
    func resolvedStorage(environment: [String: String], home: String) -> Storage {
        if let storage { return storage }
        let name = backend.flatMap(BackendName.init)
        // A model receives the conversation; unless a folder is given, nothing of it stays on this device.
        if isInstant || name?.kind == .streams { return .memory }
        // What was written for one server, and the token for it, are not for another.
        let folder = (["chat", name?.rawValue] + place).compactMap { $0 }.joined(separator: "-")
        // XDG Base Directory Specification: state that outlives the program but is no document.
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
            return .folder(base + "/" + folder)
        }
        return .folder(home + "/.local/state/" + folder)
    }

    /// The server of `--url`, as parts of a name.
    private var place: [String?] {
        let address = url.flatMap { try? ServerAddress($0, allowsUnencrypted: true) }
        let host = address?.host.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "_" }
        return [host.map { String($0) }, address?.port.map { String($0) }]
    }

    static let help = """
        Chat in the terminal, with a backend that runs inside the process or with a
        real server.

        Usage: chat [options]
               chat --backend NAME [--url URL] [--model NAME] [options]
               chat record FILE [options]
               chat COMMAND ...

        Commands, each with a --help of its own:
          serve                  a server for front ends on this device
          explore, simulate      search for what breaks a law
          diagram                draw the phases of a feature
          replay, trace          look into a recording
          sse, decode, json      look into what a server has sent

          --instant      Run on virtual time: everything that takes time passes at
                         once. Keeps all in memory unless --state is given.
          --state DIR    Keep pairing, outbox, drafts, transcript and the lines that
                         were typed below DIR (default: the folder chat in
                         $XDG_STATE_HOME, or in ~/.local/state).
          --plain        Only add lines, never redraw any, say each finished thing
                         once, and show Markdown as it was written: for screen readers
                         and logs. This is also what is done when input or output is
                         not a terminal.
          --record FILE  Record what happens as JSON Lines, for chat replay and chat
                         trace: without --backend, or with --backend clawline. Secrets
                         are not in it, but what is written is. An earlier FILE is
                         replaced. The same as chat record FILE.
          --backend NAME Talk to a real server at --url: clawline, openclaw, clawdbot,
                         coach or ai-sdk, or a model by the interface openai,
                         openai-responses, anthropic or google (--model; --url for
                         another server than the interface's own, such as
                         http://localhost:11434/v1). The key comes from CHAT_API_KEY,
                         OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or
                         GOOGLE_API_KEY, or from --key-file FILE; the key of the
                         coach's project from CHAT_PROJECT_KEY. A model gets the
                         conversation with each question. Of a chat with coach, ai-sdk
                         or a model nothing is kept on disk without --state; of the
                         others it is kept in a folder for each server,
                         chat-NAME-HOST-PORT.
          --allow-unencrypted  Let --url name another device by http:// or ws://.
          --help         Show this text.

        Type a name to pair, then type messages. Lines that begin with / are commands;
        /help lists them, and /help keys the keys. Lines are edited as in a shell;
        Alt-Enter or Ctrl-J breaks one. When input is not a terminal, it is taken line
        by line, and the program ends when all is answered:

          printf 'Ada\\nHello\\n' | chat --instant

        NO_COLOR=1 switches colours and Markdown off, TERM=dumb also the redrawing.

        The exit status is 0 when everything was taken, sent and answered, 1 when not,
        and 2 when an option is wrong. After /quit nothing is waited for, so that only
        what was not taken counts. After a signal it is 128 and the signal's number:
        130 after ^C, 143 after SIGTERM, 129 when the terminal is gone.
        """
}

/// A usage error, with the sentence for the person.
struct UsageError: Error, Equatable {
    let message: String

    /// The sentence is one line, also when it repeats an argument that has several.
    init(_ message: String) {
        self.message = ExactText(message).withoutControlCharacters.string
    }
}

extension UsageError {
    /// The value after an option. Throws when there is none.
    static func value(of option: String, in rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw UsageError("\(option) needs a value")
        }
        return value
    }
}
