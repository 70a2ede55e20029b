// The canonical encoding of operations, equal in every byte on all platforms:
//
//     {"operation":"load","ticket":"3","path":{"plain":["device"]}}

import ChatDomain

extension DriverOperation {
    /// Appends the canonical encoding. A secret is written as the placeholder (L10).
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.object(into: &bytes) { write(to: &$0) }
    }

    private func write(to object: inout JSONObjectWriter) {
        switch self {
        case .open(let call, let exchange):
            object.member("operation", "open")
            object.identity("call", call.value)
            object.object("exchange") { exchange.write(to: &$0) }
        case .send(let call, let payload):
            object.member("operation", "send")
            object.identity("call", call.value)
            payload.write(to: &object, "payload")
        case .close(let call):
            object.member("operation", "close")
            object.identity("call", call.value)
        case .load(let ticket, let path):
            object.member("operation", "load")
            object.identity("ticket", ticket.value)
            object.path("path", path)
        case .save(let ticket, let path, let content):
            object.member("operation", "save")
            object.identity("ticket", ticket.value)
            object.path("path", path)
            object.object("content") { content.write(to: &$0) }
        case .erase(let ticket, let path):
            object.member("operation", "erase")
            object.identity("ticket", ticket.value)
            object.path("path", path)
        case .setAside(let path):
            object.member("operation", "setAside")
            object.path("path", path)
        case .haptic:
            object.member("operation", "haptic")
        }
    }

    /// Decodes the canonical encoding. A secret decodes as the placeholder. Throws for the first invalid field.
    public init(_ json: JSONValue) throws(FieldError) {
        let fields = try Fields(json, in: "operation")
        switch try fields.text("operation") {
        case "open": self = .open(try CallNumber(fields), try Exchange(fields.fields("exchange")))
        case "send": self = .send(try CallNumber(fields), try Payload(fields, "payload"))
        case "close": self = .close(try CallNumber(fields))
        case "load": self = .load(try StorageTicket(fields), try fields.path("path"))
        case "save":
            self = .save(
                try StorageTicket(fields), try fields.path("path"),
                try RecordContent(fields.fields("content")))
        case "erase": self = .erase(try StorageTicket(fields), try fields.path("path"))
        case "setAside": self = .setAside(try fields.path("path"))
        case "haptic": self = .haptic
        case let word: throw FieldError("operation", .unknownWord(word))
        }
    }
}

extension CallNumber {
    init(_ fields: Fields) throws(FieldError) {
        self.init(try fields.identity("call"))
    }
}

extension StorageTicket {
    init(_ fields: Fields) throws(FieldError) {
        self.init(try fields.identity("ticket"))
    }
}

extension Exchange {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .http(let method, let path, let headers, let body, let credential):
            object.member("kind", "http")
            object.member("method", method)
            object.member("path", path)
            Header.write(headers, to: &object)
            body.write(to: &object, "body")
            if let credential { object.member("credential", credential.name) }
        case .renewal(let path, let headers, let secret):
            object.member("kind", "renewal")
            object.member("path", path)
            Header.write(headers, to: &object)
            object.member("credential", secret.name)
        case .socket(let path):
            object.member("kind", "socket")
            object.member("path", path)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        switch try fields.text("kind") {
        case "http":
            let credential = try fields.optionalText("credential")
            self = .http(
                method: try fields.text("method"), path: try fields.text("path"),
                headers: try Header.read(fields), body: try Payload(fields, "body"),
                credential: credential.map { SecretHandle($0) })
        case "renewal":
            self = .renewal(
                path: try fields.text("path"), headers: try Header.read(fields),
                of: SecretHandle(try fields.text("credential")))
        case "socket": self = .socket(path: try fields.text("path"))
        case let word: throw FieldError("kind", .unknownWord(word))
        }
    }
}

extension Header {
    /// Writes the headers as pairs of name and value, in order.
    static func write(_ headers: [Header], to object: inout JSONObjectWriter) {
        object.array("headers") { array in
            for header in headers {
                array.array { pair in
                    pair.element(header.name)
                    pair.element(header.value)
                }
            }
        }
    }

    static func read(_ fields: Fields) throws(FieldError) -> [Header] {
        var headers: [Header] = []
        for value in try fields.array("headers") {
            guard let pair = value.array, pair.count == 2 else { throw FieldError("headers", .wrongKind) }
            headers.append(Header(try Fields.text(pair[0], "headers"), try Fields.text(pair[1], "headers")))
        }
        return headers
    }
}

extension Payload {
    fileprivate func write(to object: inout JSONObjectWriter, _ name: ExactText) {
        object.objects(name, parts) { part, object in
            switch part {
            case .bytes(let bytes): object.bytes(bytes)
            case .secret(let handle): object.member("secret", handle.name)
            case .stored(let path): object.path("stored", path)
            }
        }
    }

    fileprivate init(_ fields: Fields, _ name: ExactText) throws(FieldError) {
        self.init(
            try fields.objects(name) { (part) throws(FieldError) in
                if let handle = try part.optionalText("secret") { return .secret(SecretHandle(handle)) }
                return part.optional("stored") == nil
                    ? .bytes(try part.bytes()) : .stored(try part.path("stored"))
            })
    }
}

extension RecordContent {
    fileprivate func write(to object: inout JSONObjectWriter) {
        switch self {
        case .bytes(let bytes): object.bytes(bytes)
        case .secret: object.member("secret", Secret.placeholder)
        }
    }

    fileprivate init(_ fields: Fields) throws(FieldError) {
        // Any value gives the placeholder: a decoder must not bring in a secret.
        if fields.optional("secret") != nil {
            self = .secret(Secret(ExactText(Secret.placeholder)))
        } else {
            self = .bytes(try fields.bytes())
        }
    }
}
