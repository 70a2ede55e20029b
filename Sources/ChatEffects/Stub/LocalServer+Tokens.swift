// The in-process backend's tokens: what one says, and whether it is good. A token names a person and a device, so
// what somebody left behind on a device never speaks for who is in there now (P10), and a server that starts
// anew, which has forgotten everybody, still knows whose token it is.

import ChatDomain

extension LocalServer {
    /// What a token says. It is no secret to this server: nobody signs it.
    struct Token: PlainValue {
        /// Whom it lets in.
        let user: UserID
        /// On which device.
        let device: DeviceID

        private static let prefix = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.stub."

        init(user: UserID, device: DeviceID) {
            self.user = user
            self.device = device
        }

        /// Reads a token; nothing when it is none of this server's. The user's length in bytes stands first, so
        /// any name and any device can be told apart.
        init?(_ secret: Secret) {
            guard let fields = Self.fields(of: secret.reveal().string.utf8[...]) else { return nil }
            self = fields
        }

        /// Reads the token of a request's “authorization”.
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
                rest[rest.startIndex + length] == dot
            else { return nil }
            return Token(
                user: UserID(ExactText(String(decoding: rest.prefix(length), as: UTF8.self))),
                device: DeviceID(ExactText(String(decoding: rest.dropFirst(length + 1), as: UTF8.self))))
        }

        /// The token as it is sent.
        var text: Secret {
            let user = user.text.string
            return Secret(ExactText("\(Self.prefix)\(user.utf8.count).\(user).\(device.text.string)"))
        }
    }

    /// The token that lets a person in on a device.
    public static func token(of device: DeviceID, as user: UserID) -> Secret {
        Token(user: user, device: device).text
    }

    /// Why a token is not good, in the words of the protocol; nothing when it is. One whose device nobody has
    /// asked for here is: it outlives this server, which forgets its devices with its process.
    func obstacle(to token: Token) -> ExactText? {
        guard let standing = devices.first(where: { $0.id == token.device })?.standing else { return nil }
        return switch standing {
        case .revoked: "token_revoked"
        case .admitted(let user) where user != token.user: "auth_failed"
        case .admitted, .waiting, .turnedAway: nil
        }
    }

    /// The tokens of a device are no longer good, until it is let in once more.
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
