// The in-process backend's tokens: their content and validity. A token names a person and a device, so a leftover token
// on a device never authenticates its next person (P10), and a restarted server, which has lost all devices, still
// knows the owner of a token.

import ChatDomain

extension LocalServer {
    /// The content of a token. It is not a secret for this server, and has no signature. A header carries it, so it is of
    /// visible ASCII, whatever the names are.
    package struct Token: PlainValue {
        /// The person.
        let user: UserID
        /// The device.
        let device: DeviceID

        private static let prefix = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.stub."

        init(user: UserID, device: DeviceID) {
            self.user = user
            self.device = device
        }

        /// Decodes a token; nil if this server did not issue it. The length of the user's name comes first, in bytes
        /// as they are written, so every pair of names is unambiguous.
        init?(_ secret: Secret) {
            guard let fields = Self.fields(of: secret.reveal().string.utf8[...]) else { return nil }
            self = fields
        }

        /// Decodes the bearer token of a request; nil if there is none.
        init?(_ headers: [Header]) {
            let scheme = "Bearer "
            guard let value = headers.first(where: { $0.name == "authorization" })?.value.string.utf8,
                value.starts(with: scheme.utf8),
                let fields = Self.fields(of: value.dropFirst(scheme.utf8.count))
            else { return nil }
            self = fields
        }

        private static func fields(of text: Substring.UTF8View) -> Token? {
            let text = Array(text)
            guard text.starts(with: prefix.utf8) else { return nil }
            let fields = text.dropFirst(prefix.utf8.count)
            let dot = UInt8(ascii: ".")
            guard let end = fields.firstIndex(of: dot),
                let length = Int(String(decoding: fields[..<end], as: UTF8.self)),
                case let rest = fields[(end + 1)...], length >= 0, length < rest.count,
                rest[rest.startIndex + length] == dot,
                let user = unescaped(rest.prefix(length)), let device = unescaped(rest.dropFirst(length + 1))
            else { return nil }
            return Token(user: UserID(user), device: DeviceID(device))
        }

        /// The text with `%` and two hexadecimal digits for each byte that is not of visible ASCII, and for `%`.
        private static func escaped(_ text: ExactText) -> String {
            let digits = Array("0123456789ABCDEF".utf8)
            var bytes: [UInt8] = []
            for byte in text.utf8 {
                if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
                    bytes.append(byte)
                } else {
                    bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// The text that was escaped; nil when a digit is missing.
        private static func unescaped(_ bytes: ArraySlice<UInt8>) -> ExactText? {
            var rest = bytes
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    text.append(byte)
                    continue
                }
                guard let high = rest.popFirst().flatMap({ JSONCursor.hexadecimalDigit($0) }),
                    let low = rest.popFirst().flatMap({ JSONCursor.hexadecimalDigit($0) })
                else { return nil }
                text.append(UInt8(truncatingIfNeeded: high << 4 | low))
            }
            return ExactText(decoding: text)
        }

        /// The encoded token.
        var text: Secret {
            let user = Self.escaped(user.text)
            return Secret(
                ExactText("\(Self.prefix)\(user.utf8.count).\(user).\(Self.escaped(device.text))"))
        }
    }

    /// The token of a person on a device.
    package static func token(of device: DeviceID, as user: UserID) -> Secret {
        Token(user: user, device: device).text
    }

    /// The reason why a token is invalid, in the protocol's words; nil for a valid one. The token of an unknown device
    /// is valid: it outlives this server, which loses its devices with its process.
    func obstacle(to token: Token) -> ExactText? {
        guard let standing = devices.first(where: { $0.id == token.device })?.standing else { return nil }
        return switch standing {
        case .revoked: "token_revoked"
        case .admitted(let user) where user != token.user: "auth_failed"
        case .admitted: nil
        case .waiting, .turnedAway: "device_not_approved"
        }
    }

    /// Revokes the device's tokens until it is approved again or forgotten.
    mutating func revoke(_ device: DeviceID) {
        if let index = devices.firstIndex(where: { $0.id == device }) {
            devices[index].standing = .revoked
            forgetDeadlines(of: device)
        } else {
            let request = PairingRequest(
                device: device, claimedName: "", info: DeviceInfo(platform: "", model: ""))
            devices.append(Device(request: request, standing: .revoked))
        }
    }
}
