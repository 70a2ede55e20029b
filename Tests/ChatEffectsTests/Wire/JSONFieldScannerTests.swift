import ChatDomain
@testable import ChatEffects
import Testing

/// `#expect` for what cannot be copied, as the fields of a text cannot.
private func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

@Suite("JSON field scanner")
struct JSONFieldScannerTests {
    let scanner = JSONFieldScanner(["type", "content", "n", JSONPath("payload", "content"), "payload"])

    /// The found fields as values, or the error.
    func scan(_ input: [UInt8], _ policy: JSONPolicy = JSONPolicy()) -> Result<[JSONValue?], JSONError> {
        let paths: [JSONPath] = [
            "type", "content", "a", JSONPath("payload", "a"), "payload", JSONPath("payload", "type"),
            JSONPath("content", 1), JSONPath("payload", "content", 0, "a"), JSONPath("payload", "b", "a"),
        ]
        let scanner = JSONFieldScanner(paths, policy)
        do throws(JSONError) {
            return .success(
                try scanner.scan(input) { (fields) throws(JSONError) in paths.indices.map { fields.value($0) }
                })
        } catch {
            return .failure(error)
        }
    }

    @Test("The fields of a token event are found without touching the others")
    func token() throws {
        let input = jsonBytes(#"{"type":"token","content":"Hello","memory_moment":false}"#)
        let content = try scanner.scan(input) { fields in
            check(fields.has("token", at: 0) && !fields.has("toke", at: 0) && !fields.has("tokem", at: 0))
            check(!fields.isPresent(2) && fields.integer(2) == nil)
            return fields.string(1)
        }
        #expect(content == "Hello")
    }

    @Test("A field of another kind, absent, or beyond the list is nil by every accessor")
    func kinds() throws {
        try scanner.scan(
            jsonBytes(#"{"type":null,"content":[1,{"n":2}],"n":7.0,"payload":{"content":true}}"#)
        ) {
            fields in
            #expect(
                fields.value(0) == .null && fields.isPresent(0) && fields.string(0) == nil
                    && !fields.has("null", at: 0))
            check(fields.value(1) == .array([1, ["n": 2]]) && fields.bool(1) == nil)
            check(fields.integer(2) == 7)
            check(fields.bool(3) == true && fields.number(3) == nil)
            check(fields.value(4) == ["content": .bool(true)])
            check(!fields.isPresent(5) && fields.value(-1) == nil && fields.string(.max) == nil)
        }
    }

    @Test("Names and texts are compared after their escapes are resolved")
    func escapedNames() throws {
        try scanner.scan(jsonBytes(#"{"ty\u0070e":"to\u006ben","conten\u0074\n":1,"c\u006fntent":"\n"}"#)) {
            fields in
            check(fields.has("token", at: 0) && !fields.has("tokem", at: 0))
            check(fields.string(1) == "\n")
        }
    }

    @Test("Every length of a name is told from one of the same length that differs in any one byte")
    func similarNames() throws {
        for length in 1...40 {
            let name = [UInt8]((0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            let scanner = JSONFieldScanner([JSONPath(ExactText(decoding: name)), "z"])
            for place in -1..<length {
                var other = name
                if place >= 0 { other[place] = UInt8(ascii: "_") }
                let text = ExactText(decoding: other).string
                for input in [
                    "{\"\(text)\":1}", "{\"z\":0,\"\(text)\":1,\"longer than this\":\"and a text\"}",
                ] {
                    let found = try scanner.scan(jsonBytes(input)) { fields in fields.integer(0) }
                    #expect(found == (place < 0 ? 1 : nil), "\(input)")
                }
            }
        }
    }

    @Test("A later duplicate of an object takes away what was found in the earlier one")
    func duplicates() {
        #expect(
            scan(jsonBytes(#"{"payload":{"a":1},"payload":{"type":2}}"#))
                == .success([nil, nil, nil, nil, ["type": 2], 2, nil, nil, nil]))
        #expect(
            scan(jsonBytes(#"{"payload":{"a":1},"payload":[{"a":2}],"type":1,"type":"x"}"#))
                == .success(["x", nil, nil, nil, .array([["a": 2]]), nil, nil, nil, nil]))
    }

    @Test("Deeper members of the same name, arrays and scalars at the root give nothing")
    func otherLevels() {
        let nothing: [JSONValue?] = [nil, nil, nil, nil, nil, nil, nil, nil, nil]
        for input in [
            "[{\"a\":1}]", "[\"type\"]", "1", "null", "{\"x\":{\"a\":1,\"payload\":{\"a\":1}}}", "{}",
        ] {
            #expect(scan(jsonBytes(input)) == .success(nothing))
        }
        #expect(
            scan(jsonBytes(#"{"payload":{"b":{"a":1},"c":[{"type":1}]}}"#))
                == .success([
                    nil, nil, nil, nil, ["b": ["a": 1], "c": .array([["type": 1]])], nil, nil, nil, 1,
                ]))
    }

    @Test("A path goes through objects and elements of arrays, to any depth, beside all that is on no path")
    func deepPaths() throws {
        let scanner = JSONFieldScanner([
            JSONPath("choices", 0, "delta", "content"), JSONPath("choices", 1),
            JSONPath("choices", 0, "finish"),
            JSONPath("choices", 0, "delta"), JSONPath(),
            JSONPath("choices", 0, "delta", "content", 1, "text"),
        ])
        func found(_ text: String) throws -> [JSONValue?] {
            try scanner.scan(jsonBytes(text)) { (fields) throws(JSONError) in (0..<6).map { fields.value($0) }
            }
        }
        func expect(_ text: String, _ values: JSONValue?...) throws {
            let whole = try JSONReader().value(of: jsonBytes(text))
            var all = values
            all.insert(whole, at: 4)
            #expect(try found(text) == all, "\(text)")
        }
        try expect(
            #"{"choices":[{"x":[{"delta":1}],"delta":{"content":"a"},"finish":null},{"delta":{"content":"b"}}]}"#,
            "a", ["delta": ["content": "b"]], .null, ["content": "a"], nil)
        try expect(
            #"{"choices":[{"delta":{"content":[0,{"text":"t"},{"text":"u"}]}}],"delta":{"content":"no"}}"#,
            .array([0, ["text": "t"], ["text": "u"]]), nil, nil,
            ["content": .array([0, ["text": "t"], ["text": "u"]])], "t")
        try expect(#"{"choices":[{"delta":{"content":"a"}}],"choices":[[]]}"#, nil, nil, nil, nil, nil)
        try expect(#"{"choices":{"0":{"delta":{"content":"a"}}}}"#, nil, nil, nil, nil, nil)
        try expect(#"[{"choices":[1]}]"#, nil, nil, nil, nil, nil)
        try expect(#""choices""#, nil, nil, nil, nil, nil)
        try expect(
            #"{"choices":[{"delta":{"content":"a","content":{"content":[]}}}]}"#, ["content": .array([])],
            nil, nil,
            ["content": ["content": .array([])]], nil)
    }

    @Test("An error after or beside the fields is the error of the tree reader")
    func strict() {
        for input in [
            #"{"type":"x","z":01}"#, #"{"type":"x"}x"#, #"{"type":"x","z":"\q"}"#, #"{"type":"x""#,
            #"{"type":"x","z":[[}]}"#,
        ] {
            #expect(
                scan(jsonBytes(input))
                    == .failure(jsonFailure(jsonBytes(input)) ?? JSONError(.tooDeep, at: Int64(-1))))
        }
        let deep = jsonBytes("{\"z\":" + String(repeating: "[", count: 100_000))
        #expect(scan(deep) == .failure(JSONError(.tooDeep, at: 132)))
    }

    @Test("More than 64 paths: those beyond are never found")
    func manyPaths() throws {
        let scanner = JSONFieldScanner((0..<70).map { JSONPath(ExactText("f\($0)")) })
        try scanner.scan(jsonBytes(#"{"f0":1,"f63":2,"f64":3}"#)) { fields in
            check(fields.integer(0) == 1 && fields.integer(63) == 2 && !fields.isPresent(64))
        }
        try JSONFieldScanner([]).scan(jsonBytes("{\"a\":1}")) { fields in check(!fields.isPresent(0)) }
    }

    @Test("Scanner, validator and tree agree on random texts: fields, acceptance, errors")
    func differential() {
        var random = JSONRandom(state: 4)
        var different: [[UInt8]] = []
        func compare(_ input: [UInt8], _ policy: JSONPolicy) {
            let tree = readJSON(input, policy)
            let expected = tree.map { root -> [JSONValue?] in
                let payload = root["payload"]
                func element(_ index: Int, of array: JSONValue?) -> JSONValue? {
                    array?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                }
                return [
                    root["type"], root["content"], root["a"], payload?["a"], payload, payload?["type"],
                    element(1, of: root["content"]), element(0, of: payload?["content"])?["a"],
                    payload?["b"]?["a"],
                ]
            }
            if scan(input, policy) != expected { different.append(input) }
            var refusal: JSONError?
            do throws(JSONError) { _ = try JSONReader(policy).value(of: input) } catch { refusal = error }
            if refusal != jsonFailure(input, policy) { different.append(input) }
        }
        let names: [ExactText] = ["type", "content", "a", "payload", "b"]
        func object(_ depth: Int) -> JSONValue {
            // Built without removing duplicates, by writing members one by one.
            var output: [UInt8] = []
            JSONWriter.object(into: &output) { writer in
                for _ in 0..<random.below(6) {
                    let name = names[random.below(names.count)]
                    let isNested = depth > 0 && random.below(2) == 0
                    writer.member(name, isNested ? object(depth - 1) : random.value(depth: 1))
                }
            }
            compare(output, JSONPolicy())
            return (try? JSONReader().value(of: output)) ?? .null
        }
        for round in 0..<800 {
            _ = object(2)
            compare(random.nearlyJSON(), round % 2 == 0 ? replacingPolicy : JSONPolicy(depth: 2))
        }
        #expect(different.isEmpty)
    }
}
