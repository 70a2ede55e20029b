@testable import ChatDomain
import Testing

@Suite("Pairing: the name")
struct PairingNameTests {
    @Test("P2: the trimmed name is what is sent and shown again")
    func trims() {
        var driver = PairingDriver.idle()
        driver.submit("  Kay\u{202E} \n")
        #expect(driver.askedName == "Kay")
    }

    @Test(
        "P2: an empty name fails with its sentence and no effect",
        arguments: ["", "  \n\t", "\u{0}\u{7}", "\u{202E} \u{200F}"] as [ExactText])
    func empty(name: ExactText) {
        var driver = PairingDriver.idle()
        driver.send(.nameEdited(name))
        #expect(driver.send(.submitted).isEmpty)
        #expect(
            Pairing.screen(driver.state, .neutral) == .failed("Name cannot be empty", button: "Try Again"))
        driver.send(.nameEdited("K"))
        #expect(driver.state.phase == .enteringName)
    }

    @Test(
        "P2: hostile names are sent with at most 64 bytes",
        arguments: [
            ExactText(String(repeating: "a", count: 1_048_576)),
            ExactText("e" + String(repeating: "\u{301}", count: 10_000)),
            ExactText(String(repeating: "\u{202E}", count: 300) + "x"),
            ExactText(String(repeating: "👨‍👩‍👧‍👦", count: 9)),
            ExactText(String(repeating: "x", count: 63) + " y"),
        ])
    func hostile(name: ExactText) throws {
        var driver = PairingDriver.idle()
        driver.submit(name)
        let sent = try #require(driver.askedName)
        #expect(!sent.isEmpty && sent.byteCount <= 64 && sent == sent.trimmed)
        #expect(sent == sent.withoutControlCharacters)
    }

    @Test("L8: the name field keeps at most 1,024 bytes")
    func fieldLimit() {
        var driver = PairingDriver.idle()
        driver.send(.nameEdited(ExactText(String(repeating: "é", count: 524_288))))
        #expect(driver.state.name.byteCount == 1_024)
    }

    @Test("L2: names that look the same and are other bytes stay what they are")
    func bytes() {
        var driver = PairingDriver.idle()
        driver.submit("Rene\u{301}")
        #expect(driver.askedName == "Rene\u{301}" && driver.askedName != "Ren\u{E9}")
    }

    @Test("P3: a code is shown once given, survives an answer without one, and is made readable")
    func code() {
        var driver = PairingDriver.asking()
        #expect(Pairing.screen(driver.state, .neutral) == .waiting("Waiting for approval...", code: nil))
        driver.hear(.pending(code: "\u{202E}\n"))
        #expect(driver.waiting?.code == nil)
        driver.hear(.pending(code: " 42\u{7}7 "))
        driver.hear(.pending(code: nil))
        #expect(
            Pairing.screen(driver.state, .neutral) == .waiting("Waiting for approval...", code: "Code: 427"))
        driver.hear(.pending(code: ExactText(String(repeating: "9", count: 100_000))))
        #expect(driver.waiting?.code?.byteCount == 1_024)
    }

    @Test("P3: the button works exactly when there is something to send")
    func button() {
        var driver = PairingDriver.idle()
        for (name, works) in [("", false), (" \u{7}", false), ("x", true)] as [(ExactText, Bool)] {
            driver.send(.nameEdited(name))
            guard case .name(let form) = Pairing.screen(driver.state, .neutral) else {
                Issue.record("no form")
                return
            }
            #expect(form.canSubmit == works && form.name == name)
        }
    }

    @Test(
        "P2: an invisible name is none",
        arguments: ["\u{200B}", "\u{2060}\u{FE0F}", "\u{2800}"] as [ExactText])
    func invisible(name: ExactText) {
        var driver = PairingDriver.idle()
        driver.submit(name)
        #expect(driver.failure == .emptyName && driver.calls.isEmpty)
    }
}
