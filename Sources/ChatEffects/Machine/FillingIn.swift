// Inserts secrets and stored records into payloads (L10): the loop's last step before a driver gets the bytes. The
// result goes to the network only.

import ChatDomain

/// A part that a payload names and the driver does not have. A call that needs it ends.
@usableFromInline package enum MissingPart: Error, PlainValue {
    /// A missing secret.
    case secret
    /// A secret that cannot be read now but may exist.
    case unreadableSecret
    /// A missing record.
    case record
    /// A record that cannot be read now but may exist.
    case unreadableRecord

    /// The end of the call that needs the part.
    @usableFromInline package var end: CallEnd {
        switch self {
        case .secret: .failed(.secretMissing)
        case .unreadableSecret, .unreadableRecord: .failed(.lost)
        case .record: .failed(.recordMissing)
        }
    }
}

extension Payload {
    /// The payload's bytes, with all secrets and records inserted. Throws for the first missing part.
    package func filled(
        secret: (SecretHandle) -> Secret?, record: (RecordPath) throws(MissingPart) -> [UInt8]?
    ) throws(MissingPart) -> [UInt8] {
        var filled: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes): filled += bytes
            case .secret(let handle):
                guard let secret = secret(handle) else { throw .secret }
                // Escaped as a JSON string, without the quotes.
                filled += JSONValue.string(secret.reveal()).encoded.dropFirst().dropLast()
            case .stored(let path):
                guard let bytes = try record(path) else { throw .record }
                filled += bytes
            }
        }
        return filled
    }
}

extension Exchange {
    /// The exchange with its body complete and its credential as a header; throws for the first missing part.
    package func filled(
        secret: (SecretHandle) -> Secret?, record: (RecordPath) throws(MissingPart) -> [UInt8]?
    ) throws(MissingPart) -> Exchange {
        guard case .http(let method, let path, var headers, let body, let credential) = self else {
            return self
        }
        if let credential {
            guard let secret = secret(credential) else { throw .secret }
            if let index = headers.firstIndex(where: { $0.isSecret }) {
                headers[index].value = secret.reveal()
            } else {
                headers.append(Header("authorization", ExactText("Bearer " + secret.reveal().string)))
            }
        }
        let bytes = try body.filled(secret: secret, record: record)
        return .http(
            method: method, path: path, headers: headers, body: Payload(bytes: bytes), credential: nil)
    }
}
