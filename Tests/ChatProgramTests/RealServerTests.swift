// The options of a real server: which key is taken from where, which address is taken, and what a person reads who has
// given a wrong one. No sentence holds a key.

import ChatDomain
import Foundation
import Testing

@testable import chat

@Suite("Program: the options of a real server")
struct RealServerTests {
    private static let key = "sk-top-secret"

    private static func server(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws(UsageError) -> RealServer {
        let options = try Options.parse(arguments)
        return try RealServer(options, options.backend ?? "", environment: environment)
    }

    /// The key that a backend's options take; nil for none.
    private static func key(
        _ backend: String, _ environment: [String: String] = [:], _ more: [String] = []
    ) throws -> String? {
        let options = ["--backend", backend, "--model", "m", "--url", "http://localhost"] + more
        return try server(options, environment).key?.reveal().string
    }

    /// The sentence for wrong options.
    private static func sentence(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) -> String? {
        do throws(UsageError) {
            _ = try server(arguments, environment)
            return nil
        } catch {
            return error.message
        }
    }

    /// A file that holds these bytes while a body runs.
    private static func withFile<Result>(
        _ content: String, _ body: (String) throws -> Result
    ) throws -> Result {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".key"
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        return try body(path)
    }

    @Test(
        "each API has its own variable for the key, and one is for all of them",
        arguments: [
            ("openai", ["OPENAI_API_KEY"]), ("openai-responses", ["OPENAI_API_KEY"]),
            ("anthropic", ["ANTHROPIC_API_KEY"]), ("google", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
        ])
    func variables(backend: String, names: [String]) throws {
        for name in names {
            #expect(try Self.key(backend, [name: "own"]) == "own")
            #expect(try Self.key(backend, [name: "own", "CHAT_API_KEY": "all"]) == "all")
            #expect(try Self.key(backend, [name: "own", "CHAT_API_KEY": ""]) == "own")
        }
        #expect(try Self.key(backend, ["CHAT_API_KEY": "all"]) == "all")
        #expect(try Self.key(backend) == nil)
        let all = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]
        // The key of one provider is not sent to another.
        let others = all.filter { !names.contains($0) }.map { ($0, "other") }
        #expect(try Self.key(backend, Dictionary(uniqueKeysWithValues: others)) == nil)
    }

    @Test("the help names each backend and each variable for a key", arguments: BackendName.allCases)
    func help(backend: BackendName) {
        for name in [backend.rawValue] + backend.keyVariables { #expect(Options.help.contains(name)) }
    }

    @Test("a file comes before the variables, and may end with a line end")
    func keyFile() throws {
        for content in ["from-file", "from-file\n", " from-file\r\n"] {
            try Self.withFile(content) { path in
                let key = try Self.key("openai", ["CHAT_API_KEY": "all"], ["--key-file", path])
                #expect(key == "from-file")
            }
        }
    }

    @Test("a variable may end with a line end, and one that holds only blanks is as if it were not set")
    func blanksInVariable() throws {
        for value in ["k", "k\n", " k\r\n"] {
            #expect(try Self.key("openai", ["CHAT_API_KEY": value]) == "k")
            let variables = ["CHAT_API_KEY": "k", "CHAT_PROJECT_KEY": value]
            let coach = ["--backend", "coach", "--url", "http://localhost"]
            #expect(try Self.server(coach, variables).projectKey == "k")
        }
        #expect(try Self.key("openai", ["CHAT_API_KEY": " \n", "OPENAI_API_KEY": "own"]) == "own")
        #expect(try Self.key("openai", ["CHAT_API_KEY": "   "]) == nil)
    }

    @Test(
        "a variable without a usable key is named, and what it holds is not",
        arguments: ["\(key)\n\(key)", "\(key)\u{0}", String(repeating: "k", count: 4_097)])
    func wrongVariable(content: String) {
        let openAI = ["--backend", "openai", "--model", "m"]
        let coach = ["--backend", "coach", "--url", "http://localhost"]
        #expect(
            Self.sentence(openAI, ["CHAT_API_KEY": content, "OPENAI_API_KEY": "own"])
                == "CHAT_API_KEY holds no key")
        #expect(
            Self.sentence(coach, ["CHAT_API_KEY": "k", "CHAT_PROJECT_KEY": content])
                == "CHAT_PROJECT_KEY holds no key")
        // Nobody else has a use for a project's key.
        #expect(Self.sentence(openAI, ["CHAT_API_KEY": "k", "CHAT_PROJECT_KEY": content]) == nil)
    }

