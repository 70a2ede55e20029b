import ChatDomain
import Testing

@Suite("Text limits")
struct TextLimitsTests {
    @Test("P2: trimming takes every kind of white space at both ends and none inside")
    func trims() {
        #expect(ExactText(" \u{A0}\u{2003}\t\r\n a  b \u{3000}\u{2028}").trimmed == "a  b")
        #expect(ExactText(" \n\u{85} ").trimmed == "")
        #expect(ExactText("").trimmed == "")
    }

    @Test("P2: control and direction characters go, joiners and marks stay")
    func removesControls() {
        let name: ExactText = "A\u{0}\u{7}\u{1B}[31m\u{7F}\u{9F}B\u{202E}C\u{2066}\u{2069}\u{200F}\u{61C}D"
        #expect(name.withoutControlCharacters == "A[31mBCD")
        let family: ExactText = "👨‍👩‍👧‍👦 e\u{301} \u{AD}"
        #expect(family.withoutControlCharacters == family)
        #expect(ExactText("a\r\nb").withoutControlCharacters == "ab")
    }

    @Test("P2: a text of exactly the limit is not cut, one byte more is")
    func exactLimit() {
        let whole = ExactText(String(repeating: "x", count: 64))
        #expect(whole.cut(toByteCount: 64) == whole)
        #expect(ExactText(whole.string + "y").cut(toByteCount: 64) == whole)
    }

    @Test(
        "P2: a cut falls between graphemes: an emoji sequence over the border goes whole",
        arguments: [40, 63])
    func cutsBetweenGraphemes(before: Int) {
        let lead = String(repeating: "x", count: before)
        #expect(ExactText(lead + "👨‍👩‍👧‍👦").cut(toByteCount: 64) == ExactText(lead))  // the family is 25 bytes
        #expect(
            ExactText(lead + "🇳🇱🇳🇱🇳🇱🇳🇱").cut(toByteCount: 64).byteCount == Int64(before + (64 - before) / 8 * 8))
    }

    @Test("P2: an emoji sequence that ends at the border stays")
    func keepsWhatFits() {
        let text = ExactText(String(repeating: "x", count: 39) + "👨‍👩‍👧‍👦")
        #expect(text.byteCount == 64)
        #expect(ExactText(text.string + "!").cut(toByteCount: 64) == text)
    }

    @Test("P2: when the first grapheme alone is longer, the cut falls between scalars")
    func cutsAGiantGrapheme() {
        let zalgo = ExactText("e" + String(repeating: "\u{301}", count: 10_000))
        let cut = zalgo.cut(toByteCount: 64)
        #expect(cut.byteCount == 63)  // 1 + 31 × 2: the next mark would end at 65
        #expect(cut.string.unicodeScalars.count == 32)
    }

    @Test("bad input: limits below the first scalar leave nothing", arguments: [3, 0, -1, Int64.min])
    func tinyLimit(limit: Int64) {
        for text in ["👍", ""] as [ExactText] { #expect(text.cut(toByteCount: limit) == "") }
    }

    @Test("L1: random text is cut to a beginning that fits, is valid and could not be a grapheme longer")
    func randomCuts() {
        var entropy = Entropy.seeded(7)
        let alphabet = ["a", "é", "e\u{301}", "👍🏽", "👨‍👩‍👧‍👦", "🇳🇱", "\r\n", "한", "\u{200D}", "\u{FE0F}"]
        for _ in 0..<300 {
            let length = Int(entropy.next() % 30)
            var text = ""
            for _ in 0..<length { text += alphabet[Int(entropy.next() % UInt64(alphabet.count))] }
            let limit = Int64(entropy.next() % 80)
            let cut = ExactText(text).cut(toByteCount: limit)
            #expect(cut.byteCount <= limit)
            #expect(text.utf8.starts(with: cut.utf8))
            guard let first = text.first, first.utf8.count <= limit else { continue }
            let next = text.dropFirst(cut.string.count).first.map { Int64($0.utf8.count) } ?? 0
            #expect(cut.byteCount == ExactText(text).byteCount || cut.byteCount + next > limit)
        }
    }
}
