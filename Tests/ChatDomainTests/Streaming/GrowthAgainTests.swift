// Text that is told from its beginning while other text waits to be shown, and text that is nearly all
// white space.

import Testing

@testable import ChatDomain

@Suite("Growth: text told from its beginning, and long white space")
struct GrowthAgainTests {
    @Test(
        "S2, S15: text told from its beginning takes the place of what waits for its batch",
        arguments: [.whole("Hello"), .chunk(0, "Hello", isFinal: false)] as [Growth.Piece])
    func instead(beginning: Growth.Piece) {
        let limits = Growth.Limits(text: 1_000, chunks: 8, chunkBytes: 100)
        var growth = Growth(at: .origin)
        #expect(growth.take(.token("Hel"), at: .origin, limits).batch == .first)
        #expect(growth.take(beginning, at: .origin, limits).batch == .further && growth.byteCount == 5)
        #expect(growth.flush() && growth.shown.string == "Hello")
        #expect(!growth.isPending && growth.byteCount == 5)
        #expect(growth.take(.token("!"), at: .origin, limits).batch == .first)
        #expect(growth.flush() && growth.shown.string == "Hello!")
        #expect(growth.take(.token("?"), at: .origin, limits).batch == .first)
        #expect(growth.take(.whole("Hello!"), at: .origin, limits).batch == .further)
        #expect(!growth.flush() && growth.shown.string == "Hello!", "it is in view as it is told")
    }

    @Test(
        "S1, S4: a reply is text although nearly all of it is white space, wherever the one letter stands",
        arguments: [0, 511, 512, 1_023, 1_099])
    func oneLetter(place: Int) {
        var characters = [Character](repeating: " ", count: 1_100)
        characters[place] = "x"
        let text = String(characters)
        var driver = StreamingDriver.asked()
        driver.hear(.token(ExactText(text)))
        driver.advance(by: .milliseconds(75))
        #expect(driver.text == text && driver.bubble?.isTyping == false)
        driver.hear(.done(nil, nil))
        #expect(driver.finished?.text == LongText(text) && driver.note == nil)
    }
}
