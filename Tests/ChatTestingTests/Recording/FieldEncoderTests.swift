import ChatDomain
import Testing

@testable import ChatTesting

@Suite("Fields of unordered collections")
struct FieldEncoderTests {
    /// The fields of a value, in the order in which they are found.
    private func fields(_ value: some Encodable) -> [String] {
        let encoder = FieldEncoder()
        encoder.add(value, at: "state")
        return encoder.fields.map { "\($0.path.string) \($0.value.string)" }
    }

    @Test("equal sets have equal fields, whatever their capacity")
    func sets() {
        var (large, small) = (Set<Int>(minimumCapacity: 1_000), Set<Int>())
        for number in 0..<50 {
            large.insert(number)
            small.insert(number)
        }
        #expect(fields(large) == fields(small))
        #expect(fields(Set([7])) == ["state[7] 7"] && fields(Set<Int>()) == ["state {}"])
    }

    @Test("equal dictionaries have equal fields, under the names of their keys")
    func dictionaries() {
        var (large, small) = ([ExactText: Int](minimumCapacity: 1_000), [ExactText: Int]())
        for number in 0..<50 {
            large[ExactText("m_\(number)")] = number
            small[ExactText("m_\(number)")] = number
        }
        #expect(fields(large) == fields(small))
        #expect(fields([ExactText("m_1"): 7]) == ["state[m_1] 7"])
    }

    @Test("a key that is the name of a field in the coded form is one in the path too, in the order of keys")
    func names() {
        #expect(fields(["b": true, "a": false]) == ["state.a false", "state.b true"])
        #expect(fields([2: "x"]) == ["state.2 x"])
    }
}
