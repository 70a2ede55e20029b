import ChatDomain
import Testing

@testable import ChatEffects

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the examples of RFC 4648, section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func examples(_ text: String, _ letters: String) {
        #expect(Base64.encode([UInt8](text.utf8)) == ExactText(letters))
        #expect(Base64.decode(ExactText(letters)) == [UInt8](text.utf8))
    }

    @Test("bytes come back, and every letter is used")
    func roundTrip() {
        var random = JSONRandom(state: 31)
        var seen: Set<Character> = []
        for length in 0..<80 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let letters = Base64.encode(bytes)
            seen.formUnion(letters.string)
            #expect(Base64.decode(letters) == bytes)
        }
        #expect(seen.count == 65)
    }

    @Test(
        "a spelling that nobody here would write is refused",
        arguments: [
            "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Z=g=", "=Zg=", "Zm9v\n",
            " Zg=",
            "Zm-_", "Zm9é", "Zm9v=",
        ])
    func strict(_ letters: String) {
        #expect(Base64.decode(ExactText(letters)) == nil)
    }
}
