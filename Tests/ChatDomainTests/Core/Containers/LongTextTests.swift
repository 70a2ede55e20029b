// `LongText` against `String`: the same bytes, and the same pieces however the text came in.

@testable import ChatDomain
import Foundation
import Testing

@Suite("Long text")
struct LongTextTests {
    /// Scalars of one to four bytes, a combining mark, a joined emoji and a line end of two bytes.
    private static let scraps = ["a", "\r\n", "e\u{301}", "ß", "漢", "🙂", "👩‍👩‍👧", "words, ", "\u{0}"]

    private static func sample(_ bytes: Int, _ entropy: inout Entropy) -> String {
        var text = ""
        while text.utf8.count < bytes { text += scraps[Int(entropy.next() % UInt64(scraps.count))] }
        return text
    }

    @Test("cost: equal text has equal pieces, whether it came at once, in chunks or scalar by scalar")
    func pieces() {
        var entropy = Entropy.seeded(3)
        for size in [0, 1, 500, 511, 512, 513, 1_024, 1_025, 5_000, 9_000] {
            let whole = LongTextTests.sample(size, &entropy)
            let atOnce = LongText(whole)
            var byScalar = LongText()
            for scalar in whole.unicodeScalars { byScalar.append(String(scalar)) }
            var inChunks = LongText()
            var rest = Substring(whole).unicodeScalars
            while !rest.isEmpty {
                let chunk = rest.prefix(Int(entropy.next() % 900))
                inChunks.append(ExactText(String(chunk)))
                rest = rest.dropFirst(chunk.count)
            }
            for text in [atOnce, byScalar, inChunks] {
                #expect(text == atOnce && text.firstPiece.byteCount <= 512)
                #expect(text.hashValue == atOnce.hashValue)
                #expect(Array(text.string.utf8) == Array(whole.utf8))
                #expect(text.byteCount == Int64(whole.utf8.count))
                #expect(text.isEmpty == whole.isEmpty)
            }
        }
    }

    @Test("cost: a scalar of four bytes at every place around a cut stays whole")
    func cuts() {
        for lead in 500...520 {
            let whole =
                String(repeating: "x", count: lead) + "🙂🙂" + String(repeating: "y", count: 1_020) + "🙂"
            var text = LongText(String(repeating: "x", count: lead))
            text.append("🙂🙂")
            text.append(String(repeating: "y", count: 1_020))
            text.append("🙂")
            #expect(text == LongText(whole))
            #expect(ExactText(text.string) == ExactText(whole))
        }
    }

    @Test("held values never change, and each is a prefix of those after it")
    func values() {
        var entropy = Entropy.seeded(5)
        var text = LongText()
        var model = ""
        var held: [(LongText, String)] = []
        for _ in 0..<60 {
            held.append((text, model))
            let more = LongTextTests.sample(Int(entropy.next() % 300), &entropy)
            text.append(more)
            model += more
        }
        for (earlier, string) in held {
            #expect(ExactText(earlier.string) == ExactText(string))
            #expect(text.hasPrefix(earlier))
            #expect(text.hasPrefix(ExactText(string)))
            #expect(earlier.hasPrefix(text) == (earlier == text))
            #expect(!text.hasPrefix(ExactText(string + "\u{1}")))
            let new = text.suffix(after: earlier.byteCount)
            #expect(ExactText(earlier.string + new) == ExactText(model))
        }
    }

    @Test("a long text begins with its prefixes of every height, and not with one that differs anywhere")
    func prefixes() {
        let whole = String(repeating: "0123456789abcdef", count: 6_000)
        let text = LongText(whole)
        for length in [0, 1, 512, 513, 4_096, 4_097, 4_608, 9_000, 65_536, 66_048, 70_000, 95_999, 96_000] {
            let prefix = LongText(String(whole.prefix(length)))
            #expect(text.hasPrefix(prefix))
            for wrong in [0, 511, 512, 4_095, 4_096, 65_535, 65_536, 95_998] where wrong < length {
                var bytes = Array(whole.utf8.prefix(length))
                bytes[wrong] = UInt8(ascii: "!")
                #expect(!text.hasPrefix(LongText(String(decoding: bytes, as: UTF8.self))))
            }
        }
        #expect(!LongText(String(whole.dropLast())).hasPrefix(text))
    }

    @Test("the suffix after any offset is what follows it, from the beginning of a scalar")
    func suffixes() {
        let whole = String(repeating: "x", count: 510) + "🙂漢" + String(repeating: "z", count: 1_100)
        let text = LongText(whole)
        let bytes = Array(whole.utf8)
        for offset in 0...bytes.count {
            var start = offset
            while start < bytes.count, bytes[start] & 0xC0 == 0x80 { start -= 1 }
            let ok = text.suffix(after: Int64(offset)).utf8.elementsEqual(bytes[start...])
            #expect(ok, "offset \(offset)")
        }
        #expect(text.suffix(after: .min) == whole)
        #expect(text.suffix(after: .max).isEmpty)
        #expect(LongText().suffix(after: 0).isEmpty)
    }

    @Test("text is bytes: canonical equivalents differ, in a short text and within a piece")
    func bytes() {
        let filler = String(repeating: "x", count: 600)
        #expect(LongText("\u{E9}") != LongText("e\u{301}"))
        // Three bytes either way, so that only their values differ.
        #expect(LongText("\u{212B}" + filler) != LongText("A\u{30A}" + filler))
        #expect(!LongText("\u{212B}" + filler).hasPrefix("A\u{30A}"))
    }

    @Test("a text is encoded as one string")
    func codable() throws {
        for text in [LongText(), LongText("é"), LongText(String(repeating: "漢\r\n", count: 700))] {
            let data = try JSONEncoder().encode([text])
            #expect(try JSONDecoder().decode([String].self, from: data) == [text.string])
            #expect(try JSONDecoder().decode([LongText].self, from: data) == [text])
        }
    }
}
