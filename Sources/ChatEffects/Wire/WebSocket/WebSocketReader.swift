// The frames of a peer, read from bytes in any split into messages and control frames (RFC 6455, sections 5 and 8.1).
//
// Laws:
// - The events, the error and the reader's state depend on the bytes and not on their split (L9).
// - A violation is an error at the first byte that shows it. All events before it are handed out, and nothing after it.
// - Nothing is handed out after a Close frame, whatever follows.
// - A text that is handed out is UTF-8.
// - The memory grows with the bytes of one message, up to its limit, and of one control frame. A length alone reserves
//   nothing.
//
// Start with `advance`, which goes from part to part of a frame; WebSocketReaderPayload.swift handles the payload.

import ChatDomain

/// An event from the peer.
public enum WebSocketEvent: PlainValue {
    /// A message of text: valid UTF-8.
    case text([UInt8])
    /// A message of bytes.
    case binary([UInt8])
    /// A message over the limit was skipped.
    case skipped
    /// A Ping frame with its payload.
    case ping([UInt8])
    /// A Pong frame with its payload.
    case pong([UInt8])
    /// A Close frame; the code is 1005 when it has none.
    case closed(code: Int64, reason: ExactText)
}

/// Parses a stream of bytes into events.
struct WebSocketReader: PlainValue {
    /// The position in the current frame.
    enum Position: PlainValue {
        /// Before the first byte of a frame.
        case start
        /// Before the second byte, with the mask bit and the short length.
        case length(Head)
        /// Within the bytes of a longer length; `missing` of them have not come.
        case extendedLength(Head, missing: UInt8, value: UInt64, least: UInt64)
        /// Within the masking key; `missing` of its bytes have not come.
        case key(Head, missing: UInt8, length: Int64)
        /// Within the payload; `missing` of its bytes have not come.
        case payload(Head, missing: Int64)
        /// Terminal: after a Close frame.
        case closed
        /// Terminal: after a violation.
        case failed(WebSocketError)
    }

    /// The first byte of a frame.
    struct Head: PlainValue {
        let opcode: WebSocketOpcode
        let isFinal: Bool
    }

    /// The message of which a fragment has arrived.
    enum Content: PlainValue {
        case none, text, binary
        /// A message over the limit.
        case skipped
    }

    let role: WebSocketRole
    let policy: WebSocketPolicy

    private var position = Position.start
    /// The masking key as it applies to the next byte of the payload; 0 without masking.
    var key: UInt32 = 0
    var content = Content.none
    /// The message so far; empty if it is skipped.
    var message: [UInt8] = []
    var utf8 = UTF8Check()
    /// The payload so far of a control frame.
    var control: [UInt8] = []

    init(_ role: WebSocketRole, _ policy: WebSocketPolicy) {
        self.role = role
        self.policy = policy
    }

    /// Reads the next piece of the stream and hands out each event that it completes. O(n).
    ///
    /// - Throws: The violation, after all events before it; every later call throws the same error.
    mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) {
        if case .failed(let error) = position { throw error }
        do throws(WebSocketError) {
            try advance(bytes, body)
        } catch {
            end(.failed(error))
            throw error
        }
    }

    /// Ends the stream, and releases what is kept.
    private mutating func end(_ position: Position) {
        self.position = position
        key = 0
        content = .none
        message = []
        utf8 = UTF8Check()
        control = []
    }

    private mutating func advance(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch position {
            case .start:
                position = .length(try head(byte))
            case .length(let head):
                position = try length(byte, head, body)
            case .extendedLength(let head, let missing, let before, let least):
                let value = before << 8 | UInt64(byte)
                position =
                    missing > 1
                    ? .extendedLength(head, missing: missing - 1, value: value, least: least)
                    : try extended(head, value, least: least, body)
            case .key(let head, let missing, let length):
                key = key << 8 | UInt32(byte)
                position =
                    missing > 1
                    ? .key(head, missing: missing - 1, length: length)
                    : try payload(head, missing: length, body)
            case .payload(let head, let missing):
                let count = Int(clamping: min(missing, Int64(bytes.count - index)))
                try take(UnsafeBufferPointer(rebasing: bytes[index..<index + count]), head)
                position = try payload(head, missing: missing - Int64(count), body)
                index += count
                continue
            case .closed, .failed:
                return
            }
            index += 1
        }
    }

    // MARK: The head of a frame (section 5.2)

    private func head(_ byte: UInt8) throws(WebSocketError) -> Head {
        guard byte & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else { throw .reservedOpcode(byte & 0x0F) }
        let isFinal = byte & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { throw .fragmentedControlFrame }
        } else if opcode == .continuation {
            guard content != .none else { throw .unexpectedContinuation }
        } else {
            guard content == .none else { throw .interruptedMessage }
        }
        return Head(opcode: opcode, isFinal: isFinal)
    }

    private mutating func length(
        _ byte: UInt8, _ head: Head, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) -> Position {
        guard (byte & 0x80 != 0) == (role == .server) else { throw .wrongMasking }
        let short = UInt64(byte & 0x7F)
        guard short > WebSocketFrame.shortLimit else { return try afterLength(head, short, body) }
        guard !head.opcode.isControl else { throw .controlFrameTooLong }
        return short == WebSocketFrame.mediumMark
            ? .extendedLength(head, missing: 2, value: 0, least: WebSocketFrame.shortLimit + 1)
            : .extendedLength(head, missing: 8, value: 0, least: 0x1_0000)
    }

    private mutating func extended(
        _ head: Head, _ value: UInt64, least: UInt64, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) -> Position {
        guard value >> 63 == 0 else { throw .lengthOutOfRange }
        guard value >= least else { throw .lengthNotMinimal }
        return try afterLength(head, value, body)
    }

    /// Begins the frame, whose length has at most 63 bits.
    private mutating func afterLength(
        _ head: Head, _ value: UInt64, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) -> Position {
        let length = Int64(clamping: value)
        try begin(head, length)
        return role == .server
            ? .key(head, missing: 4, length: length) : try payload(head, missing: length, body)
    }

    /// The position before that many bytes of the payload; without any, the frame is complete.
    private mutating func payload(
        _ head: Head, missing: Int64, _ body: (WebSocketEvent) -> Void
    ) throws(WebSocketError) -> Position {
        guard missing == 0 else { return .payload(head, missing: missing) }
        key = 0
        try complete(head, body)
        if head.opcode == .close { end(.closed) }
        return head.opcode == .close ? .closed : .start
    }
}
