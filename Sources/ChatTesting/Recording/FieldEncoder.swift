// Divides a value into its fields, each with a path that a reader of the source understands:
//
//     chat.conversation.outbox.queue[0].status.failed = …
//
// It is an `Encoder`, so it sees the content of a value's `Codable` form, and nothing depends on how a platform writes
// JSON. A case without values is the value `.case` of its property; the only unlabelled value of a case is under the
// case itself. Bytes are a count and a digest. The elements of a set, and the values of a dictionary, are under their
// names, because their order is another in each process.

import ChatDomain

/// The fields of a value that have been found so far.
final class FieldEncoder {
    private(set) var fields: [StateField] = []
    /// The latest case, as long as no value of it is known.
    private var begun: (owner: ExactText, path: ExactText, name: String)?

    /// Adds the fields of a value below a path.
    func add<Value: Encodable>(_ value: Value, at path: ExactText) {
        if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
            var digest = FieldDigest()
            digest.add(bytes)
            return append(path, "\(bytes.count) bytes, \(digest.text.string)")
        }
        let before = (count: fields.count, path: begun?.path)
        do {
            if let value = value as? any Unordered {
                value.add(to: self, at: path)
            } else {
                try value.encode(to: Level(sink: self, path: path))
            }
        } catch {
            append(path, "not encodable")
        }
        if begun?.path != before.path { endCase() }
        // A value without content, such as an empty list, is seen by its path alone.
        if fields.count == before.count { append(path, "{}") }
    }

    fileprivate func beginCase(_ name: some CodingKey, of owner: ExactText) -> ExactText {
        let path = owner.below(name)
        leaveCase(for: path)
        begun = (owner, path, name.stringValue)
        return path
    }

    /// Writes the latest case, unless the path is within it.
    private func leaveCase(for path: ExactText) {
        if let begun, path.utf8.starts(with: begun.path.utf8) { self.begun = nil }
        endCase()
    }

    private func endCase() {
        guard let (owner, _, name) = begun else { return }
        begun = nil
        fields.append(StateField(path: owner, value: ExactText(".\(name)")))
    }

    fileprivate func append(_ path: ExactText, _ value: String) {
        leaveCase(for: path)
        fields.append(StateField(path: path, value: ExactText(value)))
    }
}

/// A collection whose order says nothing.
private protocol Unordered {
    /// Adds the fields of the elements, in the order of their names.
    func add(to sink: FieldEncoder, at path: ExactText)
}

extension Set: Unordered where Element: Encodable {
    fileprivate func add(to sink: FieldEncoder, at path: ExactText) {
        let named = map { (name: ExactText(StateFields.name($0)), element: $0) }
        for (name, element) in named.sorted(by: { $0.name < $1.name }) {
            sink.add(element, at: path.at(name))
        }
    }
}

extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
    fileprivate func add(to sink: FieldEncoder, at path: ExactText) {
        let named = map { (name: ExactText(StateFields.name($0.key)), key: $0.key, value: $0.value) }
        for (name, key, value) in named.sorted(by: { $0.name < $1.name }) {
            // The coded form has such a key as the name of a field.
            let field = (key as? any CodingKeyRepresentable).map { path.below($0.codingKey) }
            sink.add(value, at: field ?? path.at(name))
        }
    }
}

/// One level of a value.
private struct Level: Encoder {
    let sink: FieldEncoder
    let path: ExactText
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(sink: sink, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(sink: sink, path: path) }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(sink: sink, path: path) }
}

extension ExactText {
    fileprivate func below(_ key: some CodingKey) -> ExactText {
        let name = key.stringValue
        if name == "_0" { return self }
        var path = self
        if !isEmpty { path.append(".") }
        path.append(ExactText(name))
        return path
    }

    /// The path of an element. The name of a plain value begins with a space, between it and a path that is empty.
    fileprivate func at(_ name: ExactText) -> ExactText {
        var path = self
        path.append(ExactText("[\(name.string.trimmingPrefix(" "))]"))
        return path
    }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: FieldEncoder
    let path: ExactText
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { sink.append(path.below(key), "null") }
    func encode(_ value: Bool, forKey key: Key) { sink.append(path.below(key), "\(value)") }
    func encode(_ value: String, forKey key: Key) { sink.append(path.below(key), value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
        sink.add(value, at: path.below(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        Level(sink: sink, path: sink.beginCase(key, of: path)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Elements(sink: sink, path: path.below(key))
    }

    func superEncoder() -> any Encoder { Level(sink: sink, path: path) }
    func superEncoder(forKey key: Key) -> any Encoder { Level(sink: sink, path: path.below(key)) }
}

private struct Elements: UnkeyedEncodingContainer {
    let sink: FieldEncoder
    let path: ExactText
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(sink: FieldEncoder, path: ExactText) {
        self.sink = sink
        self.path = path
    }

    private mutating func next() -> ExactText {
        defer { count += 1 }
        var element = path
        element.append(ExactText("[\(count)]"))
        return element
    }

    mutating func encodeNil() { sink.append(next(), "null") }
    mutating func encode<Value: Encodable>(_ value: Value) { sink.add(value, at: next()) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        Level(sink: sink, path: next()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(sink: sink, path: next())
    }

    mutating func superEncoder() -> any Encoder { Level(sink: sink, path: next()) }
}

private struct Single: SingleValueEncodingContainer {
    let sink: FieldEncoder
    let path: ExactText
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { sink.append(path, "null") }
    func encode(_ value: Bool) { sink.append(path, "\(value)") }
    func encode(_ value: String) { sink.append(path, value) }
    func encode(_ value: Double) { sink.append(path, "\(value)") }
    func encode(_ value: Float) { sink.append(path, "\(value)") }
    func encode(_ value: Int) { sink.append(path, "\(value)") }
    func encode(_ value: Int8) { sink.append(path, "\(value)") }
    func encode(_ value: Int16) { sink.append(path, "\(value)") }
    func encode(_ value: Int32) { sink.append(path, "\(value)") }
    func encode(_ value: Int64) { sink.append(path, "\(value)") }
    func encode(_ value: UInt) { sink.append(path, "\(value)") }
    func encode(_ value: UInt8) { sink.append(path, "\(value)") }
    func encode(_ value: UInt16) { sink.append(path, "\(value)") }
    func encode(_ value: UInt32) { sink.append(path, "\(value)") }
    func encode(_ value: UInt64) { sink.append(path, "\(value)") }
    func encode<Value: Encodable>(_ value: Value) { sink.add(value, at: path) }
}
