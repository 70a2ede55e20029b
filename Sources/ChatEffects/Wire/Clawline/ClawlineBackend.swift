// The backends of an app whose server speaks Clawline, with the conventions of the coach, of the assistant and of smart
// replies beside it. The configuration of chat decides whether it uses Clawline's connection or the coach's streams.

import ChatDomain

/// Clawline for pairing and chat, and a convention over HTTP for everything that Clawline lacks.
public typealias ClawlineBackend = ChatAppBackend<
    ClawlinePairing, ChatCarriages<ClawlineLink, CoachStreamCodec>, AssistantCallable, SmartReplyCodec
>

extension ChatAppBackend
where
    PairingBackend == ClawlinePairing, CarriageBackend == ChatCarriages<ClawlineLink, CoachStreamCodec>,
    AssistantBackend == AssistantCallable, SmartReplyBackend == SmartReplyCodec
{
    /// Creates a backend for a server whose socket and uploads are at these paths.
    public init(
        path: ExactText = "/ws", uploadPath: ExactText = "/upload",
        coach: CoachStreamCodec = CoachStreamCodec(), assistant: AssistantCallable = AssistantCallable(),
        smartReplies: SmartReplyCodec = SmartReplyCodec()
    ) {
        self.init(
            pairing: ClawlinePairing(path: path),
            chat: ChatCarriages(link: ClawlineLink(path: path, uploadPath: uploadPath), streams: coach),
            assistant: assistant, smartReplies: smartReplies)
    }
}
