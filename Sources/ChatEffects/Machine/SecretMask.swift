// Removes secrets from arrivals before they are recorded (L10). The value of a JSON member with the name of a
// secret becomes the placeholder, in text messages and in the bytes of an answer, in any split. Bytes that are not
// JSON pass unchanged.

import ChatDomain

/// Replaces secrets in arrivals by the placeholder.
package struct SecretMask: PlainValue {
    /// The ends of the names of members and headers that hold secrets, in lower case and without separators.
    private static let names: [ExactText] = [
        "token", "apikey", "password", "secret", "authorization", "cookie",
    ]

    /// The unfinished bodies: one for each call whose answer is arriving.
    private var bodies: [Body] = []

    private struct Body: PlainValue {
        let call: CallNumber
        var scan: Scan
    }

    package init() {}

    /// Forgets the unfinished body of a call that the machine has closed.
    mutating func forget(_ call: CallNumber) { bodies.removeAll { $0.call == call } }

    /// The outcome without secrets.
    package mutating func masked(_ outcome: Outcome) -> Outcome {
        guard case .arrived(let call, let arrival) = outcome else { return outcome }
        switch arrival {
        case .text(let bytes):
            var scan = Scan()
            return .arrived(call, .text(scan.masked(bytes)))
        case .body(let bytes):
            let index = bodies.firstIndex { $0.call == call }
            var scan = index.map { bodies[$0].scan } ?? Scan()
            let masked = scan.masked(bytes)
            if let index { bodies[index].scan = scan } else { bodies.append(Body(call: call, scan: scan)) }
            return .arrived(call, .body(masked))
        case .head(let status, let headers):
            let masked = headers.map { header in
                Scan.isSecret(header.name.utf8) ? Header(header.name, ExactText(Secret.placeholder)) : header
            }
            return .arrived(call, .head(status: status, headers: masked))
        case .ended:
            forget(call)
            return outcome
        case .opened, .tooLong, .signOfLife, .sent: return outcome
        }
    }
}

extension SecretMask {
    /// The position of the bytes in a JSON text, as far as strings and colons show it.
    struct Scan: PlainValue {
        private enum Place: PlainValue {
            /// Outside of any string, without a colon after the last one.
            case between
            /// In a string that is kept.
            case inString
            /// After the colon of a member that holds a secret.
            case beforeSecret
            /// In a string that is left out.
            case inSecret
        }

        /// The longest name of a secret; a longer string is none.
        private static let longestName = 64

        private var place = Place.between
        private var isEscaped = false
        /// The beginning of the last string.
        private var name: [UInt8] = []

        /// The bytes, with the placeholder in place of each secret.
        mutating func masked(_ bytes: [UInt8]) -> [UInt8] {
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count)
            for byte in bytes {
                switch place {
                case .between, .beforeSecret: outside(byte, &kept)
                case .inString, .inSecret: inside(byte, &kept)
                }
            }
            return kept
        }

        private mutating func outside(_ byte: UInt8, _ kept: inout [UInt8]) {
            kept.append(byte)
            switch byte {
            case UInt8(ascii: "\""):
                let isSecret = place == .beforeSecret
                place = isSecret ? .inSecret : .inString
                if isSecret { kept += Array(Secret.placeholder.utf8) }
                name.removeAll(keepingCapacity: true)
            case UInt8(ascii: ":"): place = Self.isSecret(name) ? .beforeSecret : .between
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: place = .between
            }
        }

        private mutating func inside(_ byte: UInt8, _ kept: inout [UInt8]) {
            let isEnd = byte == UInt8(ascii: "\"") && !isEscaped
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if place == .inString || isEnd { kept.append(byte) }
            if isEnd {
                if place == .inSecret { name.removeAll(keepingCapacity: true) }
                place = .between
            } else if place == .inString, name.count <= Self.longestName {
                name.append(byte)
            }
        }

        /// Whether a member or header of this name holds a secret.
        static func isSecret(_ name: [UInt8]) -> Bool {
            let letters = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            let lower = letters.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
            return SecretMask.names.contains { lower.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
    }
}
