// Filling in what the machine must not hold (L10): a driver's last step before bytes leave the process.
// What comes out of here goes to the network and nowhere else.

import ChatDomain

/// A key type that can name where a secret is stored, so that whoever owns the loop finds it by its handle.
public protocol SecretKey: DomainValue {
    /// Where the secret with that handle is stored.
    static func secretPath(_ handle: SecretHandle) -> RecordPath
}

extension App.Key: SecretKey {
    /// Where the secret with that handle is stored.
    public static func secretPath(_ handle: SecretHandle) -> RecordPath {
        App.Key.pairing(.secret(handle)).path
    }
}

// A feature that stores nothing has no keys and no records. It can be driven by a loop all the same, and finds
// its secrets where the app keeps them.

extension Never: RecordKey {
    /// There is no such key.
    public var path: RecordPath {
        switch self {}
    }
}

extension Never: SecretKey {
    /// Where the app keeps the secret with that handle.
    public static func secretPath(_ handle: SecretHandle) -> RecordPath { App.Key.secretPath(handle) }
}

extension Never: StoredRecord {
    /// There is no such key.
    public typealias Key = Never

    /// There is no such record.
    public func content(written: WallTime) -> RecordContent {
        switch self {}
    }

    /// There is no key to read it under, so nothing ever comes here.
    public static func read(_ bytes: [UInt8], under key: Never) -> RecordReading<Never> {}
}

/// What a payload names and the driver does not have. A call that needs it ends.
public enum MissingPart: Error, PlainValue {
    /// A secret.
    case secret
    /// A secret that cannot be read now; it may be there all the same.
    case unreadableSecret
    /// A stored record.
    case record

    /// How the call ends.
    public var end: CallEnd {
        switch self {
        case .secret: .failed(.secretMissing)
        case .unreadableSecret: .failed(.lost)
        case .record: .failed(.recordMissing)
        }
    }
}

extension Payload {
    /// The payload as bytes, with every place filled in.
    public func filled(
        secret: (SecretHandle) -> Secret?, record: (RecordPath) -> [UInt8]?
    ) throws(MissingPart) -> [UInt8] {
        var filled: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes): filled += bytes
            case .secret(let handle):
                guard let secret = secret(handle) else { throw .secret }
                // As a JSON string without its quotes.
                filled += JSONValue.string(secret.reveal()).encoded.dropFirst().dropLast()
            case .stored(let path):
                guard let bytes = record(path) else { throw .record }
                filled += bytes
            }
        }
        return filled
    }
}

extension Exchange {
    /// The exchange with every place filled in, and its credential as a header.
    public func filled(
        secret: (SecretHandle) -> Secret?, record: (RecordPath) -> [UInt8]?
    ) throws(MissingPart) -> Exchange {
        guard case .http(let method, let path, var headers, let body, let credential) = self else {
            return self
        }
        if let credential {
            guard let secret = secret(credential) else { throw .secret }
            headers.append(Header("authorization", ExactText("Bearer " + secret.reveal().string)))
        }
        let bytes = try body.filled(secret: secret, record: record)
        return .http(
            method: method, path: path, headers: headers, body: Payload(bytes: bytes), credential: nil)
    }
}
