// Names of files for hostile components, seen from the directory that they end up in, and the digest that
// long ones rest on, by the examples of its standard.

import ChatDomain
import Testing

@testable import ChatEffects

@Suite("Names of files")
struct FileNameTests {
    /// Components that a server could choose to do harm, each different from the others by its bytes.
    static let hostile: [ExactText] = [
        "", ".", "..", "...", "/", "//", "a/b", "../../etc/passwd", "a\0", "a\0b", "\0", "\u{7F}", "\n", " ",
        " a",
        "a ", "a", "A", "Straße", "STRASSE", "strasse", "\u{E9}", "e\u{301}", "É", "ﬁ", "fi", "İ", "i̇", "%",
        "%%",
        "%2e", "%2E", "%2f", "~", "a~", "-", "--help", "-rf", "_", "*", "?", "\\", "\\\\", ":", "a:b", "|",
        "con",
        "NUL", "lock", "record", ".record", "a.record", "a.below", "a.writing", "a.record.damaged-1", "👩‍👩‍👧‍👦",
        "\u{FEFF}", "\u{202E}abc", "\u{FFFF}", "\u{10FFFF}", "{}", "'", "\"", "$(x)",
        ExactText(String(repeating: "x", count: 200)), ExactText(String(repeating: "x", count: 201)),
        ExactText(String(repeating: "x", count: 999) + "y"), ExactText(String(repeating: "x", count: 1_000)),
        ExactText(String(repeating: "X", count: 1_000)), ExactText(String(repeating: "😀", count: 1_000)),
        ExactText(String(repeating: "../", count: 1_000)), ExactText(String(repeating: "é", count: 1_000)),
        ExactText(String(repeating: "e\u{301}", count: 1_000)),
    ]

    @Test("names are of harmless characters, fit with any ending, and differ even where case does not count")
    func names() {
        let stems = Self.hostile.map { FileName($0).stem }
        for stem in stems {
            #expect(!stem.isEmpty && stem.utf8.count <= FileName.limit)
            #expect(
                stem.utf8.allSatisfy { byte in
                    "abcdefghijklmnopqrstuvwxyz0123456789-_%~".utf8.contains(byte)
                })
            let longest = FileName.setAside(stem + FileName.directoryEnding, number: 9)
            #expect(longest.utf8.count <= 255 && (stem + ".record.writing").utf8.count <= 255)
        }
        #expect(Set(stems).count == Set(Self.hostile).count)
        #expect(Set(Self.hostile).count == Self.hostile.count)
    }

    @Test("random components of few bytes never meet, short or long")
    func random() {
        var entropy = Entropy.seeded(11)
        let alphabet: [Character] = ["a", "A", "%", "6", "1", ".", "~"]
        var components: Set<ExactText> = []
        var stems: Set<String> = []
        for _ in 0..<2_000 {
            let isLong = entropy.next() % 16 == 0
            let count = entropy.next() % (isLong ? 300 : 5)
            var text = ""
            for _ in 0..<count { text.append(alphabet[Int(entropy.next() % 7)]) }
            components.insert(ExactText(text))
            stems.insert(FileName(ExactText(text)).stem)
        }
        #expect(stems.count == components.count)
    }

    @Test("the name that a long component gets cannot be given out in full to another")
    func noForgery() {
        let stem = FileName(ExactText(String(repeating: "x", count: 300))).stem
        #expect(stem.utf8.count == FileName.limit)
        #expect(FileName(ExactText(stem)).stem != stem)
    }

    @Test(
        "SHA-256 gives the digests of its standard",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            ("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            ("a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            ("a", 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            ("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            ("a", 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            ("a", 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
            ("a", 1_000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func digest(text: String, count: Int, expected: String) {
        let digest = SHA256(Array(String(repeating: text, count: count).utf8)).digest
        let digits = Array("0123456789abcdef")
        #expect(String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) == expected)
    }
}
