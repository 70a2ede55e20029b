// Server-Sent Events as the WHATWG HTML standard defines them (section “Server-sent events”), read from bytes
// in any split. The reader is a value that depends on the bytes read and not on their split, so equal streams
// leave equal readers, and a stored reader resumes in the middle of a line.
//
//     var reader = SSEReader()                          // with the call's progress
//     try reader.read(bytes) { event in                 // for each piece that arrives
//         if event.hasType("ping") { return }
//         tokens.append(scan(event.data))
//     }
//     try reader.finish { event in … }                  // when the answer is complete
//
// Start with `advance`, which goes from line to line; SSEReaderLines.swift parses one line.

import ChatDomain

/// Parses a stream of bytes into events.
///
/// The policy's limits bound the memory: dispatched events, comments and unknown fields are not kept.
public struct SSEReader: DomainValue {
    /// The limits, and the handling of the end of the stream.
    let policy: SSEPolicy

    /// The id for resuming after a lost connection: that of the last completed event with an id.
    public var lastEventID: ExactText { ExactText(decoding: id) }

    /// The server's wait before a new connection; nil until the server sets one.
    public internal(set) var retry: Interval?

    /// The state of the current line.
    var line = SSELine.byteOrderMark(.none)
    /// The number of consumed bytes of the line; 0 at its start.
    var lineLength: Int64 = 0
    /// The value of the line so far, unless it is data.
    var held: [UInt8] = []
    /// The data of the event, each complete line followed by LF. Empty if there is no data line and thus no event.
    var data: [UInt8] = []
    /// The type of the event; empty for `message`.
    var type: [UInt8] = []
    /// The id that the event sets at its end; nil without a valid `id` line.
    var newID: [UInt8]?
    var id: [UInt8]

    /// Creates a reader of one stream; `lastEventID` is the id for resuming.
    public init(_ policy: SSEPolicy = SSEPolicy(), lastEventID: ExactText = "") {
        self.policy = policy
        id = lastEventID.utf8
    }

    /// Reads the next piece of the stream and dispatches each event that it completes. O(n).
    ///
    /// Data in a single line of the piece is passed without a copy.
    ///
    /// - Throws: The exceeded limit, after all events before it; every later call throws the same error.
    public mutating func read(
        _ bytes: [UInt8], _ body: (borrowing SSEEvent) -> Void
    ) throws(SSEError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(SSEError) in try read(bytes, body) }
    }

    /// Reads the next piece of the stream and dispatches each event that it completes. O(n).
    ///
    /// Data in a single line of the piece is passed without a copy.
    ///
    /// - Throws: The exceeded limit, after all events before it; every later call throws the same error.
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

    /// Ends the stream, and dispatches an unterminated event if the policy allows it.
    ///
    /// The reader is then ready for the next stream of the same source: `lastEventID` and `retry` stay.
    ///
    /// - Throws: The exceeded limit, now or before.
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

    /// Drops the incomplete event.
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

    /// Goes from line to line: from the end of the line in which the last piece ended to the line that this piece
    /// leaves incomplete.
    private mutating func advance(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (borrowing SSEEvent) -> Void
    ) throws(SSEError) {
        guard var position = try resume(bytes) else { return }
        let lineLimit = Int(clamping: policy.lineLimit)
        // The event's data while it is one line of this piece.
        var single: UnsafeBufferPointer<UInt8>?
        while let end = SSEBytes.lineEnd(in: bytes, from: position) {
            if end == position {
                dispatch(single, body)
                single = nil
            } else {
                guard end - position <= lineLimit || Self.isComment(bytes[position]) else { break }
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
