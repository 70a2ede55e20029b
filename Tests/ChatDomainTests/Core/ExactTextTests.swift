// Texts are equal when their bytes are, wherever the bytes stand in memory.

import ChatDomain
import Testing

@Suite("Exact text")
struct ExactTextTests {
    @Test(
        "texts with the same bytes are equal, also short ones with room for more",
        arguments: ["", "x", "seven b", "eight by", "more than eight bytes"])
    func room(text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_000)
        bytes.append(contentsOf: text.utf8)
        #expect(ExactText(decoding: bytes) == ExactText(text))
    }

    @Test(
        "texts of one length that differ in one byte differ, whichever it is",
        arguments: ["x", "seven b", "eight by", "more than eight bytes"])
    func oneByte(text: String) {
        for place in 0..<text.utf8.count {
            var bytes = Array(text.utf8)
            bytes[place] = 0x7E
            #expect(ExactText(decoding: bytes) != ExactText(text))
        }
    }
}
