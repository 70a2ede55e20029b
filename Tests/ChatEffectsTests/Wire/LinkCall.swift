import ChatDomain
@testable import ChatEffects

/// A connection of any backend, driven by hand.
struct LinkCall<Link: LinkBackend> {
    let link: Link
    var progress: Link.Progress

    /// What came of one arrival or one frame.
    struct Heard: Equatable {
        var frames: [String] = []
        var events: [Chat.Event] = []
        var pairing: [Pairing.Event] = []
        var end: CallEnd?
        var skipped: UInt64 = 0
    }

    init(_ link: Link) {
        self.link = link
        progress = link.connect(SecretHandle("h"), "d-1", cursors: []).progress
    }

    /// A call that uploads a file.
    init(uploading link: Link) {
        self.link = link
        let file = Chat.Attachment(
            id: "f", owner: "u", kind: .document, mimeType: "text/plain", name: "a", byteCount: 1,
            source: .file(.waiting))
        progress = link.upload(SecretHandle("h"), file).progress
    }

    mutating func receive(_ arrival: Arrival) -> Heard {
        var reaction = Reaction<Chat.Event>()
        var pairing: [Pairing.Event] = []
        link.receive(arrival, progress: &progress, reaction: &reaction, pairing: &pairing)
        return Heard(
            frames: reaction.frames.map(\.shown), events: reaction.events, pairing: pairing,
            end: reaction.end, skipped: reaction.skipped)
    }

    mutating func receive(_ text: String) -> Heard { receive(.text(Array(text.utf8))) }

    mutating func send(_ frame: Chat.Frame) -> Heard {
        var reaction = Reaction<Chat.Event>()
        link.send(frame, progress: &progress, reaction: &reaction)
        return Heard(
            frames: reaction.frames.map(\.shown), events: reaction.events, end: reaction.end,
            skipped: reaction.skipped)
    }

    mutating func send(_ frame: Pairing.Frame) -> Heard {
        var reaction = Reaction<Chat.Event>()
        link.send(frame, progress: &progress, reaction: &reaction)
        return Heard(frames: reaction.frames.map(\.shown), events: reaction.events, skipped: reaction.skipped)
    }

    /// What the frames of a recorded connection bring, when their bytes arrive in pieces that end at these places.
    mutating func replay(_ bytes: [UInt8], cutAt cuts: [Int] = []) -> [Heard] {
        var connection = WebSocketConnection(.client)
        var heard: [Heard] = []
        var start = 0
        for end in cuts + [bytes.count] {
            var texts: [[UInt8]] = []
            connection.receive(Array(bytes[start..<end]), maskingKey: { 0 }) { step in
                if case .received(.text(let text)) = step { texts.append(text) }
            }
            for text in texts { heard.append(receive(.text(text))) }
            start = end
        }
        return heard
    }
}
