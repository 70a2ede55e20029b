// The content of frames: the limits before the first byte of a payload, its parts, and its end.

import ChatDomain

extension WebSocketReader {
    /// Checks the length of a frame against the limits, and notes the kind of its message. A message over the limit is
    /// skipped or fails, as the policy says.
    mutating func begin(_ head: Head, _ length: Int64) throws(WebSocketError) {
        switch head.opcode {
        case .ping, .pong: return
        case .close:
            guard length != 1 else { throw .halfCloseCode }
            return
        case .text: content = .text
        case .binary: content = .binary
        case .continuation: break
        }
        guard length <= policy.frameLimit else { throw .frameTooLong(limit: policy.frameLimit) }
        guard content != .skipped,
            length > saturatingDifference(policy.messageLimit, Int64(message.count))
        else { return }
        guard policy.oversizedMessage == .skip else { throw .messageTooLong(limit: policy.messageLimit) }
        content = .skipped
        message = []
        utf8 = UTF8Check()
    }

    /// Takes a part of a payload. A text is checked at once, so that it fails at its first wrong byte.
    mutating func take(_ part: UnsafeBufferPointer<UInt8>, _ head: Head) throws(WebSocketError) {
        if head.opcode.isControl {
            key = Self.append(part, maskedBy: key, to: &control)
        } else if content != .skipped {
            let start = message.count
            key = Self.append(part, maskedBy: key, to: &message)
            guard content == .text else { return }
            let isText = message.withUnsafeBufferPointer {
                utf8.passes(UnsafeBufferPointer(rebasing: $0[start...]))
            }
            guard isText else { throw .invalidUTF8 }
        }
    }

    /// Appends a part without its mask. Returns the key for the byte that follows.
    private static func append(
        _ part: UnsafeBufferPointer<UInt8>, maskedBy key: UInt32, to bytes: inout [UInt8]
    ) -> UInt32 {
        let start = bytes.count
        bytes.append(contentsOf: part)
        guard key != 0 else { return 0 }
        return bytes.withUnsafeMutableBufferPointer {
            WebSocketFrame.mask(UnsafeMutableBufferPointer(rebasing: $0[start...]), with: key)
        }
    }

    /// Hands out the event that the frame completes.
    mutating func complete(_ head: Head, _ body: (WebSocketEvent) -> Void) throws(WebSocketError) {
        switch head.opcode {
        case .ping: body(.ping(Self.move(&control)))
        case .pong: body(.pong(Self.move(&control)))
        case .close: body(try closed())
        case .text, .binary, .continuation:
            guard head.isFinal else { return }
            switch content {
            case .text:
                guard utf8.isComplete else { throw .invalidUTF8 }
                body(.text(Self.move(&message)))
            case .binary: body(.binary(Self.move(&message)))
            case .skipped: body(.skipped)
            case .none: break
            }
            content = .none
        }
    }

    /// Returns the bytes, and leaves an empty array.
    private static func move(_ bytes: inout [UInt8]) -> [UInt8] {
        var moved: [UInt8] = []
        swap(&moved, &bytes)
        return moved
    }

    /// The event of a Close frame (section 5.5.1).
    private func closed() throws(WebSocketError) -> WebSocketEvent {
        guard control.count >= 2 else { return .closed(code: WebSocketCloseCode.none, reason: "") }
        let code = Int64(control[0]) << 8 | Int64(control[1])
        guard WebSocketCloseCode.isLegal(code) else { throw .illegalCloseCode(code) }
        let reason = [UInt8](control[2...])
        var check = UTF8Check()
        guard reason.withUnsafeBufferPointer({ check.passes($0) }), check.isComplete else {
            throw .invalidUTF8
        }
        return .closed(code: code, reason: ExactText(decoding: reason))
    }
}
