// The place of a connection, or of streams, that a chat does not have. Its configuration says so, and then nothing is asked
// here.

import ChatDomain

/// Stands where chat has no connection, or no streams of its own.
///
/// What is asked all the same, by a configuration that does not fit, is unreachable, and no network is touched.
public struct NoCarriage: LinkBackend, Backend {
    /// Streams, where it stands in their place.
    public typealias Subject = Streaming

    /// Nothing.
    public struct Progress: DomainValue {}

    @usableFromInline
    init() {}

    /// An exchange that ends in the loop: it takes a record from the root of a store, where none can be.
    private static let nowhere = (
        exchange: Exchange.http(
            method: "GET", path: "", headers: [], body: Payload([.stored(RecordPath([]))]), credential: nil),
        progress: Progress()
    )

    /// Not asked.
    public func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress) { Self.nowhere }

    /// Not asked.
    public func upload(
        _ secret: SecretHandle, _ attachment: Attachment
    ) -> (exchange: Exchange, progress: Progress) { Self.nowhere }

    /// Not asked.
    public func open(_ request: Streaming.Request) -> (exchange: Exchange, progress: Progress) {
        Self.nowhere
    }

    /// Not asked.
    public func send(
        _ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>
    ) { reaction.skipped += 1 }

    /// Not asked.
    public func send(
        _ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>
    ) { reaction.skipped += 1 }

    /// Unreachable: no frame is sent on a stream.
    public func send(
        _ frame: Never, progress: inout Progress, reaction: inout Reaction<Streaming.Event>
    ) {}

    /// Ends what was asked all the same.
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) { reaction.end = .failed(.unreachable) }

    /// Ends what was asked all the same.
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
