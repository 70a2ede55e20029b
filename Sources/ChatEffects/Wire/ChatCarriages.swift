// Chat's backend, composed of one for its connection and one for questions that have streams of their own; the
// configuration of chat decides which of them it uses. Start at `open`.

import ChatDomain

/// A backend of chat. Its connection may carry decisions and requests of pairing (P9); by default it carries none.
public protocol ChatBackend: Backend where Subject == Chat {
    /// Encodes a decision that an admin sends on an open connection.
    func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>)

    /// Decodes an arrival, and appends the events of pairing that it brings.
    func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event])
}

extension ChatBackend {
    /// Counts the decision as skipped.
    @inlinable
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        reaction.skipped += 1
    }

    /// Decodes an arrival, which brings nothing of pairing.
    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        receive(arrival, progress: &progress, reaction: &reaction)
    }
}

/// The backend of chat's connection, and of its uploads.
public protocol LinkBackend: DomainValue {
    /// The memory of an open call: all that is needed to decode its next arrival.
    associatedtype Progress: DomainValue

    /// Connects and authenticates, and requests everything after the cursors; of a conversation without one,
    /// everything.
    func connect(
        _ secret: SecretHandle, _ device: DeviceID, cursors: [Chat.Cursor]
    ) -> (exchange: Exchange, progress: Progress)

    /// Uploads a file, whose bytes are stored under its key.
    func upload(
        _ secret: SecretHandle, _ attachment: Chat.Attachment
    ) -> (exchange: Exchange, progress: Progress)

    /// Encodes a frame of chat on an open connection.
    func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>)

    /// Encodes a decision that an admin sends on an open connection.
    func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>)

    /// Decodes an arrival, and appends the events of pairing that it brings.
    func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event])
}

/// The backend of chat, composed of the backend of a connection and the backend of streams.
public struct ChatCarriages<Link: LinkBackend, Streams: Backend>: ChatBackend
where Streams.Subject == Streaming {
    /// The feature that this backend serves.
    public typealias Subject = Chat

    /// The backend of the connection and of uploads.
    @usableFromInline let link: Link
    /// The backend of questions that have streams of their own.
    @usableFromInline let streams: Streams

    /// Composes a backend.
    @inlinable
    public init(link: Link, streams: Streams) {
        self.link = link
        self.streams = streams
    }

    /// The progress of a call, in its own backend.
    public typealias Progress = Either<Link.Progress, Streams.Progress>

    /// Encodes the beginning of a call.
    @inlinable
    public func open(_ request: Chat.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .connect(let secret, let device, let cursors):
            let (exchange, progress) = link.connect(secret, device, cursors: cursors)
            return (exchange, .first(progress))
        case .upload(let secret, let attachment):
            let (exchange, progress) = link.upload(secret, attachment)
            return (exchange, .first(progress))
        case .ask(let request):
            let (exchange, progress) = streams.open(request)
            return (exchange, .second(progress))
        }
    }

    /// Encodes a frame; a stream takes none.
    @inlinable
    public func send(_ frame: Chat.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch consume progress {
        case .first(var call):
            link.send(frame, progress: &call, reaction: &reaction)
            progress = .first(call)
        case .second(let call):
            progress = .second(call)
            reaction.skipped += 1
        }
    }

    /// Encodes a decision of an admin; a stream takes none.
    @inlinable
    public func send(_ frame: Pairing.Frame, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        switch consume progress {
        case .first(var call):
            link.send(frame, progress: &call, reaction: &reaction)
            progress = .first(call)
        case .second(let call):
            progress = .second(call)
            reaction.skipped += 1
        }
    }

    /// Decodes an arrival. Events of pairing count as skipped.
    @inlinable
    public func receive(_ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>) {
        var pairing: [Pairing.Event] = []
        receive(arrival, progress: &progress, reaction: &reaction, pairing: &pairing)
        reaction.skipped += UInt64(pairing.count)
    }

    /// Decodes an arrival. The progress is consumed, so that its buffers grow in place.
    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<Chat.Event>,
        pairing: inout [Pairing.Event]
    ) {
        switch consume progress {
        case .first(var call):
            link.receive(arrival, progress: &call, reaction: &reaction, pairing: &pairing)
            progress = .first(call)
        case .second(var call):
            var reply = Reaction<Streaming.Event>()
            streams.receive(arrival, progress: &call, reaction: &reply)
            reaction.append(reply) { .streamed($0) }
            progress = .second(call)
        }
    }
}
