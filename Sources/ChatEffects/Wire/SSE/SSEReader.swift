// Server-Sent Events as the WHATWG HTML standard defines them (section “Server-sent events”), read from bytes
// however they are split. The reader is a value: what it holds depends on the bytes that it has read and not on
// how they came, so equal streams leave equal readers, and a stored one goes on in the middle of a line.
//
//     var reader = SSEReader()                          // with the call's progress
//     try reader.read(bytes) { event in                 // for each piece that arrives
//         if event.hasType("ping") { return }
//         tokens.append(scan(event.data))
//     }
//     try reader.finish { event in … }                  // when the answer is complete
//
// Start with `advance`, which goes from line to line; SSEReader+Lines.swift has what happens to one.

import ChatDomain

/// Takes a stream of bytes apart into events.
///
/// Memory is bounded by the limits of the policy: nothing that has been dispatched is kept, and neither are
/// comments or fields without meaning.
public struct SSEReader: DomainValue {
    /// The limits, and what the end of the stream means.
    public let policy: SSEPolicy

    /// The id with which to resume after the connection is lost: that of the last completed event that had one.
    public var lastEventID: ExactText { ExactText(String(decoding: id, as: UTF8.self)) }

    /// How long the server wants a client to wait before it connects again; nil until it says so.
    public internal(set) var retry: Interval?

    /// Where in its line the stream stands.
    var line = SSELine.byteOrderMark(.none)
    /// How many bytes of the line have been read; 0 at its start.
    var lineLength: Int64 = 0
    /// The value of the line so far, unless it is data.
    var held: [UInt8] = []
    /// The data of the event, each complete line followed by LF. Empty means: no data line, so no event.
    var data: [UInt8] = []
    /// The type of the event; empty means `message`.
    var type: [UInt8] = []
    /// The id that the event sets when it is complete; nil when it has no valid `id` line.
    var newID: [UInt8]?
    /// The bytes of the last event id.
    var id: [UInt8]

    /// Creates a reader of one stream; the id is that with which a lost connection is resumed.
    public init(_ policy: SSEPolicy = SSEPolicy(), lastEventID: ExactText = "") {
        self.policy = policy
        id = [UInt8](lastEventID.utf8)
    }

    /// Reads the next piece of the stream and hands out each event that it completes. O(n).
    ///
    /// Data that lies in the piece as a single line is handed out from there, without a copy.
    ///
    /// - Throws: The limit that was passed, after all events before it; from then on always the same error.
    public mutating func read(
        _ bytes: [UInt8], _ body: (borrowing SSEEvent) -> Void
    ) throws(SSEError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SSEError) in try read(bytes, body) }
    }

    /// Reads the next piece of the stream and hands out each event that it completes. O(n).
    ///
    /// Data that lies in the piece as a single line is handed out from there, without a copy.
    ///
    /// - Throws: The limit that was passed, after all events before it; from then on always the same error.
    public mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (borrowing SSEEvent) -> Void
    ) throws(SSEError) {
        if case .failed(let error) = line { throw error }
        do throws(SSEError) {
            try advance(bytes, body)
        } catch {
            fail(error)
            throw error
        }
    }

    /// Takes note that the stream has ended, and dispatches what the end cut off if the policy says so.
    ///
    /// The reader is then ready for the next stream of the same source: `lastEventID` and `retry` stay.
    ///
    /// - Throws: The limit that was passed, now or before.
    public mutating func finish(_ body: (borrowing SSEEvent) -> Void) throws(SSEError) {
        if case .failed(let error) = line { throw error }
        if policy.unterminatedEvent == .dispatchAtEnd {
            do throws(SSEError) {
                try endLine()
            } catch {
                fail(error)
                throw error
            }
            dispatch(nil, body)
        }
        forget()
        line = .byteOrderMark(.none)
    }

    /// Drops what is not complete.
    private mutating func forget() {
        lineLength = 0
        held = []
        data = []
        type = []
        newID = nil
    }

    private mutating func fail(_ error: SSEError) {
        forget()
        line = .failed(error)
    }

    /// Goes from line to line: first to the end of the one in which the last piece ended, at last into the one
    /// that this piece does not complete.
    private mutating func advance(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (borrowing SSEEvent) -> Void
    ) throws(SSEError) {
        guard var position = try resume(bytes) else { return }
        let lineLimit = Int(clamping: policy.lineLimit)
        // The event's data, as long as it is one line of this piece.
        var single: UnsafeBufferPointer<UInt8>?
        while let end = SSEBytes.lineEnd(in: bytes, from: position) {
            if end == position {
                dispatch(single, body)
                single = nil
            } else {
                guard end - position <= lineLimit else { break }
                try take(UnsafeBufferPointer(rebasing: bytes[position..<end]), &single)
            }
            position = passLineEnd(at: end, in: bytes)
        }
        if let single { append(single) }
        if position < bytes.count {
            try hold(UnsafeBufferPointer(rebasing: bytes[position...]))
        }
    }
}
