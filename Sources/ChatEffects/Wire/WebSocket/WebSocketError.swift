// The reasons why a WebSocket connection fails, each with the code for the peer (RFC 6455, section 7.1.7).

import ChatDomain

/// The violation that ended a connection.
public enum WebSocketError: Error, PlainValue {
    /// A reserved bit is set, although no extension was negotiated (section 5.2).
    case reservedBits
    /// The opcode has no meaning (section 5.2).
    case reservedOpcode(UInt8)
    /// A client's frame is not masked, or a server's is (section 5.1).
    case wrongMasking
    /// A control frame is a fragment (section 5.5).
    case fragmentedControlFrame
    /// A control frame has more than 125 bytes (section 5.5).
    case controlFrameTooLong
    /// A fragment continues no message (section 5.4).
    case unexpectedContinuation
    /// A message begins inside a fragmented one (section 5.4).
    case interruptedMessage
    /// A length has more bytes than it needs (section 5.2).
    case lengthNotMinimal
    /// A length has more than 63 bits (section 5.2).
    case lengthOutOfRange
    /// A Close frame has half a code (section 5.5.1).
    case halfCloseCode
    /// A Close frame has a code that is not legal on the wire (section 7.4).
    case illegalCloseCode(Int64)
    /// A text or the reason of a Close frame is not UTF-8 (section 8.1).
    case invalidUTF8
    /// A message has more bytes than the limit.
    case messageTooLong(limit: Int64)
    /// A frame has more bytes than the limit.
    case frameTooLong(limit: Int64)

    /// The code of the Close frame for the peer.
    public var closeCode: Int64 {
        switch self {
        case .invalidUTF8: WebSocketCloseCode.invalidText
        case .messageTooLong, .frameTooLong: WebSocketCloseCode.tooBig
        case .reservedBits, .reservedOpcode, .wrongMasking, .fragmentedControlFrame, .controlFrameTooLong,
            .unexpectedContinuation, .interruptedMessage, .lengthNotMinimal, .lengthOutOfRange,
            .halfCloseCode,
            .illegalCloseCode:
            WebSocketCloseCode.protocolError
        }
    }
}

extension WebSocketError: CustomStringConvertible {
    /// The reason as text, for display and for the Close frame.
    public var description: String {
        switch self {
        case .reservedBits: "a frame has a reserved bit"
        case .reservedOpcode(let opcode): "a frame has the reserved opcode \(opcode)"
        case .wrongMasking: "a frame is masked by the wrong side"
        case .fragmentedControlFrame: "a control frame is a fragment"
        case .controlFrameTooLong: "a control frame is longer than 125 bytes"
        case .unexpectedContinuation: "a fragment continues no message"
        case .interruptedMessage: "a message begins inside another one"
        case .lengthNotMinimal: "the length of a frame has more bytes than it needs"
        case .lengthOutOfRange: "the length of a frame has more than 63 bits"
        case .halfCloseCode: "a close frame has half a code"
        case .illegalCloseCode(let code): "a close frame has the illegal code \(code)"
        case .invalidUTF8: "a text is not UTF-8"
        case .messageTooLong(let limit): "a message is longer than \(limit) bytes"
        case .frameTooLong(let limit): "a frame is longer than \(limit) bytes"
        }
    }
}
