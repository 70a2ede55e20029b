// The claims of a token about its owner. It is a JSON Web Token (RFC 7519), whose claims anybody can read; a client
// cannot check its signature and need not, because the server does at each use. A token of another kind has no claims.

import ChatDomain

enum ClawlineToken {
    /// The longest token that is read, in bytes; a usual one has some hundred.
    private static let limit: Int64 = 16_384

    /// Whether the owner may let other devices in; nil if the token does not say.
    static func isAdmin(_ token: ExactText) -> Bool? {
        guard token.byteCount <= limit else { return nil }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        // Base64 with two other letters and without padding (RFC 7515, section 2).
        var letters = parts[1].map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while letters.count % 4 != 0 { letters.append(UInt8(ascii: "=")) }
        guard let claims = Base64.decode(ExactText(decoding: letters)) else { return nil }
        return (try? JSONReader().value(of: claims))?["isAdmin"]?.bool
    }
}
