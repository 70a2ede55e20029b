// The app's backend, composed of one backend for each feature, as the app is composed of features. Each call belongs to
// one of them; its progress says which. Chat's connection may carry pairing's decisions and requests as well (P9).

import ChatDomain

/// The backend of the whole app, composed of a backend for each feature.
public struct ChatAppBackend<
    PairingBackend: Backend, CarriageBackend: ChatBackend, AssistantBackend: Backend,
    SmartReplyBackend: Backend
>: Backend
where
    PairingBackend.Subject == Pairing, AssistantBackend.Subject == Assistant,
    SmartReplyBackend.Subject == SmartReplies
{
    /// The feature that this backend serves.
    public typealias Subject = ChatApp

    /// The backend of pairing.
    @usableFromInline let pairing: PairingBackend
    /// The backend of chat.
    @usableFromInline let chat: CarriageBackend
    /// The backend of the assistant.
    @usableFromInline let assistant: AssistantBackend
    /// The backend of smart replies.
    @usableFromInline let smartReplies: SmartReplyBackend

    /// Composes a backend.
    @inlinable
    public init(
        pairing: PairingBackend, chat: CarriageBackend, assistant: AssistantBackend,
        smartReplies: SmartReplyBackend
    ) {
        self.pairing = pairing
        self.chat = chat
        self.assistant = assistant
        self.smartReplies = smartReplies
    }

    /// The progress of a call, in the backend of its feature.
    public enum Progress: DomainValue {
        /// A call of pairing.
        case pairing(PairingBackend.Progress)
        /// A call of chat.
        case chat(CarriageBackend.Progress)
        /// A call of the assistant.
        case assistant(AssistantBackend.Progress)
        /// A call of smart replies.
        case smartReplies(SmartReplyBackend.Progress)
    }

    /// Encodes the beginning of a call.
    @inlinable
    public func open(_ request: ChatApp.Request) -> (exchange: Exchange, progress: Progress) {
        switch request {
        case .pairing(let request):
            let (exchange, progress) = pairing.open(request)
            return (exchange, .pairing(progress))
        case .chat(let request):
            let (exchange, progress) = chat.open(request)
            return (exchange, .chat(progress))
        case .assistant(let request):
            let (exchange, progress) = assistant.open(request)
            return (exchange, .assistant(progress))
        case .smartReplies(let request):
            let (exchange, progress) = smartReplies.open(request)
            return (exchange, .smartReplies(progress))
        }
    }

    /// Encodes a frame on the call of its feature, or a decision on chat's connection.
    @inlinable
    public func send(
        _ frame: ChatApp.Frame, progress: inout Progress, reaction: inout Reaction<ChatApp.Event>
    ) {
        switch (frame, consume progress) {
        case (.pairing(let frame), .pairing(var call)):
            var child = Reaction<Pairing.Event>()
            pairing.send(frame, progress: &call, reaction: &child)
            reaction.append(child) { .pairing($0) }
            progress = .pairing(call)
        case (.pairing(let frame), .chat(var call)):
            var child = Reaction<Chat.Event>()
            chat.send(frame, progress: &call, reaction: &child)
            reaction.append(child) { .chat($0) }
            progress = .chat(call)
        case (.chat(let frame), .chat(var call)):
            var child = Reaction<Chat.Event>()
            chat.send(frame, progress: &call, reaction: &child)
            reaction.append(child) { .chat($0) }
            progress = .chat(call)
        case (_, let other):
            progress = other
            reaction.skipped += 1
        }
    }

    /// Decodes an arrival. The progress is consumed, so that its buffers grow in place.
    @inlinable
    public func receive(
        _ arrival: Arrival, progress: inout Progress, reaction: inout Reaction<ChatApp.Event>
    ) {
        switch consume progress {
        case .pairing(var call):
            var child = Reaction<Pairing.Event>()
            pairing.receive(arrival, progress: &call, reaction: &child)
            reaction.append(child) { .pairing($0) }
            progress = .pairing(call)
        case .chat(var call):
            var child = Reaction<Chat.Event>()
            var requests: [Pairing.Event] = []
            chat.receive(arrival, progress: &call, reaction: &child, pairing: &requests)
            reaction.append(child) { .chat($0) }
            for request in requests { reaction.events.append(.pairing(request)) }
            progress = .chat(call)
        case .assistant(var call):
            var child = Reaction<Assistant.Event>()
            assistant.receive(arrival, progress: &call, reaction: &child)
            reaction.append(child) { .assistant($0) }
            progress = .assistant(call)
        case .smartReplies(var call):
            var child = Reaction<SmartReplies.Event>()
            smartReplies.receive(arrival, progress: &call, reaction: &child)
            reaction.append(child) { .smartReplies($0) }
            progress = .smartReplies(call)
        }
    }
}
