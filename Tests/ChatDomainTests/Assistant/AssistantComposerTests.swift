import ChatDomain
import Testing

@Suite("Assistant: the composer")
struct AssistantComposerTests {
    @Test(
        "A1: a question of nothing but white space is refused with its sentence and without a call",
        arguments: ["", " ", " \n\t ", "\u{2003}\u{A0}", "\u{2029}"] as [ExactText])
    func empty(text: ExactText) {
        var driver = AssistantDriver.open()
        #expect(driver.ask(text).isEmpty && driver.calls.isEmpty && driver.rows.isEmpty)
        #expect(driver.composer.refusal == "Message cannot be empty")
        #expect(driver.composer.text == text && !driver.composer.canSend)
    }

    @Test(
        "A1: 1,999 characters go, 2,000 do not, however many bytes or scalars a character has",
        arguments: ["a", "é", "e\u{301}", "🦵🏽", "a\r\n!"] as [String])
    func length(piece: String) {
        // What stands around the line's end keeps it from being trimmed, and counts as well.
        let perPiece = piece.count
        let fits = String(repeating: piece, count: 1_999 / perPiece)
        var driver = AssistantDriver.open()
        driver.ask(ExactText(fits + String(repeating: "a", count: 1_999 % perPiece)))
        #expect(driver.calls.count == 1 && driver.composer.refusal == nil)

        driver = .open()
        let tooLong = ExactText(
            String(repeating: piece, count: 2_000 / perPiece)
                + String(repeating: "a", count: 2_000 % perPiece))
        #expect(driver.ask(tooLong).isEmpty && driver.calls.isEmpty && driver.rows.isEmpty)
        #expect(driver.composer.refusal == "Message too long, please shorten")
        #expect(driver.composer.text == tooLong)
    }

    @Test("A1: white space around a question does not count, and is not sent")
    func trims() {
        var driver = AssistantDriver.open()
        let core = String(repeating: "a", count: 1_999)
        driver.ask(ExactText("\n  " + core + String(repeating: " ", count: 5_000)))
        #expect(driver.asked == ExactText(core) && driver.bubbles == [ExactText(core)])
    }

    @Test("A1: 16,384 bytes go, one more does not, in however few characters")
    func bytes() {
        // One character of 1 + 2 × n bytes.
        let fits = ExactText("ab" + String(repeating: "\u{301}", count: 8_191))
        #expect(fits.byteCount == 16_384)
        var driver = AssistantDriver.asking(fits)
        #expect(driver.asked == fits)
        driver = .asking(ExactText("abc" + String(repeating: "\u{301}", count: 8_191)))
        #expect(driver.calls.isEmpty && driver.composer.refusal == "Message too long, please shorten")
    }

    @Test("A1: a refusal is gone with the next key, and with the next question that is accepted")
    func refusalEnds() {
        var driver = AssistantDriver.open()
        driver.ask("")
        driver.send(.draftEdited("W"))
        #expect(driver.composer.refusal == nil && driver.composer.canSend)
        driver.ask("")
        driver.ask("Why?")
        #expect(driver.composer == Assistant.composer(AssistantDriver.asking().state, .neutral))
        #expect(driver.composer.text.isEmpty && driver.composer.refusal == nil)
    }

    @Test("A1, L2: the request and the shown question have the typed bytes")
    func exactBytes() {
        let text: ExactText = "Rene\u{301} \u{202E}👩‍⚕️\u{0} \"quoted\\"
        let driver = AssistantDriver.asking(text)
        #expect(driver.asked == text && driver.bubbles == [text])
        #expect(driver.asked != "Ren\u{E9} \u{202E}👩‍⚕️\u{0} \"quoted\\")
    }

    @Test("L8: a composer of more than 1 MiB is cut, and says so")
    func hugeDraft() {
        var driver = AssistantDriver.open()
        driver.send(.draftEdited(ExactText(String(repeating: "x", count: 1_048_577))))
        #expect(driver.composer.text.byteCount == 1_048_576)
        #expect(driver.composer.refusal == "Message too long, please shorten")
    }

    @Test("A7: before the first question there are a welcome and three examples, after it there are not")
    func welcome() {
        var driver = AssistantDriver.open()
        let welcome = Assistant.welcome(driver.state, .neutral)
        #expect(welcome?.text == "Hi! Ask me anything about your clients or conversations.")
        #expect(
            welcome?.examples == [
                "What did [client] say about [topic]?", "Summarize my conversation with [client]",
                "Which clients haven't messaged recently?",
            ])
        driver.ask("Why?")
        #expect(Assistant.welcome(driver.state, .neutral) == nil)
        driver.advance(by: .seconds(10))
        #expect(Assistant.welcome(driver.state, .neutral) == nil)
        driver.send(.closed)
        #expect(Assistant.welcome(driver.state, .neutral) == nil)
    }

    @Test("A7: tapping an example fills the composer and sends nothing; a refusal is gone")
    func example() {
        var driver = AssistantDriver.open()
        driver.ask("")
        #expect(driver.send(.exampleTapped("Which?")).isEmpty && driver.calls.isEmpty)
        #expect(driver.composer.text == "Which?" && driver.composer.canSend)
        #expect(driver.composer.refusal == nil && driver.rows.isEmpty)
        driver.send(.exampleTapped("Who?"))
        driver.send(.sent)
        #expect(driver.asked == "Who?")
    }

    @Test("A7, L1: an example that is no longer shown changes nothing")
    func lateExample() {
        var driver = AssistantDriver.asking()
        driver.send(.draftEdited("half a thou"))
        let before = driver.state
        driver.send(.exampleTapped("Which?"))
        #expect(driver.state == before)
    }

    @Test(
        "A1: an invisible question is none",
        arguments: ["\u{200B}", "\u{2060}\u{FE0F}", "\u{2800}"] as [ExactText])
    func invisible(text: ExactText) {
        var driver = AssistantDriver.open()
        driver.send(.draftEdited(text))
        #expect(!driver.composer.canSend)
        driver.send(.sent)
        #expect(driver.calls.isEmpty)
    }
}
