// Laws of the decoders of frames under any bytes, one frame a line. The choice of an input also chooses the place in the
// life of the connection. What must hold of each frame:
//
// - A frame that a WebSocket brings in fragments and in pieces of any size is read as the same frame in one piece, and a
//   frame is read twice alike from equal places.
// - It brings no more events than it has bytes, and at most one frame is sent because of it. That frame is a JSON text, and
//   not much longer.
// - It ends no connection that the server has accepted.
// - A name or a sentence for a person has a limit.

import ChatDomain
import ChatEffects

enum FrameLaws {
    /// The laws, each under the name of its decoder.
    static let all: [ByteLaw] = [
        ByteLaw(name: "clawline") { violation(of: clawline, $0, $1) },
        ByteLaw(name: "clawline-pairing") { violation(of: clawlinePairing, $0, $1) },
        ByteLaw(name: "clawdbot") { violation(of: clawdbot, $0, $1) },
        ByteLaw(name: "openclaw") { violation(of: openClaw, $0, $1) },
        ByteLaw(name: "openclaw-pairing") { violation(of: openClawPairing, $0, $1) },
    ]

    // MARK: Places

    /// A place in the life of a Clawline connection: of an older server, of a newer one, and before the token is answered.
    private static let clawline: [LinkReader<ClawlineLink>] = {
        let cursors = [
            Chat.Cursor(conversation: .main, last: "s_1"), Chat.Cursor(conversation: "k", last: "s_2"),
        ]
        let opening = LinkReader(ClawlineLink(), cursors: cursors, .opened)
        let older = #"{"type":"auth_result","success":true,"userId":"u","replayCount":1}"#
        let newer =
            #"{"type":"auth_result","success":true,"userId":"u","replayCount":1,"isAdmin":true,"#
            + #""sessionKeys":["agent:main:clawline:u:main","k"]}"#
        return [older, newer].map { opening.accepted($0).busy } + [opening]
    }()

    private static let clawdbot = [
        LinkReader(ClawdbotLink(), .opened).accepted().busy, LinkReader(ClawdbotLink()),
    ]

    private static let openClaw: [LinkReader<OpenClawLink>] = {
        let challenge = #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1}}"#
        let hello = #"{"type":"res","id":"r-1","ok":true,"payload":{"type":"hello-ok","protocol":3}}"#
        let opening = LinkReader(OpenClawLink(scopes: ["operator.pairing"]), .opened)
        let connecting = opening.reading(challenge)
        return [connecting.accepted(hello).busy, connecting, opening]
    }()

    private static let clawlinePairing = [PairingReader(ClawlinePairing(), .opened)]

    private static let openClawPairing: [PairingReader<OpenClawPairing>] = {
        let challenge = #"{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1}}"#
        let opening = PairingReader(OpenClawPairing(), .opened)
        return [opening.reading(challenge), opening]
    }()

    // MARK: Laws

    private static func violation<Reader: FrameReader>(
        of places: [Reader], _ choice: UInt8, _ bytes: [UInt8]
    ) -> String? {
        var reader = places[Int(choice) % places.count]
        var twin = reader
        var socket = WebSocketConnection(.client)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let frame = Array(line)
            let heard = reader.read(.text(frame))
            // The socket refuses what is not UTF-8, so a decoder gets that from a careless driver alone.
            let isText = String(decoding: frame, as: UTF8.self).utf8.elementsEqual(frame)
            let texts = isText ? delivered(frame, by: &socket, choice) : [frame]
            guard texts == [frame] else { return "the pieces give another frame than the whole" }
            guard texts.map({ twin.read(.text($0)) }) == [heard], twin == reader else {
                return "a frame is read in two ways"
            }
            if let violation = heard.violation(of: frame) { return violation }
            if heard.end != nil { return reader.isAccepted ? "a frame ends the connection" : nil }
        }
        return nil
    }

    /// The texts that a socket passes on when a frame arrives in fragments, and these in pieces.
    private static func delivered(
        _ frame: [UInt8], by socket: inout WebSocketConnection, _ choice: UInt8
    ) -> [[UInt8]] {
        var wire: [UInt8] = []
        var fragments = ByteLaw.pieces(frame, choice)
        if fragments.isEmpty { fragments = [[]] }
        for (index, fragment) in fragments.enumerated() {
            let opcode: UInt8 = index == 0 ? 1 : 0
            let end: UInt8 = index == fragments.count - 1 ? 0x80 : 0
            wire += [opcode | end, UInt8(fragment.count)] + fragment  // at most 23 bytes
        }
        var texts: [[UInt8]] = []
        for piece in ByteLaw.pieces(wire, choice &+ 1) {
            socket.receive(piece, maskingKey: { 0 }) { step in
                if case .received(.text(let text)) = step { texts.append(text) }
            }
        }
        return texts
    }
}

// MARK: Readers

/// A decoder of frames, at a place in the life of its connection.
private protocol FrameReader: Equatable {
    /// Whether the server has accepted the connection.
    var isAccepted: Bool { get }

