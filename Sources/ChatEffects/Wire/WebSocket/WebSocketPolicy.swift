// The side and the limits of a WebSocket connection. The limits exist because the bytes come from an untrusted peer.

import ChatDomain

/// The side of a connection: a client masks what it sends, a server does not (RFC 6455, section 5.1).
public enum WebSocketRole: PlainValue {
    /// The side that opened the connection.
    case client
    /// The side that accepted the connection.
    case server
}

/// The limits of a connection, and the handling of a message over the limit.
public struct WebSocketPolicy: PlainValue {
    /// The handling of a message with more bytes than the limit.
    public enum OversizedMessage: PlainValue {
        /// The message is skipped and counted; its bytes are not kept and its text is not checked.
        ///
        /// For a client: a server that replays its messages sends the long one again on each connection.
        case skip
        /// The connection ends with the code 1009.
        ///
        /// For a server: a client that waits for an answer to its message learns the reason.
        case fail
    }

    /// 1 MiB (L8): three times the greatest message of a backend.
    public static let defaultMessageLimit: Int64 = 1024 * 1024

    /// 128 MiB: more than the greatest file of a backend, so a longer frame is an attack or an error.
    public static let defaultFrameLimit: Int64 = 128 * 1024 * 1024

    /// The greatest length of a message that is kept, in bytes.
    let messageLimit: Int64

    /// The greatest length of one frame, kept or skipped, in bytes; a longer one ends the connection.
    let frameLimit: Int64

    /// The handling of a message with more bytes than the limit.
    let oversizedMessage: OversizedMessage

    /// Creates a policy; a negative limit counts as 0.
    public init(
        messageLimit: Int64 = Self.defaultMessageLimit,
        frameLimit: Int64 = Self.defaultFrameLimit,
        oversizedMessage: OversizedMessage = .skip
    ) {
        self.messageLimit = max(messageLimit, 0)
        self.frameLimit = max(frameLimit, 0)
        self.oversizedMessage = oversizedMessage
    }
}

/// The codes of a Close frame (RFC 6455, section 7.4).
public enum WebSocketCloseCode {
    /// The purpose of the connection is fulfilled.
    public static let normal: Int64 = 1000
    /// The peer has violated the protocol.
    public static let protocolError: Int64 = 1002
    /// A Close frame without a code; never on the wire.
    public static let none: Int64 = 1005
    /// The text of a message is not UTF-8.
    public static let invalidText: Int64 = 1007
    /// A message or a frame is over the limit.
    public static let tooBig: Int64 = 1009

    /// Whether a Close frame may carry the code: one that the standard or its registry defines for the wire (to 1014),
    /// one of a library (3000 to 3999), or one of an application (4000 to 4999).
    public static func isLegal(_ code: Int64) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
