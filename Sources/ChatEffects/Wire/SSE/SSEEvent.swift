// A dispatched event: bytes owned by the reader or by the piece being read. The accessors convert them to text on
// demand.

import ChatDomain

/// An event of a stream.
///
/// The value cannot escape, since the bytes have another owner.
public struct SSEEvent: ~Copyable {
    /// The data lines, joined by LF: the bytes as sent, also if they are not UTF-8.
    ///
    /// They are valid until the closure that received the event returns.
    public let data: UnsafeBufferPointer<UInt8>

    private let typeBytes: UnsafeBufferPointer<UInt8>
    private let idBytes: UnsafeBufferPointer<UInt8>

    init(
        data: UnsafeBufferPointer<UInt8>,
        type: UnsafeBufferPointer<UInt8>,
        id: UnsafeBufferPointer<UInt8>
    ) {
        self.data = data
        typeBytes = type
        idBytes = id
    }

    /// The data as text; each maximal ill-formed part is one U+FFFD, as the Unicode standard recommends. O(n).
    public var text: ExactText { ExactText(decoding: Array(data)) }

    /// The event's type; `message` when the stream names none. O(n).
    public var type: ExactText {
        typeBytes.isEmpty ? "message" : ExactText(decoding: Array(typeBytes))
    }

    /// The last event id at the time of dispatch; empty when there was none. O(n).
    public var lastEventID: ExactText { ExactText(decoding: Array(idBytes)) }

    /// Whether the event has this type; does not allocate.
    public func hasType(_ name: StaticString) -> Bool {
        let sought = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return Self.equal(typeBytes.isEmpty ? Self.message : typeBytes, sought)
    }

    /// Whether the data equals this text, for markers such as `[DONE]`; does not allocate.
    public func hasData(_ text: StaticString) -> Bool {
        Self.equal(data, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static var message: UnsafeBufferPointer<UInt8> {
        let name: StaticString = "message"
        return UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    private static func equal(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }
}
