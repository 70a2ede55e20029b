// What the in-process backend remembers: sockets, devices, a log for each user, replies that grow, and what it
// has yet to do.

import ChatDomain

extension LocalServer {
    /// How many messages a log keeps; more than any replay or idempotency window needs.
    static let logLimit = 10_000

    /// How far back a repeated id is recognised (limits).
    static let idempotencyWindow = 1_000

    /// How long a message may be, in UTF-8 bytes.
    static let textLimit: Int64 = 65_536

    /// How many bytes of images a message may carry.
    static let inlineLimit: Int64 = 262_144

    /// How many bytes of text and images a message may have in all.
    static let messageLimit: Int64 = 327_680

    /// A message in a log.
    public struct Entry: PlainValue {
        /// The server's name for it.
        public let id: MessageID
        /// The conversation that it belongs to.
        public let conversation: ConversationID
        /// Who wrote it.
        public let author: Author
        /// What it says.
        public let text: ExactText
        /// Its files, in order.
        public let files: [File]
        /// When the server got it, or began it.
        public let time: WallTime
    }

    /// Who wrote a message.
    public enum Author: PlainValue {
        /// A person, on this device, who named it so.
        case device(DeviceID, ClientID)
        /// The server.
        case server
    }

    /// A file of a message.
    public enum File: PlainValue {
        /// One that was uploaded.
        case asset(Asset)
        /// An image that the message carries itself, in Base64.
        case image(mimeType: ExactText, data: ExactText)
    }

    /// What is remembered of a file that was uploaded: everything but its bytes.
    public struct Asset: PlainValue {
        /// The server's name for it.
        public let id: AssetID
        /// Its type, as its sender said.
        public let mimeType: ExactText
        /// How many bytes it has.
        public let byteCount: Int64

        /// Creates the memory of a file.
        public init(id: AssetID, mimeType: ExactText, byteCount: Int64) {
            self.id = id
            self.mimeType = mimeType
            self.byteCount = byteCount
        }
    }

    /// The finished messages of a user.
    struct Log: PlainValue {
        let user: UserID
        /// Whether there was more once: a cursor that is not known then means that history was reset.
        var isLost = false
        var entries: [Entry] = []
        /// The conversations that entries belong to, or have belonged to.
        var conversations: [ConversationID] = []
        /// Messages whose reply failed: they must come again under new ids.
        var failed: [ClientID] = []
    }

    /// A device that has asked to come in.
    struct Device: PlainValue {
        /// How far it has come.
        enum Standing: PlainValue {
            /// Nobody has decided.
            case waiting
            /// It is in, under an account.
            case admitted(UserID)
            /// It is not let in, and has yet to be told.
            case turnedAway(code: ExactText, ExactText?)
            /// It was in; its token is no longer good.
            case revoked
        }

        /// What it says about itself, the latest.
        var request: PairingRequest
        var standing = Standing.waiting

        var id: DeviceID { request.device }

        /// The account that its name claims.
        var claimedUser: UserID { UserID(request.claimedName.trimmed.string.lowercased()) }

        /// The account under which it is in.
        var user: UserID? {
            if case .admitted(let user) = standing { user } else { nil }
        }
    }

    /// A socket, as the server sees it.
    struct Socket: PlainValue {
        /// How far it has come.
        enum Phase: PlainValue {
            case opening
            case open
            case pairing(DeviceID)
            case authenticating
            case connected(UserID, DeviceID)
        }

        let call: CallNumber
        var phase: Phase
    }

    /// A request of HTTP that is open.
    struct Request: PlainValue {
        let call: CallNumber
        /// The token that it brought, where it is one of this server's.
        let token: Token?
    }

    /// Who sent a message, and under which id.
    struct Sender: PlainValue {
        let user: UserID
        let device: DeviceID
        let client: ClientID
        /// Where.
        let conversation: ConversationID

        /// The token under which it was sent.
        var token: Token { Token(user: user, device: device) }
    }

    /// A reply that grows.
    struct Reply: PlainValue {
        let entry: Entry
        let sender: Sender
        /// How many of its words were sent.
        var sentTokens: Int64 = 0
        /// How many bytes of its text were sent.
        var sentBytes = 0
        /// Who has its text so far, and needs only what is new.
        var followers: [CallNumber] = []
    }

    /// Something to be done at a time.
    struct Task: PlainValue {
        enum Kind: PlainValue {
            case handshake(CallNumber)
            case pairing(DeviceID)
            case expiry(DeviceID)
            case announcement(CallNumber, DeviceID)
            case decision(CallNumber, DeviceID, Decision)
            /// The token of a device is answered; without one, it was none of this server's.
            case authentication(CallNumber, Token?, cursors: [Chat.Cursor])
            indirect case receipt(CallNumber, Sender, ExactText, [ClawlineQuestion.File])
            case acknowledgement(CallNumber, ClientID)
            indirect case echo(CallNumber?, UserID, Entry)
            indirect case reply(CallNumber?, Sender, ExactText)
            case token(CallNumber?, MessageID)
            case send(CallNumber, [UInt8])
            case upload(Upload, percent: Int64)
            case end(CallNumber, CallEnd)
            case answer(CallNumber, ExactText, conversation: ExactText?)
            case respond(CallNumber, status: Int64, body: [UInt8])
            case suggestion(CallNumber, [ExactText], next: Int64)
            case whole(CallNumber, [UInt8])
            case coach(CallNumber, CoachReply, next: Int64)
            case coachWhole(CallNumber, CoachReply)
            case refresh(CallNumber)
        }

        let kind: Kind
        /// Whether the rules have yet to be asked; a step that is late because of one is not asked again.
        let mayFail: Bool

        /// Whether it concerns a connection and nobody else, so that it goes with it.
        func isOnly(of call: CallNumber) -> Bool {
            switch kind {
            case .handshake(call), .authentication(call, _, _), .send(call, _), .end(call, _): true
            case .acknowledgement(call, _), .announcement(call, _), .decision(call, _, _),
                .answer(call, _, _), .respond(call, _, _), .suggestion(call, _, _), .whole(call, _),
                .coach(call, _, _), .coachWhole(call, _), .refresh(call):
                true
            case .upload(let upload, _): upload.call == call
            default: false
            }
        }
    }

    /// The position of the log of a user, which begins here if there is none.
    mutating func logIndex(of user: UserID) -> Int {
        if let index = logs.firstIndex(where: { $0.user == user }) { return index }
        logs.append(Log(user: user))
        return logs.count - 1
    }

    /// Adds to a log. Past twice its limit the older half goes, so that trimming is cheap on average.
    mutating func append(_ entry: Entry, to user: UserID) {
        let index = logIndex(of: user)
        logs[index].entries.append(entry)
        if !logs[index].conversations.contains(entry.conversation) {
            logs[index].conversations.append(entry.conversation)
        }
        if logs[index].entries.count > 2 * Self.logLimit {
            logs[index].entries.removeFirst(logs[index].entries.count - Self.logLimit)
        }
    }

    /// The next id of a message.
    mutating func nextMessageID() -> MessageID {
        lastID += 1
        return MessageID("s_\(lastID)")
    }
}
