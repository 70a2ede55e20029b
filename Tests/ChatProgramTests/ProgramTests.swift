// The parts of the terminal program that decide something, without a terminal.

import ChatDomain
import ChatEffects
import Foundation
import Testing

@testable import chat

@Suite("Program: the command line")
struct OptionsTests {
    @Test("without options the chat runs in real time and keeps its records")
    func defaults() throws {
        let options = try Options.parse([])
        #expect(options == Options())
        #expect(
            options.resolvedStorage(environment: [:], home: "/h") == .folder("/h/.local/state/chat"))
        #expect(
            options.resolvedStorage(environment: ["XDG_STATE_HOME": "/x"], home: "/h") == .folder("/x/chat"))
        #expect(
            options.resolvedStorage(environment: ["XDG_STATE_HOME": "relative"], home: "/h")
                == .folder("/h/.local/state/chat"))
    }

    @Test("the home folder is HOME when that is an absolute path, and else that of the account")
    func home() {
        #expect(Setup.home(["HOME": "/h"]) == "/h")
        for environment in [[:], ["HOME": ""], ["HOME": "relative"]] {
            #expect(Setup.home(environment) == NSHomeDirectory())
        }
    }

    @Test("the records of each server have a folder of their own, and those of a model none")
    func folders() throws {
        for name in BackendName.allCases {
            let storage = try Options.parse(["--backend", name.rawValue])
                .resolvedStorage(environment: [:], home: "/h")
            #expect(
                storage
                    == (name.kind == .streams ? .memory : .folder("/h/.local/state/chat-\(name.rawValue)")))
        }
    }

    @Test(
        "two servers of one kind have a folder each, whose name is one name whatever the address",
        arguments: [
            ("http://127.0.0.1:8080", "127.0.0.1-8080"), ("https://a.example/x", "a.example"),
            ("ws://[::1]:9", "__1-9"), ("https://a-b..c", "a_b..c"),
        ])
    func servers(url: String, place: String) throws {
        let options = try Options.parse(["--backend", "clawline", "--url", url])
        let storage = options.resolvedStorage(environment: [:], home: "/h")
        #expect(storage == .folder("/h/.local/state/chat-clawline-\(place)"))
    }

    @Test("on virtual time all stays in memory, unless a folder is named")
    func instant() throws {
        #expect(
            try Options.parse(["--instant"]).resolvedStorage(environment: [:], home: "/h") == .memory)
        #expect(
            try Options.parse(["--instant", "--state", "d"]).resolvedStorage(environment: [:], home: "/h")
                == .folder("d"))
    }

    @Test("a folder may stand behind = as well")
    func equals() throws {
        #expect(try Options.parse(["--state=d e"]).storage == .folder("d e"))
        #expect(try Options.parse(["--state=--x"]).storage == .folder("--x"))
    }

    @Test(
        "a wrong option is an error that names it",
        arguments: [["--nonsense"], ["x"], ["--state"], ["--state="], ["--state", "--plain"]])
    func wrong(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Options.parse(arguments) }
    }
}

@Suite("Program: a real server")
struct RealNetworkTests {
    @Test("the network of a real server is not taken away, and nobody is told that it is")
    func realNetwork() async {
        var desk = Desk()
        await desk.type("Ada")
        var situation = Situation(state: desk.state, numbers: Numbers(), wording: .neutral)
        #expect(situation.steps(for: Input("/offline")).contains(.network(isUp: false)))
        situation.hasRealServer = true
        let sentence = "Only the server in the program can be lost; /background ends the connection."
        #expect(situation.steps(for: Input("/offline")) == [.refuse(sentence)])
        #expect(LiveNetwork.isReal && !LocalServer.isReal)
    }
}
