import ChatDomain
import ChatEffects
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("Members and elements come in the order in which they are written, with nothing between")
    func order() {
        var output = jsonBytes("data: ")
        JSONWriter.object(into: &output) {
            $0.member("type", "auth")
            $0.member("version", 1)
            $0.member("big", UInt64.max)
            $0.member("small", Int64.min)
            $0.member("half", 0.5)
            $0.member("on", true)
            $0.null("none")
            $0.member("text", ExactText("x"))
            $0.object("empty") { _ in }
            $0.array("list") {
                $0.element("a")
                $0.element(2)
                $0.element(-0.25)
                $0.element(false)
                $0.null()
                $0.array { $0.element(UInt64(3)) }
                $0.object { $0.member("b", JSONNumber(1.0)) }
                $0.encoded(jsonBytes("[]"))
                $0.element(JSONValue.object(["c": 4]))
            }
            $0.encoded("raw", jsonBytes("{}"))
            $0.member("value", JSONValue.array([]))
        }
        #expect(
            jsonText(output)
                == #"data: {"type":"auth","version":1,"big":18446744073709551615,"small":-9223372036854775808,"#
                + #""half":0.5,"on":true,"none":null,"text":"x","empty":{},"list":["a",2,-0.25,false,null,[3],"#
                + #"{"b":1},[],{"c":4}],"raw":{},"value":[]}"#)
        JSONWriter.array(into: &output) { _ in }
        #expect(jsonText(output).hasSuffix("[]}[]"))
    }

    @Test("Only quote, backslash and control characters are escaped, each in one way")
    func escapes() {
        let controls = String(String.UnicodeScalarView((0..<32).compactMap { Unicode.Scalar($0 as UInt8) }))
        #expect(
            jsonText(JSONValue.string(ExactText(controls)).encoded)
                == #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
                + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
        )
        #expect(
            jsonText(JSONValue.string("\"\\/\u{7F}é\u{2028}😀").encoded) == "\"\\\"\\\\/\u{7F}é\u{2028}😀\"")
        #expect(jsonText(JSONValue.string("").encoded) == "\"\"")
        var output: [UInt8] = []
        JSONWriter.object(into: &output) { $0.member("a\"\n", "") }
        #expect(jsonText(output) == #"{"a\"\n":""}"#)
    }

    @Test(
        "What must be escaped is found wherever it stands, alone, beside another, and beside what is not ASCII"
    )
    func escapesAnywhere() {
        let special = [
            ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1F}", "\\u001f"), ("é", "é"), ("😀", "😀"),
        ]
        for length in 0..<18 {
            for place in 0...length {
                let before = String(repeating: "!", count: place)
                let behind = String(repeating: "~", count: length - place)
                for (one, escapedOne) in special {
                    for (other, escapedOther) in special + [("", "")] {
                        let text = ExactText(before + one + other + behind)
                        let expected = "\"" + before + escapedOne + escapedOther + behind + "\""
                        #expect(JSONValue.string(text).encoded == Array(expected.utf8))
                    }
                }
            }
        }
    }

    @Test(
        "Doubles are laid out as RFC 8785 lists them",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"),
            (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x7FF0_0000_0000_0000, "null"), (0x7FFF_FFFF_FFFF_FFFF, "null"), (0x3FE0_0000_0000_0000, "0.5"),
            (0x4028_8000_0000_0000, "12.25"), (0x3DDB_7CDF_D9D7_BDBB, "1e-10"),
        ] as [(UInt64, String)])
    func doubles(_ bits: UInt64, _ expected: String) {
        #expect(jsonText(JSONValue.number(JSONNumber(Double(bitPattern: bits))).encoded) == expected)
    }

    @Test("A number out of range is written as null")
    func outOfRange() {
        #expect(jsonText(jsonValue("[1e400,-1e400]")?.encoded ?? []) == "[null,null]")
    }

    @Test("Random values read back equal, from one encoding")
    func roundTrip() {
        var random = JSONRandom(state: 5)
        for _ in 0..<1_500 {
            let value = random.value(depth: 4)
            let encoded = value.encoded
            #expect(readJSON(encoded) == .success(value))
            var again: [UInt8] = []
            JSONWriter.value(value, into: &again)
            #expect(again == encoded)
        }
    }

    @Test("Random doubles read back as the same double")
    func doubleRoundTrip() {
        var random = JSONRandom(state: 6)
        var wrong: [Double] = []
        for _ in 0..<4_000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            let encoded = JSONValue.number(JSONNumber(double)).encoded
            let isSame = Double(jsonText(encoded)) == double
            if !isSame || readJSON(encoded) != .success(.number(JSONNumber(double))) { wrong.append(double) }
        }
        #expect(wrong.isEmpty)
    }
}
