// The fields of pairing's records: the device id, the credentials, and the pending request. The token itself is stored
// without an envelope, in the storage for secrets (L10).

import ChatDomain

/// The names of the fields, each made once: as a literal, each use would allocate.
private enum Names {
    static let user: ExactText = "user"
    static let isAdmin: ExactText = "isAdmin"
    static let secret: ExactText = "secret"
    static let name: ExactText = "name"
    static let submitted: ExactText = "submitted"
    static let unnamed: ExactText = "unnamed"
    static let left: ExactText = "left"
    static let erased: ExactText = "erased"
}

extension Pairing.Record: StoredRecord {
    /// The content to store: a secret as itself, any other record in an envelope.
    public func content(written: WallTime) -> RecordContent {
        switch self {
        case .device(let device):
            RecordEnvelope.content(.device, written: written) { $0.member("id", device.text) }
        case .credentials(let credentials):
            RecordEnvelope.content(.credentials, written: written) { record in
                record.member(Names.user, credentials.user.text)
                record.member(Names.isAdmin, credentials.isAdmin)
                record.member(Names.secret, credentials.secret.name)
            }
        case .secret(let secret):
            .secret(secret)
        case .request(let request):
            RecordEnvelope.content(.request, written: written) { record in
                record.member(Names.name, request.name)
                record.member(Names.submitted, request.submitted.millisecondsSince1970)
                request.pacing.write(to: &record)
                // The newest is `secret`, the older ones are `unnamed`; a reader joins them in that order.
                if let secret = request.secrets.last { record.member(Names.secret, secret.name) }
                if request.secrets.count > 1 {
                    record.array(Names.unnamed) { array in
                        for secret in request.secrets.dropLast() { array.element(secret.name) }
                    }
                }
                if !request.left.isEmpty {
                    record.array(Names.left) { array in
                        for secret in request.left { array.element(secret.name) }
                    }
                }
                if !request.erased.isEmpty {
                    record.array(Names.erased) { array in
                        for user in request.erased { array.element(user.text) }
                    }
                }
            }
        }
    }

    /// Decodes the bytes that were stored under a key; a secret, whose bytes stay with the driver, is the placeholder.
    public static func read(_ bytes: [UInt8], under key: Pairing.Key) -> RecordReading<Pairing.Record> {
        switch key {
        case .device:
            RecordEnvelope.read(bytes, .device) { (fields, _) throws(FieldError) in
                .device(try fields.identifier("id"))
            }
        case .credentials:
            RecordEnvelope.read(bytes, .credentials) { (fields, _) throws(FieldError) in
                .credentials(
                    Credentials(
                        user: try fields.identifier(Names.user), isAdmin: try fields.bool(Names.isAdmin),
                        secret: SecretHandle(try fields.text(Names.secret))))
            }
        case .secret: .record(.secret(Secret(ExactText(Secret.placeholder))))
        case .request:
            RecordEnvelope.read(bytes, .request) { (fields, _) throws(FieldError) in
                .request(try PendingRequest(fields))
            }
        }
    }
}

extension PendingRequest {
    fileprivate init(_ fields: Fields) throws(FieldError) {
        let unnamed = try fields.optionalTexts(Names.unnamed)
        let secrets = try unnamed + (fields.optionalText(Names.secret).map { [$0] } ?? [])
        self.init(
            name: try fields.text(Names.name), submitted: try fields.time(Names.submitted),
            pacing: try Pacing(fields),
            secrets: secrets.map { SecretHandle($0) },
            left: try fields.optionalTexts(Names.left).map { SecretHandle($0) },
            erased: try fields.optionalIdentifiers(Names.erased))
    }
}
