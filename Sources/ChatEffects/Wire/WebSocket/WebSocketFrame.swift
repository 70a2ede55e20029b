// The frame as both directions know it (RFC 6455, section 5.2): opcodes, masking, and the bytes of a frame that is
// sent.

import ChatDomain

/// The kind of a frame (RFC 6455, section 11.8).
enum WebSocketOpcode: UInt8, PlainValue {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether the frame may stand between the fragments of a message.
    var isControl: Bool { rawValue & 0x8 != 0 }
}

enum WebSocketFrame {
    /// The greatest length of a control frame (section 5.5), and the greatest that the second byte holds.
    static let shortLimit: UInt64 = 125

    /// The second byte of a length in two bytes, and in eight.
    static let mediumMark: UInt64 = 126
    static let longMark: UInt64 = 127

    /// The bytes of an unfragmented frame, masked when there is a key. O(n), one allocation.
    static func bytes(_ opcode: WebSocketOpcode, _ payload: [UInt8], maskedBy key: UInt32?) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 14)  // the longest head
        frame.append(0x80 | opcode.rawValue)
        let maskBit: UInt8 = key == nil ? 0 : 0x80
        let length = UInt64(payload.count)
        if length <= shortLimit {
            frame.append(maskBit | UInt8(truncatingIfNeeded: length))
        } else if length <= 0xFFFF {
            frame.append(maskBit | UInt8(mediumMark))
            append(length, byteCount: 2, to: &frame)
        } else {
            frame.append(maskBit | UInt8(longMark))
            append(length, byteCount: 8, to: &frame)
        }
        guard let key else { return frame + payload }
        append(UInt64(key), byteCount: 4, to: &frame)
        let start = frame.count
        frame.append(contentsOf: payload)
        frame.withUnsafeMutableBufferPointer {
            _ = mask(UnsafeMutableBufferPointer(rebasing: $0[start...]), with: key)
        }
        return frame
    }

    /// The payload of a Close frame (section 5.5.1); empty for a code that is not legal on the wire.
    static func closing(code: Int64, reason: ExactText) -> [UInt8] {
        guard WebSocketCloseCode.isLegal(code) else { return [] }
        var payload: [UInt8] = []
        append(UInt64(code), byteCount: 2, to: &payload)
        return payload + reason.cut(toByteCount: Int64(shortLimit) - 2).utf8
    }

    private static func append(_ number: UInt64, byteCount: UInt64, to bytes: inout [UInt8]) {
        for index in 1...byteCount {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * (byteCount - index))))
        }
    }

    /// Masks or unmasks bytes in place (section 5.3) and returns the key as it applies to the byte that follows. O(n),
    /// eight bytes at a time.
    static func mask(_ bytes: UnsafeMutableBufferPointer<UInt8>, with key: UInt32) -> UInt32 {
        let raw = UnsafeMutableRawBufferPointer(bytes)
        let pattern = UInt64(bigEndian: UInt64(key) << 32 | UInt64(key))
        var index = 0
        while raw.count - index >= 8 {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            raw.storeBytes(of: word ^ pattern, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // The key applies from its highest byte on.
        var rest = key
        while index < raw.count {
            raw[index] ^= UInt8(truncatingIfNeeded: rest >> 24)
            rest = rest << 8 | rest >> 24
            index += 1
        }
        return rest
    }
}
