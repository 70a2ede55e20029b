import ChatDomain
@testable import ChatEffects
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    typealias Reason = JSONError.Reason

    @Test(
        "Each kind of mistake is refused with its reason at the first byte that cannot be accepted",
        arguments: [
            ("", .unexpectedEnd, 0), (" \n", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4),
            ("{\"a\":", .unexpectedEnd, 5), ("\"abc", .unexpectedEnd, 4), ("\"abc\\", .unexpectedEnd, 5),
            ("\"\\u00", .unexpectedEnd, 5), ("nul", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1),
            ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
            ("\u{FEFF}1", .byteOrderMark, 0), ("]", .expectedValue, 0), ("[1,]", .expectedValue, 3),
            ("[,1]", .expectedValue, 1), ("+1", .expectedValue, 0), (".5", .expectedValue, 0),
            ("NaN", .expectedValue, 0), ("'a'", .expectedValue, 0), ("\u{A0}1", .expectedValue, 0),
            ("{1:2}", .expectedName, 1), ("{\"a\":1,}", .expectedName, 7), ("{,}", .expectedName, 1),
            ("{\"a\" 1}", .expectedColon, 5), ("{\"a\",1}", .expectedColon, 4),
            ("[1 2]", .expectedCommaOrEnd, 3), ("[1}", .expectedCommaOrEnd, 2),
            ("{\"a\":1]", .expectedCommaOrEnd, 6), ("[1:2]", .expectedCommaOrEnd, 2),
            ("True", .expectedValue, 0), ("trUe", .invalidLiteral, 2), ("nulL", .invalidLiteral, 3),
            ("01", .invalidNumber, 1), ("-01", .invalidNumber, 2), ("-a", .invalidNumber, 1),
            ("1.e1", .invalidNumber, 2), ("1ee1", .invalidNumber, 2), ("1e+-1", .invalidNumber, 3),
            ("--1", .invalidNumber, 1), ("0x1", .trailingBytes, 1), ("1 2", .trailingBytes, 2),
            ("{}}", .trailingBytes, 2), ("truee", .trailingBytes, 4), ("1/**/", .trailingBytes, 1),
            ("\"a\nb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
            ("\"12345678\t\"", .controlCharacter, 9), ("\"\\x\"", .invalidEscape, 2),
            ("\"\\u12G4\"", .invalidEscape, 5), ("\"\\U0041\"", .invalidEscape, 2),
            ("\"\\ud800\\u00g0\"", .invalidEscape, 11), ("\"\\ud800\"", .loneSurrogate, 1),
            ("\"a\\udc00\"", .loneSurrogate, 2), ("\"\\ud800\\ud800\\udc00\"", .loneSurrogate, 1),
            ("\"\\ud800\\n\"", .loneSurrogate, 1),
        ] as [(String, Reason, Int64)])
    func refusals(_ input: String, _ reason: Reason, _ offset: Int64) {
        #expect(jsonFailure(jsonBytes(input)) == JSONError(reason, at: offset))
    }

    @Test(
        "Bytes that are not UTF-8 are refused at the start of the ill-formed part, or replaced",
        arguments: [
            ([0xFF], "\u{FFFD}"), ([0x80], "\u{FFFD}"), ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
            ([0xE0, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xE2, 0x82], "\u{FFFD}"), ([0xF0, 0x9F, 0x98], "\u{FFFD}"), ([0xC3], "\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xF5, 0x41], "\u{FFFD}A"),
            ([0xF0, 0x8F, 0xBF, 0xBF], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xE2, 0x82, 0x5C, 0x6E], "\u{FFFD}\n"),
        ] as [([UInt8], String)])
    func malformedUTF8(_ part: [UInt8], _ repaired: String) {
        let input = jsonBytes("[\"é123\",\"ab") + part + jsonBytes("\"]")
        #expect(jsonFailure(input) == JSONError(.invalidUTF8, at: 12))
        #expect(
            readJSON(input, replacingPolicy)
                == .success(.array(["é123", .string(ExactText("ab" + repaired))])))
    }

    @Test("Bytes that are not UTF-8 are refused outside strings under every policy")
    func malformedOutside() {
        #expect(jsonFailure([0xFF], replacingPolicy)?.reason == .expectedValue)
        #expect(
            jsonFailure(jsonBytes("[1") + [0xC3] + jsonBytes("]"), replacingPolicy)?.reason
                == .expectedCommaOrEnd)
    }

    @Test("A string cut inside a character ends too early when it would be replaced, is no UTF-8 otherwise")
    func cutCharacter() {
        #expect(jsonFailure([0x22, 0xE2]) == JSONError(.invalidUTF8, at: 1))
        #expect(jsonFailure([0x22, 0xE2], replacingPolicy) == JSONError(.unexpectedEnd, at: 2))
    }

    @Test("Every scalar is read as it is, raw and escaped")
    func allScalars() {
        var wrong: [UInt32] = []
        for number in UInt32(0)...0x10FFFF {
            // The one- and two-byte ones, then samples and the borders.
            guard number < 0x900 || number % 997 == 0 || number & 0xFFF > 0xFFD,
                let scalar = Unicode.Scalar(number)
            else { continue }
            let expected = ExactText(String(Character(scalar)))
            let escaped = String(Character(scalar)).utf16.map { unit in
                "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
                    + String(unit, radix: 16)
            }
            if jsonValue("\"" + escaped.joined() + "\"") != .string(expected) { wrong.append(number) }
            if number >= 0x20, number != 0x22, number != 0x5C,
                jsonValue("\"\(expected)\"") != .string(expected)
            {
                wrong.append(number)
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Escapes stand for what RFC 8259 says, in either case of the digits")
    func escapes() {
        #expect(jsonValue(#""\"\\\/\b\f\n\r\t\u00E9\u00e9""#) == .string("\"\\/\u{8}\u{C}\n\r\téé"))
        #expect(jsonValue(#""\uD83D\uDE00 and \ud83d\ude00""#) == .string("😀 and 😀"))
    }

    @Test("A lone surrogate becomes U+FFFD when malformed text is replaced, and what follows is kept")
    func loneSurrogates() {
        let input = jsonBytes(#""\ud83d|\ude00|\ud83d\ud83d\ude00|\ud83d\u0041|\ud83d\n|\ud83d""#)
        let expected = "\u{FFFD}|\u{FFFD}|\u{FFFD}😀|\u{FFFD}A|\u{FFFD}\n|\u{FFFD}"
        #expect(readJSON(input, replacingPolicy) == .success(.string(ExactText(expected))))
    }

    @Test("White space is the four bytes of RFC 8259, anywhere between tokens")
    func whiteSpace() {
        #expect(jsonValue(" \t\r\n{ \"a\" : [ 1 , { } , [ ] ] } \n") == ["a": .array([1, [:], .array([])])])
        #expect(jsonValue("\u{B}1") == nil)
        #expect(jsonValue("\u{C}1") == nil)
        #expect(jsonValue("1\u{0}") == nil)
    }

    @Test("Of duplicates the last value wins in the place of the first, for few and for many members")
    func duplicates() {
        #expect(jsonValue(#"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        #expect(jsonValue(#"{"a":1,"\u0061":null}"#) == ["a": .null])
        #expect(jsonValue("{\"é\":1,\"e\u{301}\":2}")?.object?.members.count == 2)
        let many = (0..<500).map { "\"\($0 % 100)\":\($0)" }.joined(separator: ",")
        let object = jsonValue("{\(many)}")?.object
        #expect(object?.members.map(\.name.string) == (0..<100).map { "\($0)" })
        #expect(object?.members.map(\.value.integer) == (400..<500).map { $0 })
    }

    @Test("The limit on depth counts open arrays and objects; what is one deeper is refused at its bracket")
    func depth() {
        for limit in [1, 63, 64, 65, 128, 129, 256] {
            let policy = JSONPolicy(depth: Int64(limit))
            let open =
                String(repeating: "[{\"a\":", count: limit / 2) + String(repeating: "[", count: limit % 2)
            let close = String(repeating: "]", count: limit % 2) + String(repeating: "}]", count: limit / 2)
            let inner = limit % 2 == 0 ? "0" : ""
            #expect((try? readJSON(jsonBytes(open + inner + close), policy).get()) != nil)
            #expect(
                jsonFailure(jsonBytes(open + "["), policy) == JSONError(.tooDeep, at: Int64(open.utf8.count)))
        }
        #expect(jsonFailure(jsonBytes("[]"), JSONPolicy(depth: 0)) == JSONError(.tooDeep, at: 0))
        #expect(JSONPolicy(depth: .max).depth == JSONPolicy.greatestDepth)
        #expect(JSONPolicy(depth: -1, size: -1) == JSONPolicy(depth: 0, size: 0))
    }

    @Test("A hundred thousand open brackets are refused at the limit")
    func bomb() {
        let error = JSONError(.tooDeep, at: 128)
        #expect(jsonFailure([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == error)
        #expect(throws: error) {
            _ = try JSONReader().value(of: [UInt8](repeating: UInt8(ascii: "["), count: 100_000))
        }
    }

    @Test("The limit on size counts bytes; a longer text is refused before anything in it")
    func size() {
        #expect(jsonFailure(jsonBytes("[10]"), JSONPolicy(size: 4)) == nil)
        #expect(jsonFailure(jsonBytes("[10]x"), JSONPolicy(size: 4)) == JSONError(.tooLong, at: 4))
    }

    @Test("Accessors answer nil for another kind and for members that are not there")
    func accessors() throws {
        let root = try #require(
            jsonValue(#"{"s":"x","i":7,"d":1.5,"b":true,"n":null,"a":[1],"o":{"k":2},"x":1e999}"#))
        #expect(root["s"]?.string == "x" && root["s"]?.integer == nil && root["s"]?.bool == nil)
        #expect(root["i"]?.integer == 7 && root["i"]?.string == nil)
        #expect(root["d"]?.number?.truncated == 1 && root["d"]?.integer == nil && root["d"]?.object == nil)
        #expect(root["b"]?.bool == true && root["b"]?.number == nil && root["b"]?.array == nil)
        #expect(root["n"]?.isNull == true && root["s"]?.isNull == false && root["n"]?.bool == nil)
        #expect(root["a"]?.array == [1] && root["a"]?["k"] == nil)
        #expect(root["o"]?["k"]?.integer == 2 && root["o"]?["missing"] == nil)
        #expect(root["x"]?.number?.truncated == nil && root["x"]?.integer == nil)
        #expect(root["missing"] == nil)
    }

    @Test("An object keeps the order of its members when they are set, replaced and removed")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = nil
        object["a"] = "new"
        object["d"] = .null
        object["nowhere"] = nil
        #expect(object == ["a": "new", "c": 3, "d": .null])
        #expect(object != ["c": 3, "a": "new", "d": .null])
    }

    @Test("Random bytes and near misses never trap, and what is accepted stays as it is when written again")
    func random() {
        var random = JSONRandom(state: 1)
        var accepted = 0
        var unstable: [[UInt8]] = []
        for round in 0..<10_000 {
            var input = random.nearlyJSON()
            if round % 4 == 0 { input = (0..<random.below(12)).map { _ in UInt8(random.below(256)) } }
            for policy in [JSONPolicy(depth: 3), replacingPolicy] {
                guard case .success(let value) = readJSON(input, policy) else { continue }
                accepted += 1
                if readJSON(value.encoded) != .success(value) { unstable.append(input) }
            }
        }
        #expect(unstable.isEmpty)
        #expect(accepted > 500)
    }

    @Test("A valid text cut anywhere is refused, and a changed byte never traps")
    func damage() throws {
        let input = jsonBytes(#"{"a":[1.5e3,-0,"\ud83d\ude00é"],"b":{"c":null,"d":[true,false]}}"#)
        #expect(jsonFailure(input) == nil)
        var unstable: [[UInt8]] = []
        for end in 0..<input.count {
            #expect(jsonFailure([UInt8](input[..<end])) != nil)
            for byte in UInt8.min...UInt8.max {
                var changed = input
                changed[end] = byte
                for policy in [JSONPolicy(), replacingPolicy] {
                    guard case .success(let value) = readJSON(changed, policy) else { continue }
                    if readJSON(value.encoded) != .success(value) { unstable.append(changed) }
                }
            }
        }
        #expect(unstable.isEmpty)
    }

    @Test("An error says in words what is wrong and where")
    func words() {
        #expect(
            "\(JSONError(.tooDeep, at: Int64(128)))" == "byte 128: arrays and objects are nested too deeply")
    }
}
