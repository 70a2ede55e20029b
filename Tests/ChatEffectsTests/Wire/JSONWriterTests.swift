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
            $0.member("small", Int64.min)
            $0.member("on", true)
            $0.null("none")
            $0.member("text", ExactText("x"))
            $0.object("empty") { _ in }
            $0.array("list") {
                $0.element("a")
                $0.element(2)
                $0.element(false)
                $0.null()
                $0.array { $0.element(3) }
                $0.object { $0.member("b", 1) }
                $0.element(JSONValue.object(["c": 4]))
            }
            $0.member("value", JSONValue.array([]))
        }
        #expect(
            jsonText(output)
                == #"data: {"type":"auth","version":1,"small":-9223372036854775808,"#
                + #""on":true,"none":null,"text":"x","empty":{},"list":["a",2,false,null,[3],"#
                + #"{"b":1},{"c":4}],"value":[]}"#)
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
        "A byte to be escaped is found in every place: alone, beside another, and beside bytes that are not ASCII"
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
}