    mutating func read(_ arrival: Arrival) -> HeardFrame
}

/// The result of one frame.
private struct HeardFrame: Equatable {
    var frames: [Payload]
    var end: CallEnd?
    var skipped: UInt64
    var chat: [Chat.Event] = []
    var pairing: [Pairing.Event] = []

    init<Event>(_ reaction: Reaction<Event>) {
        (frames, end, skipped) = (reaction.frames, reaction.end, reaction.skipped)
    }

    func violation(of frame: [UInt8]) -> String? {
        guard chat.count + pairing.count + Int(clamping: skipped) <= frame.count + 2 else {
            return "a frame has too many events"
        }
        guard frames.count <= 1 else { return "a frame is answered by several" }
        for answer in frames {
            // As the driver sends it, with a token that needs an escape.
            guard let bytes = try? answer.filled(secret: { _ in Secret("\"") }, record: { _ in nil }),
                (try? JSONReader().value(of: bytes)) != nil
            else { return "a frame that is sent is no JSON text" }
            if bytes.count > 6 * frame.count + 1_024 { return "a frame that is sent is long" }
        }
        let texts = chat.compactMap { $0.sentence } + pairing.flatMap { $0.sentences }
        return texts.contains { $0.byteCount > 1_024 } ? "a sentence for a person is long" : nil
    }
}

/// The reader of chat's connection.
private struct LinkReader<Link: LinkBackend>: FrameReader {
    let link: Link
    var progress: Link.Progress
    var isAccepted = false

    /// A connection that has begun, and what has arrived on it.
    init(_ link: Link, cursors: [Chat.Cursor] = [], _ arrivals: Arrival...) {
        self.link = link
        progress = link.connect(SecretHandle("h"), "d", cursors: cursors).progress
        for arrival in arrivals { _ = read(arrival) }
    }

    mutating func read(_ arrival: Arrival) -> HeardFrame {
        var reaction = Reaction<Chat.Event>()
        var pairing: [Pairing.Event] = []
        link.receive(arrival, progress: &progress, reaction: &reaction, pairing: &pairing)
        var heard = HeardFrame(reaction)
        (heard.chat, heard.pairing) = (reaction.events, pairing)
        return heard
    }

    func reading(_ frame: String) -> Self {
        var reader = self
        _ = reader.read(.text(Array(frame.utf8)))
        return reader
    }

    /// The same connection, accepted by this frame.
    func accepted(_ frame: String? = nil) -> Self {
        var reader = frame.map { reading($0) } ?? self
        reader.isAccepted = true
        return reader
    }

    /// The same connection, with messages, typing and a decision on their way.
    var busy: Self {
        var reader = self
        var reaction = Reaction<Chat.Event>()
        for frame in [.typing(true), .say("c_1", "x"), .say("c_2", in: "k", "y")] as [Chat.Frame] {
            link.send(frame, progress: &reader.progress, reaction: &reaction)
        }
        link.send(
            .decide("d-2", .approve("u")), progress: &reader.progress, reaction: &reaction)
        return reader
    }
}

/// The reader of a request to come in.
private struct PairingReader<Codec: Backend>: FrameReader where Codec.Subject == Pairing {
    let codec: Codec
    var progress: Codec.Progress
    /// A refusal ends the request.
    let isAccepted = false

    init(_ codec: Codec, _ arrivals: Arrival...) {
        self.codec = codec
        let info = DeviceInfo(platform: "p", model: "m")
        progress = codec.open(.pair("d", name: "n", info)).progress
        for arrival in arrivals { _ = read(arrival) }
    }

    mutating func read(_ arrival: Arrival) -> HeardFrame {
        var reaction = Reaction<Pairing.Event>()
        codec.receive(arrival, progress: &progress, reaction: &reaction)
        var heard = HeardFrame(reaction)
        heard.pairing = reaction.events
        return heard
    }

    func reading(_ frame: String) -> Self {
        var reader = self
        _ = reader.read(.text(Array(frame.utf8)))
        return reader
    }
}

// MARK: Texts

extension Chat.Event {
    /// The server's text for a person, other than a message; nil when there is none.
    fileprivate var sentence: ExactText? {
        switch self {
        case .rejected(_, let text), .assetMissing(_, _, let text), .replyFailed(_, let text),
            .named(_, let text), .failed(let text):
            text
        default: nil
        }
    }
}

extension Pairing.Event {
    /// The texts for a person.
    fileprivate var sentences: [ExactText] {
        switch self {
        case .pending(let code): code.map { [$0] } ?? []
        case .refused(.denied(let reason)), .refused(.rejected(let reason)): reason.map { [$0] } ?? []
        case .notDecided(_, let reason): [reason]
        case .requested(let request): [request.claimedName, request.info.platform, request.info.model]
        case .granted, .refused(.timedOut), .resolved, .rights: []
        }
    }
}
