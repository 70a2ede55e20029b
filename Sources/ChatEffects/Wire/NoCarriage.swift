// The place of a connection, or of streams, that a chat does not have. A chat with the right configuration requests
// nothing here.

import ChatDomain

/// Takes the place of the connection, or of the streams, that a chat does not have.
///
/// A request that comes from a wrong configuration ends as unreachable, without the network.
public struct NoCarriage: LinkBackend, Backend {
    /// Streaming, where this takes the place of streams.
    public typealias Subject = Streaming

    /// The empty progress.
    public struct Progress: DomainValue {}

    @usableFromInline
    init() {}

    /// An exchange that ends in the loop: it takes a record from the root of a store, where none can be.
    private static let nowhere = (
        exchange: Exchange.http(
            method: "GET", path: "", headers: [], body: Payload([.stored(RecordPath([]))]), credential: nil),
        progress: Progress()
    )

    /// Ends the call.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) { Self.nowhere }

    /// Ends the call.
    public func upload(
        _ secret: SecretHandle, _ attachment: Chat.Attachment
    ) -> (exchange: Exchange, progress: Progress) { Self.nowhere }

    /// Ends the call.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        Self.nowhere
    }

    /// Skips the frame.
    public func send(
        _ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>
    ) { reaction.skipped += 1 }

    /// Skips the decision.
    public func send(
        _ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>
    ) { reaction.skipped += 1 }

    /// Ends the call.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) { reaction.end = .failed(.unreachable) }

    /// Ends the call.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Streaming.Event>
    ) { reaction.end = .failed(.unreachable) }
}

extension ChatCarriages where Link == NoCarriage {
    /// Composes a backend for a chat whose questions have streams of their own, and that has no connection.
    @inlinable
    public init(streams: Streams) { self.init(link: NoCarriage(), streams: streams) }
}

extension ChatCarriages where Streams == NoCarriage {
    /// Composes a backend for a chat over a connection.
    @inlinable
    public init(link: Link) { self.init(link: link, streams: NoCarriage()) }
}