    @Test("a key may come from a file that is a pipe, as a password manager gives it")
    func keyPipe() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString + ".pipe"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        Thread.detachNewThread { try? Data("from-pipe\n".utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(try Self.key("openai", [:], ["--key-file", path]) == "from-pipe")
    }

    @Test(
        "a file without a usable key is named, and what it holds is not",
        arguments: ["", "\n", "\(key)\n\(key)", "\(key)\u{0}", String(repeating: "k", count: 4_097)])
    func wrongKeyFile(content: String) throws {
        try Self.withFile(content) { path in
            let options = ["--backend", "openai", "--model", "m", "--key-file", path]
            #expect(Self.sentence(options, ["OPENAI_API_KEY": "all"]) == "the key file \(path) holds no key")
        }
    }

    #if os(Linux)
        @Test("a file without end is read only in part")
        func endlessKeyFile() {
            let options = ["--backend", "openai", "--model", "m", "--key-file", "/dev/zero"]
            #expect(Self.sentence(options) == "the key file /dev/zero holds no key")
        }
    #endif

    @Test("a file that is not there, or is a folder, cannot be read")
    func noKeyFile() {
        for path in ["/nowhere/at/all", NSTemporaryDirectory()] {
            let options = ["--backend", "openai", "--model", "m", "--key-file", path]
            #expect(Self.sentence(options) == "the key file \(path) cannot be read")
        }
    }

    @Test("without a key, a server elsewhere is not asked, and the sentence names the variable")
    func noKey() {
        for (backend, variable) in [
            ("openai", "OPENAI_API_KEY"), ("openai-responses", "OPENAI_API_KEY"),
            ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GEMINI_API_KEY"),
        ] {
            #expect(
                Self.sentence(["--backend", backend, "--model", "m"])
                    == "there is no key: set \(variable) or use --key-file")
        }
    }

    @Test("S9: a refused key is told as one, with what to set instead, and a sign-in only where there is one")
    func refusedKey() throws {
        func sentence(_ backend: String, _ environment: [String: String] = [:]) throws -> String {
            let name = try #require(BackendName(rawValue: backend))
            let model = name.modelOption == .needed ? ["--model", "m"] : []
            let arguments = ["--backend", backend, "--url", "http://localhost"] + model
            return try Self.server(arguments, environment).wording.signInAgain.string
        }
        for (backend, variable) in [
            ("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GEMINI_API_KEY"),
            ("ai-sdk", "CHAT_API_KEY"), ("coach", "CHAT_API_KEY"),
        ] {
            #expect(
                try sentence(backend, [variable: Self.key])
                    == "The server refuses the key. Start again with another (\(variable) or --key-file).")
            #expect(
                try sentence(backend)
                    == "The server wants a key. Start again with one (\(variable) or --key-file).")
        }
        #expect(try sentence("clawline") == Wording.neutral.signInAgain.string)
    }

    @Test("an address in the clear on another device is refused with what to do, unless it is allowed")
    func unencrypted() throws {
        let model = ["--backend", "openai", "--model", "m", "--url", "http://example.com"]
        let allowed = ["--allow-unencrypted"]
        let key = ["CHAT_API_KEY": Self.key]
        #expect(
            Self.sentence(model, key)
                == "--url is not encrypted: use https://, or, in a network that you trust, add --allow-unencrypted"
        )
        #expect(try Self.server(model + allowed, key).address.host == "example.com")
        let socket = ["--backend", "clawline", "--url", "ws://example.com"]
        #expect(Self.sentence(socket)?.hasSuffix("--allow-unencrypted") == true)
        #expect(try Self.server(socket + allowed).address.host == "example.com")
        for local in ["ws://localhost", "ws://127.0.0.1:9", "ws://[::1]:9"] {
            #expect(Self.sentence(["--backend", "clawline", "--url", local]) == nil)
        }
    }

    #if !canImport(Darwin)
        @Test("an encrypted WebSocket is refused at once where there is none, with what to do")
        func noEncryptedSocket() {
            for url in ["wss://example.com", "https://example.com", "wss://localhost"] {
                for more in [[], ["--allow-unencrypted"]] {
                    let options = ["--backend", "clawline", "--url", url] + more
                    #expect(
                        Self.sentence(options)
                            == "there is no encrypted WebSocket on this system: use ws:// to a server or a proxy for "
                            + "TLS on this device, or, in a network that you trust, ws:// with --allow-unencrypted"
                    )
                }
            }
        }
    #endif

    @Test("an address with a password is refused, and the password is not repeated")
    func credentials() throws {
        let options = ["--backend", "clawline", "--url", "ws://me:\(Self.key)@localhost"]
        let sentence = try #require(Self.sentence(options))
        #expect(sentence.contains("no password") && !sentence.contains(Self.key))
    }

    @Test(
        "what is no address is refused with all that an address must be",
        arguments: ["http://localhost?a=b", "http://localhost/#a", "http://localhost:99999", "localhost"])
    func noAddress(url: String) {
        #expect(
            Self.sentence(["--backend", "openai", "--model", "m", "--url", url])
                == "--url: the address of the server must begin with http://, https://, ws:// or wss:// and name a "
                + "host, with a port up to 65535 if any, and nothing behind ? or #")
    }

    @Test(
        "what does not fit together is refused",
        arguments: [
            ["--backend", "nobody"], ["--backend", "clawline"], ["--backend", "openai"],
            ["--backend", "clawline", "--url", "http://localhost", "--model", "m"],
            ["--backend", "openai", "--model", "m", "--url", "localhost"],
            ["--backend", "openai", "--model", "m", "--url", "http://localhost?a=b"],
            ["--backend", "openai", "--model", "m", "--url", "http://localhost", "--record", "f"],
            ["--url", "http://localhost"], ["--model", "m"], ["--key-file", "f"], ["--allow-unencrypted"],
            ["--backend"], ["--backend", "openai", "--model"], ["--backend", "openai", "--key-file"],
            ["--backend", "openai", "--key-file", "--model", "m"], ["--instant", "--backend", "openai"],
            ["--backend", "clawline", "--url", "ws://localhost", "--key-file", "f"],
        ])
    func wrong(arguments: [String]) {
        #expect(Self.sentence(arguments) != nil)
    }
}
