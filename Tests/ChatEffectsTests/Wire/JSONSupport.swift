// Random JSON and shorthand for the tests of the reader, the scanner and the writer.

import ChatDomain
@testable import ChatEffects

func jsonBytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

func jsonText(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// What a reader says of a text: a value, or the error.
func readJSON(_ bytes: [UInt8], _ policy: JSONPolicy = JSONPolicy()) -> Result<JSONValue, JSONError> {
    do throws(JSONError) {
        return .success(try JSONReader(policy).value(of: bytes))
    } catch {
        return .failure(error)
    }
}

func jsonValue(_ text: String) -> JSONValue? { try? readJSON(jsonBytes(text)).get() }

func jsonFailure(_ bytes: [UInt8], _ policy: JSONPolicy = JSONPolicy()) -> JSONError? {
    guard case .failure(let error) = readJSON(bytes, policy) else { return nil }
    return error
}

let replacingPolicy = JSONPolicy(malformedText: .replace)

/// A small generator of its own (SplitMix64), so that a failing case is the same everywhere.
struct JSONRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func text() -> ExactText {
        let pieces = [
            "a", "type", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "\u{FFFD}",
            "\u{2028}", "😀", "👩‍👩‍👧", "long enough for the heap", "0",
        ]
        var text = ""
        for _ in 0..<below(5) { text += pieces[below(pieces.count)] }
        return ExactText(text)
    }

    mutating func number() -> JSONNumber {
        switch below(4) {
        case 0: JSONNumber(Int64(below(200)) - 100)
        case 1: JSONNumber(Int64(bitPattern: next()))
        case 2: JSONNumber(literal: "\(next())")
        default: JSONNumber(literal: "\(Int64(bitPattern: next()))e\(below(700) - 350)")
        }
    }

    mutating func value(depth: Int) -> JSONValue {
        switch below(depth == 0 ? 4 : 7) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .number(number())
        case 3: return .string(text())
        case 4:
            return .array((0..<below(4)).map { _ in value(depth: depth - 1) })
        default:
            return .object(
                JSONObject((0..<below(5)).map { _ in JSONObject.Member(text(), value(depth: depth - 1)) }))
        }
    }

    /// Bytes that are nearly JSON: pieces of its grammar, a few of them broken.
    mutating func nearlyJSON() -> [UInt8] {
        let pieces: [[UInt8]] = [
            jsonBytes("{"), jsonBytes("}"), jsonBytes("["), jsonBytes("]"), jsonBytes(","), jsonBytes(":"),
            jsonBytes("\"a\""),
            jsonBytes("\"\""),
            jsonBytes("\"type\":"), jsonBytes("\"payload\":{"), jsonBytes("null"), jsonBytes("true"),
            jsonBytes("fals"),
            jsonBytes(" "),
            jsonBytes("-0"), jsonBytes("1.5e3"), jsonBytes("01"), jsonBytes("\"\\u0061\""),
            jsonBytes("\"\\ud83d\""),
            jsonBytes("\"\\ud83d\\ude00\""), jsonBytes("\""), jsonBytes("\\"), [0xFF],
            [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xC3, 0xA9, 0x22], [0], jsonBytes("\t"),
        ]
        var result: [UInt8] = []
        for _ in 0..<below(9) { result += pieces[below(pieces.count)] }
        return result
    }
}

extension JSONNumber {
    init(literal: String) {
        self = jsonBytes(literal).withUnsafeBufferPointer { JSONNumber(literal: $0) }
    }
}

// Literals, for expectations.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    public init(stringLiteral value: String) { self = .string(ExactText(value)) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    public init(dictionaryLiteral elements: (ExactText, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
    }
}
