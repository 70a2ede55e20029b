// The written form of the server's faults (`chat serve --fault`): every step and every fault can be asked for, and what is
// not exactly one of them is refused with a sentence that shows it.

import ChatEffects
import Testing

@testable import chat

@Suite("Program: the faults of a server in their written form")
struct ServerFaultTests {
    typealias Rule = LocalServer.Rule

    @Test(
        "each step has its word, some with a number",
        arguments: [
            ("handshake", LocalServer.Step.handshake), ("pairing", .pairing),
            ("authentication", .authentication), ("receipt", .receipt),
            ("acknowledgement", .acknowledgement), ("echo", .echo), ("reply", .reply), ("token:0", .token(0)),
            ("token:3", .token(3)), ("upload:40", .upload(percent: 40)),
            ("upload:100", .upload(percent: 100)), ("announcement", .announcement), ("decision", .decision),
            ("answer", .answer), ("suggestion:2", .suggestion(2)), ("wholeSuggestion", .wholeSuggestion),
            ("coach:7", .coach(7)), ("coachWhole", .coachWhole), ("refresh", .refresh),
        ])
    func steps(text: String, step: LocalServer.Step) throws {
        #expect(try Rule(parsing: "\(text)=drop") == Rule(step, .drop))
        #expect(ServeTool.help.contains(text.prefix { $0 != ":" }))
    }

    @Test(
        "each fault has its word, some with a value",
        arguments: [
            ("silence", LocalServer.Fault.silence), ("drop", .drop), ("noise", .noise),
            ("duplicate", .duplicate), ("refuseCursor", .refuseCursor), ("loseHistory", .loseHistory),
            ("loseAssets", .loseAssets), ("revokeToken", .revokeToken), ("replaceSession", .replaceSession),
            ("delay:6", .delay(.seconds(6))), ("delay:0.25", .delay(.milliseconds(250))),
            ("holdBack:86400", .holdBack(.seconds(86_400))), ("close:1013", .close(code: 1_013, reason: "")),
            ("close:4001", .close(code: 4_001, reason: "")), ("status:429", .status(429)),
            ("truncateReplay:0", .truncateReplay(to: 0)),
            ("refuse:pair_denied", .refuse(code: "pair_denied", message: "Refused by request")),
        ])
    func faults(text: String, fault: LocalServer.Fault) throws {
        #expect(try Rule(parsing: "pairing=\(text)") == Rule(.pairing, fault))
        #expect(ServeTool.help.contains(text.prefix { $0 != ":" }))
    }

    @Test("a number behind a star is how often the fault comes; without one it always does")
    func times() throws {
        #expect(try Rule(parsing: "token:2=drop*1") == Rule(.token(2), .drop, times: 1))
        #expect(try Rule(parsing: "echo=delay:1*12") == Rule(.echo, .delay(.seconds(1)), times: 12))
        #expect(try Rule(parsing: "echo=drop").times == .max)
    }

    @Test(
        "anything else is refused with a sentence that shows it",
        arguments: [
            "", "=", "==", "drop", "token:3", "token:3=", "=drop", "token=drop", "token:=drop",
            "token:x=drop",
            "token:-1=drop", "token:3:4=drop", "token:99999999999999999999=drop", "upload:101=drop",
            "upload:-1=drop", "echo:1=drop", "handshake:=drop", "weather=drop", "Echo=drop", " echo=drop",
            "echo=weather", "echo=Drop", "echo=drop ", "echo=drop:", "echo=drop:1", "echo=drop*",
            "echo=drop**1",
            "echo=drop*x", "echo=drop*-1", "echo=drop*1*2", "echo=*1", "echo==drop", "echo=drop=drop",
            "echo=delay", "echo=delay:", "echo=delay:-1", "echo=delay:nan", "echo=delay:inf",
            "echo=delay:86401", "echo=delay:1s", "echo=close", "echo=close:x", "echo=close:0",
            "echo=close:999", "echo=close:1006", "echo=close:5000", "echo=status:0", "echo=status:99",
            "echo=status:1000", "echo=status:-1", "echo=truncateReplay:-1", "echo=refuse", "echo=refuse:",
        ])
    func wrong(text: String) {
        do {
            let rule = try Rule(parsing: text)
            Issue.record("It is taken as \(rule).")
        } catch {
            #expect(error.message.contains("“\(text)”") && error.message.contains("token:3=drop"))
        }
    }
}
